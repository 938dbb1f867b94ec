#include "core/base/text.h"
#include "core/export/views.h"
#include "core/model/codec.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace cairn::exporting {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kEntriesAtOnce = 256;
constexpr int kInternal = 1;  // SPAN_KIND_INTERNAL, _CLIENT
constexpr int kClient = 3;
constexpr int kOk = 1;  // STATUS_CODE_OK, _ERROR
constexpr int kError = 2;

std::string nanos(TimeMs time) { return std::to_string(time * 1'000'000); }

std::string hexOf(std::uint64_t value)
{
    std::string bytes(8, '\0');
    for (std::size_t i = 0; i < 8; ++i)
        bytes[i] = static_cast<char>(static_cast<unsigned char>(value >> (56 - 8 * i)));
    return hex(bytes);
}

class Attributes {
public:
    void text(const char* name, const std::string& value)
    {
        if (!value.empty())
            m_list.push_back({{"key", name}, {"value", {{"stringValue", value}}}});
    }
    void number(const std::string& name, std::int64_t value)  // 64-bit integers are text in OTLP/JSON
    {
        m_list.push_back({{"key", name}, {"value", {{"intValue", std::to_string(value)}}}});
    }
    void decimal(const std::string& name, double value)
    {
        m_list.push_back({{"key", name}, {"value", {{"doubleValue", value}}}});
    }
    void flag(const char* name, bool value)
    {
        m_list.push_back({{"key", name}, {"value", {{"boolValue", value}}}});
    }
    // Tokens by the names of the conventions where the tool counts them so; money by its currency.
    void usage(const std::vector<Usage>& used)
    {
        for (const Usage& one : used) {
            if (one.unit == "input_tokens" || one.unit == "output_tokens")
                number("gen_ai.usage." + one.unit, one.amount);
            else if (one.unit.size() == 3)
                decimal("cairn.usage.cost." + one.unit, static_cast<double>(one.amount) / 1e6);
            else
                number("cairn.usage." + one.unit, one.amount);
        }
    }
    Json take() { return std::move(m_list); }

private:
    Json m_list = Json::array();
};

struct Ended {
    AttemptEnd how = AttemptEnd::Completed;
    FailureClass failure = FailureClass::Retryable;
    std::vector<Usage> used;
};

class Trace {
public:
    Trace(Query& query, const RunId& run)
        : m_query(query)
        , m_run(run)
    {
    }

    Result<Json> spans()
    {
        CAIRN_TRY_ASSIGN(m_view, m_query.run(m_run));
        CAIRN_TRY(readEnds());
        m_trace = traceIdOf(m_view.state.root);
        Json list = Json::array();
        list.push_back(runSpan());
        for (const StepRecord& step : m_view.state.steps)
            if (step.readyAt != kNoTime || step.firstStartedAt != kNoTime)
                list.push_back(stepSpan(step));
        CAIRN_TRY_ASSIGN(const auto attempts, m_query.reader().attempts(m_run, kNoStep));
        for (const AttemptRow& attempt : attempts)
            if (attempt.step < m_view.state.steps.size())
                list.push_back(attemptSpan(attempt, m_view.state.steps[attempt.step]));
        return list;
    }

private:
    // What an attempt used is in its entry.
    Status readEnds()
    {
        for (std::uint64_t version = 0;;) {
            CAIRN_TRY_ASSIGN(
                const LoadedRun page, m_query.reader().loadRun(m_run, version + 1, version + kEntriesAtOnce));
            for (const SealedEntry& sealed : page.entries) {
                CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
                for (const Fact& fact : entry.facts)
                    if (const auto* ended = std::get_if<AttemptEnded>(&fact))
                        m_ended[ended->attempt] = {ended->how, ended->failure, ended->used};
                version = sealed.version;
            }
            if (page.entries.empty() || version >= page.hot.version)
                return {};
        }
    }

    Json span(const std::string& id, const std::string& parent, const std::string& name, int kind,
        TimeMs from, TimeMs to) const
    {
        Json json{{"traceId", m_trace}, {"spanId", id}};
        if (!parent.empty())
            json["parentSpanId"] = parent;
        json["name"] = name;
        json["kind"] = kind;
        json["startTimeUnixNano"] = nanos(from);
        json["endTimeUnixNano"] = nanos(std::max(from, to == kNoTime ? m_view.at : to));
        return json;
    }

    Json runSpan()
    {
        const RunState& s = m_view.state;
        Attributes a;
        a.text("gen_ai.operation.name", "invoke_workflow");
        a.text("gen_ai.workflow.name", s.workflow.name);
        a.text("gen_ai.conversation.id", toText(s.root));
        a.text("cairn.run.id", toText(s.id));
        a.number("cairn.workflow.version", s.workflow.version);
        a.text("cairn.activity", std::string(key(m_view.explanation.summary.activity)));
        a.text("cairn.head", hex(s.head));
        std::vector<Usage> used;
        for (const BudgetLine& line : s.budget)
            used.push_back({line.unit, line.used});
        a.usage(used);
        if (!s.closed)
            a.flag("cairn.unfinished", true);
        const std::string parent = s.parent.run.isNull() ? std::string() : spanIdOf(s.parent.run);
        Json json = span(spanIdOf(s.id), parent,
            "invoke_workflow" + (s.workflow.name.empty() ? std::string() : " " + s.workflow.name), kInternal,
            s.startedAt, s.endedAt);
        json["attributes"] = a.take();
        if (s.closed)
            json["status"] = {{"code", s.closedAs == Activity::Completed ? kOk : kError}};
        return json;
    }

    Json stepSpan(const StepRecord& step)
    {
        Attributes a;
        if (!step.agent.empty()) {
            a.text("gen_ai.operation.name", "invoke_agent");
            a.text("gen_ai.agent.name", step.agent);
        }
        a.text("gen_ai.tool.name", step.tool);
        a.text("cairn.step.id", step.id);
        a.text("cairn.step.kind", std::string(key(step.kind)));
        a.text("cairn.step.state", std::string(key(step.state)));
        a.number("cairn.step.attempts", step.attempts);
        const TimeMs from = step.readyAt != kNoTime ? step.readyAt : step.firstStartedAt;
        Json json = span(spanIdOf(m_run, step.id), spanIdOf(m_run),
            step.agent.empty() ? "step " + step.id : "invoke_agent " + step.agent, kInternal, from,
            step.endedAt);
        json["attributes"] = a.take();
        if (step.state == StepState::Complete || step.state == StepState::Failed)
            json["status"] = {{"code", step.state == StepState::Complete ? kOk : kError}};
        return json;
    }

    Json attemptSpan(const AttemptRow& attempt, const StepRecord& step)
    {
        const ToolDef* tool = m_view.definition ? m_view.definition->tool(step.tool) : nullptr;
        const bool model = tool && !tool->model.empty();
        Attributes a;
        a.text("gen_ai.operation.name", model ? "chat" : "execute_tool");
        if (model)
            a.text("gen_ai.request.model", tool->model);
        a.text("gen_ai.tool.name", step.tool);
        a.text("gen_ai.tool.call.id", toText(attempt.id));
        a.text("gen_ai.agent.name", step.agent);
        a.text("cairn.step.id", step.id);
        a.number("cairn.attempt.number", attempt.number);
        a.text("cairn.attempt.purpose", std::string(key(attempt.purpose)));
        const auto ended = m_ended.find(attempt.id);
        if (ended == m_ended.end())
            a.flag("cairn.unfinished", true);
        else {
            a.usage(ended->second.used);
            a.number("cairn.latency_ms", std::max<SpanMs>(0, attempt.endedAt - attempt.startedAt));
            if (ended->second.how != AttemptEnd::Completed)
                a.text("error.type",
                    std::string(ended->second.how == AttemptEnd::Failed ? key(ended->second.failure)
                                                                        : key(ended->second.how)));
        }
        Json json = span(hexOf(attempt.span), spanIdOf(m_run, step.id),
            model ? "chat " + tool->model : "execute_tool " + step.tool, kClient, attempt.startedAt,
            attempt.endedAt);
        json["attributes"] = a.take();
        if (ended != m_ended.end())
            json["status"] = {{"code", ended->second.how == AttemptEnd::Completed ? kOk : kError}};
        return json;
    }

    Query& m_query;
    RunId m_run;
    RunView m_view;
    std::string m_trace;
    std::map<AttemptId, Ended> m_ended;
};

}  // namespace

std::string traceIdOf(const RunId& root)
{
    const UuidBytes bytes = deriveUuid("trace", root.view());
    return hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string spanIdOf(const RunId& run, std::string_view step)
{
    return hex(sha256("cairn-span", std::string(run.view()) + std::string(step))).substr(0, 16);
}

Status writeOtlp(Query& query, std::span<const RunId> runs, const std::string& tool, const Sink& sink)
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, query.reader().info());
    Attributes resource;
    resource.text("service.name", "cairn");
    resource.text("deployment.environment.name", info.environment);
    resource.text("cairn.store.id", uuidText(info.id));
    const std::string about =
        Json{{"attributes", resource.take()}}.dump(-1, ' ', false, Json::error_handler_t::replace);
    CAIRN_TRY(sink("{\"resourceSpans\":["));
    bool first = true;
    for (const RunId& run : runs) {
        CAIRN_TRY_ASSIGN(const Json spans, Trace(query, run).spans());
        const Json scope{{"scope", {{"name", "cairn"}, {"version", tool}}}, {"spans", spans}};
        CAIRN_TRY(sink(std::string(first ? "" : ",") + "\n{\"resource\":" + about + ",\"scopeSpans\":["
            + scope.dump(-1, ' ', false, Json::error_handler_t::replace) + "]}"));
        first = false;
    }
    return sink("\n]}\n");
}

}  // namespace cairn::exporting
