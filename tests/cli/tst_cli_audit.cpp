// The audit as an operator proves it: keys, checkpoints, anchors, and what this client remembers.

#include "tests/cli/cli_fixture.h"

namespace {

QStringList words(const QString& line) { return line.split(QLatin1Char(' ')); }
QStringList words(const char* line) { return words(QString::fromUtf8(line)); }

}  // namespace

class TestCliAudit : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aKeyIsMadeOnce();
    void aCheckpointIsSignedAndChecked();
    void aPreviewSignsNothing();
    void aKeyThatOthersCanReadIsRefused();
    void anEngineSignsOnItsWay();
    void anOldCopyPutBackIsLoud();
    void aCorruptMemoryIsSaid();
    void anchorsInAFile();
    void anchorsInAnotherStore();
    void damagesAreNamed();

private:
    // Changes a byte within a text that stands in the file once or more.
    void changeInFile(const QByteArray& text, char to);
    QString key();
    void pauseAndResume(const QString& run);
    QString m_run;
    QString m_public;
};

void TestCliAudit::init()
{
    freshStore();
    QCOMPARE(cairn(words("store init")).code, 0);
    m_run = startAsk(QStringLiteral("a"));
    QVERIFY(!m_run.isEmpty());
    pauseAndResume(m_run);
}

void TestCliAudit::pauseAndResume(const QString& run)
{
    QCOMPARE(
        cairn({QStringLiteral("pause"), run, QStringLiteral("--reason"), QStringLiteral("to look at it")})
            .code,
        0);
    QCOMPARE(cairn({QStringLiteral("resume"), run}).code, 0);
}

QString TestCliAudit::key()
{
    const QString path = m_store + QStringLiteral(".key");
    const Answer made = cairn(words("audit key new") + QStringList{path});
    if (made.code != 0)
        qFatal("%s", made.err.constData());
    m_public = made.json().value(QStringLiteral("key")).toString();
    return path;
}

void TestCliAudit::aKeyIsMadeOnce()
{
    const QString path = key();
    QVERIFY(m_public.startsWith(QLatin1String("cairn-ed25519-pub ")));
    QCOMPARE(QFile::permissions(path) & ~(QFile::ReadUser | QFile::WriteUser),
        QFile::ReadOwner | QFile::WriteOwner);
    QCOMPARE(cairn(words("audit key new") + QStringList{path}).code, 1);
    const Answer shown = cairn(words("audit key show") + QStringList{path});
    QCOMPARE(shown.code, 0);
    QCOMPARE(shown.json().value(QStringLiteral("key")).toString(), m_public);
    QVERIFY(!shown.out.contains("cairn-ed25519 "));
}

void TestCliAudit::aCheckpointIsSignedAndChecked()
{
    const QString path = key();
    const Answer none = cairn(words("audit verify"));
    QCOMPARE(none.code, 0);
    QCOMPARE(none.json().value(QStringLiteral("checkpoints")).toInt(), 0);
    QVERIFY2(none.out.contains("no key: nothing is signed"), none.out.constData());
    // Nothing outside to compare with; from then on there is what this client remembers.
    QVERIFY(none.json().contains(QStringLiteral("doubt_since")));
    QVERIFY(none.json().value(QStringLiteral("doubt_since")).isNull());
    QVERIFY(text(words("audit verify")).contains("window of doubt: since 20"));
    const Answer made = cairn(words("audit checkpoint --key") + QStringList{path});
    QCOMPARE(made.code, 0);
    QCOMPARE(made.json().value(QStringLiteral("checkpoint")).toInt(), 1);
    QCOMPARE(made.json().value(QStringLiteral("runs")).toInt(), 1);
    const Answer acts = cairn(words("audit list"));
    QVERIFY2(acts.out.contains("audit_checkpoint"), acts.out.constData());
    const Answer sound = cairn(words("audit verify --public") + QStringList{m_public});
    QCOMPARE(sound.code, 0);
    QVERIFY2(sound.json().value(QStringLiteral("doubt_since")).isString(), sound.out.constData());
    QCOMPARE(sound.json().value(QStringLiteral("checkpoints")).toInt(), 1);
    QCOMPARE(sound.json().value(QStringLiteral("uncovered")).toInt(-1), 0);
    QVERIFY2(sound.out.contains("what is covered by 1 checkpoint "), sound.out.constData());
    pauseAndResume(m_run);
    QCOMPARE(cairn(words("audit verify")).json().value(QStringLiteral("uncovered")).toInt(), 1);
    freshStore();
    const QString other = key();
    m_store.replace(
        QStringLiteral("store-%1.db").arg(m_number), QStringLiteral("store-%1.db").arg(m_number - 1));
    const Answer wrong = cairn(words("audit verify --public") + QStringList{other});
    QCOMPARE(wrong.code, 1);
    QVERIFY2(wrong.err.contains("signed with another key"), wrong.err.constData());
    QCOMPARE(wrong.json().value(QStringLiteral("damage")).toString(), QStringLiteral("signature"));
}

void TestCliAudit::aPreviewSignsNothing()
{
    const QString path = key();
    const QByteArray before = storeBytes();
    const Answer preview = cairn(words("audit checkpoint --preview --key") + QStringList{path});
    QCOMPARE(preview.code, 0);
    QVERIFY(preview.json().value(QStringLiteral("allowed")).toBool());
    QVERIFY(storeBytes() == before);
    QCOMPARE(cairn(words("audit checkpoint --key") + QStringList{path}).code, 0);
    const QString anchors = m_store + QStringLiteral(".anchors");
    QCOMPARE(cairn(words("audit anchor --preview --to") + QStringList{anchors}).code, 0);
    QVERIFY(!QFile::exists(anchors));
}

void TestCliAudit::aKeyThatOthersCanReadIsRefused()
{
    const QString path = key();
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup));
    const Answer refused = cairn(words("audit checkpoint --key") + QStringList{path});
    QCOMPARE(refused.code, 1);
    QVERIFY2(refused.err.contains("by others than its owner"), refused.err.constData());
    QVERIFY(QFile::resize(path, 20));
    QVERIFY(QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner));
    QCOMPARE(cairn(words("audit checkpoint --key") + QStringList{path}).code, 2);
    QCOMPARE(cairn(words("audit checkpoint --key /nowhere/key")).code, 4);
    QCOMPARE(cairn(words("audit verify")).json().value(QStringLiteral("checkpoints")).toInt(-1), 0);
}

void TestCliAudit::anEngineSignsOnItsWay()
{
    const QString path = key();
    const QStringList engine = words("engine --name t --until-idle --audit-key") + QStringList{path};
    QCOMPARE(cairn(engine + words("--checkpoint-every 10ms")).code, 2);
    QCOMPARE(cairn(engine + words("--checkpoint-every 1h")).code, 0);
    const Answer sound = cairn(words("audit verify --public") + QStringList{path});
    QCOMPARE(sound.code, 0);
    // One when it began, for there was none, and one when it ended.
    QVERIFY(sound.json().value(QStringLiteral("checkpoints")).toInt() >= 2);
    QCOMPARE(sound.json().value(QStringLiteral("uncovered")).toInt(-1), 0);
}

void TestCliAudit::anOldCopyPutBackIsLoud()
{
    const QString copy = m_store + QStringLiteral(".copy");
    QCOMPARE(cairn(words("store backup") + QStringList{copy}).code, 0);
    pauseAndResume(m_run);
    QCOMPARE(cairn(words("audit verify")).code, 0);  // and is remembered
    for (const char* suffix : {"", "-wal", "-shm"})
        QFile::remove(m_store + QString::fromLatin1(suffix));
    QVERIFY(QFile::copy(copy, m_store));
    for (int again = 0; again < 2; ++again) {
        const Answer whole = cairn(words("audit verify"));
        QCOMPARE(whole.code, 1);
        QVERIFY2(whole.err.contains("HISTORY IS DAMAGED (cut)"), whole.err.constData());
        const Answer runs = cairn(words("verify"));
        QCOMPARE(runs.code, 1);
        QVERIFY2(runs.out.contains("HISTORY DOES NOT EXTEND"), runs.out.constData());
    }
    // The chains themselves are sound, so nothing else shows it.
    qputenv("XDG_STATE_HOME", m_folder.filePath(QStringLiteral("another-client")).toUtf8());
    QCOMPARE(cairn(words("audit verify")).code, 0);
    qputenv("XDG_STATE_HOME", m_folder.filePath(QStringLiteral("state")).toUtf8());
    QCOMPARE(cairn(words("audit verify")).code, 1);
    QCOMPARE(cairn(words("audit verify --trust-anew")).code, 0);
    QCOMPARE(cairn(words("verify")).code, 0);
}

void TestCliAudit::aCorruptMemoryIsSaid()
{
    QCOMPARE(cairn(words("audit verify")).code, 0);
    QFile memory(m_folder.filePath(QStringLiteral("state/cairn/heads.json")));
    QVERIFY(memory.open(QIODevice::WriteOnly));
    memory.write("{");
    memory.close();
    const Answer whole = cairn(words("audit verify"));
    QVERIFY(whole.code != 0);
    QVERIFY2(whole.err.contains("cannot be understood"), whole.err.constData());
    const Answer runs = cairn(words("verify"));
    QCOMPARE(runs.code, 0);
    QVERIFY2(runs.err.contains("was not looked at"), runs.err.constData());
    QVERIFY(memory.remove());
}

void TestCliAudit::anchorsInAFile()
{
    const QString anchors = m_store + QStringLiteral(".anchors");
    const QStringList keep = words("audit anchor --to") + QStringList{anchors};
    const Answer none = cairn(keep);
    QCOMPARE(none.code, 1);
    QVERIFY2(none.err.contains("audit checkpoint"), none.err.constData());
    const QString path = key();
    const QString copy = m_store + QStringLiteral(".copy");
    QCOMPARE(cairn(words("store backup") + QStringList{copy}).code, 0);
    QCOMPARE(cairn(words("audit checkpoint --key") + QStringList{path}).code, 0);
    const Answer kept = cairn(keep);
    QCOMPARE(kept.code, 0);
    QCOMPARE(kept.json().value(QStringLiteral("checkpoint")).toInt(), 1);
    const QStringList verify = words("audit verify --anchor") + QStringList{anchors};
    const Answer sound = cairn(verify + QStringList{QStringLiteral("--public"), path});
    QCOMPARE(sound.code, 0);
    QVERIFY2(sound.out.contains("anchor: the same is detected"), sound.out.constData());
    for (const char* suffix : {"", "-wal", "-shm"})
        QFile::remove(m_store + QString::fromLatin1(suffix));
    QVERIFY(QFile::copy(copy, m_store));
    const Answer back = cairn(verify + words("--trust-anew"));
    QCOMPARE(back.code, 1);
    QVERIFY2(back.err.contains("anchor 1 of"), back.err.constData());
    QCOMPARE(cairn(words("audit verify --anchor /nowhere/anchors")).code, 4);
}

void TestCliAudit::anchorsInAnotherStore()
{
    const QString path = key();
    QCOMPARE(cairn(words("audit checkpoint --key") + QStringList{path}).code, 0);
    const QString first = m_store;
    freshStore();
    QCOMPARE(cairn(words("store init")).code, 0);
    const QString other = QStringLiteral("sqlite:") + m_store;
    m_store = first;
    QCOMPARE(cairn(words("audit anchor --to") + QStringList{QStringLiteral("sqlite:") + first}).code, 1);
    QCOMPARE(cairn(words("audit verify --anchor") + QStringList{other}).code, 1);  // it has none
    QCOMPARE(cairn(words("audit anchor --reason weekly --to") + QStringList{other}).code, 0);
    QCOMPARE(cairn(words("audit verify --anchor") + QStringList{other}).code, 0);
    m_store = other.mid(7);
    const Answer acts = cairn(words("audit list"));
    QVERIFY2(acts.out.contains("audit_anchor") && acts.out.contains("weekly"), acts.out.constData());
    QCOMPARE(cairn(words("audit verify")).code, 0);
}

void TestCliAudit::changeInFile(const QByteArray& text, char to)
{
    QFile file(m_store);
    QVERIFY(file.open(QIODevice::ReadWrite));
    QByteArray bytes = file.readAll();
    QVERIFY(bytes.contains(text));
    for (qsizetype at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text))
        bytes[at] = to;
    QVERIFY(file.seek(0));
    QCOMPARE(file.write(bytes), qint64(bytes.size()));
}

void TestCliAudit::damagesAreNamed()
{
    // A copy, so that all is in the file and nothing in a log beside it.
    const QString copy = m_store + QStringLiteral(".copy");
    QCOMPARE(cairn(words("store backup") + QStringList{copy}).code, 0);
    m_store = copy;
    int number = 0;
    for (const QByteArray& line : cairn(words("audit list")).out.split('\n')) {
        const QJsonObject act = QJsonDocument::fromJson(line).object();
        if (act.value(QStringLiteral("reason")).toString() == QLatin1String("to look at it"))
            number = act.value(QStringLiteral("seq")).toInt();
    }
    QVERIFY(number > 0);
    changeInFile("to look at it", 'T');
    const Answer damaged = cairn(words("audit verify"));
    QCOMPARE(damaged.code, 1);
    const QJsonObject first = QJsonDocument::fromJson(damaged.out.split('\n').front()).object();
    QCOMPARE(first.value(QStringLiteral("chain")).toString(), QStringLiteral("audit"));
    QCOMPARE(first.value(QStringLiteral("damage")).toString(), QStringLiteral("changed"));
    QCOMPARE(first.value(QStringLiteral("number")).toInt(), number);
    QVERIFY2(damaged.err.contains("entry " + QByteArray::number(number) + " was changed"),
        damaged.err.constData());
}

QTEST_GUILESS_MAIN(TestCliAudit)
#include "tst_cli_audit.moc"
