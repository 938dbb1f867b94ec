// The console on a real store: what it reads is what is stored, previews write nothing, acts are recorded,
// stale ones refused.
#include "core/store/hooked_store.h"
#include "core/store/sqlite/sqlite_store.h"
#include "fixture.h"
#include "ui/data/convert.h"
#include "ui/data/qtconvert.h"
#include "ui/data/jobthread.h"
#include "ui/data/payloadindex.h"
#include "ui/data/storesession.h"

#include <QCryptographicHash>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <future>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

struct Desk {
    explicit Desk(bool guarded = false, bool mayAct = true)
        : path(folder.filePath(u"runs.db"_s))
        , fixture(path.toStdString(), guarded ? "prod" : "dev", guarded)
    {
        fixture.fill(2);
        StoreOpening opening;
        opening.url = u"sqlite:"_s + path;
        opening.name = u"runs"_s;
        opening.person = u"ines"_s;
        opening.mayAct = mayAct;
        opening.whyNot = u"look only in this test"_s;
        opening.open = [file = path.toStdString()](bool readOnly) {
            cairn::StoreOptions options;
            options.readOnly = readOnly;
            return cairn::sqlite::openStore(file, options);
        };
        session = std::make_unique<StoreSession>(std::move(opening));
    }
    [[nodiscard]] QByteArray bytes() const
    {
        QByteArray all;
        for (const QString& name : {path, path + u"-wal"_s}) {
            QFile file(name);
            if (file.open(QIODevice::ReadOnly))
                all += file.readAll();
        }
        return QCryptographicHash::hash(all, QCryptographicHash::Sha256);
    }
    [[nodiscard]] VerbLine verb(cairn::Verb wanted, const cairn::RunId& run) const
    {
        const auto why = session->why(run).result();
        for (const VerbLine& line : why ? why.value->verbs : std::vector<VerbLine>())
            if (line.verb == wanted)
                return line;
        return {};
    }
    [[nodiscard]] ActRequest request(cairn::Verb wanted, const cairn::RunId& run) const
    {
        const VerbLine line = verb(wanted, run);
        ActRequest request;
        request.verb = wanted;
        request.run = run;
        request.step = line.step;
        request.approval = line.approval;
        return request;
    }

    QTemporaryDir folder;
    QString path;
    Fixture fixture;
    std::unique_ptr<StoreSession> session;
};

// A store that knows logins, opened with one of them.
class LoginStore final : public cairn::HookedStore {
public:
    LoginStore(std::unique_ptr<cairn::StoreWriter> store, cairn::StoreRights rights)
        : HookedStore(std::move(store), {&none, &none})
        , m_rights(std::move(rights))
    {
    }
    cairn::Result<cairn::StoreRights> rights() override { return m_rights; }

private:
    static std::optional<cairn::Error> none(const char*, cairn::Access) { return std::nullopt; }

    cairn::StoreRights m_rights;
};

// A store that is read from a standby which is so far behind.
class StandbyStore final : public cairn::HookedStore {
public:
    StandbyStore(
        std::unique_ptr<cairn::StoreWriter> store, std::shared_ptr<std::atomic<cairn::SpanMs>> behind)
        : HookedStore(std::move(store), {&none, &none})
        , m_behind(std::move(behind))
    {
    }
    cairn::Result<cairn::Replica> replica() override
    {
        return cairn::Replica{true, true, false, *m_behind, false};
    }

private:
    static std::optional<cairn::Error> none(const char*, cairn::Access) { return std::nullopt; }

    std::shared_ptr<std::atomic<cairn::SpanMs>> m_behind;
};

}  // namespace

class TestSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRunIsCalledByWorkflowAndKey_data()
    {
        QTest::addColumn<QString>("workflow");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("title");
        QTest::newRow("both") << u"refund"_s << u"R-102"_s << u"refund R-102"_s;
        QTest::newRow("said twice") << u"refund"_s << u"refund R-102"_s << u"refund R-102"_s;
        QTest::newRow("in capitals") << u"refund"_s << u"Refund: R-102"_s << u"Refund: R-102"_s;
        QTest::newRow("the same") << u"refund"_s << u"refund"_s << u"refund"_s;
        QTest::newRow("another word") << u"refund"_s << u"refunds-9"_s << u"refund refunds-9"_s;
        QTest::newRow("its caller's") << QString() << u"R-102"_s << u"driven R-102"_s;
        QTest::newRow("no key") << u"refund"_s << QString() << u"refund 000000"_s;
    }
    void aRunIsCalledByWorkflowAndKey()
    {
        QFETCH(QString, workflow);
        QFETCH(QString, key);
        QFETCH(QString, title);
        QCOMPARE(runTitle(workflow, key, {}), title);
    }
    void whatTheCoreSaysIsASentenceBesideOthers()
    {
        const Failure failure = failureOf(cairn::makeError(cairn::ErrorKind::SchemaMismatch, "restore it"));
        QCOMPARE(failure.what + u' ' + failure.todo,
            u"restore it. Use a console of the store's version, or migrate the store."_s);
        for (const auto& whole : {u"gone."_s, u"why?"_s, u"now!"_s, QString()})
            QCOMPARE(withFullStop(whole), whole);
    }
    void theLoginOfTheStoreIsWhoActs_data()
    {
        QTest::addColumn<bool>("stages");
        QTest::newRow("leaves acts for an engine") << true;
        QTest::newRow("reads only") << false;
    }
    void theLoginOfTheStoreIsWhoActs()
    {
        QFETCH(const bool, stages);
        const Desk desk;
        StoreOpening opening;
        opening.person = u"ines"_s;
        opening.mayAct = true;
        opening.open = [file = desk.path.toStdString(), stages](bool readOnly) {
            cairn::StoreOptions options;
            options.readOnly = readOnly;
            auto store = cairn::sqlite::openStore(file, options);
            if (!store)
                qFatal("%s", store.error().text.c_str());
            return cairn::Result<std::unique_ptr<cairn::StoreWriter>>(std::make_unique<LoginStore>(
                *std::move(store), cairn::StoreRights{"ops_kim", false, true, stages, false}));
        };
        StoreSession session(std::move(opening));
        const auto facts = session.facts().result();
        QVERIFY2(facts, qPrintable(facts.failure.what));
        QCOMPARE(facts.value->person, u"ops_kim"_s);
        QCOMPARE(facts.value->identity, u"login of the database, ines on this host"_s);
        QCOMPARE(facts.value->mayAct, stages);
        QVERIFY(stages || facts.value->whyNot.contains(u"may only read this store"_s));
    }
    // Facts at the opening, the age with each poll, and no verb that would have to write.
    void aStandbySaysHowOldItIs()
    {
        const Desk desk;
        const auto replica = std::make_shared<std::atomic<cairn::SpanMs>>(9'000);
        StoreOpening opening;
        opening.person = u"ines"_s;
        opening.mayAct = true;
        opening.open = [file = desk.path.toStdString(), replica](bool readOnly) {
            cairn::StoreOptions options;
            options.readOnly = readOnly;
            auto store = cairn::sqlite::openStore(file, options);
            if (!store)
                qFatal("%s", store.error().text.c_str());
            return cairn::Result<std::unique_ptr<cairn::StoreWriter>>(
                std::make_unique<StandbyStore>(*std::move(store), replica));
        };
        StoreSession session(std::move(opening));
        const auto facts = session.facts().result();
        QVERIFY2(facts, qPrintable(facts.failure.what));
        QCOMPARE(facts.value->standing.text, u"Standby, 9.0 s behind"_s);
        QVERIFY(facts.value->standing.late && !facts.value->mayAct);
        QVERIFY2(facts.value->whyNot.contains(u"open the primary to act"_s), qPrintable(facts.value->whyNot));
        *replica = 3'000;
        const auto changes = session.changes(facts.value->cursor).result();
        QVERIFY2(changes, qPrintable(changes.failure.what));
        QCOMPARE(changes.value->standing.text, u"Standby, 3.0 s behind"_s);
        QVERIFY(!changes.value->standing.late);
        const auto why = session.why(desk.fixture.waitsForApproval).result();
        QVERIFY2(why && !why.value->verbs.empty(), qPrintable(why.failure.what));
        for (const VerbLine& line : why.value->verbs)
            QVERIFY(!line.on);
        const auto own = desk.session->facts().result();
        QVERIFY(own && !own.value->standing.standby());
    }
    void aStoreThatWasMovedSaysSo()
    {
        const Desk desk;
        {
            auto store = cairn::sqlite::openStore(desk.path.toStdString(), {});
            QVERIFY(store);
            cairn::FenceChange change;
            change.from = (*store)->info()->minWriter;
            change.to = cairn::minWriterOf({cairn::FenceKind::Moved, 7});
            QVERIFY((*store)->changeFence(change));
        }
        const auto facts = desk.session->facts().result();
        QVERIFY2(facts, qPrintable(facts.failure.what));
        QVERIFY(facts.value->closed);
        QVERIFY(!facts.value->mayAct);
        QVERIFY2(facts.value->whyNot.contains(u"this store was moved"_s), qPrintable(facts.value->whyNot));
    }
    void overviewCountsByWhoMovesNext()
    {
        const Desk desk;
        const auto reply = desk.session->overview({}).result();
        QVERIFY2(reply, qPrintable(reply.failure.what));
        QStringList heads;
        for (const AttentionLine& line : reply.value->attention)
            if (line.head)
                heads << line.word + u' ' + QString::number(line.count);
        QCOMPARE(heads.join(u", "_s),
            u"Effect uncertain 1, Nobody can yet 1, A person must 2, The machine will 1, Moving 1, Finished today 2"_s);
        QCOMPARE(reply.value->situations.front().wait, u"Uncertain effect"_s);
        QVERIFY(reply.value->situations.front().pinned);
        for (const AttentionLine& line : reply.value->attention) {
            const auto filtered = desk.session->overview(line.filter).result();
            QVERIFY2(filtered && filtered.value->filter.valid, qPrintable(line.filter));
            QCOMPARE(filtered.value->matching, line.count);
        }
    }

    void runIsToldWithItsGraph()
    {
        const Desk desk;
        const auto reply = desk.session->run(desk.fixture.waitsForApproval).result();
        QVERIFY2(reply, qPrintable(reply.failure.what));
        QVERIFY(reply.value->why.sentence.contains(u"approval by finance-lead"_s));
        int members = 0;
        const StepLine* root = nullptr;
        for (const StepLine& step : reply.value->steps) {
            members += step.owner != kNone ? 1 : 0;
            root = step.root ? &step : root;
        }
        QCOMPARE(members, 14);
        QVERIFY(root != nullptr);
        QCOMPARE(root->id, u"pay"_s);
        QVERIFY(reply.value->steps.front().onPath);
        const auto history = desk.session->history(desk.fixture.waitsForApproval, 1, 500).result();
        QCOMPARE(history.value->size(), static_cast<std::size_t>(reply.value->version));
    }

    void previewWritesNothing()
    {
        const Desk desk;
        const QByteArray before = desk.bytes();
        for (const cairn::Verb verb :
            {cairn::Verb::Approve, cairn::Verb::Reject, cairn::Verb::Pause, cairn::Verb::Cancel}) {
            const auto preview =
                desk.session->preview(desk.request(verb, desk.fixture.waitsForApproval)).result();
            QVERIFY2(preview && preview.value->possible, qPrintable(preview.failure.what));
        }
        const auto settle =
            desk.session->preview(desk.request(cairn::Verb::Settle, desk.fixture.uncertain)).result();
        QVERIFY(settle && settle.value->possible);
        QCOMPARE(settle.value->outcomes.size(), std::size_t(kOutcomes));
        const OutcomeOffer& repeat = settle.value->outcomes[2];
        QCOMPARE(repeat.outcome, Outcome::RepeatSameKey);
        QVERIFY(!repeat.allowed);  // irreversible: never blindly again
        QVERIFY(!repeat.why.isEmpty());
        QCOMPARE(desk.bytes(), before);
    }

    void approveIsRecordedAndStaleIsRefused()
    {
        Desk desk;
        ActRequest request = desk.request(cairn::Verb::Approve, desk.fixture.waitsForApproval);
        const auto preview = desk.session->preview(request).result();
        QVERIFY(preview && preview.value->possible);
        QCOMPARE(preview.value->sent.fields.size(), 5U);
        QCOMPARE(preview.value->sent.fields[2].value, u"4860.00"_s);  // as written
        // Whoever decides sees how much has happened in the run meanwhile.
        const auto since = [&desk](const ActRequest& asked) {
            for (const Fact& fact : desk.session->preview(asked).result().value->facts)
                if (fact.name == u"Since then"_s
                    && fact.value.endsWith(
                        u" in the run's history; a change of what is asked would have asked anew"_s))
                    return fact.value.section(u' ', 0, 0).toInt();
            return -1;
        };
        const int before = since(request);
        QVERIFY(before >= 0);
        desk.fixture.toggle(desk.fixture.waitsForApproval);
        QCOMPARE(since(request), before + 1);
        desk.fixture.toggle(desk.fixture.waitsForApproval);
        QCOMPARE(since(request), before + 2);
        request = desk.session->preview(request).result().value->request;
        request.expects = true;
        request.reason = u"cheapest offer in time"_s;
        ActRequest stale = request;
        stale.binding.bytes[0] ^= 1;
        const auto refused = desk.session->execute(stale).result();
        QVERIFY(refused);
        QCOMPARE(refused.value->end, ActEnd::Stale);
        const auto done = desk.session->execute(request).result();
        QVERIFY(done);
        QVERIFY2(done.value->end == ActEnd::Done, qPrintable(done.value->text));
        QVERIFY(done.value->auditSeq > 0);
        QVERIFY(!desk.verb(cairn::Verb::Approve, desk.fixture.waitsForApproval).on);
    }

    void settleTakesTheProvidersResult()
    {
        Desk desk;
        ActRequest request = desk.request(cairn::Verb::Settle, desk.fixture.uncertain);
        request = desk.session->preview(request).result().value->request;
        request.expects = true;
        request.result = uR"({"reference":"ch_58213_7Qd2"})"_s;
        request.evidence = u"statement 4411, line 7"_s;
        request.reason = u"the provider's ledger shows it"_s;
        const auto done = desk.session->execute(request).result();
        QVERIFY2(
            done && done.value->end == ActEnd::Done, qPrintable(done ? done.value->text : done.failure.what));
        const auto again = desk.session->execute(request).result();
        QVERIFY(again && again.value->end != ActEnd::Done);
        const auto history = desk.session->history(desk.fixture.uncertain, 1, 500).result();
        QStringList reasons;
        for (const HistoryLine& line : *history.value)
            if (line.person)
                reasons << line.reason;
        QVERIFY2(reasons.contains(u"the provider's ledger shows it"_s), qPrintable(reasons.join(u'|')));
        const auto detail = desk.session->run(desk.fixture.uncertain).result();
        QVERIFY(detail);
        const auto& payloads = detail.value->payloads;
        const auto evidence = std::find_if(payloads.begin(), payloads.end(),
            [](const PayloadLine& payload) { return payload.role == u"evidence"_s; });
        QVERIFY(evidence != payloads.end());
        const auto text = desk.session->payload(desk.fixture.uncertain, *evidence).result();
        QCOMPARE(text.value->head, QByteArray("statement 4411, line 7"));
        // The bytes with their salt give the hash that is stored.
        QVERIFY(bytesFit(text.value->head, text.value->salt, text.value->hash));
    }

    void previewIsOfTheResultThatWasTyped()
    {
        const Desk desk;
        ActRequest request = desk.request(cairn::Verb::Settle, desk.fixture.uncertain);
        request.evidence = u"statement 4411, line 7"_s;
        request.result = uR"({"reference":"ch_58213_7Qd2"})"_s;
        const auto good = desk.session->preview(request).result();
        QVERIFY2(good && good.value->possible, qPrintable(good.failure.what));
        QCOMPARE(good.value->request.result, request.result);
        request.result = u"ch_58213_7Qd2, without quotes"_s;
        const auto bad = desk.session->preview(request).result();
        QVERIFY(!bad || !bad.value->possible);
        request.expects = true;
        request.reason = u"the provider's ledger shows it"_s;
        const auto sent = desk.session->execute(request).result();  // as the preview said
        QVERIFY(!sent || sent.value->end != ActEnd::Done);
    }

    void situationsTellWhoseTheyAreAndWhenTheirRunsCame()
    {
        cairn::SituationRow row;
        row.situation = "approval/x";
        row.reason = cairn::Reason::Approval;
        row.count = 5;
        row.assignedRuns = 2;
        row.assigned = "kim";
        row.assignedLast = "lee";
        const qint64 now = 100 * kTrendSlot + 7;
        std::vector<SituationLine> lines{situationOf(row, now)};
        QCOMPARE(lines[0].owned, 2U);
        QCOMPARE(lines[0].owner, u"kim"_s);
        QVERIFY(lines[0].owners);
        row.situation = "lease";
        row.reason = cairn::Reason::Lease;
        row.assignedLast = "kim";
        lines.push_back(situationOf(row, now));
        QVERIFY(!lines[1].owners);
        QCOMPARE(trendBegin(now), 89 * kTrendSlot);
        QCOMPARE(trendBegin(now - 7), 89 * kTrendSlot);
        tellTrend(lines,
            {{"approval/x", 0, 1}, {"approval/x", 11, 2}, {"approval/x", 14, 1}, {"lease", 0, 1},
                {"other", 0, 9}},
            trendBegin(now));
        QCOMPARE(lines[0].began, (std::vector<quint64>{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3}));
        QCOMPARE(lines[0].beganFrom, 89 * kTrendSlot);
        QVERIFY(lines[1].began.empty());  // of a lost worker no such times are kept
        QCOMPARE(lines[1].beganFrom, 0);
        // Of a store: each run that is there began some time.
        const Desk desk;
        const auto overview = desk.session->overview({}).result();
        QVERIFY2(overview, qPrintable(overview.failure.what));
        for (const SituationLine& line : overview.value->situations) {
            QCOMPARE(line.began.size(), static_cast<std::size_t>(kTrendSlots));
            QCOMPARE(line.owned, 0U);
            QCOMPARE(line.beganFrom % kTrendSlot, 0);
        }
    }

    void lostWorkersAreASituation()
    {
        Desk desk;
        const auto lostIn = [&desk](const QString& filter) {
            std::vector<SituationLine> lost;
            const auto overview = desk.session->overview(filter).result();
            for (const SituationLine& line :
                overview ? overview.value->situations : std::vector<SituationLine>())
                if (line.glyph == Glyph::Lost)
                    lost.push_back(line);
            return lost;
        };
        QVERIFY(lostIn({}).empty());
        QVERIFY(lostIn(u"wait:lease"_s).empty());
        desk.fixture.endEngine();
        for (const QString& filter : {QString(), u"wait:lease"_s}) {
            const auto lost = lostIn(filter);
            QCOMPARE(lost.size(), 1U);
            QCOMPARE(lost.front().wait, u"Worker lost"_s);
            QCOMPARE(lost.front().count, 1U);
            QCOMPARE(lost.front().where, u"check-budget · purchase @3"_s);
            SliceRequest members;
            members.filter = filter;
            members.situation = lost.front().key;
            const auto runs = desk.session->runs(members).result();
            QVERIFY2(runs, qPrintable(runs.failure.what));
            QCOMPARE(runs.value->lines.size(), 1U);
            QCOMPARE(runs.value->lines.front().run, lost.front().example);
            QCOMPARE(runs.value->lines.front().word, u"Worker lost"_s);
        }
        QVERIFY(lostIn(u"-wait:lease"_s).empty());
        QVERIFY(lostIn(u"wait:approval"_s).empty());
    }

    void pauseHidesNoUncertainEffect()
    {
        Desk desk;
        desk.fixture.pause(desk.fixture.uncertain);
        const auto lines = desk.session->lines({desk.fixture.uncertain}).result();
        QCOMPARE(lines.value->front().word, u"Uncertain effect"_s);
        QCOMPARE(lines.value->front().glyph, Glyph::Uncertain);
        const auto why = desk.session->why(desk.fixture.uncertain).result();
        QCOMPARE(why.value->glyph, Glyph::Uncertain);
        const auto counts = desk.session->overview({}).result();
        for (const AttentionLine& line : counts.value->attention)
            if (line.word == u"no result stored"_s)
                QCOMPARE(line.glyph, Glyph::Uncertain);
    }

    void situationsAndRunsStandInOneOrder()
    {
        const Desk desk;
        const auto overview = desk.session->overview({}).result();
        const auto runs = desk.session->runs({}).result();
        QStringList situations;
        for (const SituationLine& line : overview.value->situations)
            situations << line.wait;
        QStringList words;
        for (const RunLine& line : runs.value->lines)
            if (situations.contains(line.word) && !words.contains(line.word))
                words << line.word;
        QCOMPARE(words.join(u", "_s), situations.join(u", "_s));
        QCOMPARE(
            situations.join(u", "_s), u"Uncertain effect, Attempts exhausted, Approval, Paused, Back-off"_s);
    }

    void abandonUndoesNothing()
    {
        Desk desk;
        const auto why = desk.session->why(desk.fixture.waitsForApproval).result();
        const auto found = std::find_if(
            why.value->verbs.begin(), why.value->verbs.end(), [](const VerbLine& v) { return v.abandon; });
        QVERIFY(found != why.value->verbs.end());
        QVERIFY(found->letter.isEmpty());  // from menus only
        ActRequest request;
        request.verb = found->verb;
        request.run = desk.fixture.waitsForApproval;
        request.compensate = false;
        const auto preview = desk.session->preview(request).result();
        QVERIFY(preview && preview.value->possible);
        QVERIFY(preview.value->sentence.startsWith(u"Abandon this run."_s));
        request = preview.value->request;
        request.expects = true;
        request.reason = u"duplicate order"_s;
        const auto done = desk.session->execute(request).result();
        QVERIFY2(
            done && done.value->end == ActEnd::Done, qPrintable(done ? done.value->text : done.failure.what));
        QVERIFY(!desk.fixture.state(desk.fixture.waitsForApproval).own.compensate);
    }

    void lookOnlyCannotWrite()
    {
        const Desk desk(false, false);
        const QByteArray before = desk.bytes();
        ActRequest request = desk.request(cairn::Verb::Pause, desk.fixture.waitsForApproval);
        QVERIFY(desk.session->preview(request).result());
        request.reason = u"must not be written"_s;
        const auto reply = desk.session->execute(request).result();
        QVERIFY(!reply);
        QVERIFY(reply.failure.what.contains(u"look only in this test"_s));
        QCOMPARE(desk.bytes(), before);
    }

    void changesFollowTheCursor()
    {
        Desk desk;
        const quint64 cursor = desk.session->facts().result().value->cursor;
        QVERIFY(desk.session->changes(cursor).result().value->lines.empty());
        desk.fixture.pause(desk.fixture.waitsForApproval);
        const auto changes = desk.session->changes(cursor).result();
        QCOMPARE(changes.value->lines.size(), 1U);
        QCOMPARE(changes.value->lines.front().run, desk.fixture.waitsForApproval);
    }

    void laterRequestTakesThePlaceOfAWaitingOne()
    {
        JobThread thread;
        std::promise<void> gate;
        std::promise<void> begun;
        QByteArray log;
        std::mutex mutex;
        const auto note = [&](char c) {
            const std::scoped_lock lock(mutex);
            log += c;
        };
        thread.post({-1,
            [&] {
                begun.set_value();
                gate.get_future().wait();
                note('a');
            },
            [&] { note('x'); }});
        begun.get_future().wait();
        thread.post({1, [&] { note('b'); }, [&] { note('B'); }});
        thread.post({2, [&] { note('c'); }, [&] { note('C'); }});
        std::promise<void> last;
        thread.post({1,
            [&] {
                note('d');
                last.set_value();
            },
            [&] { note('D'); }});
        gate.set_value();
        last.get_future().wait();
        thread.stop();
        thread.post({-1, [&] { note('e'); }, [&] { note('E'); }});
        QCOMPARE(log, QByteArray("BacdE"));
    }
};

QTEST_APPLESS_MAIN(TestSession)
#include "tst_session.moc"
