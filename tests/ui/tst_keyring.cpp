// The desktop's keychain as it really is: a secret service on a session bus, with a keyring that is open
// (tests/tools/with-keyring-or-skip). What is kept is there for the next process, and gone when it is
// forgotten.
#include "ui/data/keychain.h"

#include <QCoreApplication>
#include <QProcess>
#include <QTest>

#include <cstdio>

using namespace cairn::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int kWaitMs = 60'000;
const QString kLogin = u"ann@db.example:5432/runs"_s;

KeychainSaid answer(const QFuture<Reply<KeychainSaid>>& future)
{
    if (!QTest::qWaitFor([&future] { return future.isFinished(); }, kWaitMs))
        return {KeychainSaid::Kind::Refused, {}, u"no answer came"_s};
    return future.result().value.value_or(KeychainSaid{});
}

}  // namespace

class TestKeyring : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aPasswordIsKeptForTheNextProcessAndForgotten();
    void loginsDoNotSeeEachOther();
};

void TestKeyring::aPasswordIsKeptForTheNextProcessAndForgotten()
{
    DesktopKeychain keychain;
    QCOMPARE(answer(keychain.read(kLogin)).kind, KeychainSaid::Kind::Nothing);
    const QString password = u"pa ss\"wörd'\\ 4711"_s;
    const KeychainSaid kept = answer(keychain.keep(kLogin, password));
    QVERIFY2(kept.kind == KeychainSaid::Kind::Done, qPrintable(kept.text));
    QProcess other;
    other.start(QCoreApplication::applicationFilePath(), {u"--read"_s, kLogin});
    QVERIFY(other.waitForFinished(kWaitMs));
    QCOMPARE(other.exitCode(), 0);
    QCOMPARE(QString::fromUtf8(other.readAllStandardOutput()), password);
    QCOMPARE(answer(keychain.keep(kLogin, u"another"_s)).kind, KeychainSaid::Kind::Done);
    QCOMPARE(answer(keychain.read(kLogin)).password, u"another"_s);
    QCOMPARE(answer(keychain.forget(kLogin)).kind, KeychainSaid::Kind::Done);
    QCOMPARE(answer(keychain.read(kLogin)).kind, KeychainSaid::Kind::Nothing);
}

void TestKeyring::loginsDoNotSeeEachOther()
{
    DesktopKeychain keychain;
    QCOMPARE(answer(keychain.keep(kLogin, u"hers"_s)).kind, KeychainSaid::Kind::Done);
    for (const QString& other :
        {u"bob@db.example:5432/runs"_s, u"ann@db.example:5432/other"_s, u"ann@db.example:5433/runs"_s})
        QCOMPARE(answer(keychain.read(other)).kind, KeychainSaid::Kind::Nothing);
    QCOMPARE(answer(keychain.read(kLogin)).password, u"hers"_s);
    QCOMPARE(answer(keychain.forget(kLogin)).kind, KeychainSaid::Kind::Done);
}

int main(int argc, char** argv)
{
    QCoreApplication app(argc, argv);
    if (argc == 3 && QByteArray(argv[1]) == "--read") {
        DesktopKeychain keychain;
        const KeychainSaid said = answer(keychain.read(QString::fromUtf8(argv[2])));
        std::fputs(qUtf8Printable(said.password), stdout);
        return said.kind == KeychainSaid::Kind::Done ? 0 : 1;
    }
    TestKeyring test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_keyring.moc"
