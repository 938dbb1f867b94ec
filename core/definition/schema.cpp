// The published JSON Schema as a second reader. The first (reader.h) names mistakes in plain words; this one
// makes sure that nothing is accepted that the schema, and so every editor that uses it, refuses.
#include "core/definition/reader.h"

#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include <exception>
#include <memory>

namespace cairn {

namespace {

using Json = nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

std::shared_ptr<const valijson::Schema> loadSchema()
{
    const std::string_view text = workflowSchemaText();
    const Json document = Json::parse(text.begin(), text.end());
    auto schema = std::make_shared<valijson::Schema>();
    valijson::SchemaParser(valijson::SchemaParser::kDraft7).populateSchema(Adapter(document), *schema);
    return schema;
}

// valijson writes a path as <root>, ["name"], [3].
std::string pointerOf(const std::vector<std::string>& context)
{
    std::string pointer;
    for (const std::string& part : context) {
        if (part.size() < 2 || part.front() != '[')
            continue;
        std::string_view inner = std::string_view(part).substr(1, part.size() - 2);
        if (inner.size() >= 2 && inner.front() == '"')
            inner = inner.substr(1, inner.size() - 2);
        pointer += '/' + jsonPointerPart(inner);
    }
    return pointer;
}

}  // namespace

void checkSchema(std::string_view text, Report& report)
{
    try {
        static const std::shared_ptr<const valijson::Schema> schema = loadSchema();
        const Json document = Json::parse(text.begin(), text.end());
        valijson::ValidationResults results;
        valijson::Validator validator;
        if (validator.validate(*schema, Adapter(document), &results))
            return;
        bool reported = report.hasErrors();
        valijson::ValidationResults::Error problem;
        std::string deepest;
        std::string words;
        while (results.popError(problem)) {
            const std::string pointer = pointerOf(problem.context);
            if (report.hasErrorAtOrBelow(pointer))
                reported = true;
            else if (pointer.size() >= deepest.size()) {
                deepest = pointer;
                words = problem.description;
            }
        }
        // One mistake makes the schema complain at every level above it: the deepest place is the one to
        // show.
        if (!reported)
            report.errorAt(deepest, "the workflow schema does not accept this: " + words);
    } catch (const std::exception& problem) {
        report.errorAt("", std::string("the workflow schema could not be applied: ") + problem.what());
    }
}

}  // namespace cairn
