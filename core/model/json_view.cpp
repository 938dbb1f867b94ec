// Facts and entries as JSON text. Written by hand: the shape is the fields' own, and no JSON library is
// needed to write.
#include "core/base/text.h"
#include "core/model/codec.h"
#include "core/model/fields.h"

#include <charconv>

namespace cairn {

namespace {

using fields::kIsId;
using fields::kIsVector;

void appendHex16(std::string& out, std::uint64_t value)
{
    static constexpr char kDigits[] = "0123456789abcdef";
    out.push_back('"');
    for (int shift = 60; shift >= 0; shift -= 4)
        out.push_back(kDigits[(value >> shift) & 15]);
    out.push_back('"');
}

class JsonWriter {
public:
    explicit JsonWriter(std::string& out)
        : m_out(out)
    {
    }

    template<typename T> void operator()(std::string_view name, const T& field)
    {
        this->name(name);
        put(field);
    }
    template<typename T> void since(int, std::string_view name, const T& field)
    {
        this->name(name);
        if constexpr (std::is_same_v<T, std::uint64_t>)
            appendHex16(m_out, field);  // a span id, in the form that tracing tools use
        else
            put(field);
    }

    void name(std::string_view name)
    {
        if (m_out.back() != '{')
            m_out.push_back(',');
        appendJsonString(m_out, name);
        m_out.push_back(':');
    }
    template<typename T> void put(const T& value)
    {
        if constexpr (std::is_same_v<T, bool>)
            m_out += value ? "true" : "false";
        else if constexpr (std::is_enum_v<T>)
            appendJsonString(m_out, key(value));
        else if constexpr (std::is_integral_v<T>)
            putInteger(value);
        else if constexpr (std::is_same_v<T, std::string>)
            value.empty() ? static_cast<void>(m_out += "null") : appendJsonString(m_out, value);
        else if constexpr (std::is_same_v<T, UuidBytes>)
            putText(value == UuidBytes{}, hex({reinterpret_cast<const char*>(value.data()), value.size()}));
        else if constexpr (kIsId<T>)
            putText(value.isNull(), toText(value));
        else if constexpr (std::is_same_v<T, Digest>)
            putText(value.isNull(), hex(value));
        else if constexpr (kIsVector<T>)
            putVector(value);
        else
            putObject(value);
    }

private:
    template<typename T> void putInteger(T value)
    {
        if constexpr (std::is_same_v<T, StepIx>) {
            if (value == kNoStep) {
                m_out += "null";
                return;
            }
        }
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
        m_out.append(digits, end);
    }
    void putText(bool null, const std::string& text)
    {
        if (null)
            m_out += "null";
        else
            appendJsonString(m_out, text);
    }
    template<typename T> void putVector(const std::vector<T>& values)
    {
        m_out.push_back('[');
        for (const T& value : values) {
            if (m_out.back() != '[')
                m_out.push_back(',');
            put(value);
        }
        m_out.push_back(']');
    }
    template<typename T> void putObject(const T& value)
    {
        bool null = false;
        if constexpr (std::is_same_v<T, PayloadRef>)
            null = value.isNull();
        else if constexpr (std::is_same_v<T, Money>)
            null = value.currency.empty() && value.micros == 0;
        else if constexpr (std::is_same_v<T, ParentRef>)
            null = value.run.isNull();
        if (null) {
            m_out += "null";
            return;
        }
        m_out.push_back('{');
        T::each(value, *this);
        m_out.push_back('}');
    }

    std::string& m_out;
};

void appendFact(std::string& out, const Fact& fact)
{
    out.push_back('{');
    JsonWriter writer(out);
    writer.name("fact");
    appendJsonString(out, factName(fact));
    std::visit([&](const auto& one) { one.each(one, writer); }, fact);
    out.push_back('}');
}

}  // namespace

std::string factJson(const Fact& fact)
{
    std::string out;
    out.reserve(256);
    appendFact(out, fact);
    return out;
}

std::string entryJson(const Entry& entry)
{
    std::string out = "{";
    out.reserve(256 + entry.facts.size() * 256);
    JsonWriter writer(out);
    writer("version", entry.version);
    writer("command", entry.command);
    writer("verb", entry.verb);
    writer("actor", entry.actor);
    writer("time", entry.time);
    writer("reason", entry.reason);
    writer.name("facts");
    out.push_back('[');
    for (const Fact& fact : entry.facts) {
        if (out.back() != '[')
            out.push_back(',');
        appendFact(out, fact);
    }
    out += "]}";
    return out;
}

}  // namespace cairn
