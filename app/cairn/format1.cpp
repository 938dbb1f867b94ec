// Makes the program that it is linked into the previous version, as far as stores are concerned
// (core/model/entry.h).

#include "core/model/entry.h"

namespace cairn {

std::uint16_t newestFormatOfThisProgram() noexcept { return kFormat1; }

}  // namespace cairn
