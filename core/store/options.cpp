#include "core/store/options.h"

#include "core/base/rng.h"

namespace cairn {

StoreInfo newStore(const InitOptions& options, TimeMs now, std::uint32_t schema)
{
    SystemRng rng;
    if (options.like) {
        StoreInfo info = *options.like;
        if (!info.artifacts.url.empty())
            info.artifacts.folder = newFolder(rng);
        return info;
    }
    StoreInfo info;
    if (!options.artifacts.empty())
        info.artifacts = {options.artifacts, newFolder(rng), true};
    info.id = makeUuidV7(now, rng);
    info.schema = info.minReader = info.minWriter = schema;
    info.writeFormat = static_cast<std::uint16_t>(schema);
    info.environment = options.environment;
    info.safety = options.guarded ? Safety::Guarded : Safety::Free;
    info.testClock = options.testClock;
    rng.fill(info.salt.data(), info.salt.size());
    info.seed = rng.next() >> 1U;  // databases know signed numbers only
    info.createdAt = now;
    return info;
}

}  // namespace cairn
