// Runs whose time is over are removed, and payloads redacted, beside the engine's work: a few trees at a
// time, on a thread of the pool. A pass goes on where it was left; where it was cut off by a kill the next
// one finds what is left, for each tree went whole.

#include "core/engine/engine_impl.h"
#include "core/service/retention.h"

#include "core/base/log.h"

namespace cairn {

namespace {

constexpr SpanMs kPass = 3'600'000;  // between two passes
constexpr SpanMs kPause = 200;       // between two parts of one
constexpr SpanMs kPart = 50;         // a part ends after so long
constexpr std::size_t kTrees = 64;   // or after so many trees
constexpr std::size_t kRows = 512;   // swept in one part
constexpr std::size_t kKeys = 32;

}  // namespace

// One pass: first what is to be removed, then what is to be redacted, then what removed runs left.
struct RetentionWork {
    enum class At : std::uint8_t { Remove, Redact, Sweep, Done };
    At at = At::Remove;
    std::optional<SeededRng> rng;
    std::unique_ptr<RetentionPass> pass;
    RetentionBy by;
    RetentionDone done;
    std::uint64_t givenBack = 0;
    std::uint64_t seed = 0;

    Status begin(StoreWriter& store)
    {
        if (!rng)
            rng.emplace(seed);
        const RetentionDo what = at == At::Remove ? RetentionDo::Remove : RetentionDo::Redact;
        if (by.login.empty()) {
            CAIRN_TRY_ASSIGN(const StoreRights rights, store.rights());
            by.login = rights.login.empty() ? "uid " + std::to_string(by.uid) : rights.login;
        }
        pass = std::make_unique<RetentionPass>(store, *rng, by, what);
        return pass->begin();
    }

    Status trees(StoreWriter& store, const Clock& clock)
    {
        if (pass)
            pass->use(store);
        else
            CAIRN_TRY(begin(store));
        const auto queue = makeInlineQueue(store);
        ServiceConfig config;
        config.uid = by.uid;
        config.login = by.login;
        config.host = by.host;
        Service service(store, *queue, clock, *rng, config);
        const SpanMs until = clock.monotonicMs() + kPart;
        for (std::size_t i = 0; i < kTrees && clock.monotonicMs() < until; ++i) {
            CAIRN_TRY_ASSIGN(const auto verdict, pass->next());
            if (!verdict) {
                pass.reset();
                at = at == At::Remove ? At::Redact : At::Sweep;
                return {};
            }
            CAIRN_TRY(carryOut(store, service, by, *verdict, done));
        }
        return {};
    }

    Status sweepSome(StoreWriter& store)
    {
        CAIRN_TRY_ASSIGN(const TimeMs now, store.now());
        CAIRN_TRY_ASSIGN(const std::uint64_t rows, store.sweepRemoved(kRows));
        if (rows > 0)
            return {};
        CAIRN_TRY_ASSIGN(const std::uint64_t keys, store.forgetKeys(now, kKeys));
        if (keys == kKeys)
            return {};
        CAIRN_TRY_ASSIGN(givenBack, sweep(store, now, [] { return false; }));
        at = At::Done;
        return {};
    }

    Status part(StoreWriter& store, const Clock& clock)
    {
        return at == At::Sweep ? sweepSome(store) : trees(store, clock);
    }
};

void EngineCore::Impl::retain()
{
    if (!config.retains || draining || full || retaining)
        return;
    if (!retention) {
        retention = std::make_shared<RetentionWork>();
        retention->by.name = "engine " + config.name;
        retention->by.uid = config.uid;
        retention->by.host = identity.host;
        retention->by.key = config.signs;
        for (const std::uint8_t byte : session.bytes)
            retention->seed = retention->seed * 257 + byte;
        retention->seed += ++retentionPasses;
    }
    retaining = true;
    auto status = std::make_shared<Status>();
    const Clock* clock = &seams.clock;
    background([work = retention, status, clock](StoreWriter& store) { *status = work->part(store, *clock); },
        [this, status] {
            retaining = false;
            if (!*status)
                trouble(status->error());
            const RetentionDone& done = retention->done;
            if (*status && retention->at != RetentionWork::At::Done) {
                retainAt = seams.clock.monotonicMs() + kPause;
                return;
            }
            if (done.trees > 0 || retention->givenBack > 0)
                log::info("retention",
                    {{"runs", done.runs}, {"payloads", done.payloads}, {"bytes", done.bytes},
                        {"stayed", done.stayed}, {"given_back", retention->givenBack}});
            retention.reset();
            retainAt = seams.clock.monotonicMs() + kPass;
        });
}

}  // namespace cairn
