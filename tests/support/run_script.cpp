#include "tests/support/run_script.h"

#include <functional>
#include <iostream>
#include <memory>
#include <sstream>

namespace cairn::testing {

namespace {

struct Line {
    std::string run = "a";
    std::string verb;
    std::string subject;          // first bare word after the verb
    std::set<std::string> words;  // the other bare words
    std::map<std::string, std::string> values;

    [[nodiscard]] bool has(const std::string& word) const { return words.contains(word) || subject == word; }
    [[nodiscard]] std::string value(const std::string& name, const std::string& otherwise = {}) const
    {
        const auto found = values.find(name);
        return found == values.end() ? otherwise : found->second;
    }
    [[nodiscard]] std::int64_t number(const std::string& name, std::int64_t otherwise) const
    {
        const auto found = values.find(name);
        return found == values.end() ? otherwise : std::stoll(found->second);
    }
};

Line parse(const std::string& text)
{
    Line line;
    std::stringstream in(text);
    std::string word;
    in >> word;
    if (word.back() == ':') {
        line.run = word.substr(0, word.size() - 1);
        in >> word;
    }
    line.verb = word;
    while (in >> word) {
        const auto equals = word.find('=');
        if (equals != std::string::npos)
            line.values[word.substr(0, equals)] = word.substr(equals + 1);
        else if (line.subject.empty())
            line.subject = word;
        else
            line.words.insert(word);
    }
    return line;
}

template<class Enum> Enum wordOf(const Line& line, Enum otherwise)
{
    for (const auto& word : line.words)
        if (const auto value = parseKey<Enum>(word))
            return *value;
    return otherwise;
}

std::vector<Usage> usageOf(const std::string& text)
{
    const auto colon = text.find(':');
    if (colon == std::string::npos)
        return {};
    return {{text.substr(0, colon), std::stoll(text.substr(colon + 1))}};
}

class Player {
public:
    explicit Player(const Play& with)
        : m_definition(define(with.definition))
        , m_child(define(with.child.empty() ? "work read" : with.child))
        , m_leaf(define("work read"))
        , m_target(define(with.target))
    {
        m_child.ref.name = "child";
    }

    std::string run(std::string_view script)
    {
        std::stringstream in{std::string(script)};
        for (std::string text; std::getline(in, text);)
            if (text.find_first_not_of(' ') != std::string::npos) {
                m_out += "> " + text + "\n";
                one(parse(text));
            }
        for (const auto& [name, driver] : m_runs)
            if (!driver->problem().empty())
                m_out += "PROBLEM in " + name + ": " + driver->problem() + "\n";
        return m_out;
    }

private:
    RunDriver& driver(const std::string& name)
    {
        auto& slot = m_runs[name];
        if (!slot)
            slot = std::make_unique<RunDriver>(m_world, &m_definition);
        return *slot;
    }
    void say(const std::string& run, const std::string& text)
    {
        std::stringstream in(text);
        for (std::string line; std::getline(in, line);)
            m_out += (run == "a" ? "" : run + ": ") + line + "\n";
    }
    static Actor person(const Line& line)
    {
        return {ActorKind::Person, line.value("as", "ann"), line.value("login", "")};
    }
    static Actor engine() { return {ActorKind::Engine, "e1"}; }
    void give(const Line& line, cmd::Body body, Actor actor)
    {
        RunDriver& d = driver(line.run);
        const Decision decision = d.submit(std::move(body), std::move(actor));
        say(line.run, decisionText(decision, d.state()));
    }

    static AttemptId attempt(const RunDriver& d, const std::string& subject)
    {
        const auto hash = subject.find('#');
        const StepRecord* step = d.state().find(subject);
        if (step || hash == std::string::npos)
            return step ? (step->attempt ? step->attempt->id : step->lastAttempt) : AttemptId{};
        const auto number = static_cast<std::uint32_t>(std::stoul(subject.substr(hash + 1)));
        for (const auto& entry : d.entries())
            for (const auto& fact : entry.facts)
                if (const auto* f = std::get_if<AttemptStarted>(&fact))
                    if (f->number == number && d.state().steps[f->step].id == subject.substr(0, hash))
                        return f->attempt;
        return {};
    }
    static std::vector<cmd::NewStep> adds(const Line& line)
    {
        std::vector<cmd::NewStep> out;
        std::stringstream in(line.value("adds"));
        for (std::string part; std::getline(in, part, ',');) {  // id:name[:after]
            std::stringstream fields(part);
            cmd::NewStep step;
            std::string after;
            std::getline(fields, step.id, ':');
            std::getline(fields, step.name, ':');
            if (std::getline(fields, after, ':'))
                step.after.push_back(after);
            out.push_back(step);
        }
        return out;
    }

    void one(const Line& line)
    {
        if (setting(line) || worldly(line))
            return;
        RunDriver& d = driver(line.run);
        const std::string& s = line.subject;
        const auto revision = static_cast<std::uint32_t>(line.number("rev", 0));
        const bool check = line.values.contains("rev");
        const std::map<std::string, std::function<void()>> verbs{
            {"start", [&] { start(line); }},
            {"advance", [&] { give(line, cmd::Advance{}, engine()); }},
            {"complete",
                [&] {
                    cmd::Complete c;
                    c.attempt = attempt(d, s);
                    c.output = payload(line.value("out", "result of " + s));
                    c.used = usageOf(line.value("used"));
                    c.adds = adds(line);
                    c.sameOutputAsBefore = line.has("same");
                    give(line, c, engine());
                }},
            {"close",
                [&] {
                    give(line, cmd::Complete{{}, payload("all"), {}, {}, false},
                        {ActorKind::Caller, "caller"});
                }},
            {"fail",
                [&] {
                    cmd::Fail c;
                    c.attempt = attempt(d, s);
                    c.failure = wordOf(line, FailureClass::Retryable);
                    c.effect = wordOf(line, EffectKnowledge::NoEffect);
                    c.error = payload(line.value("error", "it did not work"));
                    c.signature = sha256("it did not work");
                    c.retryAfter = line.number("retry_after", -1);
                    c.used = usageOf(line.value("used"));
                    c.timedOut = line.has("timed_out");
                    c.cancelled = line.has("stopped");
                    give(line, c, engine());
                }},
            {"partial",
                [&] {
                    give(line, cmd::Partial{attempt(d, s), payload("half")}, engine());
                }},
            {"looked",
                [&] {
                    give(line,
                        cmd::LookedUp{attempt(d, s), wordOf(line, EffectKnowledge::Unknown), payload("found"),
                            payload("seen")},
                        engine());
                }},
            {"renew",
                [&] {
                    give(line, cmd::Renew{attempt(d, s), 30'000, {}}, {ActorKind::Worker, "w1"});
                }},
            {"claim",
                [&] {
                    cmd::Claim c{s, line.value("as", "w1"), {line.value("tool")}, 30'000};
                    give(line, c, {ActorKind::Worker, c.worker});
                }},
            {"held",
                [&] {
                    cmd::Deliver c;
                    c.kind = cmd::MessageKind::ChildHeld;
                    c.from = d.state().find(s)->waitRun;
                    c.output = payload("not here");
                    give(line, c, engine());
                }},
            {"begun",
                [&] {
                    cmd::Deliver c;
                    c.kind = cmd::MessageKind::ChildBegun;
                    c.from = d.state().find(s)->waitRun;
                    give(line, c, engine());
                }},
            {"step",
                [&] {
                    cmd::NewStep step{s, s, StepKind::Tool, ReplaySafety::ReadOnly, "", "", {}};
                    step.safety = wordOf(line, ReplaySafety::ReadOnly);
                    give(line,
                        cmd::DrivenStep{step, payload(line.value("in", "input of " + s)), !line.has("other"),
                            "caller", 30'000},
                        {ActorKind::Caller, "caller"});
                }},
            {"ask",
                [&] {
                    cmd::NewStep step{s, s, StepKind::Approval, ReplaySafety::ReadOnly, "", "", {}};
                    ApprovalPolicy policy{
                        "boss", 86'400'000, static_cast<std::uint8_t>(line.number("needed", 1))};
                    give(line, cmd::RequestApproval{step, payload("question"), !line.has("other"), policy},
                        {ActorKind::Caller, line.value("as", "caller")});
                }},
            {"add",
                [&] {
                    give(line, cmd::AddSteps{adds(line)}, {ActorKind::Caller, "caller"});
                }},
            {"signal",
                [&] {
                    give(line,
                        cmd::Signal{
                            s, sha256("id " + line.value("id", "1")), payload("data"), !line.has("other")},
                        {ActorKind::Caller, "caller"});
                }},
            {"approve", [&] { decideOn(line, true); }},
            {"reject", [&] { decideOn(line, false); }},
            {"pause",
                [&] {
                    give(line, cmd::SetPaused{true, static_cast<std::uint64_t>(line.number("rev", 0)), check},
                        person(line));
                }},
            {"resume",
                [&] {
                    give(line,
                        cmd::SetPaused{false, static_cast<std::uint64_t>(line.number("rev", 0)), check},
                        person(line));
                }},
            {"cancel", [&] { give(line, cmd::Cancel{!line.has("abandon")}, person(line)); }},
            {"compensate", [&] { give(line, cmd::Compensate{}, person(line)); }},
            {"retry",
                [&] {
                    give(line, cmd::RetryStep{s, revision, check}, person(line));
                }},
            {"skip",
                [&] {
                    give(line, cmd::SkipStep{s, {}, revision, check}, person(line));
                }},
            {"record",
                [&] {
                    give(line, cmd::RecordResult{s, payload("by hand"), revision, check}, person(line));
                }},
            {"settle",
                [&] {
                    const auto as = line.has("happened") ? cmd::SettleAs::Happened
                        : line.has("repeat")             ? cmd::SettleAs::RepeatSameKey
                        : line.has("undo")               ? cmd::SettleAs::Compensate
                        : line.has("park")               ? cmd::SettleAs::Park
                                                         : cmd::SettleAs::NotHappened;
                    give(line,
                        cmd::Settle{s, as, payload("found by hand"), payload("statement"), revision, check},
                        person(line));
                }},
            {"amend",
                [&] {
                    give(line, cmd::AmendInput{s, payload(line.value("in")), revision, check}, person(line));
                }},
            {"deadline",
                [&] {
                    const auto at = line.number("at", -1);
                    give(line, cmd::SetDeadline{at < 0 ? kNoTime : kTestStart + at, 0, false}, person(line));
                }},
            {"budget",
                [&] {
                    give(line, cmd::SetBudget{s, line.number("limit", 0), 0, false}, person(line));
                }},
            {"migrate",
                [&] {
                    d.target = &m_target;
                    give(line, cmd::Migrate{m_target.ref.version}, person(line));
                    if (d.state().workflow.version == m_target.ref.version)
                        d.definition = &m_target;
                }},
            {"fork", [&] { fork(line); }},
            {"redact", [&] { give(line, cmd::Redact{{d.state().input.id}}, person(line)); }},
            {"retain", [&] { give(line, cmd::Retain{}, person(line)); }},
            {"park",
                [&] {
                    give(line, cmd::Park{}, {ActorKind::System, "cairn"});
                }},
            {"recover",
                [&] {
                    m_world.ended.insert(d.session);
                    d.session = sessionId("s" + std::to_string(m_world.ended.size() + 1));
                    give(line, cmd::Recover{}, engine());
                }},
            {"fire",
                [&] {
                    m_world.now += line.number("in", 0);
                    give(line, cmd::FireTimers{}, engine());
                }},
            {"why", [&] { say(line.run, "= " + summaryText(d.state(), m_world.now)); }},
            {"can", [&] { can(line); }},
            {"remedies", [&] { remedy(line); }},
        };
        const auto found = verbs.find(line.verb);
        if (found == verbs.end())
            say(line.run, "BAD SCRIPT: " + line.verb);
        else
            found->second();
    }

    void start(const Line& line)
    {
        cmd::Start c;
        c.run = runId(line.run);
        c.input = payload("input of the run");
        c.driven = line.has("driven");
        give(line, c, {ActorKind::Caller, "caller"});
    }
    void decideOn(const Line& line, bool approve)
    {
        RunDriver& d = driver(line.run);
        cmd::Decide c;
        c.approve = approve;
        if (const StepRecord* step = d.state().find(line.subject))
            c.approval = step->approval;
        if (line.values.contains("nth"))
            c.approval = d.state().approvals[static_cast<std::size_t>(line.number("nth", 0))].id;
        if (line.has("seen_other"))
            c.expectedBinding = sha256("what was shown");
        Actor actor = person(line);
        if (line.has("engine"))
            actor = engine();
        give(line, c, actor);
    }
    void fork(const Line& line)
    {
        RunDriver& source = driver(line.run);
        const auto at = static_cast<std::uint64_t>(line.number("at", 1));
        m_forked = RunState{};
        for (const auto& entry : source.entries())
            if (entry.version <= at)
                apply(m_forked, entry);
        Line to = line;
        to.run = line.value("to", "f");
        driver(to.run).forkSource = &m_forked;
        give(to, cmd::Fork{runId(to.run), at, line.has("new_effects")}, person(line));
    }
    void can(const Line& line)
    {
        RunDriver& d = driver(line.run);
        std::string out = "can:";
        for (const auto& action : explain(d.state(), d.given()).actions)
            if (action.allowed)
                out += " " + std::string(key(action.verb))
                    + (action.step == kNoStep ? "" : "(" + d.state().steps[action.step].id + ")");
        say(line.run, out);
    }
    void remedy(const Line& line)
    {
        RunDriver& d = driver(line.run);
        std::string out = "helps:";
        for (const auto& action : remedies(d.state(), d.given()))
            out += " " + std::string(key(action.verb))
                + (action.step == kNoStep ? "" : "(" + d.state().steps[action.step].id + ")");
        say(line.run, out);
    }

    // How a run or its templates are set; nothing is printed.
    bool setting(const Line& line)
    {
        RunDriver& d = driver(line.run);
        if (line.verb == "set") {
            Render& r = d.renders[line.subject];
            r.items = static_cast<std::uint32_t>(line.number("items", r.items));
            r.condition = !line.has("condition_false");
            r.failed = line.has("template_fails");
            r.input = line.value("in", r.input);
            r.key = line.value("key", r.key);
            return true;
        }
        const std::map<std::string, std::function<void()>> settings{
            {"capacity", [&] { d.capacity = static_cast<std::uint32_t>(std::stoul(line.subject)); }},
            {"session", [&] { d.session = line.subject == "none" ? SessionId{} : sessionId(line.subject); }},
            {"serves", [&] { d.served = line.subject == "yes"; }},
            {"definition", [&] { d.definition = line.subject == "none" ? nullptr : &m_definition; }},
            {"guarded",
                [&] {
                    d.safety = Safety::Guarded;
                    d.reasonLength = static_cast<std::uint32_t>(line.number("reason", 0));
                }},
            {"read_only", [&] { d.canWrite = false; }},
            {"format", [&] { d.format = static_cast<std::uint16_t>(std::stoul(line.subject)); }},
        };
        const auto found = settings.find(line.verb);
        if (found == settings.end())
            return false;
        found->second();
        return true;
    }

    bool worldly(const Line& line)
    {
        if (line.verb == "time") {
            m_world.now += line.number("in", 0);
            return true;
        }
        if (line.verb == "resource") {
            auto& view = m_world.resources[line.subject];
            view.backOffUntil =
                line.values.contains("until") ? kTestStart + line.number("until", 0) : kNoTime;
            view.permits = static_cast<std::uint32_t>(line.number("permits", 1000));
            return true;
        }
        if (line.verb == "ledger") {
            std::set<std::string> rows;
            for (const auto& [effect, row] : m_world.ledger)
                rows.insert("ledger: " + row.row.holderStep + " "
                    + std::array{"absent", "in flight", "completed", "unknown",
                        "not happened"}[static_cast<std::size_t>(row.row.state)]
                    + "\n");
            for (const auto& row : rows)
                m_out += row;
            return true;
        }
        if (line.verb == "lose_salt") {
            for (auto& [effect, row] : m_world.ledger)
                row.row.unknowable = true;
            return true;
        }
        if (line.verb != "deliver")
            return false;
        deliver(line);
        return true;
    }

    // Everything in the outbox, in order; to runs that the script named, and to children, which are named
    // after their step.
    void deliver(const Line& line)
    {
        auto posted = std::move(m_world.outbox);
        m_world.outbox.clear();
        for (const auto& p : posted) {
            const int times = line.has("twice") ? 2 : 1;
            for (int i = 0; i < times; ++i)
                deliverOne(p);
        }
    }
    std::string nameOf(const RunId& id)
    {
        for (const auto& [name, driver] : m_runs)
            if (driver->state().id == id)
                return name;
        return {};
    }
    void deliverOne(const Posted& p)
    {
        const Message& m = p.message;
        Line to;
        to.run = nameOf(m.to);
        const std::string from = nameOf(p.from);
        const Actor actor{ActorKind::Run, from};
        if (m.kind == cmd::MessageKind::StartChild) {
            if (to.run.empty())
                to.run = from + "." + driver(from).state().steps[m.step].id;
            RunDriver& child = driver(to.run);
            child.definition = from.find('.') == std::string::npos ? &m_child : &m_leaf;
            cmd::Start start;
            start.run = m.to;
            start.root = m.root;
            start.origin = m.origin;
            start.parent = {p.from, m.step, m.index};
            start.input = m.payload;
            start.inherited = controlForChildren(driver(from).state());
            start.allotment = m.allotment;
            start.budgetAt = m.budgetAt;
            give(to, start, actor);
            return;
        }
        if (to.run.empty())
            return;
        cmd::Deliver d{m.kind, p.from, m.step, m.as, m.payload, m.used, m.control, m.confirmed, m.total,
            m.effect, m.allotment, m.budgetAt};
        give(to, d, actor);
    }

    World m_world;
    Definition m_definition;
    Definition m_child;
    Definition m_leaf;
    Definition m_target;
    RunState m_forked;
    std::map<std::string, std::unique_ptr<RunDriver>> m_runs;
    std::string m_out;
};

}  // namespace

std::string play(const Play& with, std::string_view script) { return Player(with).run(script); }

}  // namespace cairn::testing
