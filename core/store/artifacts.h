#pragma once
// Where the chunks of large payloads live: in the store's own tables, or as objects in a bucket. Each chunk's
// row says where it is: the row of a chunk in a bucket holds the object's name in place of the bytes. So a
// store may have both, and what is read is never a part of it.
//
// An object is stored before the row that names it is written, and its name is never used a second time. A
// process that ends in between leaves an object that no row names, which a sweep finds by its age.

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/result.h"
#include "core/base/rng.h"
#include "core/store/rows.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

// A place for objects. One thread at a time, but for interrupt(). All calls block, and try again by
// themselves what may be tried again, for as long as their patience lasts. Errors: Disconnected (nobody
// answers, or not in time), NoRight (credentials), Refused (anything else that the place says no to), Full,
// Cancelled.
class ObjectStore {
public:
    virtual ~ObjectStore() = default;
    // Durable when it returns. Again with the same bytes: changes nothing.
    [[nodiscard]] virtual Status put(const std::string& name, std::string_view bytes) = 0;
    // NotFound: no such object. Corrupt: it is larger than `most`.
    [[nodiscard]] virtual Result<std::string> get(const std::string& name, std::uint64_t most) = 0;
    // One that is not there: done.
    [[nodiscard]] virtual Status remove(const std::string& name) = 0;
    // Objects whose names begin so, in the order of their names, after `after`; at most a thousand. Empty:
    // no more.
    struct Listed {
        std::string name;
        std::uint64_t size = 0;
        TimeMs storedAt = kNoTime;
    };
    [[nodiscard]] virtual Result<std::vector<Listed>> list(
        const std::string& prefix, const std::string& after) = 0;
    // The place and an object in it, for messages; never a secret.
    [[nodiscard]] virtual std::string shown(std::string_view name) const = 0;
    // From any thread: makes the call that is under way end with Cancelled.
    virtual void interrupt() noexcept = 0;
};

enum class Patience : std::uint8_t {
    Long,   // tries for some twenty seconds
    Short,  // others wait for this thread (an engine's): gives up after four
};
// Opens a place by its URL; nothing is sent yet. InvalidInput: not such a URL. NoRight: no credentials here.
using OpenObjects =
    std::function<Result<std::unique_ptr<ObjectStore>>(const std::string& url, Patience patience)>;

// FOLDER/DIGEST-NONCE. The digest is the chunk's, and bound to its artifact's random id and its place: equal
// content has different names.
[[nodiscard]] std::string objectName(
    const std::string& folder, const Digest& digest, std::uint64_t nonce, std::uint64_t chunkSize);
// What a chunk's row holds in place of bytes never has the length that the chunk has.
[[nodiscard]] inline bool isElsewhere(std::string_view stored, std::uint64_t chunkSize) noexcept
{
    return stored.size() != chunkSize;
}
[[nodiscard]] std::string newFolder(Rng& rng);  // of one store, for objectName()

// A row of artifact_chunks.
struct ChunkRow {
    ArtifactId artifact;
    std::uint32_t index = 0;
    Digest digest;
    std::uint64_t size = 0;
    std::string stored;  // the bytes, or the name of an object
};

// What one connection of a store knows about its place, and its own link to it. Thread as the connection.
class Artifacts {
public:
    explicit Artifacts(OpenObjects open, Patience patience = Patience::Long)
        : m_open(std::move(open))
        , m_patience(patience)
    {
    }

    void use(ArtifactPlace place);
    [[nodiscard]] const ArtifactPlace& place() const noexcept { return m_place; }
    // What the row of a new chunk holds: `bytes`, or, once they are an object, its name in `name`.
    [[nodiscard]] Result<std::string_view> keep(
        const Digest& digest, std::string_view bytes, std::string& name);
    // Asked in the transaction that writes such a row. Busy: the object was stored so long ago (this machine
    // slept) that a sweep may have taken it for one that nobody names.
    [[nodiscard]] Status checkFresh() const;
    // The bytes of a chunk, checked against its digest. Corrupt says which object is missing or damaged;
    // Disconnected: it cannot be read now. `where`: how a damaged one is called.
    [[nodiscard]] Result<std::string> bytesOf(ChunkRow row, const std::string& where);
    void interrupt() noexcept;

private:
    [[nodiscard]] Result<ObjectStore*> objects();
    [[nodiscard]] Result<std::string> fetch(const ChunkRow& row, const std::string& damaged);
    [[nodiscard]] Error away(Error error);

    OpenObjects m_open;
    Patience m_patience;
    ArtifactPlace m_place;
    SystemRng m_rng;
    SystemClock m_clock;
    std::mutex m_mutex;  // the pointer, for interrupt()
    std::unique_ptr<ObjectStore> m_objects;
    std::optional<Error> m_away;  // nobody answered: said again at once until m_awayUntil
    SpanMs m_awayUntil = 0;
    SpanMs m_putAt = 0;
};

// A sweep leaves alone what is younger; who has stored an object names it well within that time.
inline constexpr SpanMs kYoungestOrphan = 60LL * 60 * 1000;

// Counts and bytes of a store's chunks.
struct ChunkTotals {
    std::uint64_t here = 0;  // in the store's own tables
    std::uint64_t hereBytes = 0;
    std::uint64_t elsewhere = 0;  // in the bucket
    std::uint64_t elsewhereBytes = 0;
};

// A change of the place, in one transaction with its audit entry.
struct ArtifactChange {
    std::string url;           // of the bucket; empty: the one that is recorded
    bool writes = true;        // new artifacts go there; false: into the store's own tables
    bool freshFolder = false;  // new objects go into a folder that no other copy of this store knows
    std::string folder;        // its name; empty: a random one
    bool copied = false;       // the caller has seen that every object is in the new bucket
    AuditRow audit;
};
// What it makes of the present place. Refused where objects would be left behind, where nothing would change,
// or where there is no bucket.
[[nodiscard]] Result<ArtifactPlace> changedPlace(
    const ArtifactChange& change, const ArtifactPlace& present, const ChunkTotals& totals, Rng& rng);
// An engine that lives keeps to the place that it has read.
[[nodiscard]] Error engineHasPlace(const std::string& name, const std::string& host, std::int64_t pid);

}  // namespace cairn
