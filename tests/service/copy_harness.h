#pragma once
// Places that a store can be moved to, and moving it.

#include "core/service/copy_store.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/service/copy_content.h"
#include "tests/service/lived_store.h"
#include "tests/store/scratch.h"

namespace cairn::testing {

// --- places
// ----------------------------------------------------------------------------------------------------------

struct Place {
    std::string name;
    std::function<Result<std::unique_ptr<StoreWriter>>(const StoreOptions&)> open;
    std::function<Status(const InitOptions&)> make;

    [[nodiscard]] StoreDoor door() const { return {name, open, make}; }
    [[nodiscard]] std::unique_ptr<StoreWriter> writer() const
    {
        auto store = open({});
        if (!store)
            qFatal("%s: %s", name.c_str(), store.error().text.c_str());
        return *std::move(store);
    }
};

inline Place memoryPlace(const Clock& clock, std::shared_ptr<MemoryDatabase> there = nullptr)
{
    const auto held = std::make_shared<std::shared_ptr<MemoryDatabase>>(std::move(there));
    return {"memory:",
        [held](const StoreOptions& options) -> Result<std::unique_ptr<StoreWriter>> {
            if (!*held)
                return makeError(ErrorKind::NotFound, "there is no store");
            return connectMemory(*held, options);
        },
        [held, &clock](const InitOptions& options) -> Status {
            if (*held)
                return makeError(ErrorKind::Refused, "there is one");
            if (!options.preview)
                *held = makeMemoryDatabase(options, clock, 5);
            return {};
        }};
}

inline Place sqlitePlace(const std::string& path)
{
    return {"sqlite:" + path,
        [path](StoreOptions options) {
            options.synchronousNormal = true;  // no test here loses power
            return sqlite::openStore(path, options);
        },
        [path](const InitOptions& options) { return sqlite::initStore(path, options); }};
}

// "Rejected: why", for messages of failed checks and exact comparisons.
inline std::string told(const Outcome& o)
{
    static constexpr const char* kNames[] = {
        "Committed", "Repeated", "Existing", "NoChange", "Rejected", "Failed", "Proposed"};
    return std::string(kNames[static_cast<std::size_t>(o.kind)]) + ": " + o.rejection.text + o.error.text
        + o.text;
}

// --- moving
// ----------------------------------------------------------------------------------------------------------

inline AuditRow byKim()
{
    AuditRow row;
    row.actor = "kim";
    row.uid = 1000;
    row.host = "desk";
    row.reason = "the file has become too large";
    return row;
}

inline Result<CopyReport> move(
    const Place& from, const Place& to, Rng& rng, std::function<bool()> stopped = [] { return false; },
    std::function<void(const CopyProgress&)> tell = [](const CopyProgress&) {})
{
    const auto store = from.writer();
    return copyStore(
        {*store, from.name, to.door(), rng, byKim(), true, false, std::move(stopped), std::move(tell)});
}

// Whether a program that knows nothing of the move can write.
inline bool takesWrites(const Place& place)
{
    const auto store = place.open({});
    return store && (*store)->raiseBackOff("probe", 1, false);
}

// As it was when its engine died, small enough to be moved again and again: each test moves a copy of it.
inline const Lived& smallStore()
{
    static const Lived lived(3U << 20U, 2);
    return lived;
}
inline Place copyOfSmallStore() { return memoryPlace(smallStore().c.clock, copyOf(*smallStore().c.db)); }

inline std::string errorOf(const Result<CopyReport>& report)
{
    return report ? "moved" : report.error().text;
}

}  // namespace cairn::testing
