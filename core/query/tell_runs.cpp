// Waits that another run ends: they are told by what that run does. And what a run that grows is told.

#include "core/base/text.h"
#include "core/definition/page.h"
#include "core/query/tell.h"

namespace cairn {

OtherTold tellSameEffect(const RunState& state, const StepRecord& step, TimeMs now, const Lookup& look)
{
    const bool self = step.waitRun == state.id;
    const std::string where = self ? "another step of this run"
        : step.waitRun.isNull()    ? "a run that is not recorded"
                                   : "run " + shortId(toText(step.waitRun));
    const auto told = !self && !step.waitRun.isNull() && look.child ? look.child(step.waitRun) : std::nullopt;
    // Nothing is under way there by itself: what it stands still for is what this one waits for.
    if (told && told->attention <= Attention::Person)
        return {where,
            "waits for the same effect in " + where + ", begun " + ago(step.since, now) + "; that run "
                + told->clause,
            told->sentence.ends + "; then the result there is shared, or the key passes on",
            "Same effect in " + where + ": " + told->sentence.shortText, told->sentence.next};
    return {where, "waits for the same effect, under way in " + where + ", begun " + ago(step.since, now),
        "the result there: it is shared, or the key passes on", "Same effect under way in " + where, kNoTime};
}

OtherTold tellChild(const StepRecord& step, const ReasonItem& item, const Lookup& look)
{
    const RunId run = step.waitRun;
    const auto told = !run.isNull() && look.child ? look.child(run) : std::nullopt;
    const std::string name = told ? told->name
        : run.isNull()            ? "a child run that is not recorded"
                                  : "child run " + shortId(toText(run));
    const std::string many = item.count > 1 ? counted(item.count, "child run", "child runs")
            + (item.attention == Attention::None ? "; the oldest, " : "; the one that needs somebody most, ")
                                            : std::string();
    const std::string clause = told ? told->clause : "has not started yet";
    OtherTold out;
    out.subject = name;
    out.clause = "waits for " + many + name
        + (!look.child ? "; what held it then is not recorded" : (many.empty() ? ", which " : ", ") + clause);
    out.ends = told ? told->sentence.ends : look.child ? "the child starts and ends" : "the child ends";
    out.next = told ? told->sentence.next : kNoTime;
    out.shortText = name;
    if (told && !told->sentence.shortText.empty())
        out.shortText += ": " + told->sentence.shortText;
    else if (!out.shortText.empty() && out.shortText[0] >= 'a' && out.shortText[0] <= 'z')
        out.shortText[0] = static_cast<char>(out.shortText[0] - 'a' + 'A');
    return out;
}

std::optional<OtherTold> tellUnanswered(const RunState& state, const Lookup& look)
{
    constexpr std::size_t kLookedAt = 500;
    if (!state.running.empty() || !look.child || !look.pressing)
        return std::nullopt;
    std::vector<RunId> open;
    for (const ChildRecord& record : state.children)
        if (!record.answered && open.size() < kLookedAt)
            open.push_back(record.run);
    const auto pressing = open.empty() ? std::nullopt : look.pressing(open);
    const auto told = pressing ? look.child(*pressing) : std::nullopt;
    if (!told)
        return std::nullopt;
    return OtherTold{toText(*pressing),
        "child run " + told->name + " (" + shortId(toText(*pressing)) + "), which " + told->clause,
        told->sentence.ends, told->sentence.shortText, told->sentence.next};
}

std::string tellSize(const RunState& state)
{
    std::string size;
    if (state.version >= kManyEntries)
        size = formatCount(static_cast<std::int64_t>(state.version)) + " entries";
    if (state.steps.size() >= kManySteps)
        size += (size.empty() ? "" : ", ") + formatCount(static_cast<std::int64_t>(state.steps.size()))
            + " steps";
    if (size.empty())
        return size;
    return size
        + ": the more it has, the longer opening, previews and checks of it take; give parts of the work to "
          "child runs, or let it end and start another";
}

std::optional<std::string> tellPage(const ToolDef* tool, const std::optional<std::string>& key)
{
    if (tool == nullptr || tool->page.empty() || !key)
        return std::nullopt;
    return pageFor(tool->page, *key);
}

}  // namespace cairn
