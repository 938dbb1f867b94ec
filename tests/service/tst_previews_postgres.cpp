// That no preview writes into a PostgreSQL store: every row of every table stays the version that it is.

#include "tests/service/preview_rig.h"
#include "tests/store/postgres_fixture.h"

#include <QtTest/QtTest>

using namespace cairn;
using namespace cairn::testing;

namespace {

// Which transaction wrote each row, and where the row lies: any insert, update or delete changes it. The
// place in the server's log says nothing here, since the server writes there for itself.
std::string rowVersions(const RawPg& raw)
{
    const std::string tables = raw.value(
        "SELECT string_agg(format('SELECT %L || coalesce(string_agg(xmin::text || ctid::text, '','' ORDER BY "
        "ctid), '''') AS t FROM cairn.%I', tablename || ':', tablename), ' UNION ALL ' ORDER BY tablename) "
        "FROM "
        "pg_tables WHERE schemaname = 'cairn'");
    return raw.value("SELECT string_agg(t, ';' ORDER BY t) FROM (" + tables + ") AS every_table");
}

}  // namespace

class TestPreviewsPostgres : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void noPreviewWritesARow();
};

void TestPreviewsPostgres::noPreviewWritesARow()
{
    const PostgresStoreFixture fixture;
    fixture.init(postgres::kSchema, {"test", false, true});
    PreviewRig rig(fixture.open());
    const RunId asks = rig.asking(), stands = rig.stuck(), done = rig.paid();
    const auto acts = rig.acts(asks, stands, done);
    const RawPg raw(fixture.url);
    const std::string before = rowVersions(raw);
    QVERIFY2(before.find("audit:") != std::string::npos, before.c_str());
    std::size_t allowed = 0;
    for (const Submission& act : acts) {
        const auto preview = rig.person->preview(act);
        CAIRN_VERIFY_OK(preview);
        allowed += std::holds_alternative<Entry>(preview->decision) ? 1 : 0;
        QVERIFY2(rowVersions(raw) == before, std::string(key(verbOf(act.command.body))).c_str());
    }
    QVERIFY(allowed >= 13);
    rig.must(rig.person->submitAndWait(World::act(asks, cmd::SetPaused{true, 0, false}, PreviewRig::kWhy)));
    QVERIFY(rowVersions(raw) != before);  // the comparison can fail
}

CAIRN_POSTGRES_TEST_MAIN(TestPreviewsPostgres)
#include "tst_previews_postgres.moc"
