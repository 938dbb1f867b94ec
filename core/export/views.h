#pragma once
// Runs for people and programs that have no Cairn: tables as CSV, a page as HTML, traces as OTLP JSON. Made
// from a store's reader alone, run by run. What runs hold is hostile: nothing of it can become a formula,
// markup or a line of its own. One thread; all calls block.

#include "core/audit/second_person.h"
#include "core/query/query.h"

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace cairn::exporting {

using Sink = std::function<Status(std::string_view)>;

// --- CSV (RFC 4180: CRLF, quotes where they are needed)

// One cell. A text that a spreadsheet would take for a formula (it begins with = + - @, in either width, a
// tab or a line break, also after blanks) gets an apostrophe before it, unless it is a number: numbers stay
// numbers. The same for people who get a table, who are told with each.
inline constexpr std::string_view kCsvRule =
    "a table is to be looked at in a spreadsheet: texts that it would take for formulas have an apostrophe "
    "before them, and numbers stay numbers; a bundle has everything exactly as it is stored";
[[nodiscard]] std::string csvCell(std::string_view text);

enum class CsvTable : std::uint8_t { History, Steps, Audit };
inline constexpr std::string_view kAuditCsvHead =
    "run,seq,time,kind,verb,actor,login,uid,host,target,reason,before,after,hash,second,second_login\r\n";
[[nodiscard]] Status auditCsvRow(const AuditRow& act, const audit::SecondPerson& second, const Sink& sink);
[[nodiscard]] Status writeCsv(Query& query, std::span<const RunId> runs, CsvTable table, const Sink& sink);

// --- HTML: one file, without scripts or anything to be fetched; prints well

[[nodiscard]] std::string htmlText(std::string_view text);  // escaped, and made visible
struct HtmlOptions {
    std::string title;
    std::string tool;
    std::string exporter;
};
[[nodiscard]] Status writeHtml(
    Query& query, std::span<const RunId> runs, const HtmlOptions& options, const Sink& sink);

// --- OpenTelemetry: OTLP/JSON traces with the attributes of the GenAI conventions

// The trace of a run's tree, and the spans of a run and of a step: the same for ever. Attempts have the span
// that the store gave them.
[[nodiscard]] std::string traceIdOf(const RunId& root);
[[nodiscard]] std::string spanIdOf(const RunId& run, std::string_view step = {});
[[nodiscard]] Status writeOtlp(
    Query& query, std::span<const RunId> runs, const std::string& tool, const Sink& sink);

}  // namespace cairn::exporting
