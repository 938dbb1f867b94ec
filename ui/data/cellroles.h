#pragma once
// What a model says about a cell beside its text. Models answer, ui/widgets/rowdelegate paints.

#include <QtCore/qnamespace.h>

namespace cairn::ui {

enum CellRole : int {
    GlyphRole = Qt::UserRole + 1,  // int of Glyph, painted before the text
    LookRole,                      // int of CellLook flags
    IndentRole,                    // int, pixels before everything
    FoldRole,                      // int: 0 none, 1 folded, 2 unfolded
    SuffixRole,                    // QString in secondary colour after the text
    HeadRole,                      // QString: the leading part of an id, in secondary colour
    SortRole,                      // raw value
    MarkRole,                      // int: 0 cannot be marked, 1 unmarked, 2 marked
    TagRole,                       // int of TagLook: the text is set on a ground of its own
    WarnRole,                      // bool: a sign of warning before the text
    FilterRole,                    // QString: the term of a filter that finds what the cell says
    TrendRole,                     // QList<int>: heights in percent, drawn as a line before the text
    ShareRole,                     // QList<int>: what is done and what failed, in percent, as a bar before it
};

enum CellLook : int {
    PlainLook = 0,
    SecondaryLook = 1,
    BoldLook = 2,
    MonoLook = 4,
    FigureLook = 8,       // tabular figures
    RailLook = 16,        // 3 px line at the row's start: on the path to the wait
    StrongLineLook = 32,  // stronger line under the row: pinned rows end here
    BigLook = 64,         // group line: count at size 20
    TopLineLook = 128,    // hairline above
};

}  // namespace cairn::ui
