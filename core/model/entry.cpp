#include "core/model/entry.h"

namespace cairn {

#ifndef CAIRN_MAX_FORMAT
[[gnu::weak]] std::uint16_t newestFormatOfThisProgram() noexcept { return kFormat2; }
#endif

}  // namespace cairn
