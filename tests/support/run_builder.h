#pragma once
// Runs for tests, without store or clock: a definition written as a few lines of text, and a driver that
// answers what a decision needs, applies what it gives, and checks on the way that the stored bytes fold to
// the same state.

#include "core/machine/machine.h"
#include "core/model/codec.h"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::testing {

inline constexpr TimeMs kTestStart = 1'000'000'000'000;

// One line per step: NAME KIND [after X,Y] [option...]; lines with "!" set what holds for the whole workflow.
//   kinds    read, repeat, once (irreversible), choose (a decision), approval, timer, signal, child, each
//   (fan-out) options  lookup check_first ask needed=N undo[=once] worker resource=R cost=UNIT:N retry=N
//   lost=N total=MS timeout=MS
//            wait=MS runs_after_skip on_demand allow_failures safety=once (fan-out members) allot=UNIT:N
//   !        compensate_on_cancel compensate_on_failure close_on_failure budget=UNIT:N deadline=MS version=N
//   output
// The tool of step "pay" is "pay"; its undo is "pay_undo". Steps after which nothing is said follow nothing.
[[nodiscard]] Definition define(std::string_view text);

// The same text always has the same hash, as if there were one salt for all: tests compare inputs by it.
[[nodiscard]] PayloadRef payload(std::string_view content);
[[nodiscard]] RunId runId(std::string_view name);

// How a step's templates come out; what is not named is made from the step's id.
struct Render {
    bool condition = true;
    bool failed = false;
    std::string input;  // content
    std::string key;    // effect key instead of "origin run/step"
    std::uint32_t items = 3;
    TimeMs until = kNoTime;
};

struct Posted {
    RunId from;
    std::uint64_t version = 0;
    std::uint32_t number = 0;
    Message message;
};

// What runs share: the ledger, the outbox, resources, time, dead sessions.
struct World {
    struct Row {
        LedgerRow row;
        Digest input;
    };
    TimeMs now = kTestStart;
    std::uint64_t seed = 7;
    std::uint64_t commands = 0;
    std::map<EffectId, Row> ledger;
    std::map<EffectId, std::set<RunId>> waiters;
    std::map<std::string, ResourceView, std::less<>> resources;
    std::vector<Posted> outbox;
    std::set<SessionId> ended;
};

[[nodiscard]] SessionId sessionId(std::string_view name);

class RunDriver {
public:
    RunDriver(World& world, const Definition* follows)
        : m_world(world)
        , definition(follows)
    {
    }

    // Makes an id for the command, decides, answers what it needs, and applies. `m_problem` is set where the
    // entry's bytes do not fold to the same state.
    Decision submit(cmd::Body body, Actor actor = {ActorKind::Person, "ann"});
    Decision submit(Command command);

    [[nodiscard]] const RunState& state() const { return m_state; }
    [[nodiscard]] RunState& mutableState() { return m_state; }
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    [[nodiscard]] Given given() const;
    [[nodiscard]] Rendered render(StepIx step) const;

private:
    World& m_world;

public:
    const Definition* definition;
    const Definition* target = nullptr;
    const RunState* forkSource = nullptr;
    SessionId session = sessionId("s1");
    std::uint32_t capacity = 100;
    std::uint16_t format = kMaxFormat;
    bool canWrite = true;
    bool served = true;
    bool checks = true;  // fold the encoded entries beside the live state and compare
    Safety safety = Safety::Free;
    std::uint32_t reasonLength = 40;
    std::map<std::string, Render, std::less<>> renders;  // by step id

private:
    void answer(const Needs& needs, const RunState& now, Given& given) const;
    void record(const Entry& entry);
    void settleLedger(const Entry& entry);

    RunState m_state;
    RunState m_folded;
    std::vector<Entry> m_entries;
    std::string m_problem;
};

// Lines of text. Times are given as +milliseconds since the test's start.
[[nodiscard]] std::string factText(const Fact& fact, const RunState& state);
[[nodiscard]] std::string entryText(const Entry& entry, const RunState& after);
[[nodiscard]] std::string decisionText(const Decision& decision, const RunState& after);
[[nodiscard]] std::string summaryText(const RunState& state, TimeMs now);

}  // namespace cairn::testing
