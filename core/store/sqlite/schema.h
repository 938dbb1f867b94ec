#pragma once
// The tables, their indexes and triggers, per schema number, and the check of a store's shape against them.

#include "core/model/entry.h"
#include "core/store/sqlite/db.h"
#include "core/store/store.h"

namespace cairn::sqlite {

// The newest schema that this binary knows. Schema n goes with fact format n.
inline const std::uint32_t kSchema = kMaxFormat;
inline constexpr std::int32_t kApplicationId = 0x4361726E;  // "Carn"

extern const char* const kCheckpointTables;  // checkpoints.cpp
extern const char* const kPlanTables;        // plans.cpp

// In an open transaction.
[[nodiscard]] Status createTables(Db& db, std::uint32_t schema);
[[nodiscard]] Status expandTables(Db& db, std::uint32_t from, std::uint32_t to);
// The table that only stores with a bucket for artifacts have. A program that does not know it refuses the
// store by its shape, so that none reads the store and not the bucket.
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
// NotFound: no Cairn store in this file.
[[nodiscard]] Result<Numbers> readNumbers(Db& db);

// What differs from the expected tables, columns, indexes and triggers; empty: nothing. A newer schema may
// have more.
[[nodiscard]] Result<std::vector<std::string>> shapeProblems(Db& db, std::uint32_t schema);

struct Standing {
    Numbers numbers;
    std::vector<std::string> problems;
};
// Both as of one moment, although another program may be migrating. Not in a transaction.
[[nodiscard]] Result<Standing> readStanding(Db& db);

}  // namespace cairn::sqlite
