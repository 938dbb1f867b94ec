#include "core/store/artifacts.h"

#include "core/base/failpoint.h"
#include "core/store/checks.h"

#include <array>
#include <cstdio>

namespace cairn {

namespace {

// Others wait for a thread whose place does not answer: after one failure it asks again only now and then.
constexpr SpanMs kAwayFor = 2'000;

std::string hexNumber(std::uint64_t number)
{
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
    return text.data();
}

bool isNameOf(std::string_view name, const Digest& digest)
{
    return name.find("/" + hex(digest) + "-") != std::string_view::npos
        && name.find_first_not_of("0123456789abcdef/-") == std::string_view::npos;
}

}  // namespace

std::string objectName(
    const std::string& folder, const Digest& digest, std::uint64_t nonce, std::uint64_t chunkSize)
{
    std::string name = folder + "/" + hex(digest) + "-" + hexNumber(nonce);
    if (!isElsewhere(name, chunkSize))
        name += '0';
    return name;
}

std::string newFolder(Rng& rng) { return hexNumber(rng.next()); }

void Artifacts::use(ArtifactPlace place)
{
    if (place.url != m_place.url) {
        const std::scoped_lock lock(m_mutex);
        m_objects.reset();
        m_away.reset();
    }
    m_place = std::move(place);
}

void Artifacts::interrupt() noexcept
{
    const std::scoped_lock lock(m_mutex);
    if (m_objects)
        m_objects->interrupt();
}

Result<ObjectStore*> Artifacts::objects()
{
    if (m_away && m_clock.monotonicMs() < m_awayUntil)
        return *m_away;
    m_away.reset();
    if (m_objects)
        return m_objects.get();
    if (m_place.url.empty())
        return makeError(ErrorKind::Corrupt,
            "a chunk lies in a bucket, but this store does not say in which: restore it from a backup");
    if (!m_open)
        return makeError(
            ErrorKind::Refused, "artifacts of this store lie in " + m_place.url + ", which is not read here");
    CAIRN_TRY_ASSIGN(auto opened, m_open(m_place.url, m_patience));
    const std::scoped_lock lock(m_mutex);
    m_objects = std::move(opened);
    return m_objects.get();
}

Result<std::string_view> Artifacts::keep(const Digest& digest, std::string_view bytes, std::string& name)
{
    if (!m_place.writes)
        return bytes;
    CAIRN_TRY_ASSIGN(ObjectStore* const objects, this->objects());
    m_putAt = m_clock.monotonicMs();
    name = objectName(m_place.folder, digest, m_rng.next(), bytes.size());
    if (failpoint::hit("artifact.before-put"))
        return makeError(ErrorKind::Disconnected, "stopped by a failpoint");
    if (auto put = objects->put(name, bytes); !put)
        return away(std::move(put).error());
    if (failpoint::hit("artifact.after-put"))
        return makeError(ErrorKind::Io, "stopped by a failpoint");
    return std::string_view(name);
}

Status Artifacts::checkFresh() const
{
    if (!m_place.writes || m_clock.monotonicMs() - m_putAt < kYoungestOrphan / 2)
        return {};
    return makeError(ErrorKind::Busy, "too much time has passed since the object was stored; store it again");
}

// What the place says no to has another meaning to readers of payloads (redacted): to them it is away.
Error Artifacts::away(Error error)
{
    if (error.kind == ErrorKind::Refused)
        error.kind = ErrorKind::Disconnected;
    if (error.kind == ErrorKind::Disconnected) {
        m_away = error;
        m_awayUntil = m_clock.monotonicMs() + kAwayFor;
    }
    return error;
}

Result<std::string> Artifacts::fetch(const ChunkRow& row, const std::string& damaged)
{
    const auto objects = this->objects();
    if (!objects)
        return away(objects.error());
    auto got = (*objects)->get(row.stored, row.size);
    if (!got && (got.error().kind == ErrorKind::NotFound || got.error().kind == ErrorKind::Corrupt))
        return makeError(ErrorKind::Corrupt, damaged + ": " + got.error().text, got.error().native);
    if (!got)
        return away(std::move(got).error());
    if (chunkDigest(row.artifact, row.index, *got) != row.digest)
        return makeError(ErrorKind::Corrupt,
            damaged + ": the object " + (*objects)->shown(row.stored) + " has other bytes than were stored");
    return got;
}

Result<std::string> Artifacts::bytesOf(ChunkRow row, const std::string& where)
{
    if (!isElsewhere(row.stored, row.size)) {
        if (chunkDigest(row.artifact, row.index, row.stored) != row.digest)
            return makeError(ErrorKind::Corrupt, where);
        return std::move(row.stored);
    }
    // The row itself may be what is damaged: then it names nothing.
    if (m_place.url.empty() || !isNameOf(row.stored, row.digest))
        return makeError(ErrorKind::Corrupt, where + ": it is neither whole nor in a bucket");
    return fetch(row, where);
}

Result<ArtifactPlace> changedPlace(
    const ArtifactChange& change, const ArtifactPlace& present, const ChunkTotals& totals, Rng& rng)
{
    ArtifactPlace place = present;
    if (!change.url.empty())
        place.url = change.url;
    place.writes = change.writes;
    if (place.url.empty())
        return makeError(ErrorKind::Refused, "artifacts of this store lie in the store already");
    const bool moved = place.url != present.url;
    if (moved && totals.elsewhere != 0 && !change.copied)
        return makeError(ErrorKind::Refused,
            std::to_string(totals.elsewhere) + " objects of this store lie in " + present.url
                + "; copy them to the new place under the same names first, then say --copied, which looks "
                  "at each");
    if (moved || change.freshFolder || place.folder.empty())
        place.folder = change.folder.empty() ? newFolder(rng) : change.folder;
    if (place == present)
        return makeError(ErrorKind::Refused,
            "nothing would change: new artifacts go into "
                + (place.writes ? place.url : std::string("the store")) + " already");
    return place;
}

Error engineHasPlace(const std::string& name, const std::string& host, std::int64_t pid)
{
    return makeError(ErrorKind::Refused,
        "an engine still lives: " + name + " on " + host + ", process " + std::to_string(pid)
            + "; end it, or wait until its lease has passed, then say where artifacts go");
}

}  // namespace cairn
