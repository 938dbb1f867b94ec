#include "fixture.h"

#include "core/definition/parse.h"
#include "core/store/sqlite/sqlite_store.h"

#include <QtGlobal>

namespace cairn::ui::test {

namespace {

constexpr auto kWorkflow = R"({"schema":"urn:cairn:workflow:1","name":"purchase","version":3,
"agents":["scout","buyer","finance","clerk"],
"tools":{
"catalogue":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]}},
"quote":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]}},
"reserve":{"safety":"repeatable","executor":"command","settings":{"argv":["/bin/true"]},"effect_key":"reserve/${/order}"},
"pay":{"safety":"irreversible","executor":"command","settings":{"argv":["/bin/true"]},"resource":"bank",
       "amount":{"at":"/amount","currency":"EUR"},"effect_key":"pay/${/order}","retry":{"attempts":5}}},
"budget":[{"tokens":20000}],
"steps":[
{"name":"read-request","agent":"scout","tool":"catalogue","input":{"$from":"input"}},
{"name":"quotes","agent":"scout","after":["read-request"],"tool":"quote",
 "for_each":{"from":"read-request","at":"/suppliers","max_items":40},"input":{"supplier":{"$from":"item"}}},
{"name":"check-budget","agent":"finance","after":["read-request"],"tool":"catalogue","input":{"check":"budget"}},
{"name":"reserve","agent":"finance","after":["check-budget"],"tool":"reserve","input":{"order":{"$from":"input","at":"/order"}}},
{"name":"choose","kind":"decision","agent":"buyer","after":["quotes","reserve"],"tool":"catalogue","input":{"quotes":{"$from":"quotes"}}},
{"name":"pay","agent":"finance","after":["choose"],"tool":"pay","approval":{"role":"finance-lead","expires":"8h"},
 "input":{"order":{"$from":"input","at":"/order"},"payee":"Northfield Seating","amount":"4860.00","currency":"EUR","deliver_by":"2026-12-13"}},
{"name":"report","agent":"clerk","after":["pay"],"tool":"catalogue","input":{"order":{"$from":"input","at":"/order"}}}
]})";

constexpr auto kSweep = R"({"schema":"urn:cairn:workflow:1","name":"sweep","version":1,
"tools":{"look":{"safety":"read_only","executor":"command","settings":{"argv":["/bin/true"]}}},
"steps":[
{"name":"list","tool":"look","input":{"of":"everything"}},
{"name":"each","after":["list"],"tool":"look","for_each":{"from":"list","max_items":10000},"input":{"item":{"$from":"item"}}}
]})";

constexpr auto kSuppliers = R"({"suppliers":["a","b","c","d","e","f","g","h","i","j","k","l","m","n"]})";

void must(const Status& status)
{
    if (!status)
        qFatal("%s", status.error().text.c_str());
}

Submission command(
    const RunId& run, cmd::Body body, ActorKind kind = ActorKind::Engine, const char* who = "engine-1")
{
    Submission s;
    s.run = run;
    s.command.actor = {kind, who};
    s.command.body = std::move(body);
    return s;
}

}  // namespace

Fixture::Fixture(const std::string& path, const std::string& environment, bool guarded)
{
    InitOptions init;
    init.environment = environment;
    init.guarded = guarded;
    must(sqlite::initStore(path, init));
    auto opened = sqlite::openStore(path, {});
    if (!opened)
        qFatal("%s", opened.error().text.c_str());
    m_store = std::move(*opened);
    m_queue = makeInlineQueue(*m_store);
    SessionRow session;
    session.id = makeId<SessionId>(m_clock.wallMs(), m_rng);
    session.name = "engine-1";
    session.startedAt = m_clock.wallMs();
    session.leaseUntil = m_clock.wallMs() + 3'600'000;
    must(m_store->openSession(session));
    m_session = session.id;
    ServiceConfig config;
    config.session = session.id;
    config.actorName = "engine-1";
    m_service = std::make_unique<Service>(*m_store, *m_queue, m_clock, m_rng, config);
    m_service->setCapacity({1000, {}});
    addWorkflow("purchase", 3, kWorkflow);
    addWorkflow("sweep", 1, kSweep);
}

void Fixture::addWorkflow(const std::string& name, std::uint32_t version, const std::string& text)
{
    const auto parsed = parseDefinition(text);
    if (!parsed)
        qFatal("the fixture's workflow is wrong: %s",
            diagnosticLine("fixture", parsed.diagnostics.front()).c_str());
    WorkflowRow row;
    row.name = name;
    row.version = version;
    row.digest = parsed.definition->ref.digest;
    row.text = text;
    row.addedAt = m_clock.wallMs();
    must(m_store->addWorkflow(row));
}

void Fixture::endEngine()
{
    const auto ended = m_store->endSession(m_session, m_clock.wallMs(), kNoTime);
    if (!ended || !*ended)
        qFatal("the fixture's engine could not be ended");
}

RunId Fixture::driven(const std::string& key)
{
    Submission s;
    s.key = key;
    s.command.actor = {ActorKind::Caller, "shop"};
    s.payloads.push_back(m_service->newPayload("{}", "application/json"));
    cmd::Start start;
    start.input = s.payloads.back().ref;
    start.driven = true;
    s.command.body = start;
    return submit(std::move(s)).run;
}

void Fixture::cancel(const RunId& run)
{
    Submission s = command(run, cmd::Cancel{false}, ActorKind::Person, "kim");
    s.reason = "the shop is closed";
    submit(std::move(s));
}

void Fixture::toggle(const RunId& run)
{
    Submission s = command(run, cmd::SetPaused{!state(run).own.paused, 0, false}, ActorKind::Person, "kim");
    s.reason = "again";
    submit(std::move(s));
}

RunId Fixture::longHistory(int entries)
{
    // Sent in groups: a command alone would read the whole history again.
    constexpr int kGroup = 200;
    const RunId run = driven("long history");
    for (int i = 1; i < entries; ++i) {
        Submission s = command(run, cmd::SetPaused{i % 2 == 1, 0, false}, ActorKind::Person, "kim");
        s.reason = "again";
        if (i % kGroup == 0 || i + 1 == entries)
            submit(std::move(s));
        else
            m_service->submit(std::move(s), [](const Outcome& outcome) {
                if (!outcome.ok())
                    qFatal("refused: %s%s", outcome.rejection.text.c_str(), outcome.error.text.c_str());
            });
    }
    return run;
}

RunId Fixture::fanOut(int members)
{
    Submission s;
    s.workflow = "sweep";
    s.key = "sweep of " + std::to_string(members);
    s.command.actor = {ActorKind::Caller, "shop"};
    s.payloads.push_back(m_service->newPayload("{}", "application/json"));
    cmd::Start start;
    start.input = s.payloads.back().ref;
    s.command.body = start;
    const RunId run = submit(std::move(s)).run;
    std::string items = "[";
    for (int i = 0; i < members; ++i)
        items += (i == 0 ? "" : ",") + std::to_string(i);
    complete(run, "list", items + "]");
    return run;
}

RunId Fixture::hiding(std::string input)
{
    addWorkflow("payout", 1,
        R"({"schema":"urn:cairn:workflow:1","name":"payout","version":1,"hidden":{"keys":["iban"]},
"tools":{"pay":{"safety":"read_only","executor":"builtin","settings":{"function":"echo"}}},
"steps":[{"name":"pay","tool":"pay","input":{"$from":"input"}}]})");
    Submission s;
    s.workflow = "payout";
    s.key = "hiding";
    s.command.actor = {ActorKind::Caller, "shop"};
    s.payloads.push_back(m_service->newPayload(std::move(input), "application/json"));
    cmd::Start start;
    start.input = s.payloads.back().ref;
    s.command.body = start;
    return submit(std::move(s)).run;
}

RunId Fixture::withOutput(std::string bytes)
{
    const RunId run = start("PO-LARGE");
    complete(run, "read-request", std::move(bytes));
    return run;
}

void Fixture::complete(const RunId& run, const std::string& step, std::string output)
{
    const RunState now = state(run);
    const StepRecord* record = now.find(step);
    if (record == nullptr || !record->attempt)
        qFatal("step %s has no attempt", step.c_str());
    Submission s = command(run, cmd::Advance{});
    if (output.size() <= kInlineLimit) {
        s.payloads.push_back(m_service->newPayload(std::move(output), "application/json"));
    } else {
        std::size_t at = 0;
        auto staged = m_service->stageLarge(
            *m_store,
            [&](std::size_t limit) -> Result<std::string> {
                std::string part = output.substr(at, limit);
                at += part.size();
                return part;
            },
            "application/json");
        if (!staged)
            qFatal("%s", staged.error().text.c_str());
        s.payloads.push_back(std::move(*staged));
    }
    cmd::Complete complete;
    complete.attempt = record->attempt->id;
    complete.output = s.payloads.back().ref;
    s.command.body = complete;
    submit(std::move(s));
}

Outcome Fixture::submit(Submission submission)
{
    Outcome outcome = m_service->submitAndWait(std::move(submission));
    if (!outcome.ok())
        qFatal("refused: %s%s", outcome.rejection.text.c_str(), outcome.error.text.c_str());
    return outcome;
}

RunState Fixture::state(const RunId& run)
{
    auto loaded = m_service->load(run);
    if (!loaded)
        qFatal("%s", loaded.error().text.c_str());
    return std::move(*loaded);
}

RunId Fixture::start(const std::string& order)
{
    Submission s;
    s.workflow = "purchase";
    s.key = order;
    s.command.actor = {ActorKind::Caller, "shop"};
    s.payloads.push_back(m_service->newPayload(R"({"order":")" + order + R"("})", "application/json"));
    cmd::Start start;
    start.input = s.payloads.back().ref;
    s.command.body = start;
    return submit(std::move(s)).run;
}

void Fixture::drive(const RunId& run, const std::string& stopAt)
{
    for (bool moved = true; moved;) {
        moved = false;
        const RunState now = state(run);
        for (const StepIx ix : now.running) {
            const StepRecord& step = now.steps[ix];
            if (!step.attempt || step.id == stopAt)
                continue;
            Submission s = command(run, cmd::Advance{});
            s.payloads.push_back(m_service->newPayload(
                step.name == "read-request" ? kSuppliers : R"({"ok":true,"price":"202.50"})",
                "application/json"));
            cmd::Complete complete;
            complete.attempt = step.attempt->id;
            complete.output = s.payloads.back().ref;
            complete.used = {{"tokens", 120}};
            s.command.body = complete;
            submit(std::move(s));
            moved = true;
            break;  // the state has moved on
        }
    }
}

void Fixture::approve(const RunId& run)
{
    const RunState now = state(run);
    for (const ApprovalRecord& approval : now.approvals)
        if (approval.state == ApprovalState::Pending) {
            Submission s =
                command(run, cmd::Decide{approval.id, true, approval.binding}, ActorKind::Person, "kim");
            s.reason = "cheapest offer that arrives in time";
            submit(std::move(s));
        }
    // A run that waits for long is let go by its engine; what a person has released is claimed again.
    auto claimed = m_store->claim(m_session, m_clock.wallMs(), 100);
    if (!claimed)
        qFatal("%s", claimed.error().text.c_str());
    for (const ClaimedRun& one : *claimed)
        m_service->own(one);
    submit(command(run, cmd::Advance{}));
}

void Fixture::fail(const RunId& run, const std::string& step, FailureClass failure, EffectKnowledge effect,
    const std::string& text)
{
    const RunState now = state(run);
    const StepRecord* record = now.find(step);
    if (record == nullptr || !record->attempt)
        qFatal("step %s has no attempt", step.c_str());
    Submission s = command(run, cmd::Advance{});
    s.payloads.push_back(m_service->newPayload(text, "text/plain"));
    cmd::Fail fail;
    fail.attempt = record->attempt->id;
    fail.failure = failure;
    fail.effect = effect;
    fail.error = s.payloads.back().ref;
    s.command.body = fail;
    submit(std::move(s));
}

void Fixture::pause(const RunId& run)
{
    Submission s = command(run, cmd::SetPaused{true, 0, false}, ActorKind::Person, "kim");
    s.reason = "month-end freeze until Monday";
    submit(std::move(s));
}

void Fixture::fill(int completed)
{
    for (int i = 0; i < completed; ++i) {
        const RunId run = start("PO-9" + std::to_string(100 + i));
        drive(run);
        approve(run);
        drive(run);
    }
    waitsForApproval = start("PO-1187");
    drive(waitsForApproval);
    uncertain = start("PO-1188");
    drive(uncertain);
    approve(uncertain);
    drive(uncertain, "pay");
    fail(uncertain, "pay", FailureClass::Retryable, EffectKnowledge::Unknown,
        "connection to bank.acme.test was reset after the request was sent");
    const RunId failed = start("PO-1189");
    fail(failed, "read-request", FailureClass::Permanent, EffectKnowledge::NoEffect,
        "ledger.acme.test: host not found");
    const RunId again = start("PO-1190");
    fail(again, "read-request", FailureClass::Retryable, EffectKnowledge::NoEffect,
        "HTTP 503 from fx.acme.test");
    const RunId paused = start("PO-1191");
    pause(paused);
    const RunId moving = start("PO-1192");
    drive(moving, "check-budget");
}

}  // namespace cairn::ui::test
