// The filter language: terms joined by blanks (and) and `or`, `-` for not, quotes for text, `|` between
// values.

#include "core/base/text.h"
#include "core/definition/text_values.h"
#include "core/query/query.h"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

constexpr SpanMs kDay = 86'400'000;

// Other words for the same reason, as the console's texts use them.
constexpr std::pair<std::string_view, Reason> kReasonWords[] = {
    {"uncertain", Reason::OutcomeUnknown},
    {"unknown", Reason::OutcomeUnknown},
    {"conflict", Reason::EffectKeyConflict},
    {"no_worker", Reason::Worker},
    {"exhausted", Reason::AttemptsExhausted},
    {"mismatch", Reason::Incompatible},
    {"backoff", Reason::Retry},
    {"back_off", Reason::Retry},
    {"throttled", Reason::Resource},
    {"limit", Reason::Capacity},
    {"lock", Reason::Capacity},
    {"event", Reason::Signal},
    {"same_effect", Reason::EffectInFlight},
    {"worker_lost", Reason::Lease},
};

// Fields of the language that no store can answer yet, and what to ask instead.
constexpr std::pair<std::string_view, std::string_view> kNotYet[] = {
    {"store", "this list is of one store: name another with --store"},
    {"tokens", "lists do not keep what a run used; `cairn show RUN` tells it of a run with a budget"},
    {"cost",
        "lists do not keep what a run used; money:>500 asks for the amount at stake, and `cairn show RUN` "
        "tells what was used of a budget"},
};

struct Token {
    std::size_t offset = 0;
    std::size_t length = 0;
    bool negated = false;
    std::string field;   // lower case; empty: a bare word
    char separator = 0;  // ':' or '='
    std::vector<std::string> values;
    std::size_t valueAt = 0;  // offset of the value
    bool quoted = false;
};

std::string lowered(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z')
            c = static_cast<char>(c - 'A' + 'a');
    return out;
}

std::string wordKey(std::string_view text)
{
    std::string out = lowered(text);
    std::replace(out.begin(), out.end(), '-', '_');
    std::replace(out.begin(), out.end(), ' ', '_');
    return out;
}

template<typename Enum> std::optional<Enum> parseWord(std::string_view text)
{
    const std::string wanted = wordKey(text);
    for (const Word& w : words<Enum>())
        if (w.key == wanted || wordKey(w.label) == wanted)
            return static_cast<Enum>(w.value);
    return std::nullopt;
}

template<typename Enum> std::string allKeys()
{
    std::string out;
    for (const Word& w : words<Enum>())
        out += (out.empty() ? "" : ", ") + std::string(w.key);
    return out;
}

class Parser {
public:
    Parser(std::string_view text, TimeMs now)
        : m_text(text)
        , m_now(now)
    {
    }

    ParsedFilter parse()
    {
        ParsedFilter result;
        ListTerm term;
        bool any = false;
        while (!m_error && skipBlanks()) {
            const Token token = next();
            if (m_error)
                break;
            if (isOrWord(token)) {
                if (!any)
                    fail(token.offset, token.length, "\"or\" stands between two terms");
                result.filter.push_back(std::move(term));
                term = {};
                any = false;
                m_or = token;
                continue;
            }
            any = true;
            addTerm(term, token);
        }
        if (!m_error && !any && m_or.length > 0)
            fail(m_or.offset, m_or.length, "\"or\" stands between two terms");
        if (any)
            result.filter.push_back(std::move(term));
        if (m_error)
            result.filter.clear();
        result.error = std::move(m_error);
        return result;
    }

    std::vector<FilterPlace> places()
    {
        std::vector<FilterPlace> all;
        std::size_t alternative = 0;
        while (skipBlanks()) {
            Token t = next();
            const bool isOr = isOrWord(t);
            alternative += isOr ? 1 : 0;
            all.push_back({t.offset, t.length, t.valueAt, alternative, t.negated, isOr, std::move(t.field),
                std::move(t.values)});
        }
        return all;
    }

private:
    static bool isOrWord(const Token& t)
    {
        return t.field.empty() && !t.quoted && !t.negated && lowered(t.values.front()) == "or";
    }
    void fail(std::size_t offset, std::size_t length, std::string text)
    {
        if (!m_error)
            m_error = FilterError{offset, length, std::move(text)};
    }
    void failValue(const Token& t, std::string text)
    {
        fail(t.valueAt, t.offset + t.length - t.valueAt, std::move(text));
    }

    bool skipBlanks()
    {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\t' || m_text[m_at] == '\n'))
            ++m_at;
        return m_at < m_text.size();
    }
    // Up to a blank or one of `stops`; quotes keep all of them. \" and \\ inside quotes.
    std::string part(std::string_view stops, bool& quoted)
    {
        std::string out;
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == ' ' || c == '\t' || c == '\n' || stops.find(c) != std::string_view::npos)
                break;
            if (c != '"') {
                out += c;
                ++m_at;
                continue;
            }
            quoted = true;
            const std::size_t open = m_at++;
            while (m_at < m_text.size() && m_text[m_at] != '"') {
                if (m_text[m_at] == '\\' && m_at + 1 < m_text.size())
                    ++m_at;
                out += m_text[m_at++];
            }
            if (m_at == m_text.size()) {
                fail(open, m_text.size() - open, "the quote is not closed: add \" at the end");
                return out;
            }
            ++m_at;
        }
        return out;
    }
    Token next()
    {
        Token t;
        t.offset = m_at;
        if (m_text[m_at] == '-' && m_at + 1 < m_text.size()) {
            t.negated = true;
            ++m_at;
        }
        bool quotedField = false;
        std::string first = part(":=", quotedField);
        if (m_at < m_text.size() && (m_text[m_at] == ':' || m_text[m_at] == '=') && !quotedField) {
            t.separator = m_text[m_at];
            ++m_at;
            t.field = lowered(first.substr(0, 5)) == "attr." ? "attr." + first.substr(5) : lowered(first);
            t.valueAt = m_at;
            do {
                t.values.push_back(part("|", t.quoted));
            } while (m_at < m_text.size() && m_text[m_at] == '|' && ++m_at <= m_text.size());
        } else {
            t.quoted = quotedField;
            t.valueAt = t.offset;
            t.values.push_back(std::move(first));
        }
        t.length = m_at - t.offset;
        return t;
    }

    void addTerm(ListTerm& term, const Token& t)
    {
        if (t.field.empty()) {
            const std::string& word = t.values.front();
            fail(t.offset, t.length,
                "\"" + visibleLine(word) + "\" names no field; write for example key:" + visibleLine(word)
                    + " or step:" + visibleLine(word) + ". Fields: " + fieldList());
            return;
        }
        for (const std::string& value : t.values)
            if (value.empty()) {
                failValue(t, t.field + " needs a value: " + helpFor(t.field));
                return;
            }
        if (t.field.rfind("attr.", 0) == 0)
            attribute(term, t);
        else if (!words(term, t) && !texts(term, t) && !places(term, t) && !times(term, t) && !money(term, t))
            unknownField(t);
    }

    template<typename Enum> void wordsOf(const Token& t, std::vector<Enum>& positive,
        std::vector<Enum>& negative, std::optional<Enum> (*parseOne)(std::string_view))
    {
        auto& into = t.negated ? negative : positive;
        if (!t.negated && !into.empty()) {
            fail(t.offset, t.length,
                t.field + " is given twice, and no run can have both; join values by |, as in " + t.field
                    + ":a|b");
            return;
        }
        for (const std::string& value : t.values) {
            const auto word = parseOne(value);
            if (!word) {
                failValue(
                    t, "\"" + visibleLine(value) + "\" is no " + t.field + "; one of: " + allKeys<Enum>());
                return;
            }
            into.push_back(*word);
        }
    }
    static std::optional<Reason> reasonWord(std::string_view text)
    {
        for (const auto& [word, reason] : kReasonWords)
            if (word == wordKey(text))
                return reason;
        return parseWord<Reason>(text);
    }
    static std::optional<Activity> activityWord(std::string_view text)
    {
        return wordKey(text) == "running" ? Activity::Executing : parseWord<Activity>(text);
    }
    static std::optional<Attention> attentionWord(std::string_view text)
    {
        if (wordKey(text) == "uncertain")
            return Attention::UnknownEffect;
        return wordKey(text) == "nobody" ? Attention::Repair : parseWord<Attention>(text);
    }

    bool words(ListTerm& term, const Token& t)
    {
        if (t.field == "wait" || t.field == "reason") {
            wordsOf<Reason>(t, term.reason, term.notReason, &reasonWord);
            return true;
        }
        if (t.field == "attention") {
            wordsOf<Attention>(t, term.attention, term.notAttention, &attentionWord);
            return true;
        }
        if (t.field != "state" && t.field != "activity")
            return false;
        const std::string one = t.values.size() == 1 ? lowered(t.values.front()) : "";
        if (one == "open" || one == "finished") {
            const bool open = (one == "open") != t.negated;
            auto& into = open ? term.notActivity : term.activity;
            if (open)
                term.unfinishedOnly = true;
            else
                into = {Activity::Completed, Activity::Failed, Activity::Cancelled, Activity::Compensated};
            return true;
        }
        wordsOf<Activity>(t, term.activity, term.notActivity, &activityWord);
        return true;
    }

    void listOf(const Token& t, std::vector<std::string>& positive, std::vector<std::string>* negative)
    {
        if (t.negated && !negative) {
            fail(t.offset, t.length,
                t.field + " cannot be negated; fields with - : wait, state, attention, def, step, assigned");
            return;
        }
        auto& into = t.negated ? *negative : positive;
        if (!t.negated && !into.empty()) {
            fail(
                t.offset, t.length, t.field + " is given twice; join values by |, as in " + t.field + ":a|b");
            return;
        }
        into.insert(into.end(), t.values.begin(), t.values.end());
    }
    bool texts(ListTerm& term, const Token& t)
    {
        static constexpr std::array kExact{"def", "workflow", "resource", "situation", "worker", "touched-by",
            "touched_by", "assigned", "owner"};
        if (std::find(kExact.begin(), kExact.end(), t.field) != kExact.end() && !t.quoted
            && std::any_of(t.values.begin(), t.values.end(),
                [](const std::string& value) { return value.ends_with('*'); })) {
            failValue(t,
                "* stands for any ending in step: and key: only; write the whole of it, or several joined by "
                "|");
            return true;
        }
        if (t.field == "def" || t.field == "workflow") {
            for (const std::string& value : t.values)
                if (const auto at = value.find('@'); at != std::string::npos
                    && (at + 1 == value.size()
                        || value.find_first_not_of("0123456789", at + 1) != std::string::npos)) {
                    failValue(t, "a version is a number: " + t.field + ":order@12");
                    return true;
                }
            listOf(t, term.workflow, &term.notWorkflow);
        } else if (t.field == "step") {
            listOf(t, term.step, &term.notStep);
        } else if (t.field == "error") {
            listOf(t, term.errorContains, nullptr);
        } else if (t.field == "key") {
            listOf(t, term.key, nullptr);
        } else if (t.field == "resource") {
            listOf(t, term.resource, nullptr);
        } else if (t.field == "situation") {
            listOf(t, term.situation, nullptr);
        } else if (t.field == "worker") {
            listOf(t, term.worker, nullptr);
        } else if (t.field == "touched-by" || t.field == "touched_by") {
            listOf(t, term.touchedBy, nullptr);
        } else if (t.field == "assigned" || t.field == "owner") {
            assigned(term, t);
        } else {
            return false;
        }
        return true;
    }
    void assigned(ListTerm& term, const Token& t)
    {
        Token names = t;
        for (std::string& name : names.values) {
            if (!t.quoted && lowered(name) == "me") {
                failValue(t, "a filter does not know who asks: write the name, as in " + t.field + ":kim");
                return;
            }
            if (!t.quoted && lowered(name) == "none")
                name.clear();
        }
        listOf(names, term.assigned, &term.notAssigned);
    }
    void attribute(ListTerm& term, const Token& t)
    {
        const std::string name = t.field.substr(5);
        if (name.empty())
            fail(t.offset, t.length, "an attribute needs a name: attr.customer=acme");
        else if (t.negated)
            fail(t.offset, t.length, "an attribute cannot be negated");
        else if (t.values.size() > 1)
            failValue(t, "an attribute has one value; put alternatives on both sides of `or`");
        else if (!t.quoted && (t.values.front().starts_with('>') || t.values.front().starts_with('<')))
            failValue(
                t, "an attribute is compared as it was written, and not by size: attr." + name + "=500.00");
        else
            term.attributes.emplace_back(name, t.values.front());
    }

    bool places(ListTerm& term, const Token& t)
    {
        if (t.field == "is") {
            const std::string value = lowered(t.values.front());
            if (value == "held")
                (t.negated ? term.notHeldAt : term.heldAt) = m_now;
            else if (value == "open" && t.negated)
                term.activity = {
                    Activity::Completed, Activity::Failed, Activity::Cancelled, Activity::Compensated};
            else if (value == "root" && !t.negated)
                term.rootsOnly = true;
            else if (value == "open" && !t.negated)
                term.unfinishedOnly = true;
            else
                failValue(t,
                    value == "root" ? "-is:root is not offered; parent:RUN and root:RUN find children"
                                    : "write is:root, is:open or is:held");
            return true;
        }
        std::optional<RunId>* into = t.field == "parent" ? &term.parent
            : t.field == "root"                          ? &term.root
            : t.field == "run"                           ? &term.run
                                                         : nullptr;
        if (!into)
            return false;
        const auto id = t.values.size() == 1 ? parseId<RunId>(t.values.front()) : std::nullopt;
        if (t.negated)
            fail(t.offset, t.length, t.field + " cannot be negated");
        else if (!id)
            failValue(t,
                t.field + " needs one whole run id, as in " + t.field
                    + ":0193b2a4-5c1e-7d00-8000-0123456789ab");
        else
            *into = *id;
        return true;
    }

    // >2h is longer ago than two hours, <2h is less.
    bool times(ListTerm& term, const Token& t)
    {
        const bool wait = t.field == "since";
        if (!wait && t.field != "age" && t.field != "created")
            return false;
        if (t.negated || t.values.size() > 1) {
            fail(t.offset, t.length, t.field + " takes one value and no -; turn > and < around instead");
            return true;
        }
        TimeMs& before = wait ? term.sinceBefore : term.createdBefore;
        TimeMs& after = wait ? term.sinceAfter : term.createdAfter;
        const std::string& value = t.values.front();
        if (value.front() == '>' || value.front() == '<') {
            const auto span = parseSpan(std::string_view(value).substr(1));
            if (!span)
                failValue(t, "\"" + visibleLine(value) + "\" is no span: " + helpFor(t.field));
            else
                (value.front() == '>' ? before : after) = m_now - *span;
            return true;
        }
        const TimeMs today = m_now - m_now % kDay;
        const std::string word = lowered(value);
        if (word == "today") {
            after = today;
        } else if (word == "yesterday") {
            after = today - kDay;
            before = today;
        } else if (const auto day = parseInstant(value + "T00:00:00Z"); value.size() == 10 && day) {
            after = *day;
            if (!wait || t.field == "created")
                before = *day + kDay;
        } else if (const auto at = parseInstant(value)) {
            after = *at;
        } else {
            failValue(t, "\"" + visibleLine(value) + "\" is no time: " + helpFor(t.field));
        }
        return true;
    }

    // The amount at stake in the step that the run waits in: >500, <20EUR, or a currency alone.
    bool money(ListTerm& term, const Token& t)
    {
        if (t.field != "money" && t.field != "amount")
            return false;
        if (t.negated || t.values.size() > 1) {
            fail(t.offset, t.length, t.field + " takes one value and no -; turn > and < around instead");
            return true;
        }
        std::string_view value = t.values.front();
        const char sign = value.front() == '>' || value.front() == '<' ? value.front() : '\0';
        if (sign != 0)
            value.remove_prefix(1);
        const std::size_t letters =
            value.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
        std::string currency(letters == std::string_view::npos ? std::string_view() : value.substr(letters));
        std::transform(currency.begin(), currency.end(), currency.begin(),
            [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
        const std::string_view digits = trimmed(value.substr(0, letters));
        const auto amount = parseAmount(digits);
        const bool currencyFits = currency.empty() ? sign != 0 : currency.size() == 3;
        if (!currencyFits || (sign == 0 ? !digits.empty() : !amount)) {
            failValue(t, "\"" + visibleLine(t.values.front()) + "\" is no amount: " + helpFor(t.field));
            return true;
        }
        term.currency = currency;
        if (sign != 0)
            (sign == '>' ? term.amountAbove : term.amountBelow) = *amount;
        return true;
    }

    static std::string helpFor(const std::string& field)
    {
        if (field == "money" || field == "amount")
            return field + ":>500, " + field + ":<20EUR or " + field + ":EUR";
        if (field == "since" || field == "age" || field == "created")
            return field + ":>2h, " + field + ":<10m, " + field + ":today, " + field + ":yesterday, " + field
                + ":2026-11-29 or " + field + ":2026-11-29T10:42:07Z (UTC)";
        if (field == "wait" || field == "reason")
            return "one of " + allKeys<Reason>();
        if (field == "state" || field == "activity")
            return "one of " + allKeys<Activity>() + ", open, finished";
        if (field == "attention")
            return "one of " + allKeys<Attention>();
        return "text, with quotes where it has blanks";
    }
    static std::string fieldList()
    {
        std::string out;
        for (const std::string& field : filterFields())
            out += (out.empty() ? "" : ", ") + field;
        return out;
    }
    void unknownField(const Token& t)
    {
        for (const auto& [name, instead] : kNotYet)
            if (t.field == name) {
                fail(t.offset, t.valueAt - t.offset,
                    t.field + " cannot be asked for yet: " + std::string(instead));
                return;
            }
        const auto fields = filterFields();
        const std::string near =
            nearestName(t.field, fields, [](const std::string& f) { return std::string_view(f); });
        fail(t.offset, t.valueAt - t.offset,
            "there is no field \"" + visibleLine(t.field) + "\""
                + (near.empty() ? "." : "; did you mean " + near + "?") + " Fields: " + fieldList());
    }

    std::string_view m_text;
    TimeMs m_now;
    std::size_t m_at = 0;
    Token m_or;
    std::optional<FilterError> m_error;
};

}  // namespace

std::vector<std::string> filterFields()
{
    return {"wait", "reason", "state", "activity", "attention", "def", "workflow", "step", "error", "age",
        "since", "created", "key", "parent", "root", "run", "resource", "situation", "worker", "touched-by",
        "assigned", "owner", "money", "is", "attr.NAME"};
}

std::vector<FilterPlace> filterPlaces(std::string_view text) { return Parser(text, 0).places(); }

ParsedFilter parseFilter(std::string_view text, TimeMs now)
{
    if (const auto bad = firstInvalidUtf8(text))
        return {{}, FilterError{*bad, 1, "the filter is not valid UTF-8 text"}};
    return Parser(text, now).parse();
}

}  // namespace cairn
