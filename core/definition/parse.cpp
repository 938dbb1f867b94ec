#include "core/definition/parse.h"

#include "core/definition/contract.h"
#include "core/definition/reader.h"
#include "core/definition/text_values.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::string_view kSchemaId = "urn:cairn:workflow:1";

void readHead(Definition& out, Fields& top)
{
    if (top.require("schema") && top.text("schema") != kSchemaId
        && !top.report().hasErrorAtOrBelow("/schema"))
        top.error("schema",
            "this binary reads " + jsonQuote(kSchemaId) + ", found "
                + std::string(jsonTrim(top.node("schema").raw).substr(0, 60)));
    if (top.require("name"))
        out.ref.name = top.identifier("name");
    if (top.require("version"))
        out.ref.version = static_cast<std::uint32_t>(top.integer("version", 1, 0xFFFFFFFF, 1));
    out.ref.stateSchema = static_cast<std::uint32_t>(top.integer("state_schema", 1, 0xFFFFFFFF, 1));
    out.title = top.text("title");
    out.agents = top.identifiers("agents");
    out.budget = readBudget(top, "budget");
    out.deadline = top.span("deadline", 0);
    out.compensateOnCancel = top.choice("on_cancel", {"leave", "compensate"}, 0) == 1;
    const int onFailure = top.choice("on_failure", {"leave", "compensate", "close"}, 0);
    out.compensateOnFailure = onFailure == 1;
    out.closeOnFailure = onFailure == 2;
    out.output = top.raw("output");
}

void readAttributes(Definition& out, Fields& top)
{
    const std::initializer_list<std::string_view> types{"text", "integer", "money", "time"};
    for (auto& [member, node] : top.map("attributes")) {
        if (std::string fault = identifierFault(member.name); !fault.empty())
            top.report().error(
                member.written, node.pointer, jsonQuote(member.name.substr(0, 60)) + " is no name: " + fault);
        Fields fields(
            top.report(), node, "attribute " + jsonQuote(member.name.substr(0, 60)), {"type", "at"});
        AttributeDef attribute;
        attribute.name = member.name;
        fields.require("type");
        fields.require("at");
        attribute.type = *(types.begin() + std::max(0, fields.choice("type", types, 0)));
        attribute.at = fields.pointer("at");
        out.attributes.push_back(std::move(attribute));
    }
}

void readLimits(Definition& out, Fields& top)
{
    for (auto& [member, node] : top.map("limits")) {
        Fields fields(top.report(), node, "limit " + jsonQuote(member.name.substr(0, 60)), {"slots", "rate"});
        LimitDef limit;
        limit.resource = member.name;
        if (member.name.empty() || member.name.size() > 128)
            top.report().error(member.written, node.pointer, "a resource's name has 1 to 128 bytes");
        limit.slots = static_cast<std::uint32_t>(fields.integer("slots", 1, 1'000'000, 0));
        if (fields.has("rate")) {
            auto rate = parseRate(fields.text("rate"));
            if (rate)
                std::tie(limit.rate, limit.per) = *rate;
            else if (!top.report().hasErrorAtOrBelow(fields.node("rate").pointer))
                fields.error("rate", "\"rate\": " + rate.error().text);
        }
        if (!fields.has("slots") && !fields.has("rate") && jsonKind(node.raw) == JsonKind::Object)
            top.report().error(node.raw, node.pointer, fields.what() + " needs \"slots\" or \"rate\"");
        out.limits.push_back(std::move(limit));
    }
}

void readRetention(Definition& out, Fields& top)
{
    if (!top.has("retention"))
        return;
    Fields fields(
        top.report(), top.node("retention"), "\"retention\"", {"keep_days", "redact_days", "keys_days"});
    out.retention.keepDays = static_cast<std::uint32_t>(fields.integer("keep_days", 1, 36'500, 90));
    out.retention.redactDays = static_cast<std::uint32_t>(fields.integer("redact_days", 0, 36'500, 0));
    out.retention.keysDays = static_cast<std::uint32_t>(fields.integer("keys_days", 0, 36'500, 0));
    if (out.retention.keysDays != 0 && out.retention.keysDays < out.retention.keepDays)
        fields.error("keys_days",
            "keys cannot be forgotten after " + std::to_string(out.retention.keysDays)
                + " days, for the run that holds them is kept " + std::to_string(out.retention.keepDays));
    if (out.retention.redactDays > out.retention.keepDays)
        fields.error("redact_days",
            "payloads cannot be redacted after " + std::to_string(out.retention.redactDays)
                + " days, for the run is kept " + std::to_string(out.retention.keepDays));
}

void readNames(SecretList& into, Fields& fields)
{
    for (const char* name : {"keys", "patterns"})
        for (const Node& item : fields.list(name)) {
            SecretList one;
            auto& names = name == std::string_view("keys") ? one.keys : one.patterns;
            names.push_back(textOf(fields.report(), item, "a name in \"" + std::string(name) + "\"", 100));
            if (jsonKind(item.raw) != JsonKind::String)
                continue;
            if (const Status fits = checkSecretList(one); !fits)
                fields.report().error(item.raw, item.pointer, fits.error().text);
            else
                into.add(one);
        }
}

void readNeverStore(Definition& out, Fields& top)
{
    if (!top.has("never_store"))
        return;
    Fields fields(top.report(), top.node("never_store"), "\"never_store\"", {"keys", "patterns"});
    readNames(out.neverStore, fields);
}

void readHidden(Definition& out, Fields& top)
{
    if (!top.has("hidden"))
        return;
    Fields fields(top.report(), top.node("hidden"), "\"hidden\"", {"keys", "patterns", "role"});
    readNames(out.hidden.fields, fields);
    out.hidden.role = fields.text("role", 100);
    if (out.hidden.fields.empty())
        fields.error("keys", "\"hidden\" names neither keys nor patterns: nothing would be hidden");
}

void readMigrations(Definition& out, Fields& top)
{
    for (const Node& item : top.list("migrations")) {
        Fields fields(
            top.report(), item, "a migration", {"from_version", "from_state_schema", "renamed_steps"});
        MigrationDef migration;
        fields.require("from_version");
        migration.fromVersion = static_cast<std::uint32_t>(fields.integer("from_version", 1, 0xFFFFFFFF, 0));
        migration.fromStateSchema = static_cast<std::uint32_t>(
            fields.integer("from_state_schema", 1, 0xFFFFFFFF, out.ref.stateSchema));
        for (auto& [member, node] : fields.map("renamed_steps"))
            migration.renamedSteps.emplace_back(
                member.name, textOf(top.report(), node, "a step's new name", 200));
        if (migration.fromVersion != 0 && migration.fromVersion >= out.ref.version)
            fields.error("from_version",
                "a migration leads from an earlier version to this one (" + std::to_string(out.ref.version)
                    + ")");
        out.migrations.push_back(std::move(migration));
    }
}

}  // namespace

std::string diagnosticLine(std::string_view file, const Diagnostic& d)
{
    return std::string(file) + ':' + std::to_string(d.line) + ':' + std::to_string(d.column)
        + (d.severity == Severity::Error ? ": error: " : ": warning: ") + d.text;
}

std::vector<BudgetLine> readBudget(Fields& fields, std::string_view name)
{
    std::vector<BudgetLine> lines;
    for (const Node& item : fields.list(name)) {
        Fields line(fields.report(), item, "a line of " + jsonQuote(name), {"tokens", "amount", "currency"});
        BudgetLine out;
        if (line.has("tokens")) {
            out.unit = "tokens";
            out.limit = line.integer("tokens", 0, std::int64_t{1} << 53, 0);
            line.forbid("amount", "tokens and money are lines of their own");
            line.forbid("currency", "tokens and money are lines of their own");
        } else if (line.require("amount") && line.require("currency")) {
            out.unit = line.text("currency");
            auto micros = parseMicros(line.text("amount"));
            if (!line.report().hasErrorAtOrBelow(item.pointer)) {
                if (!micros || *micros < 0)
                    line.error("amount",
                        "\"amount\": "
                            + (micros ? std::string("it must not be negative") : micros.error().text));
                if (!isCurrency(out.unit))
                    line.error("currency",
                        jsonQuote(out.unit) + " is no currency code" + didYouMean(nearestCurrency(out.unit)));
            }
            out.limit = micros ? *micros : 0;
        }
        const bool twice =
            std::any_of(lines.begin(), lines.end(), [&](const BudgetLine& l) { return l.unit == out.unit; });
        if (twice && !out.unit.empty())
            fields.report().error(item.raw, item.pointer, jsonQuote(name) + " has two lines for " + out.unit);
        lines.push_back(std::move(out));
    }
    return lines;
}

ParsedDefinition parseDefinition(std::string_view text)
{
    ParsedDefinition parsed;
    if (auto fault = findJsonFault(text, kInterpretedJson)) {
        const LineColumn place = lineColumn(text, fault->offset);
        parsed.diagnostics.push_back({Severity::Error, place.line, place.column, {}, std::move(fault->text)});
        return parsed;
    }
    Report report(text);
    Definition definition;
    Fields top(report, {jsonTrim(text), {}}, "a workflow",
        {"$schema", "schema", "name", "version", "state_schema", "title", "agents", "tools", "steps",
            "limits", "budget", "deadline", "attributes", "on_cancel", "on_failure", "output", "retention",
            "never_store", "hidden", "migrations", "description"});
    if (jsonKind(text) == JsonKind::Object) {
        readHead(definition, top);
        static_cast<void>(top.text("description", 20'000));
        static_cast<void>(top.text("$schema"));
        readAttributes(definition, top);
        readLimits(definition, top);
        readRetention(definition, top);
        readNeverStore(definition, top);
        readHidden(definition, top);
        readMigrations(definition, top);
        readTools(definition, top);
        readSteps(definition, top);
        checkDefinition(definition, report);
        if (!report.tooLongForSchema)
            checkSchema(text, report);
    }
    const bool usable = !report.hasErrors();
    parsed.diagnostics = report.take();
    if (usable) {
        definition.text = std::string(text);
        definition.ref.digest = sha256(text);
        parsed.definition = std::move(definition);
    }
    return parsed;
}

}  // namespace cairn
