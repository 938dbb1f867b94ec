#include "core/definition/settings.h"

namespace cairn {

Result<std::vector<SettingsPart>> parseSettingsText(std::string_view text)
{
    std::vector<SettingsPart> parts;
    std::string literal;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const std::string_view rest = text.substr(at);
        const std::size_t end = rest.find('}');
        if (rest.substr(0, 2) == "$$") {
            literal += '$';
            ++at;
        } else if (rest.substr(0, 2) == "${" && end != std::string_view::npos) {
            if (!literal.empty())
                parts.push_back({false, std::move(literal)});
            literal.clear();
            parts.push_back({true, std::string(rest.substr(2, end - 2))});
            at += end;
        } else if (rest.front() == '$') {
            return makeError(
                ErrorKind::InvalidInput, "'$' in a setting begins ${name}; write $$ for the sign itself");
        } else {
            literal += rest.front();
        }
    }
    if (!literal.empty())
        parts.push_back({false, std::move(literal)});
    return parts;
}

Result<std::string> expandSettingsText(std::string_view text, const SettingsLookup& lookup)
{
    CAIRN_TRY_ASSIGN(const auto parts, parseSettingsText(text));
    std::string out;
    for (const SettingsPart& part : parts) {
        if (!part.isName) {
            out += part.text;
            continue;
        }
        auto value = lookup(part.text);
        if (!value)
            return makeError(ErrorKind::InvalidInput, "${" + part.text + "} is not set");
        out += *value;
    }
    return out;
}

}  // namespace cairn
