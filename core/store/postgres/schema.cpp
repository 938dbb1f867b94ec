#include "core/store/postgres/schema.h"

#include "core/base/failpoint.h"
#include "core/model/codec.h"
#include "core/store/postgres/schema_tables.h"

#include <algorithm>
#include <sstream>

namespace cairn::postgres {

namespace {

// One object a line, as readShape() gives them; tst_postgres_schema prints what differs.
constexpr const char* kShape1 =
#include "core/store/postgres/shape.inc"
    ;
constexpr const char* kShape2 = R"shape(column attempts.span bigint
column attempts.trace bytea
)shape";

// Of the table that only stores with a bucket for artifacts have. A program that does not know it refuses the
// store by its shape, so that none reads the store and not the bucket.
constexpr const char* kShapeOfPlace = R"shape(column artifact_place.folder text not null collate C
column artifact_place.one smallint not null
column artifact_place.url text not null collate C
column artifact_place.writes smallint not null
constraint artifact_place CHECK ((one = 1))
index CREATE UNIQUE INDEX artifact_place_pkey ON cairn.artifact_place USING btree (one)
table artifact_place rp
)shape";
constexpr std::string_view kPlaceThere = "table artifact_place rp";

std::vector<std::string> linesOf(std::uint32_t schema, bool withPlace)
{
    std::vector<std::string> lines;
    for (const char* text : {kShape1, schema >= 2 ? kShape2 : "", withPlace ? kShapeOfPlace : ""}) {
        std::istringstream in(text);
        for (std::string line; std::getline(in, line);)
            if (!line.empty())
                lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

}  // namespace

Status refill(Db& db)
{
    constexpr std::size_t kAtOnce = 5'000;
    for (;;) {
        CAIRN_TRY_ASSIGN(Rows rows, db.query(Sql::AttemptsWithoutTrace, kAtOnce));
        Columns filled;
        while (rows.next()) {
            RunId run;
            std::uint32_t step = 0;
            AttemptId attempt;
            rows.read(run, step, attempt);
            filled.row(run, step, attempt, legacyTrace(run), static_cast<std::int64_t>(legacySpan(attempt)));
        }
        if (filled.empty())
            return {};
        CAIRN_TRY(db.query(Sql::FillTrace, filled));
    }
}

Status createTables(Db& db, std::uint32_t schema)
{
    for (const char* sql : {kRunTables, kStepTables, kSharedTables, kTriggers})
        CAIRN_TRY(db.execute(sql));
    for (const std::string& sql : {actsText(), reviewsText(), agreementText()})
        CAIRN_TRY(db.execute(sql.c_str()));
    for (const char* sql : {kCheckpoints, kPlans, kEnableAlways})
        CAIRN_TRY(db.execute(sql));
    return schema > 1 ? expandTables(db, 1, schema) : Status();
}

Status expandTables(Db& db, std::uint32_t from, std::uint32_t to)
{
    if (from < 2 && to >= 2) {
        CAIRN_TRY(db.execute(kToSchema2));
        if (failpoint::hit("store.migrate.altered"))
            return makeError(ErrorKind::Io, "stopped by a failpoint");
        CAIRN_TRY(refill(db));
    }
    return {};
}

Result<ArtifactPlace> readArtifactPlace(Db& db)
{
    ArtifactPlace place;
    CAIRN_TRY_ASSIGN(Rows there, db.query(Sql::HasArtifactPlace));
    bool table = false;
    if (there.next())
        there.read(table);
    if (!table)
        return place;
    CAIRN_TRY_ASSIGN(Rows rows, db.query(Sql::ArtifactPlace));
    if (!rows.next())
        return makeError(ErrorKind::Corrupt, "the row that says where artifacts lie is missing");
    rows.read(place.url, place.folder, place.writes);
    return place;
}

Status putArtifactPlace(Db& db, const ArtifactPlace& place)
{
    CAIRN_TRY_ASSIGN(const ArtifactPlace present, readArtifactPlace(db));
    if (present.url.empty())
        CAIRN_TRY(db.execute(kArtifactPlace));
    CAIRN_TRY(db.query(Sql::PutArtifactPlace, place.url, place.folder, place.writes));
    return {};
}

void readNumbers(Rows& rows, Numbers& numbers)
{
    rows.read(numbers.schema, numbers.minReader, numbers.minWriter, numbers.writeFormat, numbers.clockOffset);
}

Result<Numbers> readNumbers(Db& db)
{
    auto rows = db.query(Sql::Numbers);
    if (!rows && rows.error().kind == ErrorKind::SchemaMismatch)  // no such table
        return makeError(ErrorKind::NotFound,
            db.target().shown + " holds no Cairn store; make one with `cairn store init`");
    if (!rows)
        return rows.error();
    if (!rows->next())
        return makeError(ErrorKind::Corrupt, "the store's meta row is missing");
    Numbers numbers;
    readNumbers(*rows, numbers);
    return numbers;
}

Result<std::vector<std::string>> readShape(Db& db)
{
    CAIRN_TRY_ASSIGN(Rows rows, db.query(Sql::Shape));
    std::vector<std::string> lines;
    while (rows.next())
        rows.read(lines.emplace_back());
    std::sort(lines.begin(), lines.end());
    return lines;
}

Result<std::vector<std::string>> shapeProblems(Db& db, std::uint32_t schema)
{
    const bool newer = schema > kSchema;
    CAIRN_TRY_ASSIGN(const auto found, readShape(db));
    const bool withPlace = std::binary_search(found.begin(), found.end(), kPlaceThere);
    const std::vector<std::string> wanted = linesOf(std::min(schema, kSchema), withPlace);
    std::vector<std::string> problems;
    for (const std::string& line : wanted)
        if (!std::binary_search(found.begin(), found.end(), line))
            problems.push_back(
                "\"" + line + "\" is missing, or not as schema " + std::to_string(schema) + " has it");
    if (!newer)
        for (const std::string& line : found)
            if (!std::binary_search(wanted.begin(), wanted.end(), line))
                problems.push_back("\"" + line + "\" does not belong to schema " + std::to_string(schema));
    return problems;
}

// Read again until nothing was migrated meanwhile: catalog functions look at the newest tables, whatever the
// transaction's own view is.
Result<Standing> readStanding(Db& db)
{
    for (;;) {
        CAIRN_TRY_ASSIGN(const Numbers numbers, readNumbers(db));
        static_cast<void>(failpoint::hit("store.standing.numbers-read"));
        CAIRN_TRY_ASSIGN(auto problems, shapeProblems(db, numbers.schema));
        CAIRN_TRY_ASSIGN(const Numbers after, readNumbers(db));
        if (after.schema == numbers.schema)
            return Standing{after, std::move(problems)};
    }
}

}  // namespace cairn::postgres
