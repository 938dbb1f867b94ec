#include "core/base/counted.h"

#include "core/base/text.h"

namespace cairn {

std::string counted(std::uint64_t count, const char* one, const char* many)
{
    return formatCount(static_cast<std::int64_t>(count)) + " " + (count == 1 ? one : many);
}

std::string counted(std::uint64_t count, const char* one)
{
    return counted(count, one, (std::string(one) + "s").c_str());
}

}  // namespace cairn
