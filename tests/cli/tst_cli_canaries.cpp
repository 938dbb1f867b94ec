// Fifty secrets, planted through every door of the command line that takes a text, are found at none that
// leads out: the store's bytes, its copy, all that is printed, what the engine says, each form of export,
// reports, receipts. What the console paints of them: tests/ui/tst_canaries.

#include "tests/cli/planted.h"

class TestCliCanaries : public QObject, private PlantedSecrets {
    Q_OBJECT

private Q_SLOTS:
    void secretsAreFoundNowhere();

private:
    void readOut(const QString& run, const QString& other);
};

// The ways out; what is packed in a bundle is read from the store that is made of it.
void TestCliCanaries::readOut(const QString& run, const QString& other)
{
    const auto words = [](const char* line) { return QString::fromUtf8(line).split(QLatin1Char(' ')); };
    for (const char* line :
        {"list", "audit list", "audit reviews", "acts", "approvals", "plan list --all", "policy show",
            "retention rules", "retention never-store", "workflow list", "store info", "report durability"}) {
        look(words(line));
    }
    for (const QString& id : {run, other})
        for (const char* verb : {"show", "why", "history", "graph", "context", "remedies", "approvals"}) {
            look({QLatin1String(verb), id});
        }
    int outs = 0;
    for (const char* form : {"--csv history", "--csv steps", "--csv audit", "--html", "--otlp"}) {
        const QString out = m_folder.filePath(QStringLiteral("out-%1").arg(++outs));
        said(QStringList{QStringLiteral("export"), run, other, QStringLiteral("-o"), out} + words(form));
        readFile(out);
    }
    const QString bundle = m_folder.filePath(QStringLiteral("all.cairn"));
    said({QStringLiteral("export"), run, other, QStringLiteral("-o"), bundle});
    const QString copy = m_folder.filePath(QStringLiteral("copy.db"));
    said({QStringLiteral("import"), bundle, QStringLiteral("--into"), copy});
    readFile(copy);
    readFile(bundle);
    const QString backup = m_folder.filePath(QStringLiteral("backup.db"));
    said({QStringLiteral("store"), QStringLiteral("backup"), backup});
    readFile(backup);
    const QString key = m_folder.filePath(QStringLiteral("key"));
    said({QStringLiteral("audit"), QStringLiteral("key"), QStringLiteral("new"), key});
    look({QStringLiteral("receipt"), run, QStringLiteral("says"), QStringLiteral("--key"), key});
    readFile(m_store);
    for (const char* suffix : {"-wal", "-shm"})
        if (QFile::exists(m_store + QLatin1String(suffix)))
            readFile(m_store + QLatin1String(suffix));
}

void TestCliCanaries::secretsAreFoundNowhere()
{
    plantAll();
    if (QTest::currentTestFailed())
        return;
    readOut(m_run, m_other);
    QVERIFY(m_all.size() > 500'000);
    QVERIFY(m_all.count("[masked: canary-*]") > 25);
    QVERIFY(m_all.count("[masked: password]") > 25);
    QCOMPARE(foundIn(m_all), QByteArray());
}

QTEST_GUILESS_MAIN(TestCliCanaries)
#include "tst_cli_canaries.moc"
