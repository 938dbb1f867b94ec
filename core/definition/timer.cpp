#include "core/definition/timer.h"

#include "core/base/json_scan.h"
#include "core/definition/cron.h"

namespace cairn {

namespace {

constexpr std::size_t kShown = 3;

}  // namespace

Result<TimeMs> renderTimer(const StepDef& step, const Sources& sources, TimeMs now)
{
    if (!step.cron.empty()) {
        CAIRN_TRY_ASSIGN(const CronRule rule, parseCron(step.cron));
        return nextMatch(rule, step.zone, now);
    }
    CAIRN_TRY_ASSIGN(const std::string raw, renderInput(step.local, sources));
    if (jsonKind(raw) != JsonKind::String)
        return makeError(ErrorKind::InvalidInput,
            "a local time is text like \"2027-03-28T02:30\", not "
                + std::string(jsonKindName(jsonKind(raw))));
    CAIRN_TRY_ASSIGN(const std::string text, jsonString(raw));
    CAIRN_TRY_ASSIGN(const LocalSeconds local, parseLocalTime(text));
    return instantOf(local, step.zone);
}

std::vector<TimerPreview> previewTimers(const Definition& definition, TimeMs now)
{
    const Sources none = [](std::string_view) -> Result<std::string_view> {
        return makeError(ErrorKind::NotFound, "nothing has run yet");
    };
    std::vector<TimerPreview> previews;
    for (const StepDef& step : definition.steps) {
        if (step.zone.empty())
            continue;
        TimerPreview preview{step.name, step.cron.empty() ? step.local : step.cron, step.zone, {}};
        TimeMs after = now;
        const std::size_t wanted = step.cron.empty() ? 1 : kShown;
        while (preview.next.size() < wanted) {
            const auto at = renderTimer(step, none, after);
            if (!at)
                break;
            preview.next.push_back(*at);
            after = *at;
        }
        previews.push_back(std::move(preview));
    }
    return previews;
}

}  // namespace cairn
