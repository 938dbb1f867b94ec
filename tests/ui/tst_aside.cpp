// Long work beside the lists, on a real store: the audit's list and check, and exports with their record.
#include "fixture.h"

#include "core/export/bundle.h"
#include "core/export/rows_json.h"
#include "core/store/sqlite/sqlite_store.h"
#include "ui/data/journal.h"
#include "ui/data/storesession.h"

#include <QDate>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

struct House {
    explicit House(bool guarded, bool mayAct)
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

    QTemporaryDir folder;
    QString path;
    Fixture fixture;
    std::unique_ptr<StoreSession> session;
};

template<typename T> Reply<T> answer(QFuture<Reply<T>> future)
{
    if (!QTest::qWaitFor([&future] { return future.isFinished(); }, 20'000))
        qFatal("no answer");
    return future.result();
}

ExportRequest requestFor(const House& house, const QString& file)
{
    ExportRequest request;
    request.runs = {house.fixture.waitsForApproval};
    request.path = house.folder.filePath(file);
    request.reason = u"asked for by the auditor, AUD-311"_s;
    return request;
}

}  // namespace

class TestAside : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_STATE_HOME", m_state.path().toLocal8Bit()); }

    void auditIsReadNewestFirstInPages()
    {
        const House house(false, true);
        const auto all = answer(house.session->audit({{}, 0, 200}));
        QVERIFY2(all, qPrintable(all.failure.what));
        QVERIFY(all.value->total > 1);
        QCOMPARE(all.value->lines.size(), std::size_t(all.value->total));
        QCOMPARE(all.value->lines.front().seq, all.value->total);
        QCOMPARE(all.value->lines.back().seq, quint64(1));
        QVERIFY(!all.value->more);
        const auto first = answer(house.session->audit({{}, 0, 1}));
        QCOMPARE(first.value->lines.size(), 1U);
        QCOMPARE(first.value->lookedFrom, all.value->total);
        QVERIFY(first.value->more);
        const auto second = answer(house.session->audit({{}, first.value->lookedFrom, 1}));
        QCOMPARE(second.value->lines.front().seq, all.value->total - 1);
    }

    void auditIsFiltered()
    {
        const House house(false, true);
        const auto paused = answer(house.session->audit({u"verb:pause person:kim"_s, 0, 200}));
        QVERIFY(paused);
        QVERIFY(!paused.value->lines.empty());
        for (const AuditLine& line : paused.value->lines) {
            QCOMPARE(line.verbKey, u"pause"_s);
            QCOMPARE(line.reason, u"month-end freeze until Monday"_s);
            QCOMPARE(line.outcome, u"applied"_s);
            QCOMPARE(line.chain.back().value, u"the same"_s);
        }
        const auto others = answer(house.session->audit({u"-verb:pause"_s, 0, 200}));
        QCOMPARE(others.value->lines.size() + paused.value->lines.size(), std::size_t(others.value->total));
        QVERIFY(answer(house.session->audit({u"freeze"_s, 0, 200})).value->lines.size()
            == paused.value->lines.size());
        QVERIFY(answer(house.session->audit({u"since:>1d"_s, 0, 200})).value->lines.empty());
        const auto wrong = answer(house.session->audit({u"verb:pause wait:timer"_s, 0, 200}));
        QVERIFY(!wrong.value->filter.valid);
        QCOMPARE(wrong.value->filter.offset, 11);
        QCOMPARE(wrong.value->filter.text,
            u"there is no field \"wait\" here. Fields: person, verb, outcome, second, run, since, day; or "
            "words"_s);
        // In this store one person is enough for everything.
        QCOMPARE(answer(house.session->audit({u"second:none"_s, 0, 200})).value->lines.size(),
            std::size_t(others.value->total));
        QVERIFY(answer(house.session->audit({u"-second:none"_s, 0, 200})).value->lines.empty());
        QVERIFY(answer(house.session->audit({u"second:alone"_s, 0, 200})).value->lines.empty());
    }

    void whoElseWasThereIsListedAndFiltered()
    {
        const House house(false, true);
        const auto store = cairn::sqlite::openStore(house.path.toStdString(), {});
        QVERIFY(store);
        const auto add = [&store](const char* after, cairn::CommandId command) {
            cairn::AuditRow row;
            row.time = *(*store)->now();
            row.kind = "applied";
            row.verb = cairn::Verb::Resume;
            row.actor = row.login = "kim";
            row.command = command;
            row.before = "{}";
            row.after = after;
            return bool((*store)->appendAudit(std::move(row)));
        };
        cairn::SeededRng rng(3);
        QVERIFY(add(R"({"confirmed_by":"uid 2"})", cairn::makeId<cairn::CommandId>(1, rng)));
        QVERIFY(add(R"({"break_glass":true})", cairn::makeId<cairn::CommandId>(2, rng)));
        const auto by = answer(house.session->audit({u"second:\"uid 2\""_s, 0, 200}));
        QVERIFY2(by, qPrintable(by.failure.what));
        QCOMPARE(by.value->lines.size(), 1U);
        QCOMPARE(by.value->lines.front().second, u"uid 2"_s);
        QCOMPARE(by.value->lines.front().secondKey, u"uid 2"_s);
        QVERIFY(!by.value->lines.front().unseen);
        const auto glass = answer(house.session->audit({u"second:glass|alone"_s, 0, 200}));
        QCOMPARE(glass.value->lines.size(), 1U);
        QCOMPARE(glass.value->lines.front().second, u"NOBODY: by break-glass, review not known here"_s);
        QVERIFY(glass.value->lines.front().unseen);
        QCOMPARE(answer(house.session->audit({u"second:confirmed"_s, 0, 200})).value->lines.size(), 1U);
    }

    void daysAreCountedAndFiltered()
    {
        const House house(false, true);
        const auto days = answer(house.session->auditDays(0));
        QVERIFY2(days, qPrintable(days.failure.what));
        QCOMPARE(days.value->counted, days.value->total);
        quint64 entries = 0;
        for (const AuditDayCount& day : days.value->days)
            entries += day.entries;
        QCOMPARE(entries, days.value->total);
        QCOMPARE(days.value->days.front().first, 1U);
        QCOMPARE(days.value->days.back().last, days.value->total);
        QVERIFY(answer(house.session->auditDays(days.value->total)).value->days.empty());
        const auto listed = [&house](const QString& filter) {
            return answer(house.session->audit({filter, 0, 200})).value->lines.size();
        };
        const QDate first = QDate(1970, 1, 1).addDays(days.value->days.front().day);
        const QDate last = QDate(1970, 1, 1).addDays(days.value->days.back().day);
        QCOMPARE(listed(u"day:"_s + first.toString(Qt::ISODate)), days.value->days.front().entries);
        QCOMPARE(
            listed(u"day:"_s + first.toString(Qt::ISODate) + u".."_s + last.toString(Qt::ISODate)), entries);
        QCOMPARE(listed(u"day:2001-01-01..2001-02-01"_s), 0U);
        for (const QString& wrong : {u"day:2026-13-01"_s, u"day:noon"_s, u"-day:2026-11-29"_s,
                 u"day:2026-11-30..2026-11-29"_s, u"day:2026-11-29T10:00:00Z"_s}) {
            const auto slice = answer(house.session->audit({wrong, 0, 200}));
            QVERIFY2(!slice.value->filter.valid, qPrintable(wrong));
            QCOMPARE(slice.value->filter.text,
                u"day takes one day or the first and the last of several, as in day:2026-11-29, "
                "day:yesterday, day:2026-11-01..2026-11-30"_s);
        }
    }

    void whatAnActChangedIsToldByField()
    {
        const House house(false, true);
        const auto paused = answer(house.session->audit({u"verb:pause person:kim"_s, 0, 1}));
        QVERIFY(paused && !paused.value->lines.empty());
        const std::vector<Fact>& change = paused.value->lines.front().change;
        QVERIFY(change.size() >= 3);
        QCOMPARE(change.front().name, u"version"_s);
        const QStringList versions = change.front().value.split(u" → "_s);
        QCOMPARE(versions.size(), 2);
        QVERIFY(versions[1].toULongLong() > versions[0].toULongLong());
        // All of both stands below, to be copied.
        QCOMPARE(change[change.size() - 2].name, u"Before"_s);
        QVERIFY(change[change.size() - 2].value.startsWith(u"{\"version\":"_s + versions[0] + u','));
        QCOMPARE(change.back().name, u"After"_s);
        QVERIFY(change.back().value.startsWith(u"{\"version\":"_s + versions[1] + u','));
    }

    void checkSaysThatTheLogIsWholeAndRemembersIt()
    {
        const House house(false, true);
        auto progress = std::make_shared<CheckProgress>();
        const auto verdict = answer(house.session->checkAudit(progress));
        QVERIFY2(verdict, qPrintable(verdict.failure.what));
        QVERIFY(verdict.value->whole);
        QVERIFY(verdict.value->sentence.startsWith(u"The audit log is whole: "_s));
        QVERIFY(verdict.value->damage.isEmpty());
        QVERIFY(!verdict.value->detects.isEmpty());
        QCOMPARE(progress->actsInAll.load(), verdict.value->entries);
        QVERIFY(progress->entries > 0);
        QVERIFY(QFile::exists(m_state.filePath(u"cairn/heads.json"_s)));
    }

    // What this client verified is not there any more, as after an old backup was put back.
    void aRewrittenHistoryIsSaidWhenTheStoreIsOpened()
    {
        const QString path = m_state.filePath(u"cairn/heads.json"_s);
        QFile::remove(path);
        const House house(false, true);
        const auto rewritten = [&] {
            const auto facts = answer(house.session->facts());
            return facts ? facts.value->rewritten : facts.failure.what;
        };
        QCOMPARE(rewritten(), QString());  // it was never verified from here
        const auto verdict = answer(house.session->checkAudit(std::make_shared<CheckProgress>()));
        QVERIFY(verdict && verdict.value->whole);
        QCOMPARE(rewritten(), QString());
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QJsonObject heads = QJsonDocument::fromJson(file.readAll()).object();
        QCOMPARE(heads.size(), 1);
        const QString store = heads.keys().first();
        QJsonObject head = heads.value(store).toObject();
        const qint64 newest = qint64(verdict.value->entries) + 2;
        head.insert(u"entries"_s, newest);
        heads.insert(store, head);
        QVERIFY(file.resize(0) && file.seek(0));
        file.write(QJsonDocument(heads).toJson());
        file.close();
        QVERIFY2(rewritten().startsWith(
                     u"audit: entry %1, the newest of what this client verified on "_s.arg(newest)),
            qPrintable(rewritten()));
        QVERIFY(rewritten().endsWith(u", is gone"_s));
        QVERIFY(QFile::remove(path));
        QCOMPARE(rewritten(), QString());
    }

    void checkIsStopped()
    {
        const House house(false, true);
        auto progress = std::make_shared<CheckProgress>();
        progress->stop = true;
        const auto verdict = answer(house.session->checkAudit(progress));
        QVERIFY(!verdict);
    }

    void bundleIsWrittenAndRecorded()
    {
        const House house(false, true);
        const ExportRequest request = requestFor(house, u"run.cairn.zip"_s);
        auto progress = std::make_shared<ExportProgress>();
        const auto size = answer(house.session->measureExport(request, progress));
        QVERIFY2(size, qPrintable(size.failure.what));
        QCOMPARE(size.value->runs, quint64(1));
        QVERIFY(size.value->entries > 0);
        QVERIFY(!size.value->estimated);
        const auto done = answer(house.session->writeExport(request, progress));
        QVERIFY2(done, qPrintable(done.failure.what));
        QVERIFY(done.value->recorded.startsWith(u"Audit entry "_s));
        const auto verdict = cairn::exporting::verifyBundle(request.path.toStdString());
        QVERIFY(verdict);
        QVERIFY(!verdict->fault);
        QCOMPARE(verdict->exporter, std::string("ines"));
        const auto acts = answer(house.session->audit({u"verb:store_export"_s, 0, 10}));
        QCOMPARE(acts.value->lines.size(), 1U);
        QCOMPARE(acts.value->lines.front().reason, request.reason);
        const auto again = answer(house.session->writeExport(request, progress));  // the file is there
        QVERIFY(!again);
    }

    void theLogIsWrittenWholeOrAsItIsFiltered()
    {
        const House house(false, true);
        ExportRequest request = requestFor(house, u"audit.jsonl"_s);
        request.kind = ExportKind::AuditLog;
        request.runs.clear();
        auto progress = std::make_shared<ExportProgress>();
        const quint64 total = answer(house.session->audit({{}, 0, 1})).value->total;
        QCOMPARE(answer(house.session->measureExport(request, progress)).value->entries, total);
        const auto done = answer(house.session->writeExport(request, progress));
        QVERIFY2(done, qPrintable(done.failure.what));
        QCOMPARE(done.value->entries, total);
        QCOMPARE(done.value->recorded, u"Audit entry %1."_s.arg(total + 1));
        QFile file(request.path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArrayList lines = file.readAll().trimmed().split('\n');
        QCOMPARE(quint64(lines.size()), total);
        // Each follows from the one before, and can be computed anew.
        cairn::Digest head{};
        for (const QByteArray& line : lines) {
            cairn::AuditRow row;
            QVERIFY(cairn::exporting::parseRow(line.toStdString(), row));
            QVERIFY(row.seq == 1 || row.previous == head);
            QVERIFY(cairn::auditHash(row) == row.hash);
            head = row.hash;
        }
        ExportRequest table = requestFor(house, u"audit.csv"_s);
        table.kind = ExportKind::AuditTable;
        table.runs.clear();
        table.filter = u"verb:pause"_s;
        const auto rows = answer(house.session->writeExport(table, progress));
        QVERIFY2(rows, qPrintable(rows.failure.what));
        QVERIFY(rows.value->entries > 0 && rows.value->entries < total);
        QFile csv(table.path);
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const QByteArray text = csv.readAll();
        QVERIFY(text.startsWith("run,seq,time,kind,verb,"));
        QVERIFY(text.contains("month-end freeze until Monday"));
        const auto newest = answer(house.session->audit({u"verb:store_export"_s, 0, 1}));
        QVERIFY(newest.value->lines.front().target == u"audit log, csv"_s);
        // A filter that is wrong, a file that is there: nothing is written.
        table.path = house.folder.filePath(u"other.csv"_s);
        table.filter = u"wait:timer"_s;
        QVERIFY(!answer(house.session->writeExport(table, progress)));
        QVERIFY(!QFile::exists(table.path));
        QVERIFY(!answer(house.session->writeExport(request, progress)));
    }

    void guardedStoresWantAReasonAndTheRight()
    {
        const House house(true, true);
        ExportRequest request = requestFor(house, u"run.html"_s);
        request.kind = ExportKind::Html;
        request.reason.clear();
        auto progress = std::make_shared<ExportProgress>();
        QVERIFY(!answer(house.session->writeExport(request, progress)));
        QVERIFY(!QFile::exists(request.path));
        const House looking(true, false);
        const auto refused =
            answer(looking.session->writeExport(requestFor(looking, u"run.zip"_s), progress));
        QVERIFY(!refused);
        QVERIFY2(refused.failure.what.contains(u"in a guarded store an export is an act"_s),
            qPrintable(refused.failure.what));
    }

    void lookOnlyStoresAreRecordedInTheJournal()
    {
        const House house(false, false);
        auto progress = std::make_shared<ExportProgress>();
        const QString path = m_state.filePath(u"cairn/journal.jsonl"_s);
        QFile::remove(path);
        for (int n = 1; n <= 2; ++n) {
            const auto done =
                answer(house.session->writeExport(requestFor(house, u"%1.zip"_s.arg(n)), progress));
            QVERIFY2(done, qPrintable(done.failure.what));
            QCOMPARE(done.value->recorded,
                u"This store is only looked at: entry %1 of your journal says so."_s.arg(n));
        }
        const Journal journal(path);
        QCOMPARE(*journal.firstBroken(), std::uint64_t(0));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray text = file.readAll();
        QVERIFY(text.contains("AUD-311"));
        text.replace(text.indexOf("AUD-311"), 7, "AUD-312");
        file.seek(0);
        file.write(text);
        file.close();
        QCOMPARE(*journal.firstBroken(), std::uint64_t(1));
    }

    void filtersAreHelpedByTheStore()
    {
        const House house(false, true);
        const auto help = answer(house.session->filterHelp({u"def:"_s, 4, false}));
        QVERIFY(help);
        QCOMPARE(help.value->choices.front().text, u"purchase"_s);
        QCOMPARE(help.value->offset, 4);
        const auto counts = answer(house.session->countFilters({u"def:purchase"_s, u"nonsense:"_s}));
        QCOMPARE(counts.value->runs.at(0), help.value->choices.front().count);
        QCOMPARE(counts.value->runs.at(1), qint64(-1));
        // Places are those of the text that people see, not of its bytes.
        const auto odd = answer(house.session->filterHelp({u"key:\"ü\" de"_s, 10, false}));
        QCOMPARE(odd.value->offset, 8);
        QCOMPARE(odd.value->choices.front().text, u"def:"_s);
    }

    void reportCountsByDayAndByWait()
    {
        const House house(false, true);
        const auto report = answer(house.session->report(3));
        QVERIFY(report);
        QCOMPARE(report.value->days.size(), 3U);
        const auto overview = answer(house.session->overview({}));
        quint64 started = 0;
        quint64 completed = 0;
        for (const ReportDay& day : report.value->days) {
            started += day.started;
            completed += day.completed;
        }
        QCOMPARE(completed, quint64(2));  // that the fixture lets end
        QVERIFY(started >= overview.value->all + completed);
        quint64 waiting = 0;
        for (const ReportWait& wait : report.value->waits)
            waiting += wait.count;
        QCOMPARE(waiting, overview.value->all);
    }

private:
    QTemporaryDir m_state;
};

QTEST_GUILESS_MAIN(TestAside)
#include "tst_aside.moc"
