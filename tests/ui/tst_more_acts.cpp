// Acts that are not about a run's next step, on a real store: slowing a resource down, deleting payloads for
// good. What is shown before writes nothing; what is done is what was shown.
#include "core/store/sqlite/sqlite_store.h"
#include "fixture.h"
#include "ui/data/storesession.h"

#include <QCryptographicHash>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

struct Desk {
    explicit Desk(bool mayAct = true)
        : path(folder.filePath(u"runs.db"_s))
        , fixture(path.toStdString(), "dev", false)
    {
        fixture.fill(1);
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
    [[nodiscard]] VerbLine line(cairn::Verb wanted, const cairn::RunId& run) const
    {
        const auto why = session->why(run).result();
        if (why)
            for (const std::vector<VerbLine>* lines : {&why.value->verbs, &why.value->more})
                for (const VerbLine& one : *lines)
                    if (one.verb == wanted)
                        return one;
        return {};
    }
    [[nodiscard]] ActRequest slow(const QString& typed) const
    {
        ActRequest request;
        request.verb = cairn::Verb::Slow;
        request.resource = u"bank"_s;
        request.value = typed;
        return request;
    }
    [[nodiscard]] cairn::RunId completed() const
    {
        const auto slice = session->runs({u"state:completed"_s, {}, {}, 10}).result();
        return slice && !slice.value->lines.empty() ? slice.value->lines.front().run : cairn::RunId();
    }

    QTemporaryDir folder;
    QString path;
    Fixture fixture;
    std::unique_ptr<StoreSession> session;
};

ActRequest sendable(const ActPreview& preview)
{
    ActRequest request = preview.request;
    request.expects = true;
    request.reason = u"asked for in this test"_s;
    return request;
}

QString factOf(const ActPreview& preview, const QString& name)
{
    for (const Fact& fact : preview.facts)
        if (fact.name == name)
            return fact.value;
    return {};
}

}  // namespace

class TestMoreActs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void slowIsOfferedWhereTheRunStandsAtAResource()
    {
        const Desk desk;
        const VerbLine slow = desk.line(cairn::Verb::Slow, desk.fixture.waitsForApproval);
        QVERIFY2(slow.on, qPrintable(slow.text));
        QCOMPARE(slow.resource, u"bank"_s);
        QCOMPARE(slow.letter, u"P"_s);
        QCOMPARE(slow.text, u"Hold or pace new calls to bank, by all runs"_s);
        const VerbLine off = desk.line(cairn::Verb::Slow, desk.completed());
        QVERIFY(!off.on);
        QCOMPARE(off.text, u"the run stands at no resource; `cairn slow` takes one by its name"_s);
    }

    void aRateIsShownBeforeItHoldsAndAnOlderLookIsRefused()
    {
        const Desk desk;
        const QByteArray before = desk.bytes();
        const auto preview = desk.session->preview(desk.slow(u"20/s"_s)).result();
        QVERIFY2(preview, qPrintable(preview.failure.what));
        QVERIFY2(preview.value->possible, qPrintable(preview.value->refusal));
        QCOMPARE(factOf(*preview.value, u"Calls begin"_s), u"not limited"_s);
        QCOMPARE(factOf(*preview.value, u"Called by"_s), u"purchase@3 pay"_s);
        QCOMPARE(preview.value->willHappen.front(),
            u"calls to bank begin at most 20 a second, by all engines (as many as there are now)"_s);
        QCOMPARE(desk.bytes(), before);

        const auto done = desk.session->execute(sendable(*preview.value)).result();
        QVERIFY2(done, qPrintable(done.failure.what));
        QVERIFY2(done.value->end == ActEnd::Done, qPrintable(done.value->text));
        QVERIFY(done.value->auditSeq > 0);
        const auto after = desk.session->preview(desk.slow(u"600/m"_s)).result();
        QVERIFY2(after, qPrintable(after.failure.what));
        QCOMPARE(factOf(*after.value, u"Calls begin"_s), u"at most 20 a second"_s);

        const auto stale = desk.session->execute(sendable(*preview.value)).result();
        QVERIFY2(stale, qPrintable(stale.failure.what));
        QCOMPARE(stale.value->end, ActEnd::Stale);
    }

    void aHoldLastsUntilTheInstantThatWasShown()
    {
        const Desk desk;
        const auto preview = desk.session->preview(desk.slow(u"hold 10m"_s)).result();
        QVERIFY2(preview, qPrintable(preview.failure.what));
        QVERIFY2(preview.value->possible, qPrintable(preview.value->refusal));
        QCOMPARE(preview.value->request.holdUntil, preview.value->at + 600'000);
        QCOMPARE(desk.session->execute(sendable(*preview.value)).result().value->end, ActEnd::Done);
        const auto after = desk.session->preview(desk.slow(u"none"_s)).result();
        QVERIFY2(after, qPrintable(after.failure.what));
        // Instants are typed, and so pinned, to the second.
        QCOMPARE(after.value->request.limits.heldUntil / 1000, preview.value->request.holdUntil / 1000);
        QVERIFY(factOf(*after.value, u"Held until"_s).endsWith(u", by a person or its rate"_s));
    }

    void whatIsNoRateSaysWhatToGive_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("says");
        QTest::newRow("no unit") << u"20"_s << u"\"20\" is no rate: give 20/s"_s;
        QTest::newRow("slower than one a second") << u"30/m"_s << u"\"30/m\" is no rate"_s;
        QTest::newRow("hold for ever") << u"hold"_s << u"hold needs the time until when"_s;
        QTest::newRow("a time with a rate") << u"20/s 10m"_s << u"a time until when goes with hold only"_s;
        QTest::newRow("a time that has passed")
            << u"hold 2001-01-01T00:00:00Z"_s << u"the time until when calls are held has passed"_s;
    }
    void whatIsNoRateSaysWhatToGive()
    {
        QFETCH(QString, typed);
        QFETCH(QString, says);
        const Desk desk;
        const auto preview = desk.session->preview(desk.slow(typed)).result();
        QVERIFY(!preview);
        QVERIFY2(preview.failure.what.contains(says), qPrintable(preview.failure.what));
    }

    void exactlyThePayloadsThatWereShownAreDeleted()
    {
        const Desk desk;
        const cairn::RunId run = desk.completed();
        QVERIFY(!run.isNull());
        ActRequest request;
        request.verb = cairn::Verb::Redact;
        request.run = run;
        request.value = u"output step:report"_s;
        const QByteArray before = desk.bytes();
        const auto preview = desk.session->preview(request).result();
        QVERIFY2(preview, qPrintable(preview.failure.what));
        QVERIFY2(preview.value->possible, qPrintable(preview.value->refusal));
        QCOMPARE(preview.value->typed, 1U);
        QCOMPARE(preview.value->typedOf, u"payload"_s);
        QCOMPARE(preview.value->request.payloads.size(), 1U);
        QCOMPARE(preview.value->facts.front().name, u"output of report"_s);
        QCOMPARE(desk.bytes(), before);

        const auto done = desk.session->execute(sendable(*preview.value)).result();
        QVERIFY2(done, qPrintable(done.failure.what));
        QVERIFY2(done.value->end == ActEnd::Done, qPrintable(done.value->text));
        QVERIFY(done.value->text.startsWith(u"1 payload is redacted: the bytes are gone."_s));
        PayloadLine gone;
        gone.id = preview.value->request.payloads.front();
        const auto read = desk.session->payload(run, gone).result();
        QVERIFY2(read, qPrintable(read.failure.what));
        QVERIFY(read.value->redacted);
        QVERIFY(read.value->redaction.contains(u"asked for in this test"_s));
    }

    void aNewRunGoesOnFromAnEarlierVersion()
    {
        const Desk desk;
        const cairn::RunId run = desk.completed();
        const VerbLine line = desk.line(cairn::Verb::Fork, run);
        QVERIFY2(line.on, qPrintable(line.text));
        ActRequest request;
        request.verb = cairn::Verb::Fork;
        request.run = run;
        request.value = u"3"_s;
        const QByteArray before = desk.bytes();
        const auto preview = desk.session->preview(request).result();
        QVERIFY2(preview, qPrintable(preview.failure.what));
        QVERIFY2(preview.value->possible, qPrintable(preview.value->refusal));
        QCOMPARE(desk.bytes(), before);
        const auto old = desk.session->run(run).result();
        const auto done = desk.session->execute(sendable(*preview.value)).result();
        QVERIFY2(done, qPrintable(done.failure.what));
        QVERIFY2(done.value->end == ActEnd::Done, qPrintable(done.value->text));
        QVERIFY(done.value->text.startsWith(u"The new run "_s));
        const auto found = desk.session->find(done.value->text.section(u' ', 3, 3)).result();
        QVERIFY2(found, qPrintable(found.failure.what));
        QVERIFY(*found.value != run);
        QCOMPARE(desk.session->run(run).result().value->version, old.value->version);

        request.value = u"9999"_s;
        const auto wrong = desk.session->preview(request).result();
        QVERIFY(!wrong);
        QVERIFY2(wrong.failure.what.contains(
                     u"\"9999\" is no version to restart from: the run has versions 1 to"_s),
            qPrintable(wrong.failure.what));
    }

    void whatThereIsNotIsNamed()
    {
        const Desk desk;
        ActRequest request;
        request.verb = cairn::Verb::Redact;
        request.run = desk.completed();
        request.value = u"everything"_s;
        const auto kind = desk.session->preview(request).result();
        QVERIFY(!kind);
        QVERIFY2(kind.failure.what.contains(u"\"everything\" is no kind of payload"_s),
            qPrintable(kind.failure.what));
        request.value = u"step:nowhere"_s;
        const auto step = desk.session->preview(request).result();
        QVERIFY(!step);
        QVERIFY2(
            step.failure.what.contains(u"the run has no step \"nowhere\""_s), qPrintable(step.failure.what));
    }

    void aStoreThatIsOnlyLookedAtShowsButDoesNotDo()
    {
        const Desk desk(false);
        QVERIFY(!desk.line(cairn::Verb::Slow, desk.fixture.waitsForApproval).on);
        const auto preview = desk.session->preview(desk.slow(u"20/s"_s)).result();
        QVERIFY2(preview, qPrintable(preview.failure.what));
        QVERIFY(!preview.value->possible);
        QCOMPARE(preview.value->refusal, u"look only in this test"_s);
        const auto sent = desk.session->execute(sendable(*preview.value)).result();
        QVERIFY(!sent);
    }
};

QTEST_MAIN(TestMoreActs)
#include "tst_more_acts.moc"
