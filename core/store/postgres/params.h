#pragma once
// Values on their way to the server: binary, each with the type that the statement is prepared for. Text is
// sent as its bytes; whatever may hold a NUL or broken UTF-8 is bytea.

#include "core/base/digest.h"
#include "core/base/ids.h"

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace cairn::postgres {

// Object ids of built-in types, the same in every server (pg_type.dat).
enum class Type : unsigned {
    Bytea = 17,
    Int8 = 20,
    Text = 25,
    Uuid = 2950,
    ByteaArray = 1001,
    Int8Array = 1016,
    TextArray = 1009,
    UuidArray = 2951,
};

struct Blob {
    std::string_view bytes;
};
// An id of zeros is a value here, not NULL: for bounds.
struct RawId {
    UuidBytes bytes{};
};
// NULL where the time is not set: for columns with a partial index.
struct Due {
    std::int64_t time = 0;
};
// NULL where the text is empty.
struct TextOrNull {
    std::string_view text;
};

// What encode() made of a value; `bytes` were appended to its output.
struct Encoded {
    Type type = Type::Int8;
    bool null = false;
};

void appendBigEndian(std::string& out, std::uint64_t value, std::size_t bytes);

template<typename T>
requires(std::is_integral_v<T> || std::is_enum_v<T>) Encoded encode(std::string& out, T value)
{
    appendBigEndian(out, static_cast<std::uint64_t>(static_cast<std::int64_t>(value)), 8);
    return {Type::Int8, false};
}
template<typename Tag> Encoded encode(std::string& out, const Id<Tag>& id)
{
    if (!id.isNull())
        out += id.view();
    return {Type::Uuid, id.isNull()};
}
inline Encoded encode(std::string& out, const Digest& digest)
{
    if (!digest.isNull())
        out += digest.view();
    return {Type::Bytea, digest.isNull()};
}
inline Encoded encode(std::string& out, const Salt& salt)
{
    out += saltView(salt);
    return {Type::Bytea, false};
}
inline Encoded encode(std::string& out, std::string_view text)
{
    out += text;
    return {Type::Text, false};
}
inline Encoded encode(std::string& out, const std::string& text)
{
    return encode(out, std::string_view(text));
}
inline Encoded encode(std::string& out, const Blob& blob)
{
    out += blob.bytes;
    return {Type::Bytea, false};
}
inline Encoded encode(std::string& out, const RawId& id)
{
    out.append(reinterpret_cast<const char*>(id.bytes.data()), id.bytes.size());
    return {Type::Uuid, false};
}
inline Encoded encode(std::string& out, const Due& due)
{
    if (due.time != 0)
        encode(out, due.time);
    return {Type::Int8, due.time == 0};
}
inline Encoded encode(std::string& out, const TextOrNull& text)
{
    out += text.text;
    return {Type::Text, text.text.empty()};
}

// One array parameter: a column of rows to write, or the values of "= ANY($n)".
class Column {
public:
    Column() = default;
    explicit Column(Type element)
        : m_element(element)
    {
    }
    template<typename Range> static Column of(Type element, const Range& values)
    {
        Column column(element);
        for (const auto& value : values)
            column.add(value);
        return column;
    }
    template<typename T> void add(const T& value)
    {
        const std::size_t at = m_body.size();
        appendBigEndian(m_body, 0, 4);
        const Encoded encoded = encode(m_body, value);
        m_element = encoded.type;
        close(at, encoded.null);
    }
    [[nodiscard]] std::size_t size() const noexcept { return m_count; }
    [[nodiscard]] bool empty() const noexcept { return m_count == 0; }
    [[nodiscard]] Type arrayType() const noexcept;
    // The binary form of a one-dimensional array.
    [[nodiscard]] std::string bytes() const;

private:
    void close(std::size_t at, bool null);

    Type m_element = Type::Int8;
    std::string m_body;
    std::uint32_t m_count = 0;
    bool m_hasNull = false;
};

// Rows to write, kept as columns.
class Columns {
public:
    template<typename... T> void row(const T&... values)
    {
        if (m_columns.empty())
            m_columns.resize(sizeof...(values));
        std::size_t at = 0;
        (m_columns[at++].add(values), ...);
    }
    [[nodiscard]] bool empty() const noexcept { return m_columns.empty(); }
    [[nodiscard]] const std::vector<Column>& columns() const noexcept { return m_columns; }

private:
    std::vector<Column> m_columns;
};

class Params {
public:
    Params() = default;
    template<typename... T> explicit Params(const T&... values) { (add(values), ...); }

    template<typename T> void add(const T& value)
    {
        Value& v = m_values.emplace_back();
        const Encoded encoded = encode(v.bytes, value);
        v.type = encoded.type;
        v.null = encoded.null;
    }
    void add(const Column& column) { m_values.push_back({column.arrayType(), column.bytes(), false}); }
    void add(const Columns& rows)
    {
        for (const Column& column : rows.columns())
            add(column);
    }
    void add(const char* text) { add(std::string_view(text)); }

    struct Value {
        Type type = Type::Int8;
        std::string bytes;
        bool null = false;
    };
    [[nodiscard]] const std::vector<Value>& values() const noexcept { return m_values; }

private:
    std::vector<Value> m_values;
};

}  // namespace cairn::postgres
