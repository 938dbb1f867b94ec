#include "core/report/prove_label.h"

#include <algorithm>

namespace cairn::proof {

namespace {

// How much a fact says, and its words; nothing for facts that only go with others.
struct Word {
    int weight = 0;
    StepIx step = kNoStep;
    std::string text{};
};

struct Describe {
    Word operator()(const AttemptStarted& f) const
    {
        return {5, f.step, f.purpose == Purpose::LookUp ? "the intent of a look-up" : "its intent"};
    }
    Word operator()(const StepCompleted& f) const { return {6, f.step, "its result"}; }
    Word operator()(const StepFailed& f) const { return {6, f.step, "its failure"}; }
    Word operator()(const StepUnknown& f) const { return {6, f.step, "its uncertain effect"}; }
    Word operator()(const EffectDenied& f) const { return {6, f.step, "that its effect did not happen"}; }
    Word operator()(const AttemptEnded& f) const { return {4, f.step, "the end of its attempt"}; }
    Word operator()(const AttemptRenewed& f) const { return {3, f.step, "a sign of life"}; }
    Word operator()(const StepWaiting& f) const
    {
        return {3, f.step, "its wait (" + std::string(label(f.reason)) + ")"};
    }
    Word operator()(const StepReleased& f) const { return {2, f.step, "the end of its wait"}; }
    Word operator()(const StepReady& f) const { return {1, f.step, "its input"}; }
    Word operator()(const StepSkipped& f) const { return {2, f.step, "that it is skipped"}; }
    Word operator()(const ApprovalRequested& f) const { return {5, f.step, "its question to a person"}; }
    Word operator()(const SignalConsumed& f) const { return {5, f.step, "its event"}; }
    Word operator()(const ChildRequested& f) const { return {5, f.step, "the start of its child run"}; }
    Word operator()(const ChildAnswered& f) const { return {4, f.step, "the answer of its child run"}; }
    Word operator()(const ApprovalDecided&) const { return {4, kNoStep, "a person's answer"}; }
    Word operator()(const RunStarted&) const { return {9, kNoStep, "the start of the run"}; }
    Word operator()(const RunClosed&) const { return {8, kNoStep, "the end of the run"}; }
    Word operator()(const CompensationStarted&) const
    {
        return {8, kNoStep, "the beginning of compensation"};
    }
    Word operator()(const ControlChanged&) const { return {7, kNoStep, "a change of the run's control"}; }
    template<class Other> Word operator()(const Other&) const { return {}; }
};

}  // namespace

std::vector<std::pair<StepIx, std::string>> labelsOf(const Entry& entry)
{
    std::vector<Word> words;
    for (const Fact& fact : entry.facts) {
        Word word = std::visit(Describe{}, fact);
        if (word.weight == 0)
            continue;
        const auto same = std::find_if(
            words.begin(), words.end(), [&](const Word& known) { return known.step == word.step; });
        if (same == words.end())
            words.push_back(std::move(word));
        else if (word.weight > same->weight)
            *same = std::move(word);
    }
    if (words.empty())
        words.push_back({1, kNoStep, "\"" + std::string(key(entry.verb)) + "\""});
    std::vector<std::pair<StepIx, std::string>> labels;
    for (Word& word : words)
        labels.emplace_back(word.step, std::move(word.text));
    return labels;
}

std::string stepWord(const StepRecord& step) { return (step.undoOf == kNoStep ? "" : "undo:") + step.name; }

}  // namespace cairn::proof
