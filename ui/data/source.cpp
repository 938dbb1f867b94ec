#include "ui/data/source.h"

namespace cairn::ui {

Source::~Source() = default;

QFuture<Reply<FilterHelp>> Source::filterHelp(const FilterQuestion&) { return notOffered<FilterHelp>(); }
QFuture<Reply<FilterCounts>> Source::countFilters(const QStringList&) { return notOffered<FilterCounts>(); }

}  // namespace cairn::ui
