#include "core/export/bundle_parts.h"

#include "core/base/json_scan.h"
#include "core/base/text.h"

#include <nlohmann/json.hpp>

namespace cairn::exporting {

namespace {

using Json = nlohmann::ordered_json;

// Step numbers by the names of their fields: their type is that of other numbers too.
struct StepChecker {
    std::size_t steps;
    bool mayBeNone;
    std::string fault{};

    void operator()(std::string_view name, const StepIx& ix)
    {
        if (name == "step")
            check(ix, mayBeNone);
        else if (name == "owner" || name == "undo_of")
            check(ix, true);
    }
    void operator()(std::string_view, const std::vector<StepIx>& many)
    {
        for (const StepIx ix : many)
            check(ix, false);
    }
    template<class T> void operator()(std::string_view, const T&) { }
    template<class T> void since(int, std::string_view, const T&) { }

private:
    void check(StepIx ix, bool none)
    {
        if (fault.empty() && ix >= steps && !(none && ix == kNoStep))
            fault =
                "the entry names step " + std::to_string(ix) + " of a run that has " + std::to_string(steps);
    }
};

template<class F> constexpr bool kStepMayBeNone =
    std::is_same_v<F,
        LateResult> || std::is_same_v<F, SignalConsumed> || std::is_same_v<F, ChildRequested> || std::is_same_v<F, ChildAnswered>;

Error wrong(const std::string& what) { return makeError(ErrorKind::InvalidInput, what); }

Result<Json> objectOf(std::string_view text)
{
    static constexpr JsonLimits kLimits{1U << 30U, 8, 10'000'000, 1U << 20U, false};
    CAIRN_TRY(validateJson(text, kLimits));
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object())
        return wrong("this is no JSON object");
    return json;
}

// Members by their type; the first that is not there, or another, is named in `fault`.
struct Members {
    const Json& json;
    std::string& fault;

    const Json* find(const char* name, bool fits(const Json&))
    {
        const auto at = json.is_object() ? json.find(name) : json.end();
        if (at != json.end() && fits(*at))
            return &*at;
        if (fault.empty())
            fault = std::string("the member \"") + name + "\" is missing, or not what it should be";
        return nullptr;
    }
    std::string text(const char* name)
    {
        const Json* at = find(name, [](const Json& value) { return value.is_string(); });
        return at ? at->get<std::string>() : std::string();
    }
    std::uint64_t number(const char* name)
    {
        const Json* at = find(name, [](const Json& value) { return value.is_number_unsigned(); });
        return at ? at->get<std::uint64_t>() : 0;
    }
    bool flag(const char* name)
    {
        const Json* at = find(name, [](const Json& value) { return value.is_boolean(); });
        return at && at->get<bool>();
    }
    const Json& list(const char* name)
    {
        static const Json kNone = Json::array();
        const Json* at = find(name, [](const Json& value) { return value.is_array(); });
        return at ? *at : kNone;
    }
    Digest digest(const char* name, bool mayBeEmpty = false)
    {
        const std::string hexText = text(name);
        const auto value = parseDigest(hexText);
        if (!value && fault.empty() && !(mayBeEmpty && hexText.empty()))
            fault = std::string("\"") + name + "\" is no hash";
        return value.value_or(Digest{});
    }
};

Json runsJson(const std::vector<RunHead>& runs)
{
    Json list = Json::array();
    for (const RunHead& run : runs)
        list.push_back({{"run", toText(run.run)}, {"version", run.version}, {"head", hex(run.head)}});
    return list;
}

// But for the file that the signatures are in, and the manifest, which is checked against this.
Digest filesDigest(const Manifest& m)
{
    Sha256 hash;
    for (const auto& [name, file] : m.files)
        if (name != kHeadsFile)
            hash.update(hex(file.sha256) + " " + std::to_string(file.size) + " " + name + "\n");
    return hash.finish();
}

}  // namespace

SignHeads signWith(const SigningKey& key)
{
    return [key](std::string_view statement) -> Result<std::vector<HeadSignature>> {
        return std::vector<HeadSignature>{{key.publicKey(), sign(key, statement)}};
    };
}

std::string manifestJson(const Manifest& m)
{
    Json files = Json::array();
    for (const auto& [name, file] : m.files)
        files.push_back({{"name", name}, {"size", file.size}, {"sha256", hex(file.sha256)}});
    const Json json{{"kind", "cairn-bundle"}, {"format", m.format}, {"tool", m.tool},
        {"exporter", m.exporter}, {"filter", m.filter}, {"exported", m.exportedAt}, {"redacted", m.redacted},
        {"masked", m.masked}, {"store", m.store}, {"environment", m.environment}, {"runs", runsJson(m.runs)},
        {"audit_seq", m.auditSeq}, {"audit_head", m.auditSeq == 0 ? std::string() : hex(m.auditHead)},
        {"files", files}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Manifest> parseManifest(std::string_view text)
{
    CAIRN_TRY_ASSIGN(const Json json, objectOf(text));
    std::string fault;
    Members all{json, fault};
    Manifest m;
    if (all.text("kind") != "cairn-bundle")
        return wrong("this is not the manifest of a bundle");
    m.format = static_cast<std::uint32_t>(all.number("format"));
    if (m.format != kBundleFormat)
        return wrong("it has format " + std::to_string(m.format) + "; this program reads format "
            + std::to_string(kBundleFormat));
    m.tool = all.text("tool");
    m.exporter = all.text("exporter");
    m.filter = all.text("filter");
    m.exportedAt = static_cast<TimeMs>(all.number("exported"));
    m.redacted = all.flag("redacted");
    for (const Json& words : all.list("masked"))
        if (words.is_string())
            m.masked.push_back(words.get<std::string>());
    m.store = all.text("store");
    m.environment = all.text("environment");
    m.auditSeq = all.number("audit_seq");
    m.auditHead = all.digest("audit_head", true);
    for (const Json& given : all.list("runs")) {
        Members run{given, fault};
        const auto id = parseId<RunId>(run.text("run"));
        if (!id && fault.empty())
            fault = "a run's id is none";
        m.runs.push_back({id.value_or(RunId{}), run.number("version"), run.digest("head")});
    }
    for (const Json& given : all.list("files")) {
        Members file{given, fault};
        const std::string name = file.text("name");
        if (!m.files.emplace(name, FileRow{file.number("size"), file.digest("sha256")}).second
            && fault.empty())
            fault = "the file \"" + visibleLine(name) + "\" is listed twice";
    }
    if (!fault.empty())
        return wrong(fault);
    return m;
}

std::string headsStatement(const Manifest& m)
{
    const Json json{{"cairn_heads", 1}, {"store", m.store}, {"exported", m.exportedAt}, {"tool", m.tool},
        {"exporter", m.exporter}, {"filter", m.filter}, {"redacted", m.redacted}, {"masked", m.masked},
        {"environment", m.environment}, {"runs", runsJson(m.runs)}, {"audit_seq", m.auditSeq},
        {"audit_head", m.auditSeq == 0 ? std::string() : hex(m.auditHead)},
        {"files_sha256", hex(filesDigest(m))}};
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string headsJson(const std::string& statement, const std::vector<HeadSignature>& signatures)
{
    Json list = Json::array();
    for (const HeadSignature& one : signatures)
        list.push_back({{"public_key", publicKeyText(one.key)}, {"signature", base64(one.signature.view())}});
    return Json{{"statement", statement}, {"signatures", list}}.dump(1) + "\n";
}

Result<SignedHeads> parseHeads(std::string_view text)
{
    CAIRN_TRY_ASSIGN(const Json json, objectOf(text));
    std::string fault;
    Members all{json, fault};
    SignedHeads heads;
    heads.statement = all.text("statement");
    for (const Json& given : all.list("signatures")) {
        Members one{given, fault};
        const auto key = parsePublicKey(one.text("public_key"));
        const auto signature = parseSignature(one.text("signature"));
        if (!key || !signature) {
            fault = fault.empty() ? "a signature or its key is not readable" : fault;
            continue;
        }
        heads.signatures.push_back({*key, *signature});
    }
    if (!fault.empty())
        return wrong(fault);
    return heads;
}

std::string runFolder(const RunId& run) { return "runs/" + toText(run) + "/"; }
std::string definitionFile(const Digest& digest) { return "definitions/" + hex(digest) + ".json"; }
std::string payloadFile(const PayloadInfo& info)
{
    return (info.artifact.isNull() ? "payloads/" : "artifacts/") + hex(info.ref.hash);
}

std::string stepFault(const Entry& entry, std::size_t& steps)
{
    std::string fault;
    for (const Fact& fact : entry.facts)
        std::visit(
            [&](const auto& f) {
                using F = std::decay_t<decltype(f)>;
                StepChecker checker{steps, kStepMayBeNone<F>};
                F::each(f, checker);
                fault = fault.empty() ? checker.fault : fault;
                steps += std::is_same_v<F, StepAdded> ? 1 : 0;
            },
            fact);
    return fault;
}

}  // namespace cairn::exporting
