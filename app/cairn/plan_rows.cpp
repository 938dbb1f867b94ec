#include "app/cairn/plan_rows.h"

#include "app/cairn/cli.h"
#include "core/base/text.h"
#include "core/plan/fate.h"
#include "core/plan/words.h"

namespace cairn::cli {

namespace {

std::string number(std::uint64_t count) { return formatCount(static_cast<std::int64_t>(count)); }

Json jsonPace(const PlanPace& p)
{
    return {{"rate_per_minute", p.rate}, {"ramp_from_per_minute", p.rampFrom}, {"ramp_ms", p.ramp},
        {"jitter_percent", p.jitter}, {"canary", p.canary}, {"canary_wait_ms", p.canaryWait},
        {"stop_over_percent", p.stopOver}, {"verify_ms", p.verify}};
}

Json jsonPlan(const PlanRow& row)
{
    Json json{{"plan", toText(row.id)}, {"state", key(row.state)}, {"verb", key(row.verb)},
        {"items", row.items}, {"digest", hex(row.digest)}, {"login", jsonText(row.login)},
        {"actor", jsonOptional(row.actor)}, {"reason", jsonOptional(row.reason)},
        {"staged", jsonTime(row.stagedAt)}, {"expires", jsonTime(row.expiresAt)}, {"people", row.people},
        {"role", jsonOptional(row.role)}, {"confirmed_by", jsonOptional(row.confirmedBy)},
        {"confirmed", jsonTime(row.confirmedAt)}, {"started", jsonTime(row.startedAt)},
        {"executed", jsonTime(row.executedAt)}, {"ended", jsonTime(row.endedAt)}, {"aborted", row.aborted},
        {"note", jsonOptional(row.note)}};
    if (const auto spec = decodeSpec(row.spec)) {
        json["filter"] = jsonOptional(spec->filter);
        json["step"] = jsonOptional(spec->step);
        json["pace"] = jsonPace(spec->pace);
    }
    return json;
}

std::string headOf(const PlanRow& row)
{
    return "plan " + toText(row.id) + ": " + std::string(key(row.verb)) + " of " + number(row.items)
        + (row.items == 1 ? " run, " : " runs, ") + standingOf(row);
}

// --- previews

Json jsonLines(const PlanLines& all)
{
    Json lines = Json::array();
    for (const PlanLine& line : all.lines) {
        Json amounts = Json::array();
        for (const auto& [currency, micros] : line.amount)
            amounts.push_back(jsonMoney({micros, currency}));
        lines.push_back({{"text", jsonText(line.text)}, {"runs", line.runs}, {"count", line.count},
            {"amounts", amounts}});
    }
    return {{"runs", all.runs}, {"lines", lines}, {"more", all.more}};
}

Json jsonLeft(const std::vector<PlanLeft>& left)
{
    Json list = Json::array();
    for (const PlanLeft& each : left)
        list.push_back(
            {{"run", toText(each.run)}, {"left_out", key(each.leftOut)}, {"why", jsonText(each.why)}});
    return list;
}

Json jsonUnits(const std::map<std::string, std::int64_t>& amounts)
{
    Json list = Json::array();
    for (const auto& [unit, amount] : amounts)
        list.push_back({{"unit", jsonText(unit)},
            {"amount", unit.size() == 3 ? formatAmount(amount, unit) : std::to_string(amount)}});
    return list;
}

Json jsonPreview(const PlanPreview& p)
{
    Json leftOut = Json::object(), resources = Json::array();
    for (const PlanLeftOut why : kLeftOutBefore)
        leftOut[std::string(key(why))] = p.of(why);
    for (const auto& [name, runs] : p.resources)
        resources.push_back({{"resource", jsonText(name)}, {"runs", runs}});
    return {{"targets", p.targets}, {"included", p.included}, {"blocked", p.blocked()},
        {"uncertain", p.uncertain}, {"uncertain_runs", jsonLeft(p.uncertainRuns)}, {"left_out", leftOut},
        {"left_out_runs", jsonLeft(p.left)}, {"will_happen", jsonLines(p.willHappen)},
        {"will_not_repeat", jsonLines(p.notRepeated)}, {"may_repeat", jsonLines(p.mayRepeat)},
        {"also_changes", jsonLines(p.alsoChanges)}, {"cost", jsonUnits(p.cost)},
        {"at_stake", jsonUnits(p.atStake)}, {"resources", resources}, {"estimate_ms", p.estimate},
        {"undo",
            {{"possible", p.undo.possible}, {"verb", p.undo.by ? Json(key(*p.undo.by)) : Json()},
                {"text", p.undo.text}}}};
}

void printLines(Session& s, const char* heading, const PlanLines& all)
{
    s.line("  " + std::string(heading) + " " + number(all.runs) + (all.runs == 1 ? " run" : " runs"));
    for (const PlanLine& line : all.lines) {
        std::string text = "    " + number(line.runs) + " x  " + line.text;
        if (line.count > 0)
            text += "; " + number(line.count) + " in all";
        for (const auto& [currency, micros] : line.amount)
            text += "; " + formatMoney(micros, currency) + " in all";
        s.line(text);
    }
    if (all.more > 0)
        s.line("    and " + number(all.more) + " more");
}

void printLeft(Session& s, const std::vector<PlanLeft>& left, std::uint64_t all)
{
    for (const PlanLeft& each : left)
        s.line("    " + toText(each.run) + "  " + each.why);
    if (all > left.size())
        s.line("    and " + number(all - left.size()) + " more");
}

void printPreviewLines(Session& s, const PlanSpec& spec, const PlanPreview& p)
{
    s.line("  " + number(p.included) + " of " + number(p.targets) + " runs would be changed");
    printLines(s, "will happen in", p.willHappen);
    printLines(s, "will not be repeated, in", p.notRepeated);
    printLines(s, "may be repeated, in", p.mayRepeat);
    printLines(s, "will also change, in", p.alsoChanges);
    if (p.blocked()) {
        s.line("  BLOCKED: in " + number(p.uncertain)
            + " runs an effect may happen twice; settle them, or --leave-out-uncertain");
        printLeft(s, p.uncertainRuns, p.uncertain);
    }
    std::string left = "  left out " + number(p.targets - p.included) + ":";
    for (const PlanLeftOut why : kLeftOutBefore)
        left += " " + std::string(label(why)) + " " + number(p.of(why)) + ",";
    left.pop_back();
    s.line(left);
    printLeft(s, p.left, p.targets - p.included);
    for (const auto& [unit, amount] : p.cost)
        s.line("  costs at most "
            + (unit.size() == 3 ? formatMoney(amount, unit) : formatCount(amount) + " " + unit));
    std::string load = spec.pace.rate == 0
        ? std::string("  load: as fast as it goes")
        : "  load: " + number(spec.pace.rate) + " a minute, about " + formatSpan(p.estimate);
    for (const auto& [name, runs] : p.resources)
        load += "; " + number(runs) + " wait for " + name;
    s.line(load);
    s.line("  undo: " + p.undo.text);
}

// --- outcomes

struct Outcomes {
    std::array<std::uint64_t, 6> items{};                // by PlanItemState
    std::array<std::uint64_t, kLeftOutKinds> leftOut{};  // of those without an act
    PlanFates fates;
};

Result<Outcomes> outcomesOf(StoreReader& store, const PlanRow& row)
{
    Outcomes out;
    CAIRN_TRY_ASSIGN(const auto counts, store.planCounts(row.id));
    for (const PlanCount& count : counts) {
        out.items[static_cast<std::size_t>(count.state)] += count.count;
        out.leftOut[static_cast<std::size_t>(count.leftOut)] += count.count;
        if (row.state == PlanState::Closed)
            out.fates.count[static_cast<std::size_t>(count.fate)] += count.count;
    }
    if (row.state == PlanState::Closed)
        return out;
    CAIRN_TRY_ASSIGN(out.fates, readFates(store, row.id, row.verb, kNoTime, 0));
    return out;
}

constexpr PlanItemState kItemStates[] = {PlanItemState::Open, PlanItemState::Done, PlanItemState::Skipped,
    PlanItemState::Stale, PlanItemState::Failed};
constexpr PlanFate kFates[] = {
    PlanFate::Moved, PlanFate::Finished, PlanFate::Again, PlanFate::NotYet, PlanFate::Unknown};

Json jsonItem(const PlanItem& item)
{
    return {{"place", item.ord}, {"run", toText(item.run)}, {"step", jsonOptional(item.target)},
        {"seen", item.seen}, {"outcome", key(item.state)}, {"left_out", jsonOptional(key(item.leftOut))},
        {"why", jsonOptional(item.why)}, {"version", item.version}, {"done", jsonTime(item.doneAt)},
        {"fate", jsonOptional(key(item.fate))}};
}

void printOutcomes(Session& s, const PlanRow& row, const Outcomes& outcomes)
{
    std::string items = "  outcomes:", fates = "  became of them:", left = "  without an act:";
    for (const PlanItemState state : kItemStates)
        items += " " + std::string(key(state)) + " " + number(outcomes.items[static_cast<std::size_t>(state)])
            + ",";
    for (const PlanFate fate : kFates)
        fates += " " + std::string(label(fate)) + " " + number(outcomes.fates.of(fate)) + ",";
    for (std::size_t why = 1; why < outcomes.leftOut.size(); ++why)
        if (outcomes.leftOut[why] > 0)
            left += " " + std::string(label(static_cast<PlanLeftOut>(why))) + " "
                + number(outcomes.leftOut[why]) + ",";
    for (std::string* line : {&items, &fates, &left})
        line->pop_back();
    s.line(items);
    if (left != "  without an act")
        s.line(left);
    s.line(fates);
    if (row.state == PlanState::Verifying)
        if (const auto spec = decodeSpec(row.spec); spec && row.executedAt != kNoTime)
            s.line("  looked after until " + formatInstant(row.executedAt + spec->pace.verify));
}

}  // namespace

void printPlanRow(Session& s, const PlanRow& row) { s.answer(dump(jsonPlan(row)), headOf(row)); }

int printPlanPreview(
    Session& s, const PlanRow& row, const PlanSpec& spec, const PlanPreview& preview, bool nothingWritten)
{
    const bool wanting = preview.blocked() || preview.included == 0;
    if (s.options.json) {
        Json json = jsonPlan(row);
        json["preview"] = nothingWritten;
        json.update(jsonPreview(preview));
        s.json(dump(json));
    } else {
        s.line(nothingWritten ? std::string(key(row.verb)) + ": preview, nothing is written" : headOf(row));
        printPreviewLines(s, spec, preview);
        s.line("  digest " + hex(row.digest));
        if (row.people > 1)
            s.line(
                "  needs a second person" + (row.role.empty() ? std::string() : " of the role " + row.role));
    }
    return wanting ? kRefused : kDone;
}

int showPlan(Session& s, const PlanId& plan, const PlanPage& page)
{
    const auto row = s.store().plan(plan);
    if (!row)
        return s.fail(row.error());
    if (!*row)
        return s.fail(kNotFound, "there is no plan " + toText(plan));
    const auto outcomes = outcomesOf(s.store(), **row);
    if (!outcomes)
        return s.fail(outcomes.error());
    const auto items = s.store().planItems(plan, page.after, page.limit, {});
    if (!items)
        return s.fail(items.error());
    if (s.options.json) {
        Json json = jsonPlan(**row), counts = Json::object(), fates = Json::object(), list = Json::array();
        for (const PlanItemState state : kItemStates)
            counts[std::string(key(state))] = outcomes->items[static_cast<std::size_t>(state)];
        for (const PlanFate fate : kFates)
            fates[std::string(key(fate))] = outcomes->fates.of(fate);
        for (const PlanItem& item : *items)
            list.push_back(jsonItem(item));
        json["outcomes"] = counts;
        json["fates"] = fates;
        json["runs"] = list;
        s.json(dump(json));
        return kDone;
    }
    s.line(headOf(**row));
    printOutcomes(s, **row, *outcomes);
    for (const PlanItem& item : *items)
        s.line("  " + pad(std::to_string(item.ord), 6) + " " + toText(item.run) + "  "
            + pad(std::string(key(item.state)), 8)
            + (item.fate == PlanFate::None ? "" : " " + std::string(label(item.fate)))
            + (item.why.empty() ? "" : "  " + item.why));
    return kDone;
}

}  // namespace cairn::cli
