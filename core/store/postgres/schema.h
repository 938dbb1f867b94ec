#pragma once
// The tables of schema `cairn`, their indexes, triggers and functions, per schema number, and the check of a
// store's shape against them.

#include "core/base/clock.h"
#include "core/model/entry.h"
#include "core/store/postgres/db.h"
#include "core/store/rows.h"

namespace cairn::postgres {

// The newest schema that this binary knows. Schema n goes with fact format n.
inline const std::uint32_t kSchema = kMaxFormat;

// In an open transaction.
[[nodiscard]] Status createTables(Db& db, std::uint32_t schema);
[[nodiscard]] Status expandTables(Db& db, std::uint32_t from, std::uint32_t to);
// The table that only stores with a bucket for artifacts have.
[[nodiscard]] Status putArtifactPlace(Db& db, const ArtifactPlace& place);
[[nodiscard]] Result<ArtifactPlace> readArtifactPlace(Db& db);
// Gives attempts written by format 1 their trace and span.
[[nodiscard]] Status refill(Db& db);

struct Numbers {
    std::uint32_t schema = 0;
    std::uint32_t minReader = 0;
    std::uint32_t minWriter = 0;
    std::uint16_t writeFormat = kFormat1;
    SpanMs clockOffset = 0;
};
void readNumbers(Rows& rows, Numbers& numbers);
// NotFound: there is no Cairn store in this database.
[[nodiscard]] Result<Numbers> readNumbers(Db& db);

// What differs from the expected tables, columns, indexes, triggers and functions; empty: nothing. A newer
// schema may have more.
[[nodiscard]] Result<std::vector<std::string>> shapeProblems(Db& db, std::uint32_t schema);
struct Standing {
    Numbers numbers;
    std::vector<std::string> problems;
};
// Both as of one moment, although another program may be migrating.
[[nodiscard]] Result<Standing> readStanding(Db& db);
// One line per object, sorted: what shape.inc is made of.
[[nodiscard]] Result<std::vector<std::string>> readShape(Db& db);

}  // namespace cairn::postgres
