#pragma once
// What the generated source hands over: pages as they are in resources/handbook. Only handbook.cpp reads it.

#include <span>
#include <string_view>

namespace cairn {

struct EmbeddedPage {
    std::string_view name;  // the path below resources/handbook, without ".md"
    std::string_view text;  // Markdown, UTF-8
};
// In the order of their names; static.
[[nodiscard]] std::span<const EmbeddedPage> embeddedPages() noexcept;

}  // namespace cairn
