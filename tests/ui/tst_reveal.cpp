// What a workflow hides, on a real store: hidden in all that the console reads, and revealed after it is on
// record, in the store or in the operator's journal.
#include "fixture.h"

#include "core/store/sqlite/sqlite_store.h"
#include "ui/data/journal.h"
#include "ui/data/storesession.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

constexpr auto kInput = R"({"iban":"DE02 1203 0000","amount":"12.50"})";
constexpr auto kCovered = R"({"iban":"[hidden: iban]","amount":"12.50"})";

struct House {
    House(bool guarded, bool mayAct)
        : path(folder.filePath(u"runs.db"_s))
        , fixture(path.toStdString(), guarded ? "prod" : "dev", guarded)
        , run(fixture.hiding(kInput))
    {
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
    template<typename T> static Reply<T> answer(QFuture<Reply<T>> future)
    {
        if (!QTest::qWaitFor([&future] { return future.isFinished(); }, 20'000))
            qFatal("no answer");
        return future.result();
    }
    [[nodiscard]] PayloadLine input(bool plain = false) const
    {
        PayloadLine line = answer(session->run(run)).value->payloads.front();
        line.plain = plain;
        return line;
    }
    [[nodiscard]] QByteArray saved(bool plain, QString* why = nullptr) const
    {
        const QString file = folder.filePath(u"saved"_s);
        const auto reply = answer(session->savePayload(run, input(plain), file));
        if (why != nullptr)
            *why = reply.failure.what;
        QFile in(file);
        return reply && in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
    }

    QTemporaryDir folder;
    QString path;
    Fixture fixture;
    cairn::RunId run;
    std::unique_ptr<StoreSession> session;
};

}  // namespace

class TestReveal : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { qputenv("XDG_STATE_HOME", m_state.path().toLocal8Bit()); }

    void hiddenInAllThatIsRead()
    {
        const House house(false, true);
        const auto text = House::answer(house.session->payload(house.run, house.input()));
        QVERIFY2(text, qPrintable(text.failure.what));
        QCOMPARE(text.value->head, QByteArray(kCovered));
        QCOMPARE(text.value->hidden, quint64(1));
        QCOMPARE(text.value->shown, quint64(QByteArray(kCovered).size()));
        QCOMPARE(text.value->line.size, quint64(QByteArray(kInput).size()));
        QVERIFY(text.value->revealOff.isEmpty());
        const auto part = House::answer(house.session->payloadPart(house.run, house.input(), 3, 1000));
        QCOMPARE(part.value->bytes, QByteArray(kCovered).mid(3));
        QCOMPARE(part.value->size, quint64(QByteArray(kCovered).size()));
        const auto beside = House::answer(house.session->previews(house.run, {house.input()}));
        QCOMPARE(beside.value->front().head, QByteArray(kCovered));
        QCOMPARE(house.saved(false), QByteArray(kCovered));
        const auto context = House::answer(house.session->context(house.run, 8000));
        QVERIFY(context.value->text.contains(u"[hidden: iban]"_s));
        QVERIFY(!context.value->text.contains(u"DE02"_s));
        // Asked for plain without having been revealed.
        QString why;
        QCOMPARE(house.saved(true, &why), QByteArray());
        QVERIFY2(why.contains(u"has not been revealed here"_s), qPrintable(why));
        QVERIFY(!House::answer(house.session->payload(house.run, house.input(true))));
        QVERIFY(!House::answer(house.session->payloadPart(house.run, house.input(true), 0, 10)));
    }

    void onRecordInTheStoreBeforeItIsGiven()
    {
        const House house(true, true);
        const auto bare = House::answer(house.session->reveal(house.run, house.input(), {}));
        QVERIFY(!bare);
        QVERIFY2(bare.failure.what.contains(u"reason"_s), qPrintable(bare.failure.what));
        QCOMPARE(house.saved(true), QByteArray());
        const auto before = House::answer(house.session->audit({{}, 0, 200})).value->total;
        const auto where = House::answer(house.session->reveal(
            house.run, house.input(), u"asked for by the bank, Bearer abcdefgh12345"_s));
        QVERIFY2(where, qPrintable(where.failure.what));
        const auto log = House::answer(house.session->audit({u"verb:reveal"_s, 0, 200}));
        QCOMPARE(log.value->total, before + 1);
        QCOMPARE(*where.value, u"audit entry %1"_s.arg(before + 1));
        QCOMPARE(log.value->lines.size(), 1U);
        QCOMPARE(log.value->lines.front().reason, u"asked for by the bank, Bearer [masked: bearer token]"_s);
        QCOMPARE(log.value->lines.front().run, house.run);
        QCOMPARE(house.saved(true), QByteArray(kInput));
        QCOMPARE(house.saved(false), QByteArray(kCovered));  // others of this program go on to hide it
        QCOMPARE(House::answer(house.session->payload(house.run, house.input(true))).value->head,
            QByteArray(kInput));
    }

    void inTheJournalWhereTheStoreIsOnlyLookedAt()
    {
        const House house(false, false);
        const auto where = House::answer(house.session->reveal(house.run, house.input(), u"asked"_s));
        QVERIFY2(where, qPrintable(where.failure.what));
        QVERIFY2(where.value->contains(u"of your journal"_s), qPrintable(*where.value));
        QFile file(Journal::usualPath());
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QJsonObject entry =
            QJsonDocument::fromJson(file.readAll().trimmed().split('\n').back()).object();
        QCOMPARE(entry.value(u"verb"_s).toInt(), int(cairn::Verb::Reveal));
        QCOMPARE(entry.value(u"reason"_s).toString(), u"asked"_s);
        QCOMPARE(house.saved(true), QByteArray(kInput));
    }

    void notInAGuardedStoreThatIsOnlyLookedAt()
    {
        const House house(true, false);
        const auto text = House::answer(house.session->payload(house.run, house.input()));
        QVERIFY2(
            text.value->revealOff.contains(u"look only in this test"_s), qPrintable(text.value->revealOff));
        QVERIFY(!House::answer(
            house.session->reveal(house.run, house.input(), u"asked for by the bank today"_s)));
        QCOMPARE(house.saved(true), QByteArray());
    }

private:
    QTemporaryDir m_state;
};

QTEST_GUILESS_MAIN(TestReveal)
#include "tst_reveal.moc"
