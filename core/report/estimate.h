#pragma once
// Storage, writes and cost of a month, computed from what the user expects, and from what a real store was
// measured to hold. Pure but for measureStore(). Every number says where it comes from.

#include "core/report/durability.h"

namespace cairn {

inline constexpr std::int64_t kMillion = 1'000'000;

enum class From : std::uint8_t { Given = 1, Measured, Assumed };
[[nodiscard]] std::string_view fromKey(From from) noexcept;  // "given", "measured", "assumed"

// Where the user gives nothing: what the store says, else these.
template<typename T> struct Input {
    T value{};
    From from = From::Assumed;
};

struct EstimateInput {
    Input<std::int64_t> starts;                                 // a month
    Input<std::int64_t> failureMillionths{0};                   // of the starts
    Input<std::int64_t> stateBytes{50'000};                     // of one run
    Input<std::int64_t> entriesMillionths{32 * kMillion};       // checkpoints of one run
    Input<std::int64_t> stepsMillionths{10 * kMillion};         // steps of one run
    Input<SpanMs> active{3'600'000};                            // from start to end
    Input<SpanMs> retention{SpanMs{90} * 24 * 3'600'000};       // after the end
    Input<std::int64_t> amplificationMillionths{2 * kMillion};  // bytes written for a byte kept
    std::optional<std::int64_t> checkpointsPerDay;              // instead of those of one run
    std::optional<Money> storagePrice;                          // of 1 GB (10^9 bytes) for a month
    std::optional<Money> writesPrice;                           // of a million checkpoints
    std::optional<Money> writtenPrice;                          // of 1 GB that is written
    std::optional<Money> enginePrice;                           // of engines and server for a month
    std::optional<Money> runCost;                               // of the calls of one run
};

struct Estimate {
    std::int64_t starts = 0;                          // a month
    std::int64_t failures = 0;                        // a month
    std::int64_t runsActive = 0;                      // at one time
    std::int64_t runsHeld = 0;                        // at one time, active ones and kept ones
    std::int64_t activeBytes = 0;                     // of the active ones
    std::int64_t storedBytes = 0;                     // of all that are held, once retention has come round
    std::int64_t checkpoints = 0;                     // a month
    std::int64_t checkpointsPerSecondMillionths = 0;  // on average
    std::int64_t bytesPerCheckpoint = 0;
    std::int64_t writtenBytes = 0;  // a month
    std::optional<Money> storageCost, writesCost, writtenCost, engineCost, total;
    std::optional<Money> lostWithout;   // calls that failures cost a month without a record
    std::optional<Money> repeatedWith;  // and with one: one step of each
    std::string verdict;                // whether it pays; empty: not enough is given
    std::vector<Formula> formulas;
};

// InvalidInput: a number out of its range, or prices in several currencies.
[[nodiscard]] Result<Estimate> estimateOf(const EstimateInput& input);

// --- calibration

struct StoreMeasure {
    std::uint64_t runs = 0;
    std::uint64_t ended = 0;
    std::uint64_t endedWithout = 0;
    std::uint64_t entries = 0;
    std::uint64_t steps = 0;
    std::int64_t entryBytes = 0;    // of histories
    std::int64_t payloadBytes = 0;  // that these name; each once
    SpanMs took = 0;                // of the ended ones, together
    TimeMs oldest = kNoTime;        // creation
    TimeMs newest = kNoTime;
    [[nodiscard]] std::int64_t bytesPerStep() const;
};
[[nodiscard]] Result<StoreMeasure> measureStore(
    StoreReader& store, const std::function<Result<RunPage>(const std::optional<PageKey>&)>& page);
// Puts what was measured in the place of what was assumed; what is given stays.
void calibrate(EstimateInput& input, const StoreMeasure& measure);

}  // namespace cairn
