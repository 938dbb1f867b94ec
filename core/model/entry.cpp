#include "core/model/entry.h"

#include <type_traits>

namespace cairn {

#ifndef CAIRN_MAX_FORMAT
[[gnu::weak]] std::uint16_t newestFormatOfThisProgram() noexcept { return kFormat2; }
#endif

namespace {

struct RefCollector {
    std::map<PayloadId, PayloadRef>& out;
    template<class T> void operator()(std::string_view, const T& field)
    {
        if constexpr (std::is_same_v<T, PayloadRef>)
            if (field)
                out.emplace(field.id, field);
    }
    template<class T> void since(int, std::string_view name, const T& field) { (*this)(name, field); }
};

}  // namespace

void collectPayloads(const Entry& entry, std::map<PayloadId, PayloadRef>& refs)
{
    RefCollector collector{refs};
    collector("reason", entry.reason);
    for (const Fact& fact : entry.facts)
        std::visit([&](const auto& f) { std::decay_t<decltype(f)>::each(f, collector); }, fact);
}

}  // namespace cairn
