#include "ui/data/source.h"

namespace cairn::ui {

Source::~Source() = default;

}  // namespace cairn::ui
