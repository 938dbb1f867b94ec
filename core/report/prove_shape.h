#pragma once
// A JSON value of which only parts are known: what is wanted at which place. Internal to prove_data.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cairn::proof {

// What has to be at a place. Later kinds say more, and take the place of earlier ones.
enum class WantKind : std::uint8_t {
    Present = 1,  // anything
    Text,
    Number,
    Typed,  // exactly these bytes, because something can read nothing else (an instant, a currency)
    List,   // with `count` items
    Exact,  // exactly these bytes, because a condition says so
};
struct Want {
    WantKind kind = WantKind::Present;
    std::string raw{};
    std::uint32_t count = 0;
};

// Part of a pointer that stands for every item of a list.
inline const std::string kEveryItem = "*";
using Path = std::vector<std::string>;  // decoded parts of a JSON Pointer

class Shape {
public:
    // False where it does not agree with what was wanted before: that stays.
    bool want(const Path& path, const Want& wanted, std::size_t at = 0);
    // The bytes wanted at a place, where they are certain.
    [[nodiscard]] std::optional<std::string> known(const Path& path, std::size_t at = 0) const;
    // The value as item `index` of a list of such; `name` words what nothing is said of.
    [[nodiscard]] std::string value(const std::string& name, std::uint32_t index) const;

private:
    enum class Kind : std::uint8_t { Unknown, Scalar, Object, List };
    bool wantHere(const Want& wanted);

    Kind m_kind = Kind::Unknown;
    WantKind m_scalar = WantKind::Present;
    std::string m_raw;
    std::map<std::string, Shape> m_members;
    std::unique_ptr<Shape> m_item;
    std::uint32_t m_count = 0;
};

}  // namespace cairn::proof
