#include "core/model/definition.h"

#include <algorithm>

namespace cairn {

namespace {

template<typename T> const T* named(const std::vector<T>& all, std::string_view name) noexcept
{
    const auto found =
        std::find_if(all.begin(), all.end(), [name](const T& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

const StepDef* Definition::step(std::string_view name) const noexcept { return named(steps, name); }
const StepDef* Definition::step(std::string_view name, std::size_t guess) const noexcept
{
    return guess < steps.size() && steps[guess].name == name ? &steps[guess] : step(name);
}
const ToolDef* Definition::tool(std::string_view name) const noexcept { return named(tools, name); }

}  // namespace cairn
