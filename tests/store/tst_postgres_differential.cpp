// Random command sequences into SQLite and PostgreSQL: every answer and everything visible is the same.

#include "core/store/sqlite/sqlite_store.h"
#include "tests/store/postgres_fixture.h"
#include "core/store/message.h"
#include "tests/store/scratch.h"

#include <algorithm>
#include <set>
#include <sstream>

namespace cairn::testing {

namespace {

constexpr TimeMs kRealTime =
    1'700'000'000'000;  // what the stores' own clocks say is later; test data is earlier

std::string text(const std::string& what) { return what; }
std::string text(const char* what) { return what; }
std::string text(bool yes) { return yes ? "yes" : "no"; }
template<typename T>
requires(std::is_integral_v<T> || std::is_enum_v<T>) std::string text(T value)
{
    return std::to_string(static_cast<std::int64_t>(value));
}
template<typename Tag> std::string text(const Id<Tag>& id)
{
    return id.isNull() ? "-" : toText(id).substr(0, 8);
}
std::string text(const Digest& digest) { return digest.isNull() ? "-" : hex(digest).substr(0, 8); }
// The stores' own clocks are not quite alike.
std::string time(TimeMs at) { return at > kRealTime ? "now" : text(at); }
template<typename... T> std::string line(const T&... values)
{
    std::string out;
    ((out += text(values) + ' '), ...);
    return out;
}

// All that can be read of a store, as text.
class Picture {
public:
    Picture(StoreWriter& store, const std::vector<RunId>& runs, const std::vector<EffectId>& effects)
        : m_store(store)
    {
        for (const RunId& run : runs)
            addRun(run);
        addShared(effects);
        addLists();
    }
    const std::string& get() const { return m_text; }

private:
    template<typename... T> void add(const T&... values) { m_text += line(values...) + '\n'; }
    template<typename R, typename Each> void each(const char* name, const R& result, Each&& one)
    {
        if (!result) {
            add(text(name), text("error"), result.error().kind);
            return;
        }
        for (const auto& row : *result)
            add(text(name), one(row));
    }
    void addRun(const RunId& run)
    {
        const auto loaded = m_store.loadRun(run, 1, 0);
        add(text("run"), run, text(loaded.has_value()));
        if (loaded) {
            const HotRow& h = loaded->hot;
            const RunRow& i = loaded->identity;
            add(h.version, h.epoch, h.control, h.owner, h.head, time(h.nextDue), h.format);
            add(i.root, i.parent.run, i.parent.step, i.parent.index, i.workflow.name, i.key, i.keyInput,
                i.createdAt, i.forkedFrom, i.driven);
            for (const SealedEntry& e : loaded->entries)
                add(e.version, e.command, e.format, e.previous, e.hash, sha256(e.body));
        }
        each("step", m_store.steps(run), [](const StepRow& s) {
            return line(
                s.ix, s.id, s.name, s.state, s.reason, s.due, s.revision, s.input, s.effect, s.endedAt);
        });
        each("attempt", m_store.attempts(run, kNoStep), [](const AttemptRow& a) {
            return line(a.id, a.step, a.number, a.session, a.worker, a.endedAt, a.how, a.span);
        });
        each("approval", m_store.approvals(run),
            [](const ApprovalRow& a) { return line(a.id, a.step, a.state, a.binding, a.role, a.decidedBy); });
        each("attribute", m_store.attributes(run),
            [](const AttributeRow& a) { return line(a.name, a.type, a.text, a.number); });
        each("effect of run", m_store.effectsOfRun(run), [](const EffectRow& e) { return line(e.effect); });
        each("audit of run", m_store.auditOfRun(run), [](const AuditRow& a) { return line(a.seq); });
    }
    void addShared(const std::vector<EffectId>& ids)
    {
        each("effect", m_store.effects(ids), [](const EffectRow& e) {
            return line(e.effect, e.tool, e.key, e.state, e.holder, e.holderStep, e.inputDigest, e.result,
                e.changedAt, e.revision);
        });
        each("message", m_store.outbox(1000), [](const OutboxRow& o) {
            return line(o.from, o.version, o.number, o.to, sha256(o.body), time(o.createdAt));
        });
        each("audit", m_store.audit(0, 1000), [](const AuditRow& a) {
            return line(a.seq, a.kind, a.actor, a.run, a.command, a.reason, a.previous, a.hash);
        });
        each("resource", m_store.resources(), [](const ResourceRow& r) {
            return line(r.name, r.backOffUntil, r.askedByServer, r.permitsPerSecond, r.slots, r.revision);
        });
        each("session", m_store.sessions(true),
            [](const SessionRow& s) { return line(s.id, s.name, s.heartbeatAt, s.leaseUntil, s.endedAt); });
        each("workflow", m_store.workflows(true),
            [](const WorkflowRow& w) { return line(w.name, w.version, w.digest, w.text); });
        // Each store finds what does not fit (the lists of these runs do not count their steps), in its own
        // order.
        std::multiset<std::string> problems;
        each("problems found", m_store.check(true), [&](const VerifyProblem& p) {
            problems.insert(p.text);
            return std::string();
        });
        for (const std::string& problem : problems)
            add(problem);
    }
    void addLists()
    {
        const auto shown = [](const ListRow& l) {
            return line(l.run, l.root, l.parent, l.workflow, l.key, l.activity, l.attention, l.reason, l.step,
                l.since, l.situation, l.error, l.steps, l.amount.micros, l.amount.currency, l.version);
        };
        for (const auto order : {ListOrder::NewestFirst, ListOrder::AttentionThenOldest}) {
            std::optional<PageKey> after;
            do {
                const auto page = m_store.list({}, order, after, 5);
                if (!page)
                    return add(text("list"), page.error().kind);
                for (const ListRow& row : page->rows)
                    add(text("list"), shown(row));
                after = page->next;
            } while (after);
        }
        each("count", m_store.counts({}),
            [](const CountRow& c) { return line(c.attention, c.activity, c.reason, c.count, c.oldest); });
        const auto situations = m_store.situations({}, 50);
        if (!situations)
            return add(text("situation"), situations.error().kind);
        add(text("situations"), situations->total);
        for (const SituationRow& s : situations->rows)
            add(text("situation"), s.situation, s.attention, s.reason, s.count, s.oldest, s.nextTime,
                s.example, s.step, s.error);
    }

    StoreWriter& m_store;
    std::string m_text;
};

}  // namespace

class PostgresDifferentialTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void sequencesHaveTheSameOutcome_data();
    void sequencesHaveTheSameOutcome();
    void hostileValuesAreTakenAndRefusedAlike_data();
    void hostileValuesAreTakenAndRefusedAlike();
    void aLargePayloadIsTheSame();

private:
    static constexpr int kRuns = 9;
    CommitMember member(SeededRng& rng);
    void addRows(CommitMember& m, SeededRng& rng);
    void addLedger(CommitMember& m, SeededRng& rng);
    bool commitBoth(const std::vector<CommitMember>& members);
    bool act(SeededRng& rng);
    std::string outcome(StoreWriter& store, const std::vector<CommitMember>& members, bool& moved);
    SessionId session(SeededRng& rng) { return idOf<SessionId>("session s" + std::to_string(rng.below(3))); }
    bool samePictures();

    Scratch m_folder;
    PostgresStoreFixture m_postgres;
    std::unique_ptr<StoreWriter> m_a, m_b;
    std::vector<RunId> m_runs;
    std::vector<EffectId> m_effects;
    int m_serial = 0;
    int m_stores = 0;
    std::set<int> m_kinds;  // of results, so that a test cannot pass with nothing exercised
};

void PostgresDifferentialTest::init()
{
    const std::string path = m_folder.file("store" + std::to_string(m_stores++) + ".db");
    CAIRN_VERIFY_OK(sqlite::initStore(path, {"test", true, true}));
    auto sqliteStore = sqlite::openStore(path, {});
    CAIRN_VERIFY_OK(sqliteStore);
    m_a = *std::move(sqliteStore);
    m_postgres.init();
    m_b = m_postgres.open();
    m_runs.clear();
    m_effects.clear();
    m_kinds.clear();
    for (int i = 0; i < kRuns; ++i)
        m_runs.push_back(Writer("r" + std::to_string(i)).run);
    for (int i = 0; i < 4; ++i)
        m_effects.push_back(effectOf("e" + std::to_string(i)));
    for (StoreWriter* store : {m_a.get(), m_b.get()})
        for (const char* name : {"s0", "s1"}) {
            SessionRow row = sessionRow(name, 1000);
            CAIRN_VERIFY_OK(store->openSession(row));
        }
}

void PostgresDifferentialTest::cleanup()
{
    m_a.reset();
    m_b.reset();
}

void PostgresDifferentialTest::addLedger(CommitMember& m, SeededRng& rng)
{
    for (std::size_t i = 0; i < m_effects.size(); ++i) {
        const EffectId& id = m_effects[i];
        const auto stored = m_a->effects(std::span(&id, 1));
        const std::uint64_t revision = stored && !stored->empty() ? stored->front().revision : 0;
        switch (rng.below(8)) {
        case 0: {
            EffectWrite write;
            write.row.effect = id;
            write.row.tool = "pay";
            write.row.key = "key " + std::to_string(i);
            write.row.state = static_cast<LedgerState>(rng.below(5));
            write.row.holder = rng.below(3) == 0 && revision > 0 ? stored->front().holder : m.run;
            write.row.holderStep = "pay";
            write.row.inputSalt = idOf<PayloadId>("salt").bytes;
            write.row.inputDigest = rng.below(4) == 0 ? Digest{} : sha256("input");
            write.row.changedAt = 99;
            write.row.revision = rng.below(6) == 0 ? revision + 1 : revision;
            m.effects.push_back(write);
            break;
        }
        case 1: m.waits.emplace_back(id, static_cast<StepIx>(rng.below(3))); break;
        case 2: m.wake.push_back(id); break;
        default: break;
        }
    }
    if (rng.below(3) == 0) {
        Message message;
        message.kind = cmd::MessageKind::ControlFlow;
        message.to = m_runs[rng.below(m_runs.size())];
        m.outbox.push_back({m.run, m.entry.version, 0, message.to, encodeMessage(message), 5});
    }
    if (rng.below(4) == 0) {
        const auto rows = m_a->outbox(100);
        if (rows && !rows->empty())
            m.delivered = (*rows)[rng.below(rows->size())];
    }
    if (rng.below(4) == 0)
        m.resources.push_back({"api " + std::to_string(rng.below(2)), static_cast<TimeMs>(rng.below(1000)),
            rng.below(2) == 0, 0, 0, 0});
}

void PostgresDifferentialTest::addRows(CommitMember& m, SeededRng& rng)
{
    const std::string unique = std::to_string(++m_serial);
    for (StepIx ix = 0; ix < rng.below(4); ++ix)
        m.steps.push_back(stepRow(ix, "step " + unique, static_cast<StepState>(rng.below(9))));
    if (rng.below(2) == 0) {
        m.attempts.push_back(attemptRow("a" + std::to_string(rng.below(5)), 0, 1, session(rng)));
        m.attempts.back().endedAt = rng.below(2) == 0 ? kNoTime : 7;
    }
    if (rng.below(3) == 0)
        m.approvals.push_back({idOf<ApprovalId>("p" + std::to_string(rng.below(2))), 1,
            static_cast<ApprovalState>(rng.below(3)), rng.below(2) == 0 ? Digest{} : sha256(unique),
            "finance", 1, 2, 3, "ann", {}});
    if (rng.below(3) == 0)
        m.attributes.push_back({"name" + std::to_string(rng.below(2)), "text", "v" + unique, 5});
    if (rng.below(2) == 0) {
        std::string bytes(rng.below(300), '\0');
        rng.fill(bytes.data(), bytes.size());
        m.payloads.push_back(inlinePayload(rng.below(9) == 0 ? "same" : unique, bytes));
    }
    if (rng.below(2) == 0) {
        ListRow row = Writer("x").listRow();
        row.run = m.run;
        row.root = m.run;
        row.createdAt = 1000 + static_cast<TimeMs>(rng.below(3));
        row.activity = static_cast<Activity>(1 + rng.below(12));
        row.attention = static_cast<Attention>(1 + rng.below(5));
        row.reason = static_cast<Reason>(rng.below(6));
        row.since = static_cast<TimeMs>(rng.below(4));
        row.nextTime = static_cast<TimeMs>(rng.below(3));
        row.situation = rng.below(2) == 0 ? "" : "s" + std::to_string(rng.below(2));
        row.step = "st" + std::to_string(rng.below(2));
        row.error = rng.below(2) == 0 ? "" : "exit status 1";
        row.amount = {static_cast<std::int64_t>(rng.below(5)), "EUR"};
        m.list = row;
    }
    if (rng.below(5) == 0) {
        AuditRow audit;
        audit.time = 5;
        audit.kind = "applied";
        audit.actor = "ann";
        audit.run = m.run;
        audit.reason = "reason " + unique;
        audit.command = m.entry.command;
        m.audit = audit;
    }
}

// What the state of the first store allows, and sometimes a little beside it.
CommitMember PostgresDifferentialTest::member(SeededRng& rng)
{
    Writer writer("r" + std::to_string(rng.below(kRuns)));
    const auto hot = m_a->hot(writer.run);
    if (hot) {
        writer.version = hot->version;
        writer.epoch = hot->epoch;
        writer.head = hot->head;
    }
    const bool owned = rng.below(2) == 0;
    writer.by = owned ? (hot && !hot->owner.isNull() ? hot->owner : session(rng)) : SessionId{};
    const std::string key = rng.below(2) == 0 ? "" : "key " + std::to_string(rng.below(4));
    // A command that may be there already, and nothing that could be refused for another reason besides:
    // which of two reasons is named is each store's own choice.
    if (hot && rng.below(6) == 0) {
        CommitMember repeated = writer.next("again " + std::to_string(rng.below(4)));
        repeated.expectedVersion += 50 * rng.below(2);
        repeated.entry.version = repeated.expectedVersion + 1;
        return repeated;
    }
    CommitMember m =
        !hot || rng.below(12) == 0 ? writer.create(key) : writer.next("c" + std::to_string(++m_serial));
    m.control = rng.below(3);
    m.nextDue = static_cast<TimeMs>(rng.below(3) * 100);
    if (hot && rng.below(3) == 0)
        m.owner = m.create && rng.below(2) == 0 ? m.owner : OwnerChange::Release;
    switch (rng.below(12)) {
    case 0: m.expectedEpoch += 1; break;
    case 1:
        m.expectedVersion += 1;
        m.entry.version += 1;
        break;
    case 2: m.ancestors = {{m_runs[rng.below(m_runs.size())], rng.below(3)}}; break;
    case 3: m.entry.previous = sha256("another history"); break;
    default: break;
    }
    addRows(m, rng);
    addLedger(m, rng);
    return m;
}

std::string PostgresDifferentialTest::outcome(
    StoreWriter& store, const std::vector<CommitMember>& members, bool& moved)
{
    std::vector<MemberResult> results;
    const Status status = store.commit(members, results);
    std::string out = status ? "" : line(text("error"), status.error().kind);
    for (const MemberResult& r : results) {
        m_kinds.insert(static_cast<int>(r.kind));
        moved = moved || r.kind == MemberResult::Kind::Committed;
        out += line(r.kind, r.version, r.other, r.auditSeq, r.ownerElsewhere,
                   r.kind == MemberResult::Kind::Failed ? text(r.error.kind) : text("-"))
            + '\n';
    }
    return out;
}

bool PostgresDifferentialTest::commitBoth(const std::vector<CommitMember>& members)
{
    bool moved = false;
    const std::string a = outcome(*m_a, members, moved), b = outcome(*m_b, members, moved);
    if (a != b)
        qWarning("SQLite:\n%sPostgreSQL:\n%s", a.c_str(), b.c_str());
    return a == b;
}

// One other call into both.
bool PostgresDifferentialTest::act(SeededRng& rng)
{
    const SessionId who = session(rng);
    const RunId run = m_runs[rng.below(m_runs.size())];
    const auto kind = rng.below(11);
    const auto value = static_cast<std::uint32_t>(rng.below(6));
    const auto hot = m_a->hot(run);
    const auto one = [&](StoreWriter& store) -> std::string {
        const auto said = [](const Status& s) { return s ? text("done") : line(s.error().kind); };
        switch (kind) {
        case 0: {
            const auto claimed = store.claim(who, 200, 100);
            if (!claimed)
                return line(claimed.error().kind);
            std::set<std::string> runs;
            for (const ClaimedRun& c : *claimed)
                runs.insert(line(c.run, c.epoch, c.version));
            std::string out;
            for (const std::string& r : runs)
                out += r;
            return out;
        }
        case 1: {
            ClaimedRun given{run, hot ? hot->epoch : 0, 0, {}};
            if (value > 2)
                given.nextDue = 100 * value;
            return said(store.release(hot ? hot->owner : who, std::vector<ClaimedRun>{given}));
        }
        case 2: {
            const auto taken = store.takeOver(run, value == 0 ? SessionId{} : who);
            return taken ? line(taken->epoch, taken->version) : line(taken.error().kind);
        }
        case 3: {
            const auto woken = store.takeWakeups(who);
            std::string out;
            for (const RunId& r : *woken)
                out += line(r);
            return out;
        }
        case 4: return said(store.openSession(sessionRow("s" + std::to_string(value % 3), 1000)));
        case 5: {
            const auto ended =
                value == 0 ? store.endSession(who, 5000, kNoTime) : store.heartbeat(who, 2000, 9000);
            return ended ? text(*ended) : line(ended.error().kind);
        }
        case 6: return said(store.putResource({"api 1", 10, false, 5, 3, 0}));
        case 7: return said(store.raiseBackOff("api 1", 5 * value, value % 2 == 0));
        case 8: return said(store.dropSessionsEndedBefore(value == 0 ? 6000 : 4000));
        case 9: {
            const auto got = value % 2 == 0
                ? store.leaseSlots(who, "api 1", value, 100 + m_serial, 200 + m_serial)
                : store.spendRate(who, "api 1", value, 100 + m_serial);
            return got ? text(*got) : line(got.error().kind);
        }
        default:
            return said(store.addWorkflow(
                {"purchase", value, sha256(std::to_string(rng.next() % 2 == 9)), "{}", "/w", 5}));
        }
    };
    const std::string a = one(*m_a), b = one(*m_b);
    if (a != b)
        qWarning("act %d: SQLite %s, PostgreSQL %s", static_cast<int>(kind), a.c_str(), b.c_str());
    return a == b;
}

bool PostgresDifferentialTest::samePictures()
{
    const std::string a = Picture(*m_a, m_runs, m_effects).get(), b = Picture(*m_b, m_runs, m_effects).get();
    if (a == b)
        return true;
    std::istringstream inA(a), inB(b);
    std::string lineA, lineB;
    while (std::getline(inA, lineA) && std::getline(inB, lineB))
        if (lineA != lineB)
            break;
    qWarning("SQLite:     %s\nPostgreSQL: %s", lineA.c_str(), lineB.c_str());
    return false;
}

void PostgresDifferentialTest::sequencesHaveTheSameOutcome_data()
{
    QTest::addColumn<int>("seed");
    for (int seed = 1; seed <= 12; ++seed)
        QTest::newRow(("seed " + std::to_string(seed)).c_str()) << seed;
}

void PostgresDifferentialTest::sequencesHaveTheSameOutcome()
{
    QFETCH(int, seed);
    SeededRng rng(static_cast<std::uint64_t>(seed));
    for (int round = 0; round < 40; ++round) {
        std::vector<CommitMember> group;
        const std::uint64_t size = 1 + rng.below(8);
        while (group.size() < size)
            group.push_back(member(rng));
        QVERIFY2(commitBoth(group), std::to_string(round).c_str());
        for (int i = 0; i < 3; ++i)
            QVERIFY2(act(rng), std::to_string(round).c_str());
        if (round % 8 == 7)
            QVERIFY2(samePictures(), std::to_string(round).c_str());
    }
    for (const auto kind : {MemberResult::Kind::Committed, MemberResult::Kind::Stale,
             MemberResult::Kind::Duplicate, MemberResult::Kind::LedgerMoved, MemberResult::Kind::Failed})
        QVERIFY2(m_kinds.contains(static_cast<int>(kind)), "a kind of result never came up");
}

void PostgresDifferentialTest::hostileValuesAreTakenAndRefusedAlike_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("NUL") << QByteArray("a\0b", 3);
    QTest::newRow("half a surrogate pair") << QByteArray("\xED\xA0\x80");
    QTest::newRow("overlong") << QByteArray("\xC0\xAF");
    QTest::newRow("beyond Unicode") << QByteArray("\xF4\x90\x80\x80");
    QTest::newRow("cut off") << QByteArray("caf\xC3");
    QTest::newRow("not a character") << QByteArray("\xEF\xBF\xBF");
    QTest::newRow("bidi and zero width") << QByteArray("\xE2\x80\xAE\xE2\x80\x8B");
    QTest::newRow("duplicate members") << QByteArray("{\"a\":1,\"a\":2}");
    QTest::newRow("a large number") << QByteArray("1e400");
    QTest::newRow("SQL") << QByteArray("'; DROP SCHEMA cairn CASCADE; --");
    QTest::newRow("backslashes") << QByteArray("\\x41\\\\'E'\\n$1");
    QTest::newRow("control characters") << QByteArray("\x01\x1B[31m\x7F\r\n\t");
    QTest::newRow("empty") << QByteArray("");
}

void PostgresDifferentialTest::hostileValuesAreTakenAndRefusedAlike()
{
    QFETCH(QByteArray, bytes);
    const std::string value = bytes.toStdString();
    Writer asKey("r0"), asPayload("r1"), asText("r2");
    CommitMember key = asKey.create(value);
    key.list = asKey.listRow();
    key.list->key = value;
    CommitMember payload = asPayload.create();
    payload.payloads = {inlinePayload("p", value)};
    CommitMember words = asText.create();
    words.attributes = {{"name", "text", value, 0}};
    words.list = asText.listRow();
    words.list->error = value;
    words.list->step = value;
    QVERIFY(commitBoth({key, payload, words}));
    QVERIFY(samePictures());
    for (StoreWriter* store : {m_a.get(), m_b.get()})
        QCOMPARE(*store->payload(asPayload.run, idOf<PayloadId>("payload p")), value);
    const auto ask = [&](StoreWriter& store) {
        std::string out;
        ListTerm step, prefix, error, attribute;
        step.step = {value};
        prefix.step = {value + "*"};
        error.errorContains = {value};
        attribute.attributes = {{"name", value}};
        for (const ListTerm& term : {step, prefix, error, attribute}) {
            const auto count = store.count({term});
            out += count ? line(*count) : line(text("error"), count.error().kind);
        }
        const auto found = store.findKey("purchase", value);
        return out + (found ? text(found->has_value()) : line(found.error().kind));
    };
    // A text that no store takes is found in none; both say so without an error.
    if (isStorableText(value))
        QCOMPARE(ask(*m_b), ask(*m_a));
}

void PostgresDifferentialTest::aLargePayloadIsTheSame()
{
    std::string bytes(std::size_t{20} * 1024 * 1024 + 3, '\0');
    SeededRng rng(20);
    rng.fill(bytes.data(), bytes.size());
    PayloadRow row = inlinePayload("large", {});
    row.artifact = idOf<ArtifactId>("large");
    row.ref.size = bytes.size();
    row.ref.hash = saltedDigest(row.salt, sha256(bytes));
    Writer writer("r0");
    CommitMember m = writer.create();
    m.payloads = {row};
    for (StoreWriter* store : {m_a.get(), m_b.get()})
        for (std::size_t at = 0; at < bytes.size(); at += kChunkSize)
            CAIRN_VERIFY_OK(store->stageChunk(row.artifact, static_cast<std::uint32_t>(at / kChunkSize),
                std::string_view(bytes).substr(at, kChunkSize)));
    QVERIFY(commitBoth({m}));
    for (StoreWriter* store : {m_a.get(), m_b.get()}) {
        QVERIFY(*store->payload(writer.run, row.ref.id) == bytes);
        QCOMPARE(*store->payload(writer.run, row.ref.id, kChunkSize - 3, 7), bytes.substr(kChunkSize - 3, 7));
    }
    QVERIFY(samePictures());
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresDifferentialTest)

#include "tst_postgres_differential.moc"
