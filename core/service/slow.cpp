#include "core/service/slow.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/service/typed.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace cairn {

namespace {

constexpr std::size_t kRunsLooked = 200;  // whose deadlines are looked at; the rest is told by its number

std::string rateText(std::uint32_t permits)
{
    return permits == 0 ? std::string("as many as there are")
                        : "at most " + std::to_string(permits) + " a second";
}

std::string slotsText(std::uint32_t slots)
{
    return slots == 0 ? std::string("as many as there are") : "at most " + std::to_string(slots);
}

// The stricter of two, where 0 is no limit.
std::uint32_t stricter(std::uint32_t a, std::uint32_t b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

// "20/s"; nothing slower than one a second, since a rate is counted in seconds.
Result<std::uint32_t> perSecondOf(const std::string& text)
{
    std::uint32_t count = 0;
    const char* end = text.data() + text.size();
    const auto [stop, fault] = std::from_chars(text.data(), end, count);
    const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
    if (fault == std::errc() && count > 0 && unit == "/s")
        return count;
    if (fault == std::errc() && count >= 60 && unit == "/m")
        return count / 60;
    return makeError(ErrorKind::InvalidInput,
        "\"" + visibleLine(text)
            + "\" is no rate: give 20/s, 600/m (one a second at least), hold with the time until when, or "
              "none");
}

Status tellRuns(StoreReader& reader, Service& service, const ResourceRow& wanted, TimeMs now,
    std::vector<std::string>& lines)
{
    ListTerm term;
    term.resource = {wanted.name};
    term.unfinishedOnly = true;
    CAIRN_TRY_ASSIGN(const std::uint64_t count, reader.count({term}));
    lines.push_back(count == 0
            ? "no unfinished run stands at a step that calls it"
            : counted(count, "unfinished run stands", "unfinished runs stand") + " at a step that calls it");
    if (wanted.backOffUntil <= now)
        return {};
    CAIRN_TRY_ASSIGN(
        const RunPage page, reader.list({term}, ListOrder::AttentionThenOldest, std::nullopt, kRunsLooked));
    for (const ListRow& row : page.rows) {
        CAIRN_TRY_ASSIGN(const RunState state, service.load(row.run));
        if (const TimeMs deadline = state.deadline(); deadline != kNoTime && deadline <= wanted.backOffUntil)
            lines.push_back("the deadline of run " + toText(row.run) + ", " + formatInstant(deadline)
                + ", passes meanwhile");
    }
    if (count > page.rows.size())
        lines.push_back("deadlines of the other " + counted(count - page.rows.size(), "run", "runs")
            + " were not looked at");
    return {};
}

}  // namespace

Result<ResourceRow> resourceNamed(StoreReader& reader, std::string_view name)
{
    CAIRN_TRY_ASSIGN(const auto rows, reader.resources());
    for (const ResourceRow& row : rows)
        if (row.name == name)
            return row;
    ResourceRow none;
    none.name = name;
    return none;
}

Result<ResourceSaid> resourceSaid(StoreReader& reader, Service& service, std::string_view name)
{
    CAIRN_TRY_ASSIGN(const auto rows, reader.workflows(false));
    std::map<std::string, std::uint32_t> newest;
    for (const WorkflowRow& row : rows) {
        std::uint32_t& version = newest[row.name];
        version = std::max(version, row.version);
    }
    ResourceSaid said;
    for (const auto& [workflow, version] : newest) {
        const auto definition = service.definition(workflow, version);
        if (!definition)
            continue;
        for (const LimitDef& limit : definition->limits) {
            if (limit.resource != name)
                continue;
            said.slots = stricter(said.slots, limit.slots);
            const auto perSecond = static_cast<std::uint32_t>(
                std::max<std::int64_t>(1, limit.rate * 1'000LL / std::max<SpanMs>(limit.per, 1)));
            if (limit.rate > 0)
                said.permitsPerSecond = stricter(said.permitsPerSecond, perSecond);
        }
        for (const ToolDef& tool : definition->tools)
            if (tool.resource == name)
                said.named.push_back(workflow + "@" + std::to_string(version) + " " + tool.name);
    }
    return said;
}

Result<ResourceRow> wantedSlow(
    const SlowWish& wish, const ResourceRow& seen, const ResourceSaid& said, TimeMs now)
{
    if (seen.revision == 0 && said.named.empty())
        return makeError(ErrorKind::NotFound,
            "no workflow of this store names a resource \"" + visibleLine(seen.name)
                + "\", and none is stored: `cairn why` names the one that a run waits for");
    ResourceRow wanted = seen;
    wanted.backOffUntil = seen.askedByServer ? seen.backOffUntil : kNoTime;
    // No engine has put down yet what the workflows say, and none would where a limit stands already.
    if (seen.permitsPerSecond == 0 && seen.slots == 0) {
        wanted.permitsPerSecond = said.permitsPerSecond;
        wanted.slots = said.slots;
    }
    const bool holds = wish.rate == "hold";
    if (holds && wish.until.empty())
        return makeError(
            ErrorKind::InvalidInput, "hold needs the time until when: a span from now (10m) or an instant");
    if (!holds && !wish.until.empty())
        return makeError(ErrorKind::InvalidInput, "a time until when goes with hold only");
    if (wish.rate == "none") {
        wanted.permitsPerSecond = said.permitsPerSecond;
        wanted.slots = said.slots;
    } else if (holds) {
        CAIRN_TRY_ASSIGN(wanted.backOffUntil, typedInstant(wish.until, now));
        if (wanted.backOffUntil <= now)
            return makeError(
                ErrorKind::InvalidInput, "the time until when calls are held has passed: give a later one");
    } else {
        CAIRN_TRY_ASSIGN(wanted.permitsPerSecond, perSecondOf(wish.rate));
    }
    if (wish.slots)
        wanted.slots = *wish.slots;
    return wanted;
}

Result<std::vector<std::string>> tellSlow(StoreReader& reader, Service& service, const ResourceRow& seen,
    const ResourceRow& wanted, const ResourceSaid& said)
{
    const TimeMs now = service.now();
    const std::string name = visibleLine(wanted.name);
    std::vector<std::string> lines;
    if (wanted.permitsPerSecond != seen.permitsPerSecond)
        lines.push_back("calls to " + name + " begin " + rateText(wanted.permitsPerSecond)
            + ", by all engines (" + rateText(seen.permitsPerSecond) + " now)");
    if (wanted.slots != seen.slots)
        lines.push_back("calls to " + name + " under way at one time are " + slotsText(wanted.slots) + " ("
            + slotsText(seen.slots) + " now)");
    const bool asked = seen.askedByServer && seen.backOffUntil > std::max(now, wanted.backOffUntil);
    if (wanted.backOffUntil > now)
        lines.push_back("no call to " + name + " begins until " + formatInstant(wanted.backOffUntil)
            + "; what is under way goes on");
    else if (seen.backOffUntil > now && !asked)
        lines.push_back("calls to " + name + " begin again, which were held until "
            + formatInstant(seen.backOffUntil) + "; a step that was told to wait until then does");
    if (asked)
        lines.push_back("the provider itself asked for no calls until " + formatInstant(seen.backOffUntil)
            + ", and that stays");
    for (const std::string& tool : said.named)
        lines.push_back("it is called by " + visibleLine(tool));
    CAIRN_TRY(tellRuns(reader, service, wanted, now, lines));
    return lines;
}

}  // namespace cairn
