#pragma once
// Binary encoding of entries: fixed field order, big-endian integers, length-prefixed strings.
// There is no canonicalisation step: the bytes that are hashed are the bytes that are stored.

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/ids.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace cairn {

class WireWriter {
public:
    void reserve(std::size_t size) { m_out.reserve(size); }
    void u8(std::uint8_t v) { m_out.push_back(static_cast<char>(v)); }
    void boolean(bool v) { u8(v ? 1 : 0); }
    void u16(std::uint16_t v) { putBig(v, 2); }
    void u32(std::uint32_t v) { putBig(v, 4); }
    void u64(std::uint64_t v) { putBig(v, 8); }
    void i64(std::int64_t v) { putBig(static_cast<std::uint64_t>(v), 8); }
    void raw(std::string_view v) { m_out.append(v); }
    void bytes(std::string_view v)
    {
        u32(static_cast<std::uint32_t>(v.size()));
        raw(v);
    }
    template<typename Tag> void id(const Id<Tag>& v) { raw(v.view()); }
    void digest(const Digest& v) { raw(v.view()); }
    void clear() { m_out.clear(); }  // its room stays
    [[nodiscard]] const std::string& out() const { return m_out; }
    [[nodiscard]] std::string take() { return std::move(m_out); }

private:
    void putBig(std::uint64_t v, std::size_t width)
    {
        char big[8];
        for (std::size_t i = 0; i < width; ++i)
            big[i] = static_cast<char>(static_cast<unsigned char>(v >> ((width - 1 - i) * 8)));
        m_out.append(big, width);
    }
    std::string m_out;
};

// Reads what WireWriter wrote. A short or damaged input sets fail() and gives zeros from there on; callers
// check once at the end. Lengths are checked against what is left, so hostile input cannot make it allocate.
class WireReader {
public:
    explicit WireReader(std::string_view in)
        : m_in(in)
    {
    }
    std::uint8_t u8() { return static_cast<std::uint8_t>(getBig(1)); }
    bool boolean()
    {
        const auto v = u8();
        if (v > 1)
            m_fail = true;
        return v == 1;
    }
    std::uint16_t u16() { return static_cast<std::uint16_t>(getBig(2)); }
    std::uint32_t u32() { return static_cast<std::uint32_t>(getBig(4)); }
    std::uint64_t u64() { return getBig(8); }
    std::int64_t i64() { return static_cast<std::int64_t>(getBig(8)); }
    std::string_view raw(std::size_t size)
    {
        if (m_fail || size > m_in.size()) {
            m_fail = true;
            return {};
        }
        const auto v = m_in.substr(0, size);
        m_in.remove_prefix(size);
        return v;
    }
    std::string bytes() { return std::string(raw(u32())); }
    template<typename IdType> IdType id()
    {
        IdType v;
        const auto r = raw(16);
        if (r.size() == 16)
            std::memcpy(v.bytes.data(), r.data(), 16);
        return v;
    }
    Digest digest()
    {
        Digest v;
        const auto r = raw(32);
        if (r.size() == 32)
            std::memcpy(v.bytes.data(), r.data(), 32);
        return v;
    }
    void setFail() { m_fail = true; }
    [[nodiscard]] bool fail() const { return m_fail; }
    [[nodiscard]] bool atEnd() const { return m_in.empty(); }
    [[nodiscard]] std::size_t left() const { return m_in.size(); }

private:
    std::uint64_t getBig(std::size_t width)
    {
        std::uint64_t v = 0;
        for (const char c : raw(width))
            v = (v << 8) | static_cast<unsigned char>(c);
        return v;
    }
    std::string_view m_in;
    bool m_fail = false;
};

}  // namespace cairn
