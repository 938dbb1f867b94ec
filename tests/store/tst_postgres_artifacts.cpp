// The place of artifacts in a PostgreSQL store with roles: who may name it, who may read it, and that a store
// with one has the shape and the rights that it has to have.

#include "tests/store/memory_objects.h"
#include "tests/store/role_logins.h"

namespace cairn::testing {

class PostgresArtifactsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theOwnerNamesItAndAllReadIt();
    void aStoreIsMadeWithIt();
    void aMissingRightIsFound();
    void anotherShapeIsRefused();

private:
    static ArtifactChange toBucket()
    {
        ArtifactChange change;
        change.url = "s3://one";
        change.audit.time = 1'790'000'000'000;
        change.audit.kind = "applied";
        change.audit.verb = Verb::PlaceArtifacts;
        change.audit.actor = "ann";
        change.audit.login = "cairn";
        change.audit.target = "store";
        change.audit.command = idOf<CommandId>("place");
        change.audit.reason = "because of this test";
        return change;
    }
    [[nodiscard]] static std::string problems(StoreWriter& store)
    {
        const auto found = store.check(false);
        if (!found)
            return errorLine(found.error());
        std::string all;
        for (const VerifyProblem& problem : *found)
            all += problem.where + ": " + problem.text + "\n";
        return all;
    }
    static InitOptions withBucket()
    {
        InitOptions options{"test", true, true, true};
        options.artifacts = "s3://one";
        return options;
    }
    RoleLogins m_roles;
};

void PostgresArtifactsTest::theOwnerNamesItAndAllReadIt()
{
    m_roles.initWithRoles();
    const auto owner = m_roles.open();
    QCOMPARE(problems(*owner), std::string());
    for (const char* role : kRoles) {
        const auto store = m_roles.openAs(std::string("t_") + role);
        CAIRN_VERIFY_ERROR(store->changeArtifacts(toBucket()), ErrorKind::NoRight);
    }
    CAIRN_VERIFY_OK(owner->changeArtifacts(toBucket()));
    QCOMPARE(problems(*owner), std::string());
    for (const char* role : kRoles)
        QCOMPARE(m_roles.openAs(std::string("t_") + role)->info()->artifacts.url, std::string("s3://one"));
    const auto state = std::make_shared<ObjectsState>();
    StoreOptions options;
    options.objects = memoryObjects(state);
    auto engine = postgres::openStore(m_roles.urlOf("t_engine"), options);
    CAIRN_VERIFY_OK(engine);
    CAIRN_VERIFY_OK((*engine)->stageChunk(idOf<ArtifactId>("a"), 0, "bytes"));
    QCOMPARE(state->objects.size(), 1U);
    const RawPg raw(m_roles.urlOf("t_engine"));
    QCOMPARE(stateIn(raw, "UPDATE cairn.artifact_place SET url = 's3://mine'"), std::string("42501"));
}

void PostgresArtifactsTest::aStoreIsMadeWithIt()
{
    m_roles.initWithRoles(withBucket());
    const auto store = m_roles.open();
    QCOMPARE(problems(*store), std::string());
    const StoreInfo info = *store->info();
    QCOMPARE(info.artifacts.url, std::string("s3://one"));
    QVERIFY(info.artifacts.writes && !info.artifacts.folder.empty());
    InitOptions like;
    like.like = info;
    const StoreInfo other = newStore(like, 1, 2);
    QCOMPARE(other.artifacts.url, info.artifacts.url);
    QVERIFY(other.artifacts.folder != info.artifacts.folder);
}

void PostgresArtifactsTest::aMissingRightIsFound()
{
    m_roles.initWithRoles(withBucket());
    m_roles.admin("REVOKE SELECT ON cairn.artifact_place FROM cairn_viewer");
    m_roles.admin("GRANT UPDATE ON cairn.artifact_place TO cairn_engine");
    const std::string found = problems(*m_roles.open());
    QVERIFY2(
        found.find("missing: table artifact_place: cairn_viewer SELECT") != std::string::npos, found.c_str());
    QVERIFY2(found.find("too many: table artifact_place: cairn_engine UPDATE") != std::string::npos,
        found.c_str());
}

void PostgresArtifactsTest::anotherShapeIsRefused()
{
    m_roles.initWithRoles(withBucket());
    m_roles.admin("ALTER TABLE cairn.artifact_place ADD COLUMN more text");
    CAIRN_VERIFY_ERROR(postgres::openStore(m_roles.url, {}), ErrorKind::SchemaMismatch);
    m_roles.admin("ALTER TABLE cairn.artifact_place DROP COLUMN more");
    m_roles.admin("DELETE FROM cairn.artifact_place");
    CAIRN_VERIFY_ERROR(postgres::openStore(m_roles.url, {}), ErrorKind::Corrupt);
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresArtifactsTest)
#include "tst_postgres_artifacts.moc"
