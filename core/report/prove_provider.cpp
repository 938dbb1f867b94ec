#include "core/report/prove_provider.h"

#include "core/base/json_scan.h"
#include "core/definition/settings.h"

#include <algorithm>
#include <optional>

namespace cairn::proof {

namespace {

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
        [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

// What a text of the settings names, with its ${...} resolved; environment and secrets stand for themselves.
class Sent {
public:
    explicit Sent(const StartOrder& order)
        : m_order(order)
    {
    }

    void add(std::string_view raw)
    {
        const auto decoded = jsonString(raw);
        const auto parts = decoded ? parseSettingsText(*decoded) : Result<std::vector<SettingsPart>>(Error{});
        if (!parts)
            return;
        for (const SettingsPart& part : *parts) {
            if (part.isName)
                names.insert(part.text);
            text += part.isName ? valueOf(part.text) : part.text;
        }
        text += '\n';
    }

    std::string text;
    std::set<std::string, std::less<>> names;

private:
    [[nodiscard]] std::string valueOf(const std::string& name) const
    {
        if (name == "key")
            return m_order.effectKey;
        if (name == "run")
            return toText(m_order.run);
        if (name == "step")
            return m_order.step;
        return name == "attempt" ? toText(m_order.attempt) : "${" + name + "}";
    }
    const StartOrder& m_order;
};

std::string textAt(std::string_view settings, const std::string& pointer, const std::string& otherwise)
{
    const auto raw = jsonAt(settings, pointer);
    const auto text = raw ? jsonString(*raw) : Result<std::string>(Error{});
    return text ? *text : otherwise;
}

// The part of a URL that says which thing it is about: a query may be for tracing.
std::string pathOf(const std::string& url) { return url.substr(0, url.find('?')); }

void addHttp(Sent& sent, std::string_view settings)
{
    if (jsonAt(settings, "/url"))
        sent.add(jsonQuote(pathOf(textAt(settings, "/url", ""))));
    const std::string keyHeader = lower(textAt(settings, "/key_header", "Idempotency-Key"));
    const auto headers = jsonAt(settings, "/headers");
    const auto members = headers ? jsonObjectMembers(*headers) : Result<std::vector<JsonMember>>(Error{});
    for (std::size_t i = 0; members && i < members->size(); ++i)
        if (lower(members->at(i).name) == keyHeader)  // sent beside ours, and receivers read the first
            sent.add(members->at(i).value);
}

void addCommand(Sent& sent, std::string_view settings)
{
    const auto list = jsonAt(settings, "/argv");
    const auto items = list ? jsonArraySlices(*list) : Result<std::vector<std::string_view>>(Error{});
    for (std::size_t i = 0; items && i < items->size(); ++i)
        sent.add(items->at(i));
}

Sent sentBy(const StartOrder& order, const std::string& settings)
{
    Sent sent(order);
    if (order.executor == "http")
        addHttp(sent, settings);
    else if (order.executor == "command")
        addCommand(sent, settings);
    return sent;
}

// All names in the settings, whatever they are for.
std::set<std::string, std::less<>> namesIn(const StartOrder& order, const std::string& settings)
{
    Sent sent(order);
    sent.add(jsonQuote(settings));
    return sent.names;
}

bool sendsInput(const StartOrder& lookUp)
{
    const std::string method = textAt(lookUp.settings, "/method", "GET");
    return method == "POST" || method == "PUT" || method == "PATCH";
}

}  // namespace

Identity identityOf(const StartOrder& order)
{
    const Sent sent = sentBy(order, order.settings);
    return {order.tool + "\n" + order.effectKey + "\n" + sent.text, sent.names.contains("attempt")};
}

std::string lookUpFault(const StartOrder& lookUp, const std::string& doSettings)
{
    const Sent sent = sentBy(lookUp, lookUp.settings);
    const bool named = namesIn(lookUp, lookUp.settings).contains("key");
    if (sent.names.contains("attempt") && (lookUp.executor == "http" || !named))
        return "its look-up names ${attempt}, which is the look-up's own: the provider cannot know it";
    if (lookUp.executor != "http" || named || sendsInput(lookUp))
        return {};
    // Without the key it can be found by run and step alone, where the call told them.
    const auto asked = namesIn(lookUp, lookUp.settings);
    const auto told = namesIn(lookUp, doSettings);
    const bool found =
        asked.contains("step") && asked.contains("run") && told.contains("step") && told.contains("run");
    return found ? std::string() : "its look-up does not name the effect: there is no ${key} in it";
}

void Provider::call(const StartOrder& order)
{
    const Step step{order.run, order.step};
    ++m_calls[step];
    if (!writes(order.safety))
        return;
    const bool remembers = order.safety == ReplaySafety::Repeatable && !m_keyless.contains(order.tool);
    if (remembers && !m_remembered.insert(identityOf(order).text).second)
        return;
    ++m_effects[step];
    ++m_byKey[order.tool + " " + order.effectKey];
}

bool Provider::knows(const StartOrder& lookUp, const std::string& doSettings) const
{
    const auto found = m_byKey.find(lookUp.tool + " " + lookUp.effectKey);
    return found != m_byKey.end() && lookUpFault(lookUp, doSettings).empty();
}

std::uint32_t Provider::effectsOf(const Step& step) const
{
    const auto found = m_effects.find(step);
    return found == m_effects.end() ? 0 : found->second;
}

std::uint32_t Provider::callsOf(const Step& step) const
{
    const auto found = m_calls.find(step);
    return found == m_calls.end() ? 0 : found->second;
}

}  // namespace cairn::proof
