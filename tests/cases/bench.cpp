#include "tests/cases/bench.h"

#include "core/definition/parse.h"
#include "core/model/codec.h"
#include "tests/store/raw_pg.h"
#include "tests/support/clocked_reader.h"

#include <QtCore/QFile>

#include <algorithm>
#include <cstdlib>

namespace cairn::testing {

// --- texts

void bothStores()
{
    QTest::addColumn<int>("store");
    if (!serverUrl().empty()) {
        QTest::newRow("postgresql") << static_cast<int>(Kept::Postgres);
        return;
    }
    QTest::newRow("memory") << static_cast<int>(Kept::Memory);
    QTest::newRow("sqlite") << static_cast<int>(Kept::Sqlite);
}

Kept kept(int row) { return static_cast<Kept>(row); }

std::string serverUrl()
{
    const char* url = std::getenv("CAIRN_STORE");
    return url != nullptr && postgres::isPostgresUrl(url) ? url : std::string();
}

std::string json(std::string text)
{
    std::replace(text.begin(), text.end(), '\'', '"');
    return text;
}

std::string workflow(const std::string& name, const std::string& steps, const std::string& more, int version,
    const std::string& tools)
{
    const std::string run = "'executor':'command','settings':{'argv':['/bin/true']}";
    const std::string retry = ",'retry':{'attempts':3,'lost':3,'first_delay':'1s','max_delay':'10s'}";
    return json("{'schema':'urn:cairn:workflow:1','name':'" + name + "','version':" + std::to_string(version)
        + ",'tools':{"
          "'look':{'safety':'read_only',"
        + run + retry
        + "},"
          "'note':{'safety':'repeatable',"
        + run + retry
        + "},"
          "'call':{'safety':'repeatable',"
        + run + retry
        + ",'resource':'provider'},"
          "'pay':{'safety':'irreversible',"
        + run + retry
        + "},"
          "'buy':{'safety':'irreversible',"
        + run + retry
        + ",'look_up':{'argv':['/bin/true']}},"
          "'render':{'safety':'repeatable','executor':'worker','timeout':'24h','heartbeat':'12h'}"
        + (tools.empty() ? "" : "," + tools) + "},'steps':[" + steps + "]" + more + "}");
}

int Effectd::count(std::string_view name) const
{
    return static_cast<int>(
        std::count_if(lines.begin(), lines.end(), [&](const Line& line) { return line.name == name; }));
}

bool Effectd::seen(std::string_view key) const
{
    return std::any_of(lines.begin(), lines.end(), [&](const Line& line) { return line.key == key; });
}

std::string Effectd::text() const
{
    std::map<std::string, int> counts;
    for (const Line& line : lines)
        ++counts[line.name];
    std::string out;
    for (const auto& [name, count] : counts)
        out += (out.empty() ? "" : " ") + name + "=" + std::to_string(count);
    return out;
}

Answer done(std::string output)
{
    return {Answer::Kind::Done, std::move(output), {}, {}, -1, false, "application/json"};
}
Answer fails(FailureClass failure, std::string error, SpanMs retryAfter)
{
    return {Answer::Kind::Failed, std::move(error), failure, EffectKnowledge::NoEffect, retryAfter, false,
        "text/plain"};
}
Answer found(EffectKnowledge verdict, std::string output)
{
    return {Answer::Kind::Found, std::move(output), {}, verdict, -1, false, "application/json"};
}
Answer later() { return {Answer::Kind::Later, {}, {}, {}, -1, false, {}}; }
Answer killed() { return {Answer::Kind::Killed, {}, {}, {}, -1, false, {}}; }

// --- bench

Bench::Bench(Kept kept, bool fullSync)
    : m_kept(kept)
    , m_fullSync(fullSync)
{
    InitOptions options;
    options.testClock = true;
    if (onServer()) {
        if (const std::string error = RawPg(serverUrl()).exec("DROP SCHEMA IF EXISTS cairn CASCADE");
            !error.empty())
            qFatal("%s", error.c_str());
        must(postgres::initStore(serverUrl(), options));
    } else if (onDisk())
        must(sqlite::initStore(path(), options));
    else
        memory = makeMemoryDatabase(options, clock, 11);
    store = connect();
    advance(0);
    m_reader = std::make_unique<ClockedReader>(*store, clock);
    m_queue = makeInlineQueue(*store);
    ServiceConfig config;
    config.verifyOneIn = 1;
    config.uid = 1000;
    config.host = "host";
    service = std::make_unique<Service>(*m_reader, *m_queue, clock, rng, config);
}

Bench::~Bench() { service.reset(); }  // it drains its queue: before that goes

std::string Bench::path() const { return m_folder.filePath("store.cairn").toStdString(); }
StoreReader& Bench::reader() { return *m_reader; }

std::unique_ptr<StoreWriter> Bench::connect() const
{
    if (m_kept == Kept::Memory)
        return connectMemory(memory);
    StoreOptions options;
    options.synchronousNormal = !m_fullSync;  // no test here loses power
    if (onServer())
        return must(postgres::openStore(serverUrl(), options));
    return must(sqlite::openStore(path(), options));
}

void Bench::advance(SpanMs span)
{
    clock.advance(span);
    if (onDisk())
        must(store->setClockOffset(clock.wallMs() - SystemClock{}.wallMs()));
}

void Bench::add(const std::string& text)
{
    const auto parsed = parseDefinition(text);
    if (!parsed) {
        std::string all;
        for (const auto& d : parsed.diagnostics)
            all += diagnosticLine("test", d) + "\n";
        qFatal("%s", all.c_str());
    }
    WorkflowRow row;
    row.name = parsed.definition->ref.name;
    row.version = parsed.definition->ref.version;
    row.digest = parsed.definition->ref.digest;
    row.text = text;
    row.addedAt = now();
    must(store->addWorkflow(row));
}

std::uint64_t Bench::size()
{
    must(store->checkpoint());
    if (!onServer())
        return static_cast<std::uint64_t>(QFile(QString::fromStdString(path())).size());
    const RawPg raw(serverUrl());
    if (const std::string error = raw.exec("VACUUM"); !error.empty())
        qFatal("%s", error.c_str());
    return std::stoull(
        raw.value("SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND "
                  "relnamespace = 'cairn'::regnamespace"));
}

bool Bench::sessionEnded(StoreReader& from, const SessionId& session)
{
    for (const SessionRow& row : must(from.sessions(true)))
        if (row.id == session)
            return row.endedAt != kNoTime;
    return true;
}

void Bench::bury(const SessionId& session)
{
    static_cast<void>(must(store->endSession(session, now(), kNoTime)));
}
void Bench::bury(const EngineStandIn& engine) { bury(engine.session); }

Submission Bench::start(const std::string& name, const std::string& input, const std::string& key)
{
    Submission s;
    s.workflow = name;
    s.key = key;
    s.command.actor = {ActorKind::Caller, "test"};
    s.payloads.push_back(service->newPayload(input, "application/json"));
    cmd::Start start;
    start.input = s.payloads.back().ref;
    s.command.body = start;
    return s;
}

RunId Bench::started(const std::string& name, const std::string& input, const std::string& key)
{
    const Outcome outcome = service->submitAndWait(start(name, input, key));
    if (!outcome.ok())
        qFatal("%s", (outcome.rejection.text + errorLine(outcome.error)).c_str());
    return outcome.run;
}

Submission Bench::command(const RunId& run, cmd::Body body, Actor actor)
{
    Submission s;
    s.run = run;
    s.command.actor = std::move(actor);
    s.command.body = std::move(body);
    return s;
}

Submission Bench::act(
    const RunId& run, cmd::Body body, const std::string& person, const std::string& reason) const
{
    Submission s = command(run, std::move(body), {ActorKind::Person, person});
    s.reason = reason;
    s.claimedName = person;
    return s;
}

Outcome Bench::doAct(const RunId& run, cmd::Body body, const std::string& person)
{
    return service->submitAndWait(act(run, std::move(body), person));
}

Outcome Bench::signal(
    const RunId& run, const std::string& name, const std::string& id, const std::string& data)
{
    Submission s = command(run, cmd::Advance{}, {ActorKind::Caller, "sender"});
    s.payloads.push_back(service->newPayload(data, "application/json"));
    cmd::Signal body;
    body.name = name;
    body.messageHash = must(service->saltedId(id));
    body.data = s.payloads.back().ref;
    s.command.body = body;
    return service->submitAndWait(std::move(s));
}

Submission Bench::complete(const RunId& run, const AttemptId& attempt, const std::string& output)
{
    Submission s = command(run, cmd::Advance{}, {ActorKind::Worker, "outside"});
    s.payloads.push_back(service->newPayload(output, "application/json"));
    cmd::Complete body;
    body.attempt = attempt;
    body.output = s.payloads.back().ref;
    s.command.body = body;
    return s;
}

Outcome Bench::approve(const RunId& run, std::string_view id, bool yes, const std::string& person)
{
    const StepRecord record = step(run, id);
    cmd::Decide body;
    body.approval = record.approval;
    body.approve = yes;
    body.expectedBinding = state(run).findApproval(record.approval)->binding;
    return doAct(run, body, person);
}

RunState Bench::state(const RunId& run) { return must(service->load(run)); }
StepRecord Bench::step(const RunId& run, std::string_view id)
{
    const RunState all = state(run);
    const StepRecord* record = all.find(id);
    if (!record)
        qFatal("no step %s", std::string(id).c_str());
    return *record;
}
Summary Bench::summary(const RunId& run) { return summarise(state(run), now()); }
Explanation Bench::explained(const RunId& run)
{
    const RunState all = state(run);
    return explain(all, service->explainGiven(all));
}
ListRow Bench::row(const RunId& run)
{
    const auto rows = must(store->listRows(std::span(&run, 1)));
    if (rows.size() != 1)
        qFatal("no list row");
    return rows.front();
}
std::string Bench::text(const RunId& run, const PayloadRef& ref)
{
    return ref ? must(store->payload(run, ref.id)) : std::string("(none)");
}
std::string Bench::output(const RunId& run, std::string_view id) { return text(run, step(run, id).output); }
std::vector<Entry> Bench::entries(const RunId& run)
{
    std::vector<Entry> out;
    for (const SealedEntry& sealed : must(store->loadRun(run, 1, 0)).entries)
        out.push_back(must(decodeEntry(sealed.body, sealed.format)));
    return out;
}
std::vector<AuditRow> Bench::audit(const RunId& run) { return must(store->auditOfRun(run)); }
std::string Bench::verified(const RunId& run)
{
    std::string out;
    for (const VerifyProblem& problem : must(verifyRun(*m_reader, run)))
        out += problem.where + ": " + problem.text + "\n";
    return out;
}

}  // namespace cairn::testing
