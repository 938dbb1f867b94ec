#pragma once
// What workflows hide ("hidden" of a definition): payloads are given with [hidden: NAME] in place of it, to
// everything that shows runs to people; to read it is an act of its own, on record. The engine, exports as
// bundles, moves and checks read the store itself.
//
// It keeps what is hidden from screens, pages and copies of them. Whoever can read the store itself, by
// another program, reads all of it: rights of the store are for that.

#include "core/model/definition.h"
#include "core/store/hooked_store.h"

#include <chrono>
#include <map>

namespace cairn {

struct ShownPayload {
    std::uint64_t size = 0;    // of what is shown, which is not the stored size where something is hidden
    std::uint64_t hidden = 0;  // values that are hidden in it
    std::string role{};        // that whoever reveals needs; empty: none
};
// What there is to reveal in a payload.
struct Revealable {
    std::optional<std::uint64_t> fields;  // nullopt: it is too large to look, so it is given whole, on record
    std::string role{};                   // as in ShownPayload
};

// One thread. A payload of a run that hides something is read whole, up to kHideMost; the last one is kept.
class HidingStore final : public HookedStore {
public:
    explicit HidingStore(std::unique_ptr<StoreWriter> store);

    // NoRight: too large to look through for what is hidden.
    Result<std::string> payload(const RunId& run, const PayloadId& id, std::uint64_t offset = 0,
        std::uint64_t limit = kPayloadLimit) override;
    Result<std::vector<FoundPayload>> payloads(
        const RunId& run, std::span<const PayloadId> ids, std::uint64_t inlineUpTo = kInlineLimit) override;

    // What payload() would give of it; fails where that does.
    [[nodiscard]] Result<ShownPayload> shown(const RunId& run, const PayloadId& id);
    [[nodiscard]] Result<Revealable> revealable(const RunId& run, const PayloadId& id);
    // Exactly what is stored.
    [[nodiscard]] StoreWriter& stored() noexcept { return *m_store; }

private:
    struct Rule {
        std::unique_ptr<const Masker> masker;  // null: nothing is hidden
        std::string role;
    };
    struct Known {
        std::shared_ptr<const Rule> rule;
        std::chrono::steady_clock::time_point at;
    };
    [[nodiscard]] Result<std::shared_ptr<const Rule>> ruleOf(const RunId& run);
    [[nodiscard]] Status read(const RunId& run, const PayloadId& id, const Rule& rule);

    std::map<std::pair<std::string, std::uint32_t>, std::shared_ptr<const Rule>> m_rules;  // by workflow
    std::map<RunId, Known> m_runs;
    // The payload that was read last.
    RunId m_run;
    PayloadId m_id;
    std::string m_bytes;
    std::uint64_t m_hidden = 0;
};
inline constexpr std::uint64_t kHideMost = 256ULL * 1024 * 1024;

// Whether this login may read what the payload hides, by the role that its workflow names: as the store's
// policy says who has it, else as the store itself does. A store that knows neither lets everybody who reads
// payloads. NoRight says which role is missing.
[[nodiscard]] Status mayReveal(StoreReader& store, const std::string& login, const std::string& role);

// The act that says so, for the audit. `who` has person, host, login and reason.
[[nodiscard]] AuditRow revealAct(
    AuditRow who, const RunId& run, const PayloadId& payload, const Revealable& what, TimeMs now, Rng& rng);

}  // namespace cairn
