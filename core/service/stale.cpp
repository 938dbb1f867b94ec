// Who has changed what an act depends on, and to what: told beside its refusal as stale.

#include "core/base/text.h"
#include "core/model/codec.h"
#include "core/service/impl.h"

namespace cairn {

namespace {

constexpr std::uint64_t kPage = 128;
constexpr std::uint64_t kLookedAt = 512;  // of the newest entries; what came before them is not told
constexpr std::size_t kTold = 5;

struct DependsOn {
    StepIx step = kNoStep;      // its revision; none: the run's control
    std::uint64_t control = 0;  // its revision as seen
};

std::optional<DependsOn> dependsOn(const RunState& now, const cmd::Body& body)
{
    return std::visit(
        [&](const auto& c) -> std::optional<DependsOn> {
            if constexpr (requires { c.checkRevision; }) {
                if (const auto at = now.stepById.find(c.step); c.checkRevision && at != now.stepById.end())
                    return DependsOn{at->second, 0};
            } else if constexpr (requires { c.checkControl; }) {
                if (c.checkControl)
                    return DependsOn{kNoStep, c.expectedControl};
            }
            return std::nullopt;
        },
        body);
}

bool isAbout(const Fact& fact, StepIx step)
{
    return std::visit(
        [step](const auto& f) {
            if constexpr (requires { f.step == step; })
                return f.step == step;
            else
                return false;
        },
        fact);
}

std::string toldOf(const Entry& entry)
{
    std::string text(key(entry.verb));
    for (const Fact& fact : entry.facts)
        if (const auto* control = std::get_if<ControlChanged>(&fact); control && entry.verb == Verb::Deadline)
            text += " "
                + (control->own.deadline == kNoTime ? std::string("none")
                                                    : formatInstant(control->own.deadline));
        else if (const auto* budget = std::get_if<BudgetChanged>(&fact))
            text += " "
                + (budget->unit.size() == 3 ? formatMoney(budget->limit, budget->unit)
                                            : formatCount(budget->limit) + " " + visibleLine(budget->unit));
    return text + " by "
        + (entry.actor.id.empty() ? std::string(key(entry.actor.kind)) : visibleLine(entry.actor.id)) + " at "
        + formatInstant(entry.time);
}

// Newest first.
class ToldChanges {
public:
    explicit ToldChanges(DependsOn on)
        : m_on(on)
    {
    }
    // False: what came before it was seen, or enough was told.
    bool take(const Entry& entry)
    {
        for (const Fact& fact : entry.facts) {
            const auto* control = std::get_if<ControlChanged>(&fact);
            if (m_on.step == kNoStep && control && control->own.revision <= m_on.control)
                return false;
            // Of a step's revisions only the last is known by who made it.
            if (m_on.step == kNoStep ? control != nullptr : isAbout(fact, m_on.step)) {
                m_told += (m_told.empty() ? "; since then: " : "; before that: ") + toldOf(entry);
                return m_on.step == kNoStep && ++m_count < kTold;
            }
        }
        return true;
    }
    [[nodiscard]] std::string told() && { return std::move(m_told); }

private:
    DependsOn m_on;
    std::size_t m_count = 0;
    std::string m_told;
};

}  // namespace

std::string Service::Impl::changedSince(const RunState& now, const cmd::Body& body)
{
    const auto on = dependsOn(now, body);
    if (!on)
        return {};
    ToldChanges changes(*on);
    for (std::uint64_t to = now.version, looked = 0; to > 0 && looked < kLookedAt; looked += kPage) {
        const std::uint64_t from = to > kPage ? to - kPage + 1 : 1;
        const auto loaded = reader.loadRun(now.id, from, to);
        if (!loaded)
            return {};  // the refusal stands without it
        for (auto sealed = loaded->entries.rbegin(); sealed != loaded->entries.rend(); ++sealed) {
            const auto entry = decodeEntry(sealed->body, sealed->format);
            if (!entry)
                return {};
            if (!changes.take(*entry))
                return std::move(changes).told();
        }
        to = from - 1;
    }
    return std::move(changes).told();
}

}  // namespace cairn
