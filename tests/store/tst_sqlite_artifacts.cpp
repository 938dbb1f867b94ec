// The place of artifacts in an SQLite store: its table, who may write it, and what a backup makes of it.

#include "tests/store/memory_objects.h"
#include "tests/store/sqlite_fixture.h"

namespace cairn::testing {

class SqliteArtifactsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void aStoreWithoutABucketHasNoTableForIt();
    void anotherShapeIsRefused_data();
    void anotherShapeIsRefused();
    void aBackupHasAnotherFolder();
    void aDamagedRowIsNoName();
    void aFileThatIsReadStoresNothing();

private:
    std::unique_ptr<StoreWriter> open(bool readOnly = false)
    {
        StoreOptions options;
        options.readOnly = readOnly;
        options.objects = memoryObjects(m_state);
        return m_folder->open(options);
    }
    void make() const
    {
        InitOptions options{"test", false, true};
        options.artifacts = "s3://one";
        CAIRN_VERIFY_OK(sqlite::initStore(m_folder->path, options));
    }
    // A run with one payload of that size in chunks.
    RunId withPayload(StoreWriter& store, std::size_t size)
    {
        std::string bytes(size, 'x');
        Writer writer("a");
        CommitMember member = writer.create();
        PayloadRow row = inlinePayload("large", bytes);
        row.bytes.clear();
        row.artifact = idOf<ArtifactId>("large");
        for (std::size_t at = 0; at < size; at += kChunkSize)
            if (!store.stageChunk(row.artifact, static_cast<std::uint32_t>(at / kChunkSize),
                    std::string_view(bytes).substr(at, kChunkSize)))
                return {};
        member.payloads = {row};
        return committed(store, writer, member) ? writer.run : RunId{};
    }
    std::unique_ptr<Folder> m_folder;
    std::shared_ptr<ObjectsState> m_state;
};

void SqliteArtifactsTest::init()
{
    m_folder = std::make_unique<Folder>();
    m_state = std::make_shared<ObjectsState>();
}

void SqliteArtifactsTest::aStoreWithoutABucketHasNoTableForIt()
{
    m_folder->init();
    QCOMPARE(RawDb(m_folder->path).value("SELECT count(*) FROM sqlite_schema WHERE name = 'artifact_place'"),
        std::string("0"));
}

void SqliteArtifactsTest::anotherShapeIsRefused_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<int>("kind");
    QTest::newRow("a column more") << "ALTER TABLE artifact_place ADD COLUMN more TEXT"
                                   << int(ErrorKind::SchemaMismatch);
    QTest::newRow("another table") << "CREATE TABLE artifact_places(x)" << int(ErrorKind::SchemaMismatch);
    QTest::newRow("no row") << "DELETE FROM artifact_place" << int(ErrorKind::Corrupt);
}

void SqliteArtifactsTest::anotherShapeIsRefused()
{
    QFETCH(const QString, sql);
    QFETCH(const int, kind);
    make();
    QVERIFY(open());
    QCOMPARE(RawDb(m_folder->path).exec(sql.toStdString()), std::string());
    CAIRN_VERIFY_ERROR(sqlite::openStore(m_folder->path, {}), static_cast<ErrorKind>(kind));
}

void SqliteArtifactsTest::aBackupHasAnotherFolder()
{
    make();
    const auto store = open();
    const RunId run = withPayload(*store, kChunkSize + 1);
    QVERIFY(!run.isNull());
    const std::string copy = m_folder->scratch.file("copy.db");
    CAIRN_VERIFY_OK(store->backup(copy));
    StoreOptions options;
    options.objects = memoryObjects(m_state);
    auto opened = sqlite::openStore(copy, options);
    CAIRN_VERIFY_OK(opened);
    QVERIFY((*opened)->info()->artifacts.folder != store->info()->artifacts.folder);
    QCOMPARE((*opened)->info()->artifacts.url, std::string("s3://one"));
    QCOMPARE((*opened)->payload(run, inlinePayload("large", "").ref.id)->size(), kChunkSize + 1);
    m_state->objects.erase(m_state->objects.begin());
    CAIRN_VERIFY_ERROR(store->backup(m_folder->scratch.file("copy2.db")), ErrorKind::Corrupt);
    QVERIFY(!std::filesystem::exists(m_folder->scratch.file("copy2.db")));
}

void SqliteArtifactsTest::aDamagedRowIsNoName()
{
    make();
    auto store = open();
    const RunId run = withPayload(*store, 100'000);
    store.reset();
    QCOMPARE(RawDb(m_folder->path).exec("UPDATE artifact_chunks SET bytes = x'2e2e2f2e2e2f736563726574'"),
        std::string());
    const int gets = m_state->gets;
    const auto read = open()->payload(run, inlinePayload("large", "").ref.id);
    CAIRN_VERIFY_ERROR(read, ErrorKind::Corrupt);
    QCOMPARE(m_state->gets, gets);  // nothing was asked for
}

void SqliteArtifactsTest::aFileThatIsReadStoresNothing()
{
    make();
    CAIRN_VERIFY_ERROR(open(true)->stageChunk(idOf<ArtifactId>("a"), 0, "bytes"), ErrorKind::Refused);
    QCOMPARE(m_state->puts, 0);
}

}  // namespace cairn::testing

QTEST_APPLESS_MAIN(cairn::testing::SqliteArtifactsTest)
#include "tst_sqlite_artifacts.moc"
