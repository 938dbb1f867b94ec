#pragma once
// What a plan does: the act as a template, which runs, how fast. Its bytes are what is stored, and what the
// digest is over that a second person confirms. Pure.

#include "core/plan/pace.h"
#include "core/service/staged.h"

#include <span>
#include <string>
#include <vector>

namespace cairn {

// The same act for every run. Which step is meant, and what the act depends on, stands in each item.
struct PlanSpec {
    Verb verb = Verb::Retry;
    std::string step;    // the same of every run; empty: that which the run waits in, where the verb has one
    std::string filter;  // that the targets were found by, as it was written; empty: they were named
    bool leaveOutUncertain = false;  // runs with an effect that may happen twice, instead of refusing all
    PlanPace pace;
    // The act without step and expectation, as it is left for an engine (core/service/staged.h).
    std::string target;
    std::string body;
    friend bool operator==(const PlanSpec&, const PlanSpec&) = default;
};

// A verb that plans take: one that means the same in every run. What has to be looked at run by run
// (decisions on approvals, what became of an effect) and what names another run (fork) is none; Refused says
// what to do instead.
[[nodiscard]] Status checkPlanVerb(Verb verb);
[[nodiscard]] bool isAboutStep(Verb verb) noexcept;

// Takes the act out of a submission on any run. InvalidInput: its payloads are too large to be kept with each
// item (16 KiB in all), or the pace makes no sense.
[[nodiscard]] Result<PlanSpec> specOf(Submission act, PlanSpec spec);
[[nodiscard]] Status checkPace(const PlanPace& pace);

[[nodiscard]] std::string encodeSpec(const PlanSpec& spec);
[[nodiscard]] Result<PlanSpec> decodeSpec(std::string_view bytes);  // Corrupt

// The submission that carries an item out, in the name of the plan's author. Always the same one, so that its
// command id counts once. `expects`: false for a first look, before it is known what the act depends on.
[[nodiscard]] Result<Submission> submissionOf(
    const PlanRow& plan, const PlanSpec& spec, const PlanItem& item, bool expects = true);
[[nodiscard]] CommandId itemCommand(const PlanId& plan, const RunId& run);

// What the item's verb depends on in this state; nullopt: the step is not there.
[[nodiscard]] std::optional<std::uint64_t> dependsOn(
    Verb verb, const std::string& step, const RunState& state);

// Over all that is frozen. The items are given in their order, in parts.
class PlanDigest {
public:
    explicit PlanDigest(const PlanRow& plan);
    void add(std::span<const PlanItem> items);
    [[nodiscard]] Digest digest() const;

private:
    Digest m_chain;
};

// The command that stages the same plan: "Copy as command". `runs`: where there is no filter.
[[nodiscard]] std::string commandOf(
    const PlanRow& plan, const PlanSpec& spec, std::span<const RunId> runs, std::string_view store);

}  // namespace cairn
