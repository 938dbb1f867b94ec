// Large payloads in a bucket, by the program and against a real server of objects (packaging/with-s3):
// processes that are killed between the object and the row, and what a sweep, a check, a backup and a move
// do.

#include "tests/cli/cli_fixture.h"
#include "tests/store/s3/fake_bucket.h"

#include <QtCore/QDirIterator>

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>

class TestCliArtifacts : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void aLargeResultComesBackAsItWas();
    void theStoreSaysWhereTheyAre();
    void aBucketIsNamedForAStoreThatIsThere();
    void previewsWriteNothing();
    void aGuardedStoreWantsAReason();
    void withoutCredentialsItSaysSo();
    void noSecretIsKeptAnywhere();
    void aDamagedObjectIsFoundByACheck();
    void killedAnywhereNothingIsLost_data();
    void killedAnywhereNothingIsLost();
    void aSweepTakesWhatNobodyNames();
    void aBackupReadsTheSameObjects();
    void aMoveBringsThemAlong();
    void theObjectsMoveToAnotherBucket();
    void aResultWaitsForABucketThatIsAway();

private:
    static QString bucket() { return qEnvironmentVariable("CAIRN_S3_BUCKET"); }
    // Files of the server that are objects' bytes.
    static QStringList objects()
    {
        QStringList found;
        QDirIterator files(qEnvironmentVariable("CAIRN_S3_FOLDER"), {QStringLiteral("*._S3rver_object")},
            QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext())
            found.push_back(files.next());
        found.sort();
        return found;
    }
    static void makeOlder(const QString& file)
    {
        timespec times[2] = {};
        times[0].tv_nsec = UTIME_OMIT;
        times[1].tv_sec = ::time(nullptr) - 2 * 24 * 3600;
        QCOMPARE(::utimensat(AT_FDCWD, file.toUtf8().constData(), times, 0), 0);
    }
    Answer made(const QStringList& more = {})
    {
        return cairn(QStringList{QStringLiteral("store"), QStringLiteral("init"),
                         QStringLiteral("--artifacts"), bucket()}
            + more);
    }
    Answer artifacts(const QStringList& more = {})
    {
        return cairn(QStringList{QStringLiteral("store"), QStringLiteral("artifacts")} + more);
    }
    QJsonValue fact(const char* name) { return artifacts().json().value(QLatin1String(name)); }
    // A step that gives so many bytes of noise.
    QByteArray noise(int bytes) const
    {
        return json("{'schema':'urn:cairn:workflow:1','name':'noise','version':1,'tools':{'make':{'safety':'"
                    "read_only',"
                    "'executor':'command','settings':{'argv':['/usr/bin/head','-c','"
            + QByteArray::number(bytes)
            + "','/dev/"
              "urandom'],'max_output':100000000}}},'steps':[{'name':'make','tool':'make','input':{}}]}");
    }
    QString start(const QByteArray& workflow, const QString& key)
    {
        const Answer started = cairn({QStringLiteral("start"), file(QStringLiteral("w.json"), workflow),
            QStringLiteral("--key"), key});
        return started.code == 0 ? started.json().value(QStringLiteral("run")).toString() : QString();
    }
    // A run with a result of so many bytes.
    QString withResult(int bytes, const QString& key = QStringLiteral("k"))
    {
        const QString run = start(noise(bytes), key);
        engineUntilIdle();
        return run;
    }
    QJsonObject output(const QString& run)
    {
        const QJsonObject shown = cairn({QStringLiteral("show"), run}).json();
        return shown.value(QStringLiteral("step_list"))
            .toArray()
            .first()
            .toObject()
            .value(QStringLiteral("output"))
            .toObject();
    }
    Answer bytesOf(const QString& run, const QJsonObject& payload)
    {
        return cairn({QStringLiteral("payload"), run, payload.value(QStringLiteral("id")).toString()});
    }
    // How the process ended: its exit code, or minus the signal that killed it.
    int with(const QString& failpoints, const QStringList& arguments)
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("CAIRN_FAILPOINTS"), failpoints);
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
            QStringList{QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store} + arguments);
        if (!process.waitForFinished(60'000))
            return -1000;
        return process.exitStatus() == QProcess::CrashExit ? -process.exitCode() : process.exitCode();
    }
    bool sound()
    {
        const Answer checked = cairn({QStringLiteral("store"), QStringLiteral("check")});
        const Answer verified = cairn({QStringLiteral("verify")});
        return checked.code == 0 && verified.code == 0;
    }
    const QStringList kEngine{QStringLiteral("engine"), QStringLiteral("--name"), QStringLiteral("t"),
        QStringLiteral("--until-idle")};
};

void TestCliArtifacts::initTestCase()
{
    if (bucket().isEmpty())
        QSKIP("CAIRN_S3_BUCKET names no bucket; run this under packaging/with-s3");
}

void TestCliArtifacts::init()
{
    freshStore();
    for (const QString& object : objects())
        QFile::remove(object);
}

void TestCliArtifacts::aLargeResultComesBackAsItWas()
{
    const Answer init = made();
    QVERIFY2(init.code == 0, init.err.constData());
    QVERIFY(objects().isEmpty());  // what the bucket was tried out with is gone
    constexpr int kSize = 21 * 1024 * 1024 + 5;
    const QString run = withResult(kSize);
    const QJsonObject payload = output(run);
    QCOMPARE(payload.value(QStringLiteral("size")).toInt(), kSize);
    QCOMPARE(objects().size(), 22);
    QVERIFY(QFileInfo(m_store).size() < 2 * 1024 * 1024);
    const Answer read = bytesOf(run, payload);
    QVERIFY2(read.code == 0, read.err.constData());
    QCOMPARE(read.out.size(), kSize);
    QCOMPARE(fact("bytes_in_bucket").toInt(), kSize);
    QVERIFY(sound());  // the payload's hash, too
}

void TestCliArtifacts::theStoreSaysWhereTheyAre()
{
    QCOMPARE(made().code, 0);
    withResult(100'000);
    const QJsonObject info = cairn({QStringLiteral("store"), QStringLiteral("info")}).json();
    QVERIFY(info.value(QStringLiteral("bucket"))
                .toString()
                .startsWith(QStringLiteral("s3://cairn-test/artifacts?")));
    QVERIFY(info.value(QStringLiteral("writes_to_bucket")).toBool());
    QCOMPARE(fact("chunks_in_bucket").toInt(), 1);
    QCOMPARE(fact("chunks_in_store").toInt(), 0);
    const QByteArray checked = text({QStringLiteral("store"), QStringLiteral("check")});
    QVERIFY2(checked.contains("each of 1 chunks in s3://cairn-test"), checked.constData());
    QVERIFY(text({QStringLiteral("store"), QStringLiteral("check"), QStringLiteral("--quick")})
                .contains("was not looked at"));
}

void TestCliArtifacts::aBucketIsNamedForAStoreThatIsThere()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QString before = withResult(2'000'000, QStringLiteral("before"));
    QVERIFY(objects().isEmpty());
    const Answer changed =
        artifacts({bucket(), QStringLiteral("--reason"), QStringLiteral("the file grows")});
    QVERIFY2(changed.code == 0, changed.err.constData());
    const QString after = withResult(2'000'000, QStringLiteral("after"));
    QCOMPARE(objects().size(), 2);
    for (const QString& run : {before, after})
        QCOMPARE(bytesOf(run, output(run)).out.size(), 2'000'000);
    const Answer audit = cairn({QStringLiteral("audit"), QStringLiteral("list")});
    QVERIFY(audit.out.contains("store_artifacts") && audit.out.contains("the file grows"));
    QCOMPARE(artifacts({bucket()}).code, 1);  // nothing would change
    QCOMPARE(artifacts({QStringLiteral("store")}).code, 0);
    withResult(2'000'000, QStringLiteral("later"));
    QCOMPARE(objects().size(), 2);
    QVERIFY(sound());
}

void TestCliArtifacts::previewsWriteNothing()
{
    const Answer init = made({QStringLiteral("--preview")});
    QVERIFY2(init.code == 0 && init.json().value(QStringLiteral("allowed")).toBool(), init.err.constData());
    QVERIFY(!QFile::exists(m_store));
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init")}).code, 0);
    const QByteArray before = storeBytes();
    const Answer preview = artifacts({bucket(), QStringLiteral("--preview")});
    QVERIFY(preview.json().value(QStringLiteral("allowed")).toBool());
    QCOMPARE(storeBytes(), before);
    QVERIFY(objects().isEmpty());
    const QString nowhere = bucket().replace(QStringLiteral("cairn-test"), QStringLiteral("cairn-none"));
    const Answer refused = artifacts({nowhere, QStringLiteral("--preview")});
    QCOMPARE(refused.code, 1);
    QVERIFY(
        refused.json().value(QStringLiteral("text")).toString().contains(QStringLiteral("no such bucket")));
    QCOMPARE(artifacts({nowhere}).code, 1);
    QCOMPARE(artifacts({QStringLiteral("s3://bucket?endpoint=http://example.com")}).code, 2);
    QVERIFY(fact("bucket").isNull());
}

void TestCliArtifacts::aGuardedStoreWantsAReason()
{
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--guarded")}).code, 0);
    QCOMPARE(artifacts({bucket()}).code, 2);
    QVERIFY(fact("bucket").isNull());
    QCOMPARE(artifacts({bucket(), QStringLiteral("--reason"), QStringLiteral("the file has grown")}).code, 0);
}

void TestCliArtifacts::withoutCredentialsItSaysSo()
{
    QCOMPARE(made().code, 0);
    const QString run = withResult(100'000);
    const QJsonObject payload = output(run);
    const QByteArray key = qgetenv("AWS_ACCESS_KEY_ID");
    const QByteArray secret = qgetenv("AWS_SECRET_ACCESS_KEY");
    qunsetenv("AWS_ACCESS_KEY_ID");
    qunsetenv("AWS_SECRET_ACCESS_KEY");
    qputenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere/credentials");
    const Answer without = bytesOf(run, payload);
    const Answer shown = cairn({QStringLiteral("show"), run});
    const Answer checked = cairn({QStringLiteral("store"), QStringLiteral("check")});
    qputenv("AWS_ACCESS_KEY_ID", "AKIDNOBODY");
    qputenv("AWS_SECRET_ACCESS_KEY", "s3cr3t");
    const Answer wrong = bytesOf(run, payload);
    qputenv("AWS_ACCESS_KEY_ID", key);
    qputenv("AWS_SECRET_ACCESS_KEY", secret);
    qunsetenv("AWS_SHARED_CREDENTIALS_FILE");
    QVERIFY2(
        without.code == 1 && without.err.contains("AWS_ACCESS_KEY_ID is not set"), without.err.constData());
    QVERIFY(without.out.isEmpty());
    QCOMPARE(shown.code, 0);  // all else of the run can be read
    QVERIFY(checked.code != 0 && checked.err.contains("no credentials"));
    QVERIFY2(wrong.code == 1 && wrong.err.contains("does not know the access key"), wrong.err.constData());
    QVERIFY(!wrong.err.contains("s3cr3t"));
}

void TestCliArtifacts::noSecretIsKeptAnywhere()
{
    const QByteArray secret = qgetenv("AWS_SECRET_ACCESS_KEY");
    qputenv("AWS_SECRET_ACCESS_KEY", "canary/0s3cr3t+");  // this server does not compare signatures
    Answer all = made();
    const QString run = withResult(100'000);
    for (const QStringList& verb : {QStringList{QStringLiteral("store"), QStringLiteral("info")},
             QStringList{QStringLiteral("store"), QStringLiteral("artifacts")},
             QStringList{QStringLiteral("store"), QStringLiteral("check")},
             QStringList{QStringLiteral("audit"), QStringLiteral("list")},
             QStringList{QStringLiteral("history"), run}, QStringList{QStringLiteral("show"), run}}) {
        const Answer answer = cairn(verb);
        QCOMPARE(answer.code, 0);
        all.out += answer.out + answer.err;
    }
    qputenv("AWS_SECRET_ACCESS_KEY", secret);
    for (const char* suffix : {"", "-wal"}) {
        QFile in(m_store + QString::fromLatin1(suffix));
        if (in.open(QIODevice::ReadOnly))
            all.out += in.readAll();
    }
    QVERIFY(all.out.contains("cairn-test"));
    QVERIFY(!all.out.contains("0s3cr3t") && !all.err.contains("0s3cr3t"));
}

void TestCliArtifacts::aDamagedObjectIsFoundByACheck()
{
    QCOMPARE(made().code, 0);
    const QString run = withResult(3'000'000);
    const QJsonObject payload = output(run);
    const QString victim = objects().at(1);
    QFile object(victim);
    QVERIFY(object.open(QIODevice::ReadWrite));
    object.seek(1000);
    object.write("damaged");
    object.close();
    const QByteArray name = victim.section(QLatin1Char('/'), -1).section(QLatin1Char('.'), 0, 0).toUtf8();
    const Answer read = bytesOf(run, payload);
    QCOMPARE(read.code, 3);
    QVERIFY2(read.err.contains(name), read.err.constData());
    Answer checked = cairn({QStringLiteral("store"), QStringLiteral("check")});
    QCOMPARE(checked.code, 1);
    QVERIFY2(checked.out.contains(name), checked.out.constData());
    QCOMPARE(cairn({QStringLiteral("verify")}).code, 1);
    QVERIFY(QFile::remove(victim));
    checked = cairn({QStringLiteral("store"), QStringLiteral("check")});
    QCOMPARE(checked.code, 1);
    QVERIFY2(checked.out.contains("missing") && checked.out.contains(name), checked.out.constData());
    QCOMPARE(cairn({QStringLiteral("store"), QStringLiteral("check"), QStringLiteral("--quick")}).code, 0);
}

void TestCliArtifacts::killedAnywhereNothingIsLost_data()
{
    QTest::addColumn<QString>("point");
    QTest::addColumn<int>("orphans");
    QTest::newRow("before an object") << "artifact.before-put=kill@2" << 0;
    QTest::newRow("between object and row") << "artifact.after-put=kill@2" << 1;
    QTest::newRow("between rows and the commit") << "queue.before-commit=kill@4" << -1;
}

void TestCliArtifacts::killedAnywhereNothingIsLost()
{
    QFETCH(const QString, point);
    QFETCH(const int, orphans);
    QCOMPARE(made().code, 0);
    const QString first = withResult(2'500'000, QStringLiteral("first"));
    const QByteArray acknowledged = bytesOf(first, output(first)).out;
    QCOMPARE(acknowledged.size(), 2'500'000);
    const QString run = start(noise(2'500'000), QStringLiteral("second"));
    // Killed at some commit; the later ones of a short run are the result's.
    int killed = 0;
    for (int at = 1; at < 6 && killed != -SIGKILL; ++at)
        killed =
            with(point.endsWith(QLatin1Char('4')) ? QStringLiteral("queue.before-commit=kill@%1").arg(at + 1)
                                                  : point,
                kEngine);
    QCOMPARE(killed, -SIGKILL);
    QVERIFY(objects().size() > 3);
    QVERIFY(sound());
    QCOMPARE(bytesOf(first, output(first)).out, acknowledged);
    engineUntilIdle();  // another engine goes on
    QCOMPARE(bytesOf(run, output(run)).out.size(), 2'500'000);
    QVERIFY(sound());
    for (const QString& object : objects())
        makeOlder(object);
    const Answer preview = artifacts({QStringLiteral("--sweep"), QStringLiteral("--preview")});
    QVERIFY2(preview.code == 0, preview.err.constData());
    const Answer swept = artifacts({QStringLiteral("--sweep")});
    QVERIFY2(swept.code == 0, swept.err.constData());
    if (orphans >= 0)
        QCOMPARE(swept.json().value(QStringLiteral("swept")).toInt(), orphans);
    QCOMPARE(bytesOf(first, output(first)).out, acknowledged);
    QCOMPARE(bytesOf(run, output(run)).out.size(), 2'500'000);
    QCOMPARE(objects().size(), fact("chunks_in_bucket").toInt());
    QVERIFY(sound());
}

void TestCliArtifacts::aSweepTakesWhatNobodyNames()
{
    QCOMPARE(made().code, 0);
    const QString run = withResult(2'500'000);
    QCOMPARE(objects().size(), 3);
    QCOMPARE(
        with(QStringLiteral("artifact.after-put=kill@2"),
            {QStringLiteral("start"), file(QStringLiteral("a.json"), kApproval), QStringLiteral("--input"),
                QStringLiteral("@")
                    + file(
                        QStringLiteral("in.json"), "{\"amount\":\"" + QByteArray(2'000'000, '1') + "\"}")}),
        -SIGKILL);
    QCOMPARE(objects().size(), 5);
    Answer swept = artifacts({QStringLiteral("--sweep")});
    QVERIFY2(swept.code == 0, swept.err.constData());
    QCOMPARE(swept.json().value(QStringLiteral("swept")).toInt(),
        0);  // too young: somebody may be about to name it
    QCOMPARE(swept.json().value(QStringLiteral("younger")).toInt(), 1);
    QCOMPARE(
        artifacts({QStringLiteral("--sweep"), QStringLiteral("--older"), QStringLiteral("59m")}).code, 2);
    for (const QString& object : objects())
        makeOlder(object);
    const Answer preview = artifacts({QStringLiteral("--sweep"), QStringLiteral("--preview")});
    QCOMPARE(preview.code, 0);
    QCOMPARE(objects().size(), 5);
    swept = artifacts({QStringLiteral("--sweep"), QStringLiteral("--reason"), QStringLiteral("tidying")});
    QCOMPARE(swept.json().value(QStringLiteral("swept")).toInt(), 1);
    QCOMPARE(objects().size(), 4);  // three of the run, and one staged that a row names
    QVERIFY(cairn({QStringLiteral("audit"), QStringLiteral("list")}).out.contains("tidying"));
    QCOMPARE(bytesOf(run, output(run)).out.size(), 2'500'000);
}

void TestCliArtifacts::aBackupReadsTheSameObjects()
{
    QCOMPARE(made().code, 0);
    const QString run = withResult(2'500'000);
    const QString folder = fact("folder").toString();
    const QString copy = m_store + QStringLiteral(".backup");
    const Answer backup = cairn({QStringLiteral("store"), QStringLiteral("backup"), copy});
    QVERIFY2(backup.code == 0, backup.err.constData());
    QVERIFY(backup.json().value(QStringLiteral("bucket")).toString().startsWith(QStringLiteral("s3://")));
    QCOMPARE(objects().size(), 3);
    m_store = copy;
    QCOMPARE(bytesOf(run, output(run)).out.size(), 2'500'000);
    QVERIFY(fact("folder").toString() != folder);
    // Neither sweeps the other's objects away.
    withResult(1'000'000, QStringLiteral("in the copy"));
    for (const QString& object : objects())
        makeOlder(object);
    QCOMPARE(artifacts({QStringLiteral("--sweep")}).json().value(QStringLiteral("swept")).toInt(), 0);
    m_store.chop(7);
    QCOMPARE(artifacts({QStringLiteral("--sweep")}).json().value(QStringLiteral("swept")).toInt(), 0);
    QVERIFY(sound());
    const QStringList its = objects().filter(folder);
    QCOMPARE(its.size(), 3);
    QVERIFY(QFile::remove(its.first()));
    const Answer broken =
        cairn({QStringLiteral("store"), QStringLiteral("backup"), m_store + QStringLiteral(".2")});
    QVERIFY(broken.code != 0);  // a copy whose objects are gone is none
}

void TestCliArtifacts::aMoveBringsThemAlong()
{
    QCOMPARE(made().code, 0);
    const QString run = withResult(2'500'000);
    const QByteArray bytes = bytesOf(run, output(run)).out;
    const QString to = m_store + QStringLiteral(".moved");
    const Answer moved =
        cairn({QStringLiteral("store"), QStringLiteral("copy"), QStringLiteral("sqlite:") + to});
    QVERIFY2(moved.code == 0, moved.err.constData());
    QCOMPARE(objects().size(), 6);                             // each store has its own
    QCOMPARE(artifacts({QStringLiteral("--sweep")}).code, 1);  // nothing is changed in a store that was moved
    m_store = to;
    QVERIFY(bytesOf(run, output(run)).out == bytes);
    for (const QString& object : objects())
        makeOlder(object);
    QCOMPARE(artifacts({QStringLiteral("--sweep")}).json().value(QStringLiteral("swept")).toInt(), 0);
    QVERIFY(sound());
}

void TestCliArtifacts::theObjectsMoveToAnotherBucket()
{
    QCOMPARE(made().code, 0);
    const QString run = withResult(2'500'000);
    const QString other = bucket().replace(QStringLiteral("/artifacts?"), QStringLiteral("/elsewhere?"));
    QVERIFY(artifacts({other}).err.contains("copy them to the new place"));
    const Answer missing = artifacts({other, QStringLiteral("--copied")});
    QVERIFY2(missing.code != 0 && missing.err.contains("missing"), missing.err.constData());
    // As another program for S3 copies them: here by their files.
    for (const QString& object : objects())
        for (const char* part : {"", ".md5"}) {
            const QString from = object + QString::fromLatin1(part);
            const QString to =
                QString(from).replace(QStringLiteral("/artifacts/"), QStringLiteral("/elsewhere/"));
            QVERIFY(QDir().mkpath(QFileInfo(to).path()));
            for (const QString& folder : {QFileInfo(to).path(), QFileInfo(QFileInfo(to).path()).path()})
                QVERIFY(
                    QFile::setPermissions(folder, QFileDevice::Permissions(0x7777)));  // also for the server
            QVERIFY(QFile::copy(from, to));
            QVERIFY(QFile::remove(from));
        }
    for (const QString& object : objects()) {
        const QString meta = QString(object).replace(
            QStringLiteral("._S3rver_object"), QStringLiteral("._S3rver_metadata.json"));
        const QString old =
            QString(meta).replace(QStringLiteral("/elsewhere/"), QStringLiteral("/artifacts/"));
        QVERIFY(QFile::copy(old, meta));
    }
    const Answer done = artifacts({other, QStringLiteral("--copied")});
    QVERIFY2(done.code == 0, done.err.constData());
    QCOMPARE(bytesOf(run, output(run)).out.size(), 2'500'000);
    QVERIFY(sound());
}

// Against a server that checks signatures, and is away for a while.
void TestCliArtifacts::aResultWaitsForABucketThatIsAway()
{
    using cairn::testing::FakeBucket;
    const QByteArray key = qgetenv("AWS_ACCESS_KEY_ID");
    const QByteArray secret = qgetenv("AWS_SECRET_ACCESS_KEY");
    qputenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    qputenv("AWS_SECRET_ACCESS_KEY", "the/secret+key");
    FakeBucket server;
    const Answer init = cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--artifacts"),
        QString::fromStdString(server.url())});
    const QString run = start(noise(1'500'000), QStringLiteral("k"));
    // Given up at once each time, since that is longer than there is patience.
    server.fail(
        std::vector<FakeBucket::Fault>(3, FakeBucket::status(503, "SlowDown", "Retry-After: 3600\r\n")));
    const Answer engine = cairn(kEngine);
    const QJsonObject step = cairn({QStringLiteral("show"), run})
                                 .json()
                                 .value(QStringLiteral("step_list"))
                                 .toArray()
                                 .first()
                                 .toObject();
    const Answer read = bytesOf(run, step.value(QStringLiteral("output")).toObject());
    qputenv("AWS_ACCESS_KEY_ID", key);
    qputenv("AWS_SECRET_ACCESS_KEY", secret);
    QVERIFY2(init.code == 0, init.err.constData());
    QCOMPARE(engine.code, 0);
    QCOMPARE(server.faultsLeft(), 0U);
    QCOMPARE(server.refused(), 0);
    QCOMPARE(step.value(QStringLiteral("attempts")).toInt(), 1);  // the work was not done again
    QCOMPARE(read.out.size(), 1'500'000);
}

QTEST_GUILESS_MAIN(TestCliArtifacts)
#include "tst_cli_artifacts.moc"
