#include "core/audit/second_person.h"
#include "core/base/text.h"
#include "core/export/views.h"

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace cairn::exporting {

namespace {

constexpr std::size_t kPage = 500;

bool isDigit(char c) { return c >= '0' && c <= '9'; }

// -12, 4860.00, 1e9: what a spreadsheet reads as a number, and nothing else.
bool isNumber(std::string_view text)
{
    const auto digits = [&] {
        const std::size_t before = text.size();
        while (!text.empty() && isDigit(text.front()))
            text.remove_prefix(1);
        return text.size() != before;
    };
    if (!text.empty() && (text.front() == '-' || text.front() == '+'))
        text.remove_prefix(1);
    if (!digits())
        return false;
    if (!text.empty() && text.front() == '.') {
        text.remove_prefix(1);
        if (!digits())
            return false;
    }
    if (!text.empty() && (text.front() == 'e' || text.front() == 'E')) {
        text.remove_prefix(1);
        if (!text.empty() && (text.front() == '-' || text.front() == '+'))
            text.remove_prefix(1);
        if (!digits())
            return false;
    }
    return text.empty();
}

// Without what some programs leave out at the beginning of a cell: blanks, also those that do not break, the
// mark of the byte order, and NUL.
std::string_view withoutLead(std::string_view text)
{
    static constexpr std::string_view kLead[] = {" ", "\xC2\xA0", "\xEF\xBB\xBF", std::string_view("\0", 1)};
    for (bool again = true; again;) {
        again = false;
        for (const std::string_view lead : kLead)
            if (text.starts_with(lead)) {
                text.remove_prefix(lead.size());
                again = true;
            }
    }
    return text;
}

// Also in the full width of East Asian text, which some spreadsheets take for the same, and after a line
// break, which some leave out. `text`: without its lead.
bool beginsAFormula(std::string_view text)
{
    static constexpr std::string_view kPlain = "=+-@\t\r\n";
    static constexpr std::string_view kWide[] = {
        "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\x8D", "\xEF\xBC\xA0"};
    if (text.empty())
        return false;
    return kPlain.find(text.front()) != std::string_view::npos
        || std::any_of(std::begin(kWide), std::end(kWide),
            [&](std::string_view sign) { return text.starts_with(sign); });
}

Status row(const Sink& sink, std::initializer_list<std::string> cells)
{
    std::string line;
    for (const std::string& cell : cells)
        line += (line.empty() ? "" : ",") + csvCell(cell);
    return sink(line + "\r\n");
}

std::string when(TimeMs time) { return time == kNoTime ? std::string() : formatRfc3339(time); }

Status history(Query& query, const RunId& run, const Sink& sink)
{
    for (std::uint64_t from = 1;;) {
        CAIRN_TRY_ASSIGN(const auto items, query.history(run, from, kPage));
        if (items.empty())
            return {};
        for (const HistoryItem& item : items)
            CAIRN_TRY(row(sink,
                {toText(run), std::to_string(item.entry.version), when(item.entry.time),
                    std::string(key(item.entry.verb)), std::string(key(item.entry.actor.kind)),
                    item.entry.actor.id, item.entry.actor.login, item.line, item.reason, hex(item.hash)}));
        from = items.back().entry.version + 1;
    }
}

Status steps(Query& query, const RunId& run, const Sink& sink)
{
    CAIRN_TRY_ASSIGN(const RunView view, query.run(run));
    for (const StepRecord& step : view.state.steps)
        CAIRN_TRY(row(sink,
            {toText(run), step.id, step.tool, step.agent, std::string(key(step.kind)),
                std::string(key(step.state)),
                step.reason == Reason::None ? std::string() : std::string(key(step.reason)),
                std::to_string(step.attempts), std::to_string(step.failures), when(step.readyAt),
                when(step.firstStartedAt), when(step.endedAt),
                step.amount.currency.empty() ? std::string()
                                             : formatAmount(step.amount.micros, step.amount.currency),
                step.amount.currency, step.output ? hex(step.output.hash) : std::string()}));
    return {};
}

Status acts(Query& query, audit::SecondPeople& seconds, const RunId& run, const Sink& sink)
{
    CAIRN_TRY_ASSIGN(const auto rows, query.reader().auditOfRun(run));
    for (const AuditRow& act : rows) {
        CAIRN_TRY_ASSIGN(const audit::SecondPerson second, seconds.of(act));
        CAIRN_TRY(auditCsvRow(act, second, sink));
    }
    return {};
}

}  // namespace

Status auditCsvRow(const AuditRow& act, const audit::SecondPerson& second, const Sink& sink)
{
    return row(sink,
        {act.run.isNull() ? std::string() : toText(act.run), std::to_string(act.seq), when(act.time),
            act.kind, std::string(key(act.verb)), act.actor, act.login, std::to_string(act.uid), act.host,
            act.target, act.reason, act.before, act.after, hex(act.hash),
            std::string(audit::key(second.kind)), second.login});
}

std::string csvCell(std::string_view text)
{
    std::string cell;
    if (const std::string_view bare = withoutLead(text); beginsAFormula(bare) && !isNumber(bare))
        cell = "'";
    cell += text;
    const bool quotes = cell.find_first_of(",\"\r\n") != std::string::npos
        || (!cell.empty() && (cell.front() == ' ' || cell.back() == ' '));
    if (!quotes)
        return cell;
    std::string out = "\"";
    for (const char c : cell)
        out += c == '"' ? std::string("\"\"") : std::string(1, c);
    return out + "\"";
}

Status writeCsv(Query& query, std::span<const RunId> runs, CsvTable table, const Sink& sink)
{
    switch (table) {
    case CsvTable::History:
        CAIRN_TRY(sink("run,version,time,verb,actor_kind,actor,login,what,reason,hash\r\n"));
        break;
    case CsvTable::Steps:
        CAIRN_TRY(sink(
            "run,step,tool,agent,kind,state,reason,attempts,failures,ready,started,ended,amount,currency,"
            "result_hash\r\n"));
        break;
    case CsvTable::Audit: CAIRN_TRY(sink(kAuditCsvHead)); break;
    }
    audit::SecondPeople seconds(query.reader());
    for (const RunId& run : runs)
        CAIRN_TRY(table == CsvTable::History ? history(query, run, sink)
                : table == CsvTable::Steps   ? steps(query, run, sink)
                                             : acts(query, seconds, run, sink));
    return {};
}

}  // namespace cairn::exporting
