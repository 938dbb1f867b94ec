#include "core/report/prove_shape.h"

#include "core/base/json_scan.h"

#include <algorithm>

namespace cairn::proof {

namespace {

// The position that a part of a pointer names, where it is one.
std::optional<std::uint32_t> positionOf(const std::string& part)
{
    if (part.empty() || part.size() > 4
        || !std::all_of(part.begin(), part.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    return static_cast<std::uint32_t>(std::stoul(part));
}

}  // namespace

bool Shape::wantHere(const Want& wanted)
{
    if (wanted.kind == WantKind::List) {
        if (m_kind == Kind::Object || (m_kind == Kind::Scalar && m_scalar > WantKind::Present))
            return false;
        m_kind = Kind::List;
        m_count = std::max(m_count, wanted.count);
        if (!m_item)
            m_item = std::make_unique<Shape>();
        return true;
    }
    if (wanted.kind == WantKind::Present)
        return true;
    if (m_kind == Kind::Object || m_kind == Kind::List)
        return false;
    if (m_kind == Kind::Scalar && m_scalar == WantKind::Exact)
        return wanted.kind < WantKind::Exact || m_raw == wanted.raw;
    m_kind = Kind::Scalar;
    if (wanted.kind >= m_scalar) {
        m_scalar = wanted.kind;
        m_raw = wanted.raw;
    }
    return true;
}

bool Shape::want(const Path& path, const Want& wanted, std::size_t at)
{
    if (at == path.size())
        return wantHere(wanted);
    if (m_kind == Kind::Scalar && m_scalar > WantKind::Present)
        return false;
    const std::string& part = path[at];
    const auto position = positionOf(part);
    if (m_kind == Kind::Unknown || m_kind == Kind::Scalar)
        m_kind = part == kEveryItem || position ? Kind::List : Kind::Object;
    if (m_kind == Kind::Object)
        return part != kEveryItem && m_members[part].want(path, wanted, at + 1);
    if (part != kEveryItem && !position)
        return false;
    if (!m_item)
        m_item = std::make_unique<Shape>();
    m_count = std::max(m_count, position ? *position + 1 : 1);
    return m_item->want(path, wanted, at + 1);
}

std::optional<std::string> Shape::known(const Path& path, std::size_t at) const
{
    if (at == path.size())
        return m_kind == Kind::Scalar && m_scalar >= WantKind::Typed ? std::optional(m_raw) : std::nullopt;
    if (m_kind == Kind::Object) {
        const auto found = m_members.find(path[at]);
        return found == m_members.end() ? std::nullopt : found->second.known(path, at + 1);
    }
    return m_kind == Kind::List && m_item ? m_item->known(path, at + 1) : std::nullopt;
}

std::string Shape::value(const std::string& name, std::uint32_t index) const
{
    switch (m_kind) {
    case Kind::Object: {
        std::string text = "{";
        for (const auto& [member, shape] : m_members)
            text += (text.size() > 1 ? "," : "") + jsonQuote(member) + ":" + shape.value(member, index);
        return text + "}";
    }
    case Kind::List: {
        std::string text = "[";
        for (std::uint32_t i = 0; i < m_count; ++i)
            text += (i > 0 ? "," : "") + m_item->value(name, index * m_count + i);
        return text + "]";
    }
    case Kind::Scalar:
        if (m_scalar >= WantKind::Typed)
            return m_raw;
        if (m_scalar == WantKind::Number)
            return std::to_string(index + 1);
        break;
    case Kind::Unknown: break;
    }
    return jsonQuote(name + "-" + std::to_string(index + 1));
}

}  // namespace cairn::proof
