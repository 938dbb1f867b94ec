#pragma once
// Facts and entries with every field set, made by walking the fields: no new field can be forgotten.

#include "core/base/digest.h"
#include "core/model/entry.h"

#include <type_traits>
#include <utility>

namespace cairn::testing {

// Fills values in order with numbers that follow each other, so that no two fields hold the same.
class Filler {
public:
    explicit Filler(std::uint64_t seed)
        : m_next(seed)
    {
    }
    template<typename T> void operator()(std::string_view, T& field) { fill(field); }
    template<typename T> void since(int, std::string_view, T& field) { fill(field); }

    void fill(bool& value) { value = true; }
    void fill(std::string& value) { value = "text " + std::to_string(next()); }
    void fill(UuidBytes& value)
    {
        const Digest digest = sha256(std::to_string(next()));
        std::copy(digest.bytes.begin(), digest.bytes.begin() + 16, value.begin());
    }
    void fill(Digest& value) { value = sha256(std::to_string(next())); }
    template<typename Tag> void fill(Id<Tag>& value) { fill(value.bytes); }
    template<typename T> void fill(std::vector<T>& values)
    {
        values.resize(2);
        for (T& value : values)
            fill(value);
    }
    template<typename T> void fill(T& value)
    {
        if constexpr (std::is_enum_v<T>) {
            value = static_cast<T>(
                words<T>()[static_cast<std::size_t>(next() % 3)].value);  // not the whole table: it grows
        } else if constexpr (std::is_integral_v<T>) {
            value = static_cast<T>(next() * 0x0101010101ULL);
        } else {
            T::each(value, *this);
        }
    }

private:
    std::uint64_t next() { return m_next++; }
    std::uint64_t m_next;
};

template<typename T> T filled(std::uint64_t seed)
{
    T value{};
    Filler(seed).fill(value);
    return value;
}

// One of each kind of fact, in the order of the variant.
inline std::vector<Fact> oneOfEachFact(std::uint64_t seed = 1)
{
    std::vector<Fact> out;
    [&]<std::size_t... I>(std::index_sequence<I...>)
    {
        (out.emplace_back(filled<std::variant_alternative_t<I, Fact>>(seed + I * 100)), ...);
    }
    (std::make_index_sequence<std::variant_size_v<Fact>>{});
    return out;
}

inline Entry entryOf(std::vector<Fact> facts, std::uint64_t version = 7)
{
    Entry entry;
    entry.version = version;
    entry.command = filled<CommandId>(9001);
    entry.verb = Verb::Complete;
    entry.actor = {ActorKind::Worker, "w-17"};
    entry.time = 1'790'000'000'123;
    entry.reason = filled<PayloadRef>(9002);
    entry.facts = std::move(facts);
    return entry;
}

}  // namespace cairn::testing
