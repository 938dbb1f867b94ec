#pragma once
// What must never be stored is replaced before anything is hashed or kept: the values of named members, and
// text that looks like a credential. Pure, thread-safe. It errs on the side of masking too much.

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cairn {

struct SecretList {
    // Names of members, of parameters and of headers, without regard to case: "card_number". A * at the end
    // or the beginning stands for anything: "*_token".
    std::vector<std::string> keys{};
    // Text that is masked wherever it stands: literally, or up to the end of the word where it ends with *:
    // "sk-live-*". At least 4 characters before the *.
    std::vector<std::string> patterns{};

    [[nodiscard]] bool empty() const noexcept { return keys.empty() && patterns.empty(); }
    void add(const SecretList& more);
    friend bool operator==(const SecretList&, const SecretList&) = default;
};
inline constexpr std::size_t kMostSecretNames = 500;

// InvalidInput: a key or a pattern that would mask nothing or everything, or that could break what it stands
// in.
[[nodiscard]] Status checkSecretList(const SecretList& list);

// Why something is masked, which its mark says: "[masked: password]" was never stored, "[hidden: iban]" is
// stored and is not shown here.
enum class Mark : std::uint8_t { NeverStored, Hidden };

class Masker {
public:
    // Of what is never stored, beside the list, also what looks like a credential on its own: bearer tokens,
    // passwords in URLs, private keys, well-known forms of access keys.
    explicit Masker(SecretList list = {}, Mark mark = Mark::NeverStored);

    // A payload: JSON stays JSON (a masked value becomes a string), other text as text(). Bytes that are not
    // UTF-8 come back as they are.
    [[nodiscard]] std::string payload(std::string_view bytes, std::string_view media) const;
    // The same of what the caller needs no more: of large bytes two copies are in memory at one time, not
    // four.
    [[nodiscard]] std::string payloadFrom(std::string bytes, std::string_view media) const;
    // Of Mark::Hidden. False: nothing that is listed stands in it, and payload() gives the same. Many times
    // faster than payload(); true may be said of what is not changed.
    [[nodiscard]] bool mayStandIn(std::string_view bytes) const;
    // Text of any kind: an error, a reason, a log line, a URL, a header.
    [[nodiscard]] std::string text(std::string_view bytes) const;
    [[nodiscard]] const SecretList& list() const noexcept { return m_list; }

private:
    [[nodiscard]] const std::string* keyOf(std::string_view name) const;
    [[nodiscard]] std::string patterns(std::string_view bytes) const;
    [[nodiscard]] std::string assignments(std::string_view bytes) const;
    [[nodiscard]] std::string json(std::string_view bytes) const;

    SecretList m_list;  // keys in lower case
    Mark m_mark;
    std::vector<std::string> m_literal;  // names without a *, sorted
};

// "[masked: password]": says what was there and not what it was.
[[nodiscard]] std::string maskedText(std::string_view what, Mark mark = Mark::NeverStored);
// How many marks of that kind stand in the text.
[[nodiscard]] std::size_t countMarks(std::string_view text, Mark mark) noexcept;

}  // namespace cairn
