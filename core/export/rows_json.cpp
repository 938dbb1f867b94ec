#include "core/export/rows_json.h"

#include "core/base/json_scan.h"
#include "core/base/signing.h"
#include "core/base/text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>

namespace cairn::exporting {

namespace {

using Json = nlohmann::ordered_json;

// Each row names its fields once; writing and reading are made from it.

struct Bytes {  // a string that is no text
    std::string& value;
};
struct ConstBytes {
    const std::string& value;
};
inline Bytes bytesOf(std::string& value) { return {value}; }
inline ConstBytes bytesOf(const std::string& value) { return {value}; }

#define CAIRN_ROW(Type, ...) \
    template<class R, class V> \
    requires std::is_same_v<std::remove_const_t<R>, Type> \
    void fields(R& r, V&& v) { __VA_ARGS__ }

CAIRN_ROW(Money, v("micros", r.micros); v("currency", r.currency);)
CAIRN_ROW(ParentRef, v("run", r.run); v("step", r.step); v("index", r.index);)
CAIRN_ROW(WorkflowRef, v("name", r.name); v("version", r.version); v("digest", r.digest);
          v("state_schema", r.stateSchema);)
CAIRN_ROW(PayloadRef, v("id", r.id); v("hash", r.hash); v("size", r.size); v("media", r.media);)
CAIRN_ROW(RunRow, v("run", r.run); v("root", r.root); v("parent", r.parent); v("workflow", r.workflow);
          v("key", r.key); v("key_input", r.keyInput); v("key_salt", r.keySalt); v("created", r.createdAt);
          v("forked_from", r.forkedFrom); v("driven", r.driven);)
CAIRN_ROW(HotRow, v("version", r.version); v("control", r.control); v("head", r.head);
          v("next_due", r.nextDue); v("format", r.format);)
CAIRN_ROW(ListRow, v("run", r.run); v("root", r.root); v("parent", r.parent); v("workflow", r.workflow);
          v("workflow_version", r.workflowVersion); v("key", r.key); v("activity", r.activity);
          v("attention", r.attention); v("reason", r.reason); v("step", r.step); v("since", r.since);
          v("next", r.nextTime); v("situation", r.situation); v("resource", r.resource); v("error", r.error);
          v("created", r.createdAt); v("ended", r.endedAt); v("steps", r.steps); v("steps_done", r.stepsDone);
          v("attempt", r.attempt); v("attempts_max", r.attemptsMax); v("amount", r.amount);
          v("held_until", r.heldUntil); v("assigned", r.assigned); v("version", r.version);)
CAIRN_ROW(StepRow, v("ix", r.ix); v("id", r.id); v("name", r.name); v("tool", r.tool); v("agent", r.agent);
          v("kind", r.kind); v("safety", r.safety); v("state", r.state); v("reason", r.reason);
          v("since", r.since); v("due", r.due); v("revision", r.revision); v("attempts", r.attempts);
          v("failures", r.failures); v("lost", r.lost); v("input", r.input); v("output", r.output);
          v("error", r.error); v("effect", r.effect); v("ready", r.readyAt); v("started", r.startedAt);
          v("ended", r.endedAt);)
CAIRN_ROW(AttemptRow, v("id", r.id); v("step", r.step); v("number", r.number); v("purpose", r.purpose);
          v("session", r.session); v("worker", r.worker); v("started", r.startedAt); v("ended", r.endedAt);
          v("how", r.how); v("effect", r.effect); v("error", r.error); v("trace", r.trace);
          v("span", r.span);)
CAIRN_ROW(ApprovalRow, v("id", r.id); v("step", r.step); v("state", r.state); v("binding", r.binding);
          v("role", r.role); v("asked", r.askedAt); v("expires", r.expires); v("decided", r.decidedAt);
          v("decided_by", r.decidedBy); v("note", r.note); v("needed", r.needed); v("asked_by", r.askedBy);
          v("deciders", r.deciders);)
CAIRN_ROW(AttributeRow, v("name", r.name); v("type", r.type); v("text", r.text); v("number", r.number);)
CAIRN_ROW(EffectRow, v("effect", r.effect); v("tool", r.tool); v("key", r.key); v("state", r.state);
          v("holder", r.holder); v("holder_step", r.holderStep); v("input_salt", r.inputSalt);
          v("input_digest", r.inputDigest); v("result", r.result); v("changed", r.changedAt);
          v("revision", r.revision);)
CAIRN_ROW(SealedEntry, v("version", r.version); v("command", r.command); v("format", r.format);
          v("previous", r.previous); v("hash", r.hash); v("body", bytesOf(r.body));)
CAIRN_ROW(PayloadInfo, v("id", r.ref.id); v("hash", r.ref.hash); v("size", r.ref.size);
          v("media", r.ref.media); v("salt", r.salt); v("redacted", r.redacted); v("artifact", r.artifact);)
CAIRN_ROW(AuditRow, v("seq", r.seq); v("time", r.time); v("kind", r.kind); v("verb", r.verb);
          v("actor", r.actor); v("uid", r.uid); v("host", r.host); v("login", r.login); v("run", r.run);
          v("target", r.target); v("command", r.command); v("reason", r.reason); v("before", r.before);
          v("after", r.after); v("previous", r.previous); v("hash", r.hash);)
CAIRN_ROW(DefinitionRow, v("name", r.name); v("version", r.version); v("digest", r.digest);
          v("added", r.addedAt);)
#undef CAIRN_ROW

template<class T>
concept IdLike = requires(const T& id)
{
    toText(id);
    id.isNull();
    id.bytes;
}
&&!std::is_same_v<T, Digest>;
struct Writer {
    Json& json;

    template<class T> void operator()(const char* name, const T& value) { json[name] = made(value); }

    template<class T> static Json made(const T& value)
    {
        if constexpr (std::is_same_v<T, LedgerState>)
            return static_cast<int>(value);
        else if constexpr (std::is_enum_v<T>)
            return std::string(key(value));
        else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>)
            return value;
        else if constexpr (std::is_same_v<T, ConstBytes>)
            return base64(value.value);
        else if constexpr (std::is_same_v<T, Digest>)
            return value.isNull() ? std::string() : hex(value);
        else if constexpr (std::is_same_v<T, UuidBytes>)  // also a Salt
            return value == UuidBytes{} ? std::string()
                                        : hex({reinterpret_cast<const char*>(value.data()), 16});
        else if constexpr (IdLike<T>)
            return value.isNull() ? std::string() : toText(value);
        else {
            Json inner = Json::object();
            fields(value, Writer{inner});
            return inner;
        }
    }
};

std::optional<UuidBytes> parseHex16(std::string_view text)
{
    if (text.size() != 32)
        return std::nullopt;
    const auto digest = parseDigest(std::string(text) + std::string(32, '0'));
    if (!digest)
        return std::nullopt;
    UuidBytes bytes{};
    std::copy_n(digest->bytes.begin(), bytes.size(), bytes.begin());
    return bytes;
}

struct Reader {
    const Json& json;
    std::string& fault;
    std::size_t seen = 0;

    template<class T> void operator()(const char* name, T&& value)
    {
        ++seen;
        if (!fault.empty())
            return;
        const auto at = json.find(name);
        if (at == json.end())
            fault = std::string("the member \"") + name + "\" is missing";
        else if (!take(*at, value) && fault.empty())
            fault = std::string("the member \"") + name + "\" is not what it should be";
    }

    template<class T> bool take(const Json& given, T& value)
    {
        if constexpr (std::is_same_v<T, bool>)
            return given.is_boolean() && (value = given.get<bool>(), true);
        else if constexpr (std::is_same_v<T, LedgerState>) {
            std::uint8_t number = 0;
            return take(given, number) && number <= 4 && (value = static_cast<LedgerState>(number), true);
        } else if constexpr (std::is_arithmetic_v<T>)
            return takeNumber(given, value);
        else if constexpr (requires { fields(value, *this); })
            return takeRow(given, value);
        else if (!given.is_string())
            return false;
        else
            return takeText(given.get_ref<const std::string&>(), value);
    }
    template<class T> static bool takeNumber(const Json& given, T& value)
    {
        if (given.is_number_unsigned()) {
            const auto number = given.get<std::uint64_t>();
            value = static_cast<T>(number);
            return number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
        }
        if (!given.is_number_integer() || std::is_unsigned_v<T>)
            return false;
        const auto number = given.get<std::int64_t>();
        value = static_cast<T>(number);
        return number >= static_cast<std::int64_t>(std::numeric_limits<T>::min());
    }
    template<class T> bool takeRow(const Json& given, T& value)
    {
        if (!given.is_object())
            return false;
        Reader inner{given, fault};
        fields(value, inner);
        if (fault.empty() && inner.seen != given.size())
            fault = "there are members that do not belong there";
        return fault.empty();
    }
    template<class T> static bool takeText(const std::string& text, T& value)
    {
        if constexpr (std::is_same_v<T, std::string>) {
            value = text;
            return text.find('\0') == std::string::npos;
        } else if constexpr (std::is_same_v<T, Bytes>) {
            auto bytes = parseBase64(text);
            return bytes && (value.value = *std::move(bytes), true);
        } else if constexpr (std::is_enum_v<T>) {
            const auto known = parseKey<T>(text);
            return known && (value = *known, true);
        } else if (text.empty()) {  // null
            value = T{};
            return true;
        } else if constexpr (std::is_same_v<T, Digest>) {
            const auto digest = parseDigest(text);
            return digest && (value = *digest, true);
        } else if constexpr (std::is_same_v<T, UuidBytes>) {
            const auto bytes = parseHex16(text);
            return bytes && (value = *bytes, true);
        } else {
            const auto id = parseId<T>(text);
            return id && (value = *id, true);
        }
    }
};

template<class Row> std::string rowJson(const Row& row)
{
    return Writer::made(row).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Checked as bytes first: UTF-8, no member twice, not too deep.
Result<Json> parsed(std::string_view text)
{
    static constexpr JsonLimits kLimits{1U << 30U, 8, 1'000'000, 1U << 30U, false};
    CAIRN_TRY(validateJson(text, kLimits));
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return makeError(ErrorKind::InvalidInput, "this is no JSON object");
    return json;
}

Status filled(std::string fault)
{
    return fault.empty() ? Status() : Status(makeError(ErrorKind::InvalidInput, std::move(fault)));
}

template<class Row> Status parsedRow(std::string_view text, Row& row)
{
    CAIRN_TRY_ASSIGN(const Json json, parsed(text));
    std::string fault;
    Reader reader{json, fault};
    static_cast<void>(reader.takeRow(json, row));
    return filled(std::move(fault));
}

template<class Row> Json listOf(const std::vector<Row>& rows)
{
    Json list = Json::array();
    for (const Row& row : rows)
        list.push_back(Writer::made(row));
    return list;
}

template<class Row>
void takeList(const Json& json, const char* name, std::vector<Row>& rows, std::string& fault)
{
    const auto at = json.find(name);
    if (fault.empty() && (at == json.end() || !at->is_array()))
        fault = std::string("the list \"") + name + "\" is missing";
    if (!fault.empty())
        return;
    for (const Json& given : *at) {
        Reader reader{given, fault};
        if (!reader.takeRow(given, rows.emplace_back())) {
            fault = std::string("in \"") + name + "\": " + (fault.empty() ? "no row" : fault);
            return;
        }
    }
}

template<class Row> void takeOne(const Json& json, const char* name, Row& row, std::string& fault)
{
    Reader reader{json, fault};
    reader(name, row);
}

}  // namespace

std::string stateJson(const WholeRun& whole)
{
    Json json{{"identity", Writer::made(whole.loaded.identity)}, {"hot", Writer::made(whole.loaded.hot)},
        {"list", Writer::made(whole.list.value_or(ListRow{}))}, {"steps", listOf(whole.steps)},
        {"attempts", listOf(whole.attempts)}, {"approvals", listOf(whole.approvals)},
        {"attributes", listOf(whole.attributes)}, {"effects", listOf(whole.effects)}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<WholeRun> parseState(std::string_view text)
{
    CAIRN_TRY_ASSIGN(const Json json, parsed(text));
    WholeRun whole;
    std::string fault;
    takeOne(json, "identity", whole.loaded.identity, fault);
    takeOne(json, "hot", whole.loaded.hot, fault);
    takeOne(json, "list", whole.list.emplace(), fault);
    takeList(json, "steps", whole.steps, fault);
    takeList(json, "attempts", whole.attempts, fault);
    takeList(json, "approvals", whole.approvals, fault);
    takeList(json, "attributes", whole.attributes, fault);
    takeList(json, "effects", whole.effects, fault);
    CAIRN_TRY(filled(std::move(fault)));
    return whole;
}

std::string toJson(const SealedEntry& entry) { return rowJson(entry); }
std::string toJson(const PayloadInfo& info) { return rowJson(info); }
std::string toJson(const AuditRow& row) { return rowJson(row); }
std::string toJson(const DefinitionRow& row) { return rowJson(row); }
Status parseRow(std::string_view json, SealedEntry& entry) { return parsedRow(json, entry); }
Status parseRow(std::string_view json, PayloadInfo& info) { return parsedRow(json, info); }
Status parseRow(std::string_view json, AuditRow& row) { return parsedRow(json, row); }
Status parseRow(std::string_view json, DefinitionRow& row) { return parsedRow(json, row); }

}  // namespace cairn::exporting
