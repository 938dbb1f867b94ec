#pragma once
// What it would have cost not to be durable: from a store for any period, or from logs of runs made before
// Cairn. The sums are pure; reading streams. Amounts of different currencies are never added.

#include "core/report/run_work.h"
#include "core/report/walk_runs.h"

#include <istream>
#include <optional>

namespace cairn {

// A line of arithmetic for people: what it is, how it is computed, and the numbers put in.
struct Formula {
    std::string name;
    std::string rule;
    std::string text;
};

// --- from a store

struct LongestRun {
    std::string id;
    std::string outcome;  // an activity's key, or the log's word
    SpanMs took = 0;
    Spent spent;
};

struct DurabilityReport {
    TimeMs since = kNoTime;  // as asked, else when the oldest counted run was created; kNoTime: no run
    TimeMs until = kNoTime;
    std::uint64_t runs = 0;                   // under way at some time within it
    std::map<Activity, std::uint64_t> ended;  // within it, by how
    std::uint64_t open = 0;                   // not ended by its end
    std::uint64_t endedWithout = 0;           // ended without completing
    Spent lost;                               // by those, all that they spent
    std::uint64_t effectsLeft = 0;            // by those: done outside and not undone
    std::optional<LongestRun> longest;        // of those that ended
    std::uint64_t interrupted = 0;            // runs that an engine left behind, within it
    std::uint64_t resumed = 0;                // of these, completed by now
    RunWork work;                             // summed
    Spent month;                              // what begins again in a month without a record
    std::int64_t monthEffects = 0;            // effects that would come twice in a month
    std::uint64_t gone = 0;                   // runs removed while they were read
    std::optional<Money> engine;              // what an engine costs a month, where the user says so
    bool needed = true;                       // an engine is worth it
    std::string verdict;                      // and why, in one sentence
    std::vector<Formula> formulas;
    std::vector<std::string> remarks;  // what is counted in which way, and what is not
};

class DurabilitySums {
public:
    DurabilitySums(TimeMs since, TimeMs until);  // kNoTime for `since`: from the oldest run on
    [[nodiscard]] bool wants(const ListRow& row) const;
    void add(const ListRow& row, const RunWork& work);
    [[nodiscard]] DurabilityReport report(
        std::uint64_t gone, const std::optional<Money>& engine = std::nullopt) const;

private:
    TimeMs m_since;
    TimeMs m_oldest = kNoTime;
    DurabilityReport m_sums;
};

// `page`: as RunWalk::page. Reads the sessions once, then every history of the period.
[[nodiscard]] Result<DurabilityReport> durabilityOf(StoreReader& store,
    const std::function<Result<RunPage>(const std::optional<PageKey>&)>& page, TimeMs since, TimeMs until,
    const std::optional<Money>& engine = std::nullopt);

// --- from logs

struct LogLine {
    std::string id;
    TimeMs started = kNoTime;
    TimeMs ended = kNoTime;
    std::string outcome;  // as written
    enum class Kind : std::uint8_t { Completed = 1, Cancelled, Lost } kind = Kind::Completed;
    std::int64_t calls = 0;
    std::int64_t tokens = 0;
    Money cost;  // no currency: none
};
// One line: {"id","started","ended","outcome","calls","tokens","cost"}. `cost` is {"amount","currency"}, or a
// number or decimal text in `currency`. InvalidInput says what is wrong.
[[nodiscard]] Result<LogLine> parseLogLine(std::string_view line, std::string_view currency);

struct BadLine {
    std::uint64_t number = 0;  // from 1
    std::string text;
};
inline constexpr std::size_t kBadLinesTold = 20;
inline constexpr std::size_t kLogLineLimit = 1u << 20;  // bytes

struct LogReport {
    TimeMs since = kNoTime;
    TimeMs until = kNoTime;
    std::uint64_t runs = 0;
    std::map<std::string, std::uint64_t> outcomes;  // by the words of the log
    std::uint64_t endedWithout = 0;                 // lost or cancelled
    std::uint64_t wanted = 0;                       // of these, cancelled
    Spent lost;                                     // by all that ended without completing
    Spent kept;   // what a record would have kept of the lost ones: all but the call that was under way
    Spent month;  // the same for a month
    std::optional<LongestRun> longest;
    std::uint64_t repeatedIds = 0;
    std::uint64_t bad = 0;
    std::vector<BadLine> badLines;  // the first ones
    std::optional<Money> engine;    // what an engine costs a month, where the user says so
    bool needed = true;             // an engine pays
    std::string verdict;            // and why, in one sentence
    std::vector<Formula> formulas;
    std::vector<std::string> remarks;
};

class LogSums {
public:
    void add(const LogLine& line);
    void addBad(std::uint64_t number, std::string text);
    [[nodiscard]] LogReport report(const std::optional<Money>& engine) const;

private:
    LogReport m_sums;
    std::vector<std::uint64_t> m_ids;  // hashes: eight bytes a line
};

[[nodiscard]] LogReport readLog(
    std::istream& in, std::string_view currency, const std::optional<Money>& engine);

}  // namespace cairn
