#pragma once
// What a plan would do, run by run by the same decision that executes it, and added up. Writes nothing.
// Blocking; memory grows with the items (about 200 bytes each), not with what the runs hold.

#include "core/model/policy.h"
#include "core/plan/spec.h"

#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace cairn {

// A line of previews and in how many runs it stands. Things are counted over the runs, amounts added for each
// currency.
struct PlanLine {
    std::string text;
    std::uint64_t runs = 0;
    std::uint64_t count = 0;                     // of things; 0: it counts none
    std::map<std::string, std::int64_t> amount;  // millionths by currency
};
inline constexpr std::size_t kPlanLines = 50;  // of each kind; runs of further ones are in `more`

struct PlanLines {
    std::vector<PlanLine> lines;
    std::uint64_t runs = 0;  // with a line of this kind
    std::uint64_t more = 0;  // lines that had no room, each in one run
};

// One of those that were left out, with what was said.
struct PlanLeft {
    RunId run;
    PlanLeftOut leftOut = PlanLeftOut::None;
    std::string why;
};
inline constexpr std::size_t kPlanSamples = 20;

struct PlanPreview {
    std::uint64_t targets = 0;
    std::uint64_t included = 0;
    std::array<std::uint64_t, kLeftOutKinds> leftOut{};  // by PlanLeftOut
    std::vector<PlanLeft> left;                          // the first kPlanSamples
    PlanLines willHappen, notRepeated, mayRepeat, alsoChanges;
    std::uint64_t uncertain = 0;          // runs in which an effect may happen twice; they block the plan
    std::vector<PlanLeft> uncertainRuns;  // the first kPlanSamples
    std::map<std::string, std::int64_t> cost;        // worst case of what runs next, by unit
    std::map<std::string, std::int64_t> atStake;     // by currency
    std::map<std::string, std::uint64_t> resources;  // that the runs wait for: in how many
    SpanMs estimate = 0;                             // 0: as fast as the store takes it
    PreviewUndo undo;
    [[nodiscard]] bool blocked() const noexcept { return uncertain > 0; }
    [[nodiscard]] std::uint64_t of(PlanLeftOut why) const { return leftOut[static_cast<std::size_t>(why)]; }
};

// A plan that is not in the store yet: all that will be frozen, and what it would do.
struct PlanDraft {
    PlanRow row;
    std::vector<PlanItem> items;
    PlanPreview preview;
    WhoIsNeeded needed;  // by the policy; the least reason too (reasonLacked)
    // What was said after the draft had been looked at. The digest is another one then.
    void setReason(std::string reason);
};
struct PlanAuthor {
    std::string login;  // as the store vouches for it
    std::string actor;
    std::uint32_t uid = 0;
    std::string host;
    std::string reason;
};

// specOf() of an act on these runs, with what must never be stored masked, by the lists of their workflows: a
// plan is kept before any of its items is submitted.
[[nodiscard]] Result<PlanSpec> specFor(
    StoreReader& reader, Service& service, Submission act, PlanSpec spec, std::span<const RunId> runs);

// Asked before each item, for whoever holds a lease and looks at many runs in one piece; an error ends the
// work with it. Empty: nobody is asked.
using StillAlive = std::function<Status()>;

// `service`: of the person who looks. Each run is frozen once, in the order given. InvalidInput: no run, or
// more than kMaxPlanItems. What the store cannot say is an error; what a run does not allow is left out.
[[nodiscard]] Result<PlanDraft> draftPlan(StoreReader& reader, Service& service, const PlanSpec& spec,
    std::span<const RunId> runs, const PlanAuthor& author, const PlanId& id, const CommandId& command);

// The same of a plan that is there, over the items that have no outcome yet, with what they depend on as it
// was frozen: what a second person looks at, and anybody before going on.
[[nodiscard]] Result<PlanPreview> previewPlan(
    StoreReader& reader, Service& service, const PlanRow& plan, const StillAlive& alive = {});

// Who is needed for such a plan by the policy as it is now.
[[nodiscard]] Result<WhoIsNeeded> neededNow(
    StoreReader& reader, Service& service, const PlanRow& plan, const PlanPreview& preview);

[[nodiscard]] std::string heldText(const ListRow& row);  // of a run that is held
// How a refusal, or nothing to do, is counted.
[[nodiscard]] PlanLeftOut leftOutOf(const Rejection& rejection) noexcept;
// Whether an effect of the run may happen twice by this act, and the verb does not settle that.
[[nodiscard]] bool mayHappenTwice(Verb verb, const RunState& before, const RunState& after);

}  // namespace cairn
