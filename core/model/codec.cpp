#include "core/model/codec.h"

#include "core/base/wire.h"
#include "core/model/fields.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace cairn {

namespace {

using fields::fixedWidth;
using fields::kIsId;
using fields::kIsVector;

constexpr std::string_view kHashDomain("cairn-entry\0", 12);

// --- encoding

class Encoder {
public:
    Encoder(WireWriter& out, std::uint16_t format)
        : m_out(out)
        , m_format(format)
    {
    }

    template<typename T> void operator()(std::string_view, const T& field) { put(field); }
    template<typename T> void since(int format, std::string_view, const T& field)
    {
        if (m_format >= format)
            put(field);
    }

    template<typename T> void put(const T& value)
    {
        if constexpr (std::is_same_v<T, bool>)
            m_out.boolean(value);
        else if constexpr (std::is_enum_v<T>)
            m_out.u8(static_cast<std::uint8_t>(value));
        else if constexpr (std::is_integral_v<T>)
            putInteger(value);
        else if constexpr (std::is_same_v<T, std::string>)
            m_out.bytes(value);
        else if constexpr (std::is_same_v<T, UuidBytes>)
            m_out.raw({reinterpret_cast<const char*>(value.data()), value.size()});
        else if constexpr (kIsId<T> || std::is_same_v<T, Digest>)
            m_out.raw(value.view());
        else if constexpr (kIsVector<T>)
            putVector(value);
        else if constexpr (std::is_same_v<T, PayloadRef>)
            putPayload(value);
        else
            T::each(value, *this);
    }

private:
    template<typename T> void putInteger(T value)
    {
        if constexpr (sizeof(T) == 1)
            m_out.u8(static_cast<std::uint8_t>(value));
        else if constexpr (sizeof(T) == 2)
            m_out.u16(static_cast<std::uint16_t>(value));
        else if constexpr (sizeof(T) == 4)
            m_out.u32(static_cast<std::uint32_t>(value));
        else
            m_out.u64(static_cast<std::uint64_t>(value));
    }
    template<typename T> void putVector(const std::vector<T>& values)
    {
        m_out.u32(static_cast<std::uint32_t>(values.size()));
        for (const T& value : values)
            put(value);
    }
    // Most references are null: one byte then.
    void putPayload(const PayloadRef& payload)
    {
        m_out.boolean(!payload.isNull());
        if (!payload.isNull())
            PayloadRef::each(payload, *this);
    }

    WireWriter& m_out;
    std::uint16_t m_format;
};

// --- decoding

// Stops meaning anything once failed(); the first field that did not fit is kept for the error's text.
class Decoder {
public:
    Decoder(WireReader& in, std::uint16_t format)
        : m_in(in)
        , m_format(format)
    {
    }

    template<typename T> void operator()(std::string_view name, T& field)
    {
        get(field);
        if (m_in.fail() && m_where.empty())
            m_where = name;
    }
    template<typename T> void since(int format, std::string_view name, T& field)
    {
        if (m_format >= format)
            (*this)(name, field);
    }

    template<typename T> void get(T& value)
    {
        if constexpr (std::is_same_v<T, bool>)
            value = m_in.boolean();
        else if constexpr (std::is_enum_v<T>)
            getEnum(value);
        else if constexpr (std::is_integral_v<T>)
            getInteger(value);
        else if constexpr (std::is_same_v<T, std::string>)
            value = m_in.bytes();
        else if constexpr (std::is_same_v<T, UuidBytes>)
            value = m_in.id<RunId>().bytes;
        else if constexpr (kIsId<T>)
            value = m_in.id<T>();
        else if constexpr (std::is_same_v<T, Digest>)
            value = m_in.digest();
        else if constexpr (kIsVector<T>)
            getVector(value);
        else if constexpr (std::is_same_v<T, PayloadRef>)
            getPayload(value);
        else
            T::each(value, *this);
    }

    void refuse(std::string_view where)
    {
        m_in.setFail();
        if (m_where.empty())
            m_where = where;
    }
    void beginFact(std::size_t number) { m_fact = number; }
    [[nodiscard]] std::size_t fact() const { return m_fact; }  // 0: before the facts
    [[nodiscard]] bool failed() const { return m_in.fail(); }
    [[nodiscard]] std::string_view where() const { return m_where; }
    [[nodiscard]] WireReader& in() { return m_in; }

private:
    template<typename T> void getEnum(T& value)
    {
        static_assert(sizeof(T) == 1);
        const auto read = static_cast<T>(m_in.u8());
        if (!isKnown(read))
            m_in.setFail();
        else
            value = read;
    }
    template<typename T> void getInteger(T& value)
    {
        if constexpr (sizeof(T) == 1)
            value = static_cast<T>(m_in.u8());
        else if constexpr (sizeof(T) == 2)
            value = static_cast<T>(m_in.u16());
        else if constexpr (sizeof(T) == 4)
            value = static_cast<T>(m_in.u32());
        else
            value = static_cast<T>(m_in.u64());
    }
    // A hostile count must not allocate: memory grows with the bytes that were really there.
    template<typename T> void getVector(std::vector<T>& values)
    {
        constexpr std::size_t kLeast = std::max<std::size_t>(fixedWidth<T>(), 1);
        const std::size_t count = m_in.u32();
        if (count > m_in.left() / kLeast)
            m_in.setFail();
        else if (fixedWidth<T>() != 0)
            values.reserve(count);
        for (std::size_t i = 0; i < count && !m_in.fail(); ++i) {
            T value{};
            get(value);
            values.push_back(std::move(value));
        }
    }
    // One value has one encoding: a reference that is said to be there must not be null.
    void getPayload(PayloadRef& payload)
    {
        if (!m_in.boolean())
            return;
        PayloadRef::each(payload, *this);
        if (payload.isNull())
            m_in.setFail();
    }

    WireReader& m_in;
    std::uint16_t m_format;
    std::string_view m_where;
    std::size_t m_fact = 0;
};

// --- facts by tag

using DecodeFact = void (*)(Decoder&, Fact&);

template<typename T> void decodeAs(Decoder& decoder, Fact& out) { T::each(out.emplace<T>(), decoder); }

template<std::size_t... I> consteval std::size_t tagLimit(std::index_sequence<I...>)
{
    return std::max({std::size_t{std::variant_alternative_t<I, Fact>::kTag}...}) + 1;
}

constexpr auto kFacts = std::make_index_sequence<std::variant_size_v<Fact>>{};
using DecoderTable = std::array<DecodeFact, tagLimit(kFacts)>;

template<std::size_t... I> consteval DecoderTable decoderTable(std::index_sequence<I...>)
{
    DecoderTable table{};
    ((table[std::variant_alternative_t<I, Fact>::kTag] = &decodeAs<std::variant_alternative_t<I, Fact>>),
        ...);
    return table;
}

constexpr DecoderTable kDecoders = decoderTable(kFacts);

template<std::size_t... I> consteval bool tagsDiffer(std::index_sequence<I...>)
{
    std::array<bool, tagLimit(kFacts)> taken{};
    bool differ = true;
    ((differ = differ && !taken[std::variant_alternative_t<I, Fact>::kTag],
         taken[std::variant_alternative_t<I, Fact>::kTag] = true),
        ...);
    return differ;
}
static_assert(tagsDiffer(kFacts), "two facts have the same tag");

void decodeFact(Decoder& decoder, Fact& out)
{
    const std::uint16_t tag = decoder.in().u16();
    if (decoder.failed() || tag >= kDecoders.size() || kDecoders[tag] == nullptr)
        return decoder.refuse("fact tag");
    kDecoders[tag](decoder, out);
}

void decodeFacts(Decoder& decoder, std::vector<Fact>& out)
{
    constexpr std::size_t kSmallestFact = 2;
    constexpr std::size_t kReserveAtMost = 16;  // a Fact is large; a hostile count must not buy much of it
    const std::size_t count = decoder.in().u32();
    if (count > decoder.in().left() / kSmallestFact)
        return decoder.refuse("fact count");
    out.reserve(std::min(count, kReserveAtMost));
    for (std::size_t i = 0; i < count && !decoder.failed(); ++i) {
        decoder.beginFact(i + 1);
        decodeFact(decoder, out.emplace_back());
    }
}

Error corrupt(const Entry& entry, const Decoder& decoder, std::string_view body)
{
    std::string text = "Entry " + std::to_string(entry.version) + " is damaged: ";
    if (decoder.where().empty())
        text += "bytes are left over at its end";
    else
        text += (decoder.fact() == 0 ? "its " + std::string(decoder.where())
                                     : "the " + std::string(decoder.where()) + " of fact "
                            + std::to_string(decoder.fact()))
            + " cannot be read";
    text += " (" + std::to_string(body.size())
        + " bytes). Stop writing to this run and restore it from a backup or "
          "an export; 'cairn verify' shows what else is affected.";
    return makeError(ErrorKind::Corrupt, std::move(text));
}

Error newerFormat(std::uint16_t format)
{
    return makeError(ErrorKind::SchemaMismatch,
        "This entry has format " + std::to_string(format) + ", and this program reads formats up to "
            + std::to_string(kMaxFormat)
            + ". Use the newer Cairn that wrote it; 'cairn store info' "
              "shows what the store needs. Nothing was changed.");
}

}  // namespace

std::string encodeEntry(const Entry& entry, std::uint16_t format)
{
    assert(format >= kFormat1 && format <= kMaxFormat);
    WireWriter out;
    out.reserve(160 + entry.facts.size() * 192);
    Encoder encoder(out, format);
    out.u64(entry.version);
    out.id(entry.command);
    encoder.put(entry.verb);
    encoder.put(entry.actor);
    out.i64(entry.time);
    encoder.put(entry.reason);
    out.u32(static_cast<std::uint32_t>(entry.facts.size()));
    for (const Fact& fact : entry.facts)
        std::visit(
            [&](const auto& one) {
                out.u16(one.kTag);
                encoder.put(one);
            },
            fact);
    return out.take();
}

// Format 1 has no trace and span. They are not invented here: decoding leaves them zero, and apply() fills
// them with legacyTrace and legacySpan, because only it knows the run.
Result<Entry> decodeEntry(std::string_view body, std::uint16_t format)
{
    if (format > kMaxFormat)
        return newerFormat(format);
    if (format < kFormat1)
        return makeError(
            ErrorKind::Corrupt, "An entry has format 0, which does not exist: the store is damaged.");
    WireReader in(body);
    Decoder decoder(in, format);
    Entry entry;
    decoder("version", entry.version);
    decoder("command id", entry.command);
    decoder("verb", entry.verb);
    decoder("actor", entry.actor);
    decoder("time", entry.time);
    decoder("reason", entry.reason);
    decodeFacts(decoder, entry.facts);
    if (in.fail() || !in.atEnd())
        return corrupt(entry, decoder, body);
    return entry;
}

Digest entryHash(std::uint16_t format, const Digest& previous, std::string_view body)
{
    std::array<char, 12 + 2 + 32> head;
    char* out = std::copy(kHashDomain.begin(), kHashDomain.end(), head.data());
    *out++ = static_cast<char>(format >> 8);
    *out++ = static_cast<char>(format & 0xFF);
    std::copy(previous.view().begin(), previous.view().end(), out);
    return sha256({head.data(), head.size()}, body);
}

SealedEntry sealEntry(const Entry& entry, std::uint16_t format, const Digest& previous)
{
    SealedEntry sealed;
    sealed.version = entry.version;
    sealed.command = entry.command;
    sealed.format = format;
    sealed.body = encodeEntry(entry, format);
    sealed.previous = previous;
    sealed.hash = entryHash(format, previous, sealed.body);
    return sealed;
}

Status checkSeal(const SealedEntry& sealed, const Digest& previous)
{
    const std::string name = "Entry " + std::to_string(sealed.version);
    if (sealed.previous != previous)
        return makeError(ErrorKind::Corrupt,
            name + " does not follow the entry before it: it names " + hex(sealed.previous)
                + ", which should be " + hex(previous)
                + ". An entry was changed, removed or put in between.");
    if (entryHash(sealed.format, sealed.previous, sealed.body) != sealed.hash)
        return makeError(ErrorKind::Corrupt,
            name
                + " does not have the hash that is stored with it: the entry or its "
                  "hash was changed.");
    WireReader in(sealed.body);
    const bool sameVersion = in.u64() == sealed.version;
    const bool sameCommand = in.id<CommandId>() == sealed.command;
    if (in.fail() || !sameVersion || !sameCommand)
        return makeError(ErrorKind::Corrupt,
            name
                + " is stored beside another version or command id than it names "
                  "itself: a column was changed.");
    return {};
}

UuidBytes legacyTrace(const RunId& run) { return deriveUuid("cairn-trace", run.view()); }

std::uint64_t legacySpan(const AttemptId& attempt)
{
    const UuidBytes bytes = deriveUuid("cairn-span", attempt.view());
    std::uint64_t span = 0;
    for (std::size_t i = 0; i < 8; ++i)
        span = (span << 8) | bytes[i];
    return span;  // never 0: byte 6 holds the UUID's version
}

}  // namespace cairn
