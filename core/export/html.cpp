#include "core/audit/second_person.h"
#include "core/base/text.h"
#include "core/export/views.h"

#include <initializer_list>

namespace cairn::exporting {

namespace {

constexpr std::size_t kPage = 500;

// No script runs and nothing is fetched, whatever the text says.
constexpr std::string_view kHead = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                                   "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src "
                                   "'none'; style-src 'unsafe-inline'\">\n"
                                   "<meta name=\"referrer\" content=\"no-referrer\">\n"
                                   "<meta name=\"viewport\" content=\"width=device-width\">\n<title>";
constexpr std::string_view kStyle =
    "</title>\n<style>\n"
    "body{font:10pt/1.4 system-ui,sans-serif;color:#111;background:#fff;margin:2em "
    "auto;max-width:62em;padding:0 1em}\n"
    "h1{font-size:16pt}h2{font-size:13pt;margin-top:2em;border-top:1px solid "
    "#888;padding-top:.6em}h3{font-size:11pt}\n"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.2em .5em;"
    "border-bottom:1px solid #ccc;overflow-wrap:anywhere}th{border-bottom:1px solid #555}\n"
    "td.n{text-align:right;white-space:nowrap}code{font:9pt ui-monospace,monospace;overflow-wrap:anywhere}\n"
    ".sentence{font-size:12pt;border-left:4px solid #555;padding:.3em .8em;margin:1em 0}\n"
    "@media print{body{margin:0;max-width:none;padding:0}h2{break-before:page}h2.first{break-before:auto}"
    "tr,h3{break-inside:avoid}thead{display:table-header-group}@page{margin:15mm}}\n"
    "</style></head><body>\n";

class Page {
public:
    Page(Query& query, const HtmlOptions& options, const Sink& sink)
        : m_query(query)
        , m_options(options)
        , m_sink(sink)
    {
    }

    Status write(std::span<const RunId> runs)
    {
        CAIRN_TRY_ASSIGN(const StoreInfo info, m_query.reader().info());
        CAIRN_TRY_ASSIGN(const TimeMs now, m_query.reader().now());
        CAIRN_TRY(m_sink(std::string(kHead) + htmlText(m_options.title) + std::string(kStyle)));
        CAIRN_TRY(m_sink("<h1>" + htmlText(m_options.title) + "</h1>\n<p>Written " + formatInstant(now)
            + " by " + htmlText(m_options.exporter) + " with " + htmlText(m_options.tool)
            + ", from the store <code>" + uuidText(info.id) + "</code> (" + htmlText(info.environment)
            + "). All times are UTC. Names of people are as they were claimed; a login is what the store "
              "vouches "
              "for.</p>\n"));
        bool first = true;
        for (const RunId& run : runs) {
            CAIRN_TRY(one(run, first));
            first = false;
        }
        return m_sink("</body></html>\n");
    }

private:
    Status one(const RunId& run, bool first)
    {
        CAIRN_TRY_ASSIGN(const RunView view, m_query.run(run));
        const RunState& s = view.state;
        std::string text = std::string("<h2") + (first ? " class=\"first\"" : "") + ">Run <code>"
            + toText(run) + "</code></h2>\n<p class=\"sentence\">" + htmlText(view.sentence.text)
            + "</p>\n<table>";
        text += fact("Workflow",
            s.workflow.name.empty() ? "driven by its caller"
                                    : s.workflow.name + "@" + std::to_string(s.workflow.version));
        if (!view.identity.key.empty())
            text += fact("Key", view.identity.key);
        text += fact("State",
            std::string(label(view.explanation.summary.activity)) + ", "
                + std::string(label(view.explanation.summary.attention)));
        text += fact("Started", formatInstant(s.startedAt));
        if (s.endedAt != kNoTime)
            text += fact("Ended", formatInstant(s.endedAt));
        for (const AttributeRow& attribute : view.attributes)
            text += fact(attribute.name, attribute.text);
        text += fact("Head of the chain", "version " + std::to_string(s.version) + ", " + hex(s.head))
            + "</table>\n";
        CAIRN_TRY(m_sink(text));
        CAIRN_TRY(costs(s));
        CAIRN_TRY(steps(s));
        CAIRN_TRY(approvals(s));
        CAIRN_TRY(history(run));
        return audit(run);
    }

    static std::string fact(const std::string& name, const std::string& value)
    {
        return "<tr><th>" + htmlText(name) + "</th><td>" + htmlText(value) + "</td></tr>\n";
    }
    static std::string head(const char* title, std::initializer_list<const char*> names)
    {
        std::string text = std::string("<h3>") + title + "</h3>\n<table><thead><tr>";
        for (const char* name : names)
            text += std::string("<th>") + name + "</th>";
        return text + "</tr></thead><tbody>\n";
    }
    static std::string cells(std::initializer_list<std::string> values)
    {
        std::string text = "<tr>";
        for (const std::string& value : values)
            text += "<td>" + htmlText(value) + "</td>";
        return text + "</tr>\n";
    }
    static std::string amount(std::int64_t value, const std::string& unit)
    {
        return unit.size() == 3 ? formatMoney(value, unit) : formatCount(value) + " " + unit;
    }

    Status costs(const RunState& s)
    {
        if (s.budget.empty())
            return {};
        std::string text = head("Costs", {"Unit", "Used", "Reserved", "Limit"});
        for (const BudgetLine& line : s.budget)
            text += cells({line.unit, amount(line.used, line.unit), amount(line.reserved, line.unit),
                amount(line.limit, line.unit)});
        return m_sink(text + "</tbody></table>\n");
    }

    Status steps(const RunState& s)
    {
        CAIRN_TRY(m_sink(
            head("Steps", {"Step", "Tool", "State", "Attempts", "Started", "Ended", "At stake", "Result"})));
        for (const StepRecord& step : s.steps)
            CAIRN_TRY(m_sink(cells({step.id, step.tool,
                std::string(label(step.state))
                    + (step.reason == Reason::None ? std::string() : ": " + std::string(label(step.reason))),
                std::to_string(step.attempts), instant(step.firstStartedAt), instant(step.endedAt),
                step.amount.currency.empty() ? std::string()
                                             : formatMoney(step.amount.micros, step.amount.currency),
                step.output ? hex(step.output.hash).substr(0, 16) + ", " + formatBytes(step.output.size)
                            : std::string()})));
        return m_sink("</tbody></table>\n");
    }
    static std::string instant(TimeMs time) { return time == kNoTime ? std::string() : formatInstant(time); }

    Status approvals(const RunState& s)
    {
        if (s.approvals.empty())
            return {};
        std::string text = head(
            "Approvals", {"Step", "State", "Role", "Asked", "Decided", "By", "Digest of what was asked"});
        for (const ApprovalRecord& a : s.approvals) {
            std::string by;
            for (const Consent& consent : a.consents)
                by += (by.empty() ? "" : ", ") + person(consent.by) + " at " + instant(consent.at);
            if (a.state == ApprovalState::Rejected)
                by += (by.empty() ? "" : "; rejected by ") + person(a.decidedBy);
            text += cells(
                {a.step < s.steps.size() ? s.steps[a.step].id : std::string(), std::string(label(a.state)),
                    a.role, instant(a.askedAt), instant(a.decidedAt), by, hex(a.binding)});
        }
        return m_sink(text + "</tbody></table>\n");
    }
    static std::string person(const Actor& actor)
    {
        return actor.id + (actor.login.empty() ? "" : " (" + actor.login + ")");
    }

    Status history(const RunId& run)
    {
        CAIRN_TRY(m_sink(head("History", {"Version", "Time", "By", "What", "Reason", "Hash"})));
        for (std::uint64_t from = 1;;) {
            CAIRN_TRY_ASSIGN(const auto items, m_query.history(run, from, kPage));
            if (items.empty())
                return m_sink("</tbody></table>\n");
            for (const HistoryItem& item : items)
                CAIRN_TRY(m_sink(cells({std::to_string(item.entry.version), formatInstantMs(item.entry.time),
                    item.entry.actor.kind == ActorKind::Engine ? "engine" : item.entry.actor.id, item.line,
                    item.reason, hex(item.hash).substr(0, 16)})));
            from = items.back().entry.version + 1;
        }
    }

    Status audit(const RunId& run)
    {
        const auto rows = m_query.reader().auditOfRun(run);
        if (!rows && rows.error().kind == ErrorKind::NoRight)
            return m_sink("<h3>Audit</h3>\n<p>Not for the login that wrote this page.</p>\n");
        CAIRN_TRY(rows);
        if (rows->empty())
            return m_sink("<h3>Audit</h3>\n<p>No person acted on this run.</p>\n");
        CAIRN_TRY(m_sink(
            head("Audit", {"Number", "Time", "Act", "By", "Login", "Second person", "Reason", "Hash"})));
        cairn::audit::SecondPeople seconds(m_query.reader());
        for (const AuditRow& act : *rows) {
            CAIRN_TRY_ASSIGN(const auto second, seconds.of(act));
            CAIRN_TRY(m_sink(cells({std::to_string(act.seq), formatInstant(act.time),
                act.kind + " " + std::string(key(act.verb)) + (act.target.empty() ? "" : " " + act.target),
                act.actor, act.login, label(second), act.reason, hex(act.hash)})));
        }
        return m_sink("</tbody></table>\n");
    }

    Query& m_query;
    const HtmlOptions& m_options;
    const Sink& m_sink;
};

}  // namespace

std::string htmlText(std::string_view text)
{
    std::string out;
    for (const char c : visible(text)) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += c;
        }
    }
    return out;
}

Status writeHtml(Query& query, std::span<const RunId> runs, const HtmlOptions& options, const Sink& sink)
{
    return Page(query, options, sink).write(runs);
}

}  // namespace cairn::exporting
