// Linked into a program that shall know the first entry format, and so the first schema, only.
#include "core/model/entry.h"

std::uint16_t cairn::newestFormatOfThisProgram() noexcept { return kFormat1; }
