#include "core/store/postgres/params.h"

namespace cairn::postgres {

void appendBigEndian(std::string& out, std::uint64_t value, std::size_t bytes)
{
    for (std::size_t i = bytes; i-- > 0;)
        out += static_cast<char>(static_cast<unsigned char>(value >> (8 * i)));
}

void Column::close(std::size_t at, bool null)
{
    const std::size_t length = m_body.size() - at - 4;
    std::string prefix;
    appendBigEndian(prefix, null ? 0xFFFFFFFFU : length, 4);
    m_body.replace(at, 4, prefix);
    m_hasNull = m_hasNull || null;
    ++m_count;
}

Type Column::arrayType() const noexcept
{
    switch (m_element) {
    case Type::Bytea: return Type::ByteaArray;
    case Type::Text: return Type::TextArray;
    case Type::Uuid: return Type::UuidArray;
    default: return Type::Int8Array;
    }
}

std::string Column::bytes() const
{
    std::string out;
    out.reserve(m_body.size() + 20);
    appendBigEndian(out, m_count == 0 ? 0 : 1, 4);  // dimensions
    appendBigEndian(out, m_hasNull ? 1 : 0, 4);
    appendBigEndian(out, static_cast<unsigned>(m_element), 4);
    if (m_count > 0) {
        appendBigEndian(out, m_count, 4);
        appendBigEndian(out, 1, 4);  // the first index
        out += m_body;
    }
    return out;
}

}  // namespace cairn::postgres
