#include "tests/store/contract.h"

namespace cairn::testing {

using Kind = MemberResult::Kind;

namespace {

AuditRow act(const std::string& reason, const RunId& run)
{
    AuditRow row;
    row.time = 1'790'000'000'000;
    row.kind = "applied";
    row.verb = Verb::Pause;
    row.actor = "ann";
    row.uid = 1000;
    row.host = "desk";
    row.login = "ann_login";
    row.run = run;
    row.target = "pay";
    row.command = idOf<CommandId>("command " + reason);
    row.reason = reason;
    row.before = "{\"paused\":false}";
    row.after = "{\"paused\":true}";
    return row;
}

std::vector<AuditRow> chain(int count)
{
    std::vector<AuditRow> rows;
    for (int i = 0; i < count; ++i) {
        AuditRow row = act("reason " + std::to_string(i), idOf<RunId>("r"));
        row.seq = static_cast<std::uint64_t>(i) + 1;
        row.previous = rows.empty() ? Digest{} : rows.back().hash;
        row.hash = auditHash(row);
        rows.push_back(row);
    }
    return rows;
}

bool holds(const std::vector<AuditRow>& rows)
{
    AuditVerifier verifier;
    for (const AuditRow& row : rows)
        if (!verifier.next(row))
            return false;
    return true;
}

}  // namespace

void ContractTest::auditEntriesAreChained()
{
    Writer a("a");
    CommitMember first = a.create();
    first.audit = act("because", a.run);
    QCOMPARE(commitOne(first).auditSeq, std::uint64_t{1});
    QCOMPARE(*m_store->appendAudit(act("refused", {})), std::uint64_t{2});
    a.committed(first);
    CommitMember second = a.next("x");
    second.audit = act("again", a.run);
    QCOMPARE(commitOne(second).auditSeq, std::uint64_t{3});

    const auto rows = m_store->audit(0, 100);
    CAIRN_VERIFY_OK(rows);
    QCOMPARE(rows->size(), std::size_t{3});
    QVERIFY(holds(*rows));
    const AuditRow& row = rows->front();
    const AuditRow wanted = act("because", a.run);
    QCOMPARE(row.seq, std::uint64_t{1});
    QCOMPARE(row.time, wanted.time);
    QCOMPARE(row.kind, wanted.kind);
    QCOMPARE(row.verb, wanted.verb);
    QCOMPARE(row.actor, wanted.actor);
    QCOMPARE(row.uid, wanted.uid);
    QCOMPARE(row.host, wanted.host);
    QCOMPARE(row.login, wanted.login);
    QCOMPARE(row.run, wanted.run);
    QCOMPARE(row.target, wanted.target);
    QCOMPARE(row.command, wanted.command);
    QCOMPARE(row.reason, wanted.reason);
    QCOMPARE(row.before, wanted.before);
    QCOMPARE(row.after, wanted.after);
    QVERIFY(row.previous.isNull());
    QCOMPARE(m_store->audit(1, 1)->front().seq, std::uint64_t{2});
    QVERIFY(m_store->audit(3, 10)->empty());
    QCOMPARE(m_store->auditOfRun(a.run)->size(), std::size_t{2});
    // Acts on the store itself are found by their command; a run's are answered by its entries (findCommand).
    QVERIFY(*m_store->auditOfCommand(rows->at(1).command) == std::uint64_t{2});
    QVERIFY(!m_store->auditOfCommand(wanted.command)->has_value());
    QVERIFY(!m_store->auditOfCommand(idOf<CommandId>("none"))->has_value());
}

// By each entry's own time: a clock that was set back brings an earlier day again, and it is counted there.
void ContractTest::auditEntriesAreCountedByDay()
{
    constexpr TimeMs kBase = 20'000 * kDayMs;
    const auto add = [this](TimeMs time, const char* kind) {
        AuditRow row = act("counted", {});
        row.command = {};
        row.time = time;
        row.kind = kind;
        return m_store->appendAudit(std::move(row));
    };
    QVERIFY(m_store->auditDays(0, 10)->empty());
    const std::pair<TimeMs, const char*> entries[] = {{kBase, "applied"}, {kBase + kDayMs - 1, "refused"},
        {kBase + kDayMs, "applied"}, {kBase + 5, "applied"}, {kBase + 40 * kDayMs, "staged"}};
    std::uint64_t seq = 0;
    for (const auto& [time, kind] : entries)
        QCOMPARE(*add(time, kind), ++seq);
    const auto days = m_store->auditDays(0, 5);
    CAIRN_VERIFY_OK(days);
    QCOMPARE(days->size(), std::size_t{3});
    const auto is = [](const AuditDay& day, std::int64_t number, std::uint64_t count, std::uint64_t refused,
                        std::uint64_t first, std::uint64_t last) {
        return day.day == number && day.entries == count && day.refused == refused && day.first == first
            && day.last == last;
    };
    QVERIFY(is((*days)[0], 20'000, 3, 1, 1, 4));
    QVERIFY(is((*days)[1], 20'001, 1, 0, 3, 3));
    QVERIFY(is((*days)[2], 20'040, 1, 0, 5, 5));
    const auto some = m_store->auditDays(1, 3);
    CAIRN_VERIFY_OK(some);
    QCOMPARE(some->size(), std::size_t{2});
    QVERIFY(is((*some)[0], 20'000, 1, 1, 2, 2));
    QVERIFY(is((*some)[1], 20'001, 1, 0, 3, 3));
    QVERIFY(m_store->auditDays(5, 9)->empty());
    QVERIFY(m_store->auditDays(3, 3)->empty());
}

// What a page held before is not in the next one: the refused act has no run, and a page may be shorter.
void ContractTest::pagesOfTheAuditKeepNothing()
{
    Writer a("a");
    CommitMember first = a.create();
    first.audit = act("because", a.run);
    QCOMPARE(commitOne(first).auditSeq, std::uint64_t{1});
    AuditRow bare = act("refused", {});
    bare.target.clear();
    bare.before.clear();
    QCOMPARE(*m_store->appendAudit(bare), std::uint64_t{2});
    QCOMPARE(*m_store->appendAudit(act("once more", {})), std::uint64_t{3});

    std::vector<AuditRow> page;
    WireWriter room;
    for (std::uint64_t after = 0; after < 3; ++after) {
        CAIRN_VERIFY_OK(m_store->auditPage(after, 1, page));
        QCOMPARE(page.size(), std::size_t{1});
        QCOMPARE(page.front().seq, after + 1);
        QCOMPARE(auditHash(page.front(), room), page.front().hash);
    }
    CAIRN_VERIFY_OK(m_store->auditPage(0, 2, page));
    QCOMPARE(page.size(), std::size_t{2});
    QVERIFY(holds(page));
    QVERIFY(page[1].run.isNull());
    QCOMPARE(page[1].target, std::string());
    CAIRN_VERIFY_OK(m_store->auditPage(3, 2, page));
    QVERIFY(page.empty());
}

void ContractTest::aFailedMemberLeavesNoGapInTheAudit()
{
    Writer a("a"), b("b"), c("c");
    CommitMember bad = b.create();
    bad.audit = act("never", b.run);
    bad.payloads = {inlinePayload("p", "x"), inlinePayload("p", "x")};  // the same id twice
    CommitMember one = a.create(), two = c.create();
    one.audit = act("one", a.run);
    two.audit = act("two", c.run);
    const auto results = commitAll({one, bad, two});
    QVERIFY(results[0].kind == Kind::Committed);
    QVERIFY(results[1].kind == Kind::Failed);
    QCOMPARE(results[1].error.kind, ErrorKind::Internal);
    QVERIFY(results[2].kind == Kind::Committed);
    const auto rows = m_store->audit(0, 10);
    QVERIFY(holds(*rows));
    QCOMPARE(rows->size(), std::size_t{2});
    QCOMPARE(results[2].auditSeq, std::uint64_t{2});
    CAIRN_VERIFY_ERROR(m_store->hot(b.run), ErrorKind::NotFound);
}

void ContractTest::actsWithoutARunAreRecordedOnce()
{
    QCOMPARE(*m_store->appendAudit(act("slow", {})), std::uint64_t{1});
    QCOMPARE(*m_store->appendAudit(act("other", {})), std::uint64_t{2});
    QCOMPARE(*m_store->appendAudit(act("slow", {})), std::uint64_t{1});
    QCOMPARE(m_store->audit(0, 10)->size(), std::size_t{2});
    AuditRow broken = act("x", {});
    broken.host = std::string("a\0b", 3);
    CAIRN_VERIFY_ERROR(m_store->appendAudit(broken), ErrorKind::InvalidInput);
}

void ContractTest::everyFieldOfAnAuditEntryIsHashed()
{
    const AuditRow row = chain(2).back();
    std::vector<AuditRow> changed(16, row);
    changed[0].seq = 9;
    changed[1].time += 1;
    changed[2].kind = "refused";
    changed[3].verb = Verb::Resume;
    changed[4].actor = "bob";
    changed[5].uid = 0;
    changed[6].host = "other";
    changed[7].run = idOf<RunId>("other");
    changed[8].target = "ship";
    changed[9].command = idOf<CommandId>("other");
    changed[10].reason += " ";
    changed[11].before = "{}";
    changed[12].after = "{}";
    changed[13].previous = sha256("x");
    std::swap(changed[14].before, changed[14].after);
    changed[15].login = "bob_login";
    for (const AuditRow& other : changed)
        QVERIFY(auditHash(other) != row.hash);
    AuditRow shifted = row;  // the border between two fields counts
    shifted.actor = "an";
    shifted.host = "ndesk";
    QVERIFY(auditHash(shifted) != row.hash);
    QCOMPARE(auditHash(row), row.hash);
    WireWriter room;
    room.raw("left from another row");
    QCOMPARE(auditHash(row, room), row.hash);
    QCOMPARE(auditHash(row, room), row.hash);
}

void ContractTest::theVerifierFindsEveryBreak()
{
    const std::vector<AuditRow> good = chain(6);
    QVERIFY(holds(good));
    for (std::size_t at = 0; at < good.size(); ++at) {
        auto edited = good;
        edited[at].reason = "changed";
        QVERIFY(!holds(edited));
        edited[at].hash = auditHash(edited[at]);  // recomputed, but its followers are not
        QCOMPARE(holds(edited), at + 1 == good.size());
        auto removed = good;
        removed.erase(removed.begin() + static_cast<std::ptrdiff_t>(at));
        QCOMPARE(
            holds(removed), at + 1 == good.size());  // a cut tail shows only against a head kept elsewhere
        auto doubled = good;
        doubled.insert(doubled.begin() + static_cast<std::ptrdiff_t>(at), good[at]);
        QVERIFY(!holds(doubled));
        if (at > 0) {
            auto swapped = good;
            std::swap(swapped[at - 1], swapped[at]);
            QVERIFY(!holds(swapped));
        }
        for (std::size_t byte = 0; byte < 32; ++byte) {
            auto flipped = good;
            flipped[at].hash.bytes[byte] ^= 1;
            QVERIFY(!holds(flipped));
        }
    }
}

void ContractTest::aSoundStoreHasNoProblems()
{
    const SessionId session = open("e");
    Writer a("a", session);
    CommitMember first = a.create("k");
    first.audit = act("x", a.run);
    first.steps = {stepRow(0, "s"), stepRow(1, "t")};
    first.attempts = {attemptRow("1", 0, 1, session)};
    first.list = a.listRow();
    first.list->steps = 2;
    CAIRN_VERIFY_OK(m_store->stageChunk(idOf<ArtifactId>("art"), 0, "bytes"));
    PayloadRow large = inlinePayload("p", "bytes");
    large.bytes.clear();
    large.artifact = idOf<ArtifactId>("art");
    first.payloads = {large};
    QVERIFY(commitOne(first).kind == Kind::Committed);
    for (const bool deep : {false, true}) {
        const auto problems = m_store->check(deep);
        CAIRN_VERIFY_OK(problems);
        QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    }
}

}  // namespace cairn::testing
