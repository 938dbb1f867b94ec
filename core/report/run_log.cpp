// Logs of runs from before Cairn, and whether an engine would have paid.

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/report/worth.h"

#include <algorithm>
#include <array>
#include <functional>

namespace cairn {

namespace {

struct OutcomeWord {
    std::string_view word;
    LogLine::Kind kind;
};
constexpr std::array kOutcomeWords{OutcomeWord{"completed", LogLine::Kind::Completed},
    OutcomeWord{"success", LogLine::Kind::Completed}, OutcomeWord{"succeeded", LogLine::Kind::Completed},
    OutcomeWord{"ok", LogLine::Kind::Completed}, OutcomeWord{"cancelled", LogLine::Kind::Cancelled},
    OutcomeWord{"canceled", LogLine::Kind::Cancelled}, OutcomeWord{"failed", LogLine::Kind::Lost},
    OutcomeWord{"error", LogLine::Kind::Lost}, OutcomeWord{"crashed", LogLine::Kind::Lost},
    OutcomeWord{"killed", LogLine::Kind::Lost}, OutcomeWord{"interrupted", LogLine::Kind::Lost},
    OutcomeWord{"lost", LogLine::Kind::Lost}, OutcomeWord{"timeout", LogLine::Kind::Lost}};

constexpr std::int64_t kMostCalls = 1'000'000'000'000;

Error wrong(std::string text) { return makeError(ErrorKind::InvalidInput, std::move(text)); }

Result<std::string_view> memberOf(const std::vector<JsonMember>& members, std::string_view name)
{
    for (const JsonMember& member : members)
        if (member.name == name)
            return member.value;
    return wrong("\"" + std::string(name) + "\" is missing");
}

Result<std::string> textOf(const std::vector<JsonMember>& members, std::string_view name)
{
    CAIRN_TRY_ASSIGN(const std::string_view slice, memberOf(members, name));
    const auto text = jsonString(slice);
    if (!text)
        return wrong("\"" + std::string(name) + "\" must be text");
    return *text;
}

Result<TimeMs> instantOf(const std::vector<JsonMember>& members, std::string_view name)
{
    CAIRN_TRY_ASSIGN(const std::string text, textOf(members, name));
    const auto instant = parseInstant(text);
    if (!instant)
        return wrong("\"" + std::string(name) + "\": " + instant.error().text);
    return *instant;
}

Result<std::int64_t> countOf(const std::vector<JsonMember>& members, std::string_view name)
{
    CAIRN_TRY_ASSIGN(const std::string_view slice, memberOf(members, name));
    const auto count = jsonInt(slice);
    if (!count || *count < 0 || *count > kMostCalls)
        return wrong("\"" + std::string(name) + "\" must be a whole number from 0 on");
    return *count;
}

bool isCurrency(std::string_view text)
{
    return text.size() == 3
        && std::all_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

Result<Money> amountOf(std::string_view slice, std::string currency)
{
    std::string text(jsonTrim(slice));
    if (jsonKind(slice) == JsonKind::String) {
        CAIRN_TRY_ASSIGN(text, jsonString(slice));
    } else if (jsonKind(slice) != JsonKind::Number) {
        return wrong(
            "\"cost\" must be an amount: a number, a decimal as text, or {\"amount\", \"currency\"}");
    }
    const auto micros = parseAmount(text);
    if (!micros || *micros < 0)
        return wrong("\"cost\": " + (micros ? std::string("it is negative") : micros.error().text));
    if (!isCurrency(currency))
        return wrong(currency.empty() ? "\"cost\" names no currency: give --currency, or write {\"amount\", "
                                        "\"currency\"}"
                                      : "\"currency\" must be three capital letters, as EUR");
    return Money{*micros, std::move(currency)};
}

Result<Money> costOf(const std::vector<JsonMember>& members, std::string_view currency)
{
    CAIRN_TRY_ASSIGN(const std::string_view slice, memberOf(members, "cost"));
    if (jsonKind(slice) == JsonKind::Null)
        return Money{};
    if (jsonKind(slice) != JsonKind::Object)
        return amountOf(slice, std::string(currency));
    CAIRN_TRY_ASSIGN(const auto parts, jsonObjectMembers(slice));
    CAIRN_TRY_ASSIGN(const std::string_view amount, memberOf(parts, "amount"));
    CAIRN_TRY_ASSIGN(std::string named, textOf(parts, "currency"));
    return amountOf(amount, std::move(named));
}

// Of a month, without an engine and with one.
void judge(LogReport& r)
{
    if (r.runs == 0) {
        r.needed = false;
        r.verdict = "there is no run in the log: nothing can be said";
    } else if (r.endedWithout == r.wanted) {
        r.needed = false;
        r.verdict = "no engine is needed: no run ended against anybody's will";
    } else if (r.month == Spent{}) {
        r.needed = false;
        r.verdict =
            "no engine is needed: the lost runs had made one call at most, and an engine keeps nothing of "
            "that; start them again";
    } else {
        Worth worth = worthOf(r.engine, r.month,
            "start lost runs again, where nothing that they do outside must not be done twice");
        r.needed = worth.needed;
        r.verdict = std::move(worth.verdict);
    }
}

void addFormulas(LogReport& r)
{
    if (r.runs == 0)
        return;
    const std::string period = formatSpan(std::max<SpanMs>(r.until - r.since, 1));
    r.formulas = {{"lost", "all that was spent by runs that ended without completing",
                      formatCount(static_cast<std::int64_t>(r.endedWithout)) + " of "
                          + formatCount(static_cast<std::int64_t>(r.runs)) + " runs: " + spentText(r.lost)},
        {"kept",
            "of each lost run that nobody cancelled: spent x (calls - 1) / calls, since only the call under "
            "way is made again",
            spentText(r.kept)},
        {"month", "kept x 30 days / length of the log",
            spentText(r.kept) + " x 30 d / " + period + " = " + spentText(r.month)}};
    const auto lost = static_cast<std::int64_t>(r.endedWithout - r.wanted);
    if (auto even =
            breakEven(r.engine, {"a lost run", "lost runs", lost}, r.kept, r.month, r.until - r.since))
        r.formulas.push_back(*std::move(even));
}

}  // namespace

Result<LogLine> parseLogLine(std::string_view line, std::string_view currency)
{
    CAIRN_TRY(validateJson(line, kInterpretedJson));
    if (jsonKind(line) != JsonKind::Object)
        return wrong("a line must be an object");
    CAIRN_TRY_ASSIGN(const auto members, jsonObjectMembers(line));
    LogLine out;
    CAIRN_TRY_ASSIGN(out.id, textOf(members, "id"));
    CAIRN_TRY_ASSIGN(out.started, instantOf(members, "started"));
    CAIRN_TRY_ASSIGN(out.ended, instantOf(members, "ended"));
    if (out.ended < out.started)
        return wrong("\"ended\" is before \"started\"");
    CAIRN_TRY_ASSIGN(out.outcome, textOf(members, "outcome"));
    const auto word = std::find_if(kOutcomeWords.begin(), kOutcomeWords.end(),
        [&](const OutcomeWord& each) { return each.word == out.outcome; });
    if (word == kOutcomeWords.end()) {
        std::string words;
        for (const OutcomeWord& each : kOutcomeWords)
            words += (words.empty() ? "" : ", ") + std::string(each.word);
        return wrong("\"outcome\" is \"" + visibleLine(clipped(out.outcome, 40)) + "\"; known are " + words);
    }
    out.kind = word->kind;
    CAIRN_TRY_ASSIGN(out.calls, countOf(members, "calls"));
    CAIRN_TRY_ASSIGN(out.tokens, countOf(members, "tokens"));
    CAIRN_TRY_ASSIGN(out.cost, costOf(members, currency));
    return out;
}

void LogSums::add(const LogLine& line)
{
    ++m_sums.runs;
    ++m_sums.outcomes[line.outcome];
    m_ids.push_back(std::hash<std::string>{}(line.id));
    m_sums.since = m_sums.since == kNoTime ? line.started : std::min(m_sums.since, line.started);
    m_sums.until = m_sums.until == kNoTime ? line.ended : std::max(m_sums.until, line.ended);
    Spent spent{line.calls, line.ended - line.started, {}};
    if (line.tokens > 0)
        spent.use("tokens", line.tokens);
    if (!line.cost.currency.empty())
        spent.use(line.cost.currency, line.cost.micros);
    if (!m_sums.longest || spent.worked > m_sums.longest->took)
        m_sums.longest = LongestRun{line.id, line.outcome, spent.worked, spent};
    if (line.kind == LogLine::Kind::Completed)
        return;
    ++m_sums.endedWithout;
    m_sums.lost.add(spent);
    if (line.kind == LogLine::Kind::Cancelled)
        ++m_sums.wanted;
    else if (line.calls > 1)
        m_sums.kept.add(spent.times(line.calls - 1, line.calls));
}

void LogSums::addBad(std::uint64_t number, std::string text)
{
    ++m_sums.bad;
    if (m_sums.badLines.size() < kBadLinesTold)
        m_sums.badLines.push_back({number, std::move(text)});
}

LogReport LogSums::report(const std::optional<Money>& engine) const
{
    LogReport out = m_sums;
    out.engine = engine;
    std::vector<std::uint64_t> ids = m_ids;
    std::sort(ids.begin(), ids.end());
    for (std::size_t i = 1; i < ids.size(); ++i)
        out.repeatedIds += ids[i] == ids[i - 1] ? 1 : 0;
    if (out.runs > 0)
        out.month = out.kept.times(kMonth, std::max<SpanMs>(out.until - out.since, 1));
    addFormulas(out);
    judge(out);
    if (out.repeatedIds > 0)
        out.remarks.push_back(formatCount(static_cast<std::int64_t>(out.repeatedIds))
            + " lines have the id of another line, and count as runs of their own");
    if (out.runs > 0 && out.until - out.since < SpanMs{24} * 3'600'000)
        out.remarks.push_back("the log is shorter than a day: the figures of a month are a guess");
    out.remarks.push_back(
        "a log does not say what was done outside: payments or messages that a lost run repeats "
        "when it is begun again are not in these figures");
    return out;
}

LogReport readLog(std::istream& in, std::string_view currency, const std::optional<Money>& engine)
{
    LogSums sums;
    std::string line;
    std::uint64_t number = 0;
    std::streambuf& bytes = *in.rdbuf();
    for (bool more = true; more;) {
        line.clear();
        std::size_t size = 0;
        int c = bytes.sbumpc();
        more = c != std::char_traits<char>::eof();
        for (; c != std::char_traits<char>::eof() && c != '\n'; c = bytes.sbumpc(), ++size)
            if (size < kLogLineLimit)
                line += static_cast<char>(c);
        if (!more)
            break;
        ++number;
        if (size > kLogLineLimit)
            sums.addBad(number, "the line is longer than 1 MiB");
        else if (!trimmed(line).empty()) {
            if (const auto parsed = parseLogLine(line, currency))
                sums.add(*parsed);
            else
                sums.addBad(number, parsed.error().text);
        }
    }
    return sums.report(engine);
}

}  // namespace cairn
