#pragma once
// What a store did lately, in numbers.

#include "ui/data/values.h"

namespace cairn::ui {

struct ReportDay {
    qint64 day = 0;  // its beginning, UTC
    quint64 started = 0;
    quint64 completed = 0;
    quint64 failed = 0;
    quint64 cancelled = 0;  // undone ones too
};
struct ReportWait {
    Glyph glyph = Glyph::None;
    QString word;
    quint64 count = 0;
    qint64 oldest = 0;  // since when its oldest run waits
};
struct ReportView {
    std::vector<ReportDay> days;    // oldest first
    std::vector<ReportWait> waits;  // most runs first
    qint64 at = 0;
};

}  // namespace cairn::ui
