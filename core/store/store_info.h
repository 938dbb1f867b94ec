#pragma once
// What a store is, and what a connection to it may do.

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/ids.h"
#include "core/machine/machine.h"
#include "core/model/entry.h"

#include <string>

namespace cairn {

// What a connection may do.
struct StoreRights {
    std::string login;         // who the database says it is; empty: a store that knows no logins
    bool commits = true;       // writes runs, as engines do
    bool payloads = true;      // reads the bytes of payloads
    bool stages = false;       // may leave acts for an engine
    bool takesStaged = false;  // may do what others left
    bool owns = true;          // may move the store, and fill one
};

// Where chunks of artifacts lie beside the store's own tables (artifacts.h).
struct ArtifactPlace {
    std::string url;      // of a bucket; empty: there is none
    std::string folder;   // of this store's new objects
    bool writes = false;  // new chunks go there
    friend bool operator==(const ArtifactPlace&, const ArtifactPlace&) = default;
};

struct StoreInfo {
    UuidBytes id{};  // of the store
    std::uint32_t schema = 0;
    std::uint32_t minReader = 0;
    std::uint32_t minWriter = 0;
    std::uint16_t writeFormat = kFormat1;  // newest fact format that may be written
    std::string environment = "dev";
    Safety safety = Safety::Free;
    bool testClock = false;
    SpanMs clockOffset = 0;
    Salt salt{};             // keys, effect keys, message ids
    std::uint64_t seed = 0;  // jitter
    TimeMs createdAt = kNoTime;
    // Of the server that answers: where either changes another server has taken its place. 0: not on a
    // server.
    std::uint64_t serverSystem = 0;
    std::uint32_t serverTimeline = 0;
    bool roles = false;  // its rights are those of the database's roles
    ArtifactPlace artifacts{};
};

struct WorkflowRow {
    std::string name;
    std::uint32_t version = 0;
    Digest digest;
    std::string text;
    std::string folder;  // where ${workflow_dir} points
    TimeMs addedAt = kNoTime;
};

struct VerifyProblem {
    std::string where;  // table or run, and position
    std::string text;
    bool blocksCopy = true;  // it is damage: a backup that has it may not stand
};

}  // namespace cairn
