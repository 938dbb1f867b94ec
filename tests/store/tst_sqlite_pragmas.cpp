#include "tests/store/sqlite_fixture.h"

#include <filesystem>
#include <sys/stat.h>

using namespace cairn;
using namespace cairn::testing;
using sqlite::Connection;
using sqlite::OpenFor;

class PragmasTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyConnectionIsSetUp_data();
    void everyConnectionIsSetUp();
    void theSafeModeIsUsedWhereWalIsNot();
    void normalIsAnExplicitChoice();
    void theFileIsPrivate();
    void linksAndOtherFilesAreRefused();
    void networkFileSystemsAreNamed();
    void versionsWithTheWalBugAreKnown();
    void codesAreClassified_data();
    void codesAreClassified();
    void readingOnlyWritesNothing();
    void aLogThatCannotBeRecoveredByReadingSaysSo();
};

void PragmasTest::everyConnectionIsSetUp_data()
{
    QTest::addColumn<int>("purpose");
    QTest::newRow("reading") << static_cast<int>(OpenFor::Reading);
    QTest::newRow("writing") << static_cast<int>(OpenFor::Writing);
    QTest::newRow("schema") << static_cast<int>(OpenFor::Schema);
}

void PragmasTest::everyConnectionIsSetUp()
{
    QFETCH(int, purpose);
    Folder folder;
    folder.init();
    const auto connection = Connection::open(folder.path, static_cast<OpenFor>(purpose), {});
    CAIRN_VERIFY_OK(connection);
    sqlite::Db& db = (*connection)->db();
    const std::pair<const char*, const char*> wanted[] = {
        {"PRAGMA journal_mode", "wal"},
        {"PRAGMA synchronous", "2"},
        {"PRAGMA foreign_keys", "1"},
        {"PRAGMA trusted_schema", "0"},
        {"PRAGMA mmap_size", "0"},
        {"PRAGMA cell_size_check", "1"},
        {"PRAGMA recursive_triggers", "1"},
        {"PRAGMA temp_store", "2"},
        {"PRAGMA busy_timeout", "0"},
        {"PRAGMA journal_size_limit", "67108864"},
        {"PRAGMA cache_size", "-32768"},
    };
    for (const auto& [sql, value] : wanted) {
        const auto answer = sqlite::pragma(db, sql);
        CAIRN_VERIFY_OK(answer);
        QVERIFY2(*answer == value, (std::string(sql) + " is " + *answer).c_str());
    }
    int defensive = 0;
    sqlite3_db_config(db.raw(), SQLITE_DBCONFIG_DEFENSIVE, -1, &defensive);
    QCOMPARE(defensive, 1);
}

void PragmasTest::theSafeModeIsUsedWhereWalIsNot()
{
    QVERIFY2(sqlite::walIsSafe(), sqlite::libraryVersion().c_str());
    QCOMPARE(sqlite::libraryVersion(), std::string(sqlite3_libversion()));
}

void PragmasTest::normalIsAnExplicitChoice()
{
    Folder folder;
    folder.init();
    StoreOptions options;
    options.synchronousNormal = true;
    const auto connection = Connection::open(folder.path, OpenFor::Writing, options);
    CAIRN_VERIFY_OK(connection);
    QCOMPARE(*sqlite::pragma((*connection)->db(), "PRAGMA synchronous"), std::string("1"));
}

void PragmasTest::theFileIsPrivate()
{
    Folder folder;
    folder.init();
    const auto store = folder.open();
    for (const char* end : {"", "-wal", "-shm"}) {
        struct stat info { };
        QCOMPARE(::stat((folder.path + end).c_str(), &info), 0);
        QCOMPARE(info.st_mode & 0777U, 0600U);
    }
}

void PragmasTest::linksAndOtherFilesAreRefused()
{
    Folder folder;
    folder.init();
    const std::string link = folder.scratch.file("link.db"), hard = folder.scratch.file("hard.db");
    std::filesystem::create_symlink(folder.path, link);
    CAIRN_VERIFY_ERROR(sqlite::openStore(link, {}), ErrorKind::Refused);
    std::filesystem::create_hard_link(folder.path, hard);
    CAIRN_VERIFY_ERROR(sqlite::openStore(folder.path, {}), ErrorKind::Refused);
    std::filesystem::remove(hard);
    CAIRN_VERIFY_OK(sqlite::openStore(folder.path, {}));
    CAIRN_VERIFY_ERROR(sqlite::openStore(folder.scratch.path(), {}), ErrorKind::Refused);
    CAIRN_VERIFY_ERROR(sqlite::openStore(folder.scratch.file("none.db"), {}), ErrorKind::NotFound);
    CAIRN_VERIFY_ERROR(sqlite::initStore(folder.path, {}), ErrorKind::Refused);
    const std::string other = folder.scratch.file("other.db");
    {
        std::FILE* file = std::fopen(other.c_str(), "w");
        std::fputs(std::string(5000, 'x').c_str(), file);
        std::fclose(file);
    }
    CAIRN_VERIFY_ERROR(sqlite::openStore(other, {}), ErrorKind::Corrupt);
    const std::string empty = folder.scratch.file("empty.db");
    std::fclose(std::fopen(empty.c_str(), "w"));
    CAIRN_VERIFY_ERROR(sqlite::openStore(empty, {}), ErrorKind::NotFound);
    CAIRN_VERIFY_OK(sqlite::initStore(empty, {}));
}

void PragmasTest::networkFileSystemsAreNamed()
{
    const std::pair<unsigned long, const char*> wanted[] = {
        {0x6969, "NFS"},
        {0x517B, "SMB"},
        {0xFF534D42, "CIFS"},
        {0xFE534D42, "SMB2"},
        {0x01021997, "9p"},
        {0x65735546, "FUSE"},
    };
    for (const auto& [magic, name] : wanted)
        QCOMPARE(std::string(sqlite::networkFileSystem(magic)), std::string(name));
    for (const unsigned long local : {0xEF53UL, 0x01021994UL, 0x58465342UL, 0x9123683EUL, 0x794C7630UL})
        QVERIFY(sqlite::networkFileSystem(local) == nullptr);  // ext4, tmpfs, xfs, btrfs, overlay
    // statfs gives a signed number on some platforms.
    QCOMPARE(std::string(sqlite::networkFileSystem(
                 static_cast<unsigned long>(static_cast<long>(static_cast<int>(0xFF534D42))))),
        std::string("CIFS"));
}

void PragmasTest::versionsWithTheWalBugAreKnown()
{
    for (const int bad : {3007000, 3040001, 3044005, 3045000, 3050006, 3051000, 3051002})
        QVERIFY2(!sqlite::walIsSafeIn(bad), std::to_string(bad).c_str());
    for (const int good : {3006023, 3044006, 3050007, 3051003, 3053002})
        QVERIFY2(sqlite::walIsSafeIn(good), std::to_string(good).c_str());
}

void PragmasTest::codesAreClassified_data()
{
    QTest::addColumn<int>("code");
    QTest::addColumn<bool>("atCommit");
    QTest::addColumn<int>("kind");
    QTest::addColumn<bool>("poisons");
    QTest::addColumn<bool>("whole");
    const auto row = [](const char* name, int code, bool atCommit, ErrorKind kind, bool poisons, bool whole) {
        QTest::newRow(name) << code << atCommit << static_cast<int>(kind) << poisons << whole;
    };
    row("busy", SQLITE_BUSY, false, ErrorKind::Busy, false, true);
    row("517", SQLITE_BUSY_SNAPSHOT, false, ErrorKind::Busy, false, true);
    row("busy at commit", SQLITE_BUSY, true, ErrorKind::Busy, false, true);
    row("locked", SQLITE_LOCKED, false, ErrorKind::Busy, false, true);
    row("full", SQLITE_FULL, false, ErrorKind::Full, false, true);
    row("full at commit", SQLITE_FULL, true, ErrorKind::Full, false, true);
    row("write failed", SQLITE_IOERR_WRITE, false, ErrorKind::Io, true, true);
    row("sync failed at commit", SQLITE_IOERR_FSYNC, true, ErrorKind::OutcomeUnknown, true, true);
    row("out of memory in the file layer", SQLITE_IOERR_NOMEM, false, ErrorKind::Internal, false, true);
    row("corrupt", SQLITE_CORRUPT, false, ErrorKind::Corrupt, true, true);
    row("corrupt index", SQLITE_CORRUPT_INDEX, false, ErrorKind::Corrupt, true, true);
    row("not a database", SQLITE_NOTADB, false, ErrorKind::Corrupt, true, true);
    row("cannot open", SQLITE_CANTOPEN, false, ErrorKind::Io, false, true);
    row("file moved", SQLITE_READONLY_DBMOVED, false, ErrorKind::Io, true, true);
    row("read-only", SQLITE_READONLY, false, ErrorKind::Refused, false, false);
    row("authorizer", SQLITE_AUTH, false, ErrorKind::Refused, false, false);
    row("trigger", SQLITE_CONSTRAINT_TRIGGER, false, ErrorKind::Refused, false, false);
    row("unique", SQLITE_CONSTRAINT_UNIQUE, false, ErrorKind::Internal, false, false);
    row("interrupted", SQLITE_INTERRUPT, false, ErrorKind::Cancelled, false, true);
    row("too big", SQLITE_TOOBIG, false, ErrorKind::InvalidInput, false, false);
    row("out of memory", SQLITE_NOMEM, false, ErrorKind::Internal, false, true);
    row("SQL error", SQLITE_ERROR, false, ErrorKind::Internal, false, false);
}

void PragmasTest::codesAreClassified()
{
    QFETCH(int, code);
    QFETCH(bool, atCommit);
    QFETCH(int, kind);
    QFETCH(bool, poisons);
    QFETCH(bool, whole);
    const sqlite::Verdict verdict = sqlite::classify(code, atCommit);
    QCOMPARE(static_cast<int>(verdict.kind), kind);
    QCOMPARE(verdict.poisons, poisons);
    QCOMPARE(verdict.wholeTransaction, whole);
}

void PragmasTest::readingOnlyWritesNothing()
{
    Folder folder;
    folder.init();
    Writer writer("a");
    {
        const auto store = folder.open();
        QVERIFY(committed(*store, writer, writer.create()));
    }
    StoreOptions options;
    options.readOnly = true;
    const auto reader = folder.open(options);
    QCOMPARE(reader->hot(writer.run)->version, std::uint64_t{1});
    CAIRN_VERIFY_ERROR(commitOne(*reader, writer.next("x")), ErrorKind::Refused);
    CAIRN_VERIFY_ERROR(reader->heartbeat(idOf<SessionId>("s"), 1, 2), ErrorKind::Refused);
    CAIRN_VERIFY_ERROR(reader->checkpoint(), ErrorKind::Refused);
    // The file itself is open for reading only, whatever this program would like to do.
    const auto connection = Connection::open(folder.path, OpenFor::Reading, {});
    CAIRN_VERIFY_ERROR((*connection)->db().exec("UPDATE meta SET clock_offset = 5"), ErrorKind::Refused);
}

// A dead writer's log in a folder that may not be written: reading alone cannot recover it.
void PragmasTest::aLogThatCannotBeRecoveredByReadingSaysSo()
{
    Folder folder;
    folder.init();
    {
        const auto store = folder.open();
        Writer writer("a");
        QVERIFY(committed(*store, writer, writer.create()));
        std::filesystem::copy_file(folder.path + "-wal", folder.path + "-kept");
    }
    std::filesystem::rename(folder.path + "-kept", folder.path + "-wal");
    // A link in the place of the shared-memory file, which SQLite does not follow, stands for one that cannot
    // be made.
    std::filesystem::create_symlink("nowhere", folder.path + "-shm");
    StoreOptions options;
    options.readOnly = true;
    const auto store = sqlite::openStore(folder.path, options);
    QVERIFY(!store);
    QVERIFY2(store.error().text.find("write-ahead log must be recovered") != std::string::npos,
        errorLine(store.error()).c_str());
}

QTEST_APPLESS_MAIN(PragmasTest)
#include "tst_sqlite_pragmas.moc"
