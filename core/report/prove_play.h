#pragma once
// One play of a proof: a run from its start to its end in a simulated installation (the product's engine over
// a store, a clock and a provider that are simulated), with kills at given boundaries. Deterministic: the
// same setting and script give the same boundaries in the same order. Internal to the proof.

#include "core/model/definition.h"
#include "core/report/prove.h"
#include "core/report/prove_data.h"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace cairn::proof {

// What a run that is played again had come to, in place of made-up values. By place: the ids of steps from
// the root on, with kPlaceMark between them; a run's place is that of the step that started it, the root's
// empty.
inline constexpr std::string_view kPlaceMark = " > ";
struct RecordedStep {
    StepState state = StepState::Complete;
    Reason reason = Reason::None;
    std::string output;  // empty: none
    std::string media;
    std::optional<ApprovalState> decided;  // of its newest approval
};
struct Record {
    std::map<std::string, RecordedStep> steps;
    std::map<std::string, Activity> runs;
    std::string output;  // of the root
};

struct Setting {
    const Family& family;
    std::string root;  // workflow that is started
    const MadeUp& data;
    const ProveOptions& options;
    TimeMs start = kNoTime;
    const Record* record = nullptr;  // with it `data` is asked for the input only
};

// What happens once to the first call of one step, beside kills.
enum class Fault : std::uint8_t {
    None = 1,
    Refused,     // the provider did nothing and says so: a back-off follows
    AnswerLost,  // it did it, and the answer is lost: nobody knows
    Cancelled,   // the run is cancelled while the call is under way
};

struct Script {
    Fault fault = Fault::None;
    std::string step;                  // path
    bool undo = false;                 // compensated after its end
    std::vector<std::size_t> kills{};  // boundaries, by number
};

// A place between two things that happen, at which an engine (or an outside worker) may be killed.
struct Boundary {
    std::string when;                                       // "after the commit of"
    std::vector<std::pair<std::string, std::string>> what;  // path of a step (empty: the run), "its result"

    [[nodiscard]] bool concerns(const std::string& path) const;
    [[nodiscard]] std::string textFor(const std::string& path) const;
};

struct StepSeen {
    std::string tool;
    ReplaySafety safety = ReplaySafety::ReadOnly;
    std::uint32_t calls = 0;  // that arrived, of the member with the most
    bool lookedUp = false;
    bool doubled = false;
    std::string parked;  // key of the reason; empty: no person was needed
};

struct Played {
    std::vector<Boundary> boundaries;
    std::size_t from = 0;  // the first boundary after the fault, or of the compensation
    std::size_t killed = 0;
    bool faulted = false;
    bool undone = false;
    std::map<std::string, StepSeen> steps;                     // by path, of those that begin
    std::vector<std::string> wrong;                            // what must never be
    std::vector<std::pair<std::string, std::string>> trouble;  // path, what did not fit the made-up values
    std::string stuck;                                         // why the run did not end; empty: it did
    // With a record, where the run ended: what is other than recorded, for people.
    std::vector<std::string> differences;
};

[[nodiscard]] Played play(const Setting& setting, const Script& script);

}  // namespace cairn::proof
