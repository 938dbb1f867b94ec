#include "core/report/prove_play.h"

#include "core/base/json_scan.h"
#include "core/model/codec.h"
#include "core/report/prove_label.h"
#include "core/report/prove_people.h"
#include "core/report/prove_process.h"
#include "core/report/prove_provider.h"

#include <algorithm>

namespace cairn::proof {

namespace {

constexpr int kMaxTurns = 60'000;
constexpr SpanMs kStep = 500;           // of simulated time, while something may still come
constexpr SpanMs kQuiet = 2'000;        // without an entry, until the next time is let come
constexpr SpanMs kStuck = 60'000;       // without an entry, and with no time to wait for
constexpr SpanMs kNothingMore = 1'500;  // after the end: would an engine do something again?

AttemptResult completed(const StartOrder& order, const std::string& output)
{
    AttemptResult result;
    result.attempt = order.attempt;
    result.kind = AttemptResult::Kind::Completed;
    result.output = std::make_shared<Spool>(kPayloadBytes);
    if (!result.output->append(output))
        return failedResult(order, FailureClass::Permanent, knowledgeWhenBroken(order), "too large");
    return result;
}

class World final : public Watcher, public Scene {
public:
    World(const Setting& setting, const Script& script)
        : m_setting(setting)
        , m_script(script)
        , m_clock(setting.start)
        , m_connect(setting.options.makeStore(m_clock, setting.options.seed))
        , m_provider(setting.options.keyless)
        , m_people(*this, m_connect, m_clock)
    {
    }

    Played run()
    {
        if (!begin())
            return std::move(m_played);
        int turns = 0;
        while (!over() && m_played.stuck.empty()) {
            turn();
            if (++turns == kMaxTurns)
                m_played.stuck = "it goes on and on";
        }
        if (m_played.stuck.empty())
            judge();
        return std::move(m_played);
    }

    // --- Watcher: the engine
    [[nodiscard]] bool dead() const override { return m_dead; }
    void committing(std::span<const CommitMember>) override
    {
        m_open = m_played.boundaries.size();
        hit({"before the commit of", {}});
    }
    void committed(std::span<const CommitMember> members, std::span<const MemberResult> results) override
    {
        const auto what = fold(members, results);
        if (what.empty())
            return;
        m_played.boundaries[m_open].what = what;
        hit({"after the commit of", what});
    }
    void sending(const StartOrder& order) override
    {
        const bool asks = order.purpose == Purpose::LookUp;
        hit({asks ? "before the provider was asked" : "before the request was sent", {{pathOf(order), ""}}});
    }
    [[nodiscard]] std::optional<AttemptResult> answer(const StartOrder& order) override
    {
        const std::string path = pathOf(order);
        if (order.purpose == Purpose::LookUp)
            return lookUp(order, path);
        if (const RecordedStep* recorded = recordedOf(order.run, order.step);
            recorded && recorded->state == StepState::Failed)
            return failedResult(order,
                recorded->reason == Reason::AttemptsExhausted ? FailureClass::Retryable
                                                              : FailureClass::Permanent,
                knowledgeWhenNotDone(order), "failed as it was recorded to");
        if (m_cancel && m_held.contains(order.attempt))
            return std::nullopt;
        if (m_held.erase(order.attempt) == 0) {
            const bool faulty = !m_played.faulted && path == m_script.step;
            if (faulty && m_script.fault == Fault::Refused) {
                fault();
                return failedResult(
                    order, FailureClass::Retryable, knowledgeWhenNotDone(order), "refused by the proof");
            }
            m_provider.call(order);
            if (faulty && m_script.fault == Fault::AnswerLost) {
                fault();
                return failedResult(
                    order, FailureClass::Retryable, knowledgeWhenBroken(order), "lost by the proof");
            }
            if (faulty && m_script.fault == Fault::Cancelled) {
                fault();
                m_cancel = true;
                m_held.insert(order.attempt);
                return std::nullopt;
            }
            hit({"after the provider acted, before its answer", {{path, ""}}});
        }
        AttemptResult result = completed(order, outputOf(order.run, order.step));
        if (m_setting.record)
            result.media = mediaOf(order.run, order.step);
        hit({"with the answer in hand, before its commit", {{path, ""}}});
        return result;
    }

    // --- Scene: people and outside workers
    void theyCommitted(std::span<const CommitMember> members, std::span<const MemberResult> results) override
    {
        const auto what = fold(members, results);
        if (!what.empty())
            m_killEngine = reached({"after the commit of", what}) || m_killEngine;
    }
    [[nodiscard]] bool killsWorker(const std::string& path, const char* when) override
    {
        return reached({std::string(when) + " (outside worker)", {{path, ""}}});
    }
    void called(const StartOrder& order) override { m_provider.call(order); }
    [[nodiscard]] const std::map<RunId, RunState>& runs() const override { return m_runs; }
    [[nodiscard]] const Definition& definitionOf(const RunState& state) const override
    {
        return m_setting.family.at(state.workflow.name);
    }
    [[nodiscard]] std::string pathOf(const RunState& state, StepIx ix) const override
    {
        return m_prefixes.at(state.id) + stepWord(state.steps.at(ix));
    }
    [[nodiscard]] std::string outputOf(const RunId& run, const std::string& step) const override
    {
        if (m_setting.record) {
            const RecordedStep* recorded = recordedOf(run, step);
            return recorded && !recorded->output.empty() ? recorded->output : "null";
        }
        const RunState& state = m_runs.at(run);
        const StepRecord* record = state.find(step);
        if (!record || record->undoOf != kNoStep)
            return "{}";
        return m_setting.data.output(state.workflow.name, record->name, record->index);
    }
    [[nodiscard]] std::string mediaOf(const RunId& run, const std::string& step) const override
    {
        const RecordedStep* recorded = recordedOf(run, step);
        return recorded && !recorded->media.empty() ? recorded->media : "application/json";
    }
    [[nodiscard]] bool happened(const RunId& run, const std::string& step) const override
    {
        return m_provider.effectsOf({run, step}) > 0;
    }
    // Played again, people do what they were recorded to do, and no more.
    [[nodiscard]] std::optional<bool> decision(
        const RunState& state, const ApprovalRecord& approval) const override
    {
        const RecordedStep* recorded =
            approval.step == kNoStep ? nullptr : recordedOf(state.id, state.steps.at(approval.step).id);
        if (!recorded || !recorded->decided)
            return true;
        if (*recorded->decided == ApprovalState::Expired)
            return std::nullopt;
        return *recorded->decided != ApprovalState::Rejected;
    }
    [[nodiscard]] bool staysFailed(const RunState& state, const StepRecord& step) const override
    {
        const RecordedStep* recorded = recordedOf(state.id, step.id);
        return recorded && recorded->state == StepState::Failed;
    }
    [[nodiscard]] bool isSignalled(const RunState& state, const StepRecord& step) const override
    {
        const RecordedStep* recorded = recordedOf(state.id, step.id);
        return !m_setting.record || (recorded && recorded->state == StepState::Complete);
    }
    void parked(const RunState& state, StepIx ix, Reason reason) override
    {
        if (StepSeen& seen = m_played.steps[pathOf(state, ix)]; seen.parked.empty())
            seen.parked = key(reason);
    }
    void trouble(const std::string& path, const std::string& what) override
    {
        m_played.trouble.emplace_back(path, what);
    }

private:
    bool begin()
    {
        const auto store = m_connect();
        for (const auto& [name, definition] : m_setting.family) {
            WorkflowRow row;
            row.name = name;
            row.version = definition.ref.version;
            row.digest = definition.ref.digest;
            row.text = definition.text;
            if (const Status added = store->addWorkflow(row); !added) {
                m_played.stuck = added.error().text;
                return false;
            }
        }
        const Outcome started = m_people.start(m_setting.root, m_setting.data.input);
        m_root = started.run;
        if (!started.ok())
            m_played.stuck = "it cannot be started: "
                + (started.kind == Outcome::Kind::Failed ? started.error.text : started.rejection.text);
        return started.ok();
    }

    // --- boundaries

    // True: here a kill is due.
    bool reached(Boundary boundary)
    {
        const std::size_t number = m_played.boundaries.size();
        m_played.boundaries.push_back(std::move(boundary));
        const auto& kills = m_script.kills;
        if (std::find(kills.begin(), kills.end(), number) == kills.end())
            return false;
        ++m_played.killed;
        return true;
    }
    void hit(Boundary boundary)
    {
        if (reached(std::move(boundary)))
            throw Killed{};
    }
    void fault()
    {
        m_played.faulted = true;
        m_played.from = m_played.boundaries.size();
    }

    std::vector<std::pair<std::string, std::string>> fold(
        std::span<const CommitMember> members, std::span<const MemberResult> results)
    {
        std::vector<std::pair<std::string, std::string>> what;
        for (std::size_t i = 0; i < members.size() && i < results.size(); ++i) {
            if (results[i].kind != MemberResult::Kind::Committed)
                continue;
            const auto entry = decodeEntry(members[i].entry.body, members[i].entry.format);
            if (!entry)
                continue;
            RunState& state = m_runs[members[i].run];
            apply(state, *entry);
            if (state.version == 1)
                addPrefix(state);
            m_quiet = 0;
            for (auto& [ix, text] : labelsOf(*entry))
                what.emplace_back(ix == kNoStep ? "" : pathOf(state, ix), std::move(text));
        }
        return what;
    }
    void addPrefix(const RunState& state)
    {
        std::string& prefix = m_prefixes[state.id];
        std::string& place = m_places[state.id];
        if (state.parent.run.isNull() || !m_runs.contains(state.parent.run))
            return;
        const RunState& parent = m_runs.at(state.parent.run);
        prefix = pathOf(parent, state.parent.step) + "/";
        place = placeOf(parent.id, parent.steps.at(state.parent.step).id);
    }
    [[nodiscard]] std::string placeOf(const RunId& run, const std::string& step) const
    {
        const std::string& place = m_places.at(run);
        return place.empty() ? step : place + std::string(kPlaceMark) + step;
    }
    [[nodiscard]] const RecordedStep* recordedOf(const RunId& run, const std::string& step) const
    {
        if (!m_setting.record)
            return nullptr;
        const auto at = m_setting.record->steps.find(placeOf(run, step));
        return at == m_setting.record->steps.end() ? nullptr : &at->second;
    }
    [[nodiscard]] std::string pathOf(const StartOrder& order) const
    {
        const RunState& state = m_runs.at(order.run);
        return pathOf(state, state.stepById.at(order.step));
    }

    std::optional<AttemptResult> lookUp(const StartOrder& order, const std::string& path)
    {
        m_played.steps[path].lookedUp = true;
        if (order.executor == "worker")  // as a real engine answers
            return failedResult(order, FailureClass::Permanent, knowledgeWhenNotDone(order),
                "this engine has no executor \"worker\"");
        const ToolDef* tool = definitionOf(m_runs.at(order.run)).tool(order.tool);
        const bool found = m_provider.knows(order, tool ? tool->settings : std::string());
        AttemptResult result = lookUpResult(order,
            found ? "{\"happened\":true,\"output\":" + outputOf(order.run, order.step) + "}"
                  : "{\"happened\":false}");
        hit({"after the provider was asked, before the commit of what it said", {{path, ""}}});
        return result;
    }

    // --- time

    void turn()
    {
        SpanMs sleep = 0;
        try {
            if (!m_engine)
                startEngine();
            sleep = m_engine->turn();
        } catch (const Killed&) {
            return endEngine();
        }
        if (sleep == 0)
            return;
        watchWaits();
        if (std::exchange(m_killEngine, false))
            endEngine();
        const bool acted = m_people.act();
        if (std::exchange(m_cancel, false))
            m_people.cancel(m_root);
        if (std::exchange(m_killEngine, false))
            endEngine();
        if (!acted)
            pass(std::clamp<SpanMs>(sleep, 1, kStep));
    }

    void startEngine()
    {
        const std::int64_t pid = ++m_pid;
        m_living.insert(pid);
        m_dead = false;
        m_engine = std::make_unique<Process>(m_connect, *this, m_clock,
            m_setting.options.seed + static_cast<std::uint64_t>(pid), pid, m_living);
    }
    void endEngine()
    {
        m_dead = true;
        m_living.erase(m_pid);
        m_engine.reset();
    }

    // Each wait of each step once: an engine may be killed while nothing happens, too.
    void watchWaits()
    {
        for (const auto& [id, state] : m_runs) {
            if (state.closed)
                continue;
            for (std::size_t r = 1; r < kReasonCount; ++r)
                for (const auto& [since, ix] : state.waiting[r])
                    waits(state, ix, static_cast<Reason>(r));
            for (const StepIx ix : state.unknown)
                if (!state.steps[ix].attempt)
                    waits(state, ix, Reason::OutcomeUnknown);
        }
    }
    void waits(const RunState& state, StepIx ix, Reason reason)
    {
        if (reason == Reason::Dependency || !m_waited.insert({state.id, {ix, reason}}).second)
            return;
        const std::string word(label(reason));
        m_killEngine = reached({"while it waited (" + word + ")", {{pathOf(state, ix), ""}}}) || m_killEngine;
    }

    void pass(SpanMs span)
    {
        m_clock.advance(span);
        m_quiet += span;
        if (m_quiet < kQuiet)
            return;
        const TimeMs now = m_clock.wallMs();
        TimeMs next = kNoTime;
        for (const auto& [id, state] : m_runs) {
            const TimeMs due = state.closed ? kNoTime : summarise(state, now).nextDue;
            if (due > now && (next == kNoTime || due < next))
                next = due;
        }
        if (next != kNoTime) {
            m_clock.jumpWall(next - now);
            m_quiet = 0;
        } else if (m_quiet >= kStuck) {
            m_played.stuck = whyStuck();
        }
    }

    [[nodiscard]] std::string whyStuck() const
    {
        for (const auto& [id, state] : m_runs) {
            if (state.closed)
                continue;
            const Summary summary = summarise(state, m_clock.wallMs());
            const StepIx ix = summary.primary.step;
            return (ix == kNoStep ? "the run" : "step " + pathOf(state, ix)) + " stands still: "
                + std::string(label(summary.activity)) + ", " + std::string(label(summary.primary.reason));
        }
        return "nothing happens any more";
    }

    // Ended, and nothing is done again for a while. Then it is compensated, where the script says so.
    bool over()
    {
        const bool open =
            std::any_of(m_runs.begin(), m_runs.end(), [](const auto& run) { return !run.second.closed; });
        if (open || m_quiet < kNothingMore || !m_engine)
            return false;
        if (!m_script.undo || m_asked)
            return true;
        m_asked = true;
        m_played.from = m_played.boundaries.size();
        m_played.undone = m_people.compensate(m_root);
        if (std::exchange(m_killEngine, false))
            endEngine();
        return !m_played.undone;
    }

    // --- the end

    void judge()
    {
        for (const auto& [place, count] : m_provider.calls()) {
            StepSeen& seen = m_played.steps[pathAt(place)];
            seen.calls = std::max(seen.calls, count);
        }
        for (const auto& [place, count] : m_provider.effects())
            if (count > 1) {
                m_played.steps[pathAt(place)].doubled = true;
                m_played.wrong.push_back(
                    "step " + pathAt(place) + ": its effect happened " + std::to_string(count) + " times");
            }
        for (const auto& [key, count] : m_provider.effectsByKey())
            if (count > 1 && m_played.wrong.empty())
                m_played.wrong.push_back(
                    "the effect of " + key + " happened " + std::to_string(count) + " times");
        for (const auto& [id, state] : m_runs)
            for (StepIx ix = 0; ix < state.steps.size(); ++ix)
                judge(state, ix);
        if (m_setting.record)
            compareWithRecord();
    }

    void differs(const std::string& place, const std::string& what)
    {
        m_played.differences.push_back((place.empty() ? "the run" : place) + ": " + what);
    }
    // A step without a result gives null to all that read it.
    static bool isSame(const std::string& bytes, const std::string& recorded)
    {
        return (bytes.empty() ? "null" : bytes) == (recorded.empty() ? "null" : recorded);
    }
    void compareWithRecord()
    {
        const Record& record = *m_setting.record;
        std::set<std::string> seen;
        for (const auto& [id, state] : m_runs) {
            const std::string& place = m_places.at(id);
            const auto run = record.runs.find(place);
            if (run == record.runs.end())
                differs(place, "a run was started that is not in the record");
            else if (state.closedAs != run->second)
                differs(place,
                    "it ended as " + std::string(key(state.closedAs)) + ", recorded is "
                        + std::string(key(run->second)));
            for (const StepRecord& step : state.steps) {
                seen.insert(placeOf(id, step.id));
                compareWithRecord(id, step);
            }
        }
        for (const auto& [place, step] : record.steps)
            if (!seen.contains(place))
                differs(place, "the step was recorded, and is not there");
        if (!isSame(bytesOf(m_root, m_runs.at(m_root).output), record.output))
            differs("", "its output is another one than recorded");
    }
    void compareWithRecord(const RunId& run, const StepRecord& step)
    {
        const RecordedStep* recorded = recordedOf(run, step.id);
        const std::string place = placeOf(run, step.id);
        if (!recorded)
            differs(place, "the step is not in the record");
        else if (step.state != recorded->state)
            differs(place,
                "it is " + std::string(key(step.state)) + ", recorded is "
                    + std::string(key(recorded->state)));
        else if (!isSame(bytesOf(run, step.output), recorded->output))
            differs(place, "its output is another one than recorded");
    }
    [[nodiscard]] std::string bytesOf(const RunId& run, const PayloadRef& ref)
    {
        if (!ref)
            return {};
        if (!m_reader)
            m_reader = m_connect();
        const auto bytes = m_reader->payload(run, ref.id);
        return bytes ? *bytes : "(" + bytes.error().text + ")";
    }
    void judge(const RunState& state, StepIx ix)
    {
        const StepRecord& step = state.steps[ix];
        const std::string path = pathOf(state, ix);
        StepSeen& seen = m_played.steps[path];
        seen.tool = step.tool;
        seen.safety = step.safety;
        if (step.kind == StepKind::FanOut || step.tool.empty() || !writes(step.safety) || step.byPerson)
            return;
        const bool there = happened(state.id, step.id);
        if (step.state == StepState::Complete && !there && !step.fromLedger)
            m_played.wrong.push_back(
                "step " + path + ": it is recorded as done, and the provider did nothing");
        else if (step.state != StepState::Complete && isFinished(step.state) && there)
            m_played.wrong.push_back(
                "step " + path + ": its effect happened, and the step says that it did not");
    }
    [[nodiscard]] std::string pathAt(const Provider::Step& place) const
    {
        const RunState& state = m_runs.at(place.first);
        return pathOf(state, state.stepById.at(place.second));
    }

    const Setting& m_setting;
    const Script& m_script;
    ManualClock m_clock;
    ProveOptions::Connect m_connect;
    Provider m_provider;
    std::map<RunId, RunState> m_runs;
    std::map<RunId, std::string> m_prefixes;  // of the paths of its steps
    std::map<RunId, std::string> m_places;    // of the step that started it
    std::unique_ptr<StoreWriter> m_reader;    // for the comparison at the end
    People m_people;
    Played m_played;
    RunId m_root;
    std::size_t m_open = 0;  // boundary before the commit that is being made
    std::unique_ptr<Process> m_engine;
    std::set<std::int64_t> m_living;
    std::int64_t m_pid = 0;
    bool m_dead = false;
    bool m_killEngine = false;
    bool m_cancel = false;
    bool m_asked = false;        // for compensation
    std::set<AttemptId> m_held;  // calls that are not answered before the cancel
    std::set<std::pair<RunId, std::pair<StepIx, Reason>>> m_waited;
    SpanMs m_quiet = 0;
};

}  // namespace

bool Boundary::concerns(const std::string& path) const
{
    return std::any_of(what.begin(), what.end(), [&](const auto& item) { return item.first == path; });
}

std::string Boundary::textFor(const std::string& path) const
{
    const auto worded = [this](const auto& item) {
        return when + (item.second.empty() ? "" : " " + item.second);
    };
    for (const auto& item : what)
        if (item.first == path)
            return worded(item);
    if (what.empty())
        return when;
    const auto& [step, text] = what.front();
    return worded(what.front()) + (step.empty() ? "" : " (step " + step + ")");
}

Played play(const Setting& setting, const Script& script) { return World(setting, script).run(); }

}  // namespace cairn::proof
