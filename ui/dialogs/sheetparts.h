#pragma once
// What the sheets for one act and for several share: the head in the environment's colour, captions,
// consequences.

#include "ui/data/actvalues.h"

#include <QWidget>

class QLabel;
class QLayout;

namespace cairn::ui {

// The strip at the top, in the environment's colour.
class SheetHead final : public QWidget {
    Q_OBJECT
public:
    SheetHead(const StoreFacts& facts, const QString& title, QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_production;
    QString m_word;
    QString m_store;
    QString m_title;
};

void emptyLayout(QLayout* layout);
[[nodiscard]] QWidget* hairLine(QWidget* parent);
[[nodiscard]] QLabel* caption(const QString& text, QWidget* parent);
[[nodiscard]] QLabel* glyphLabel(Glyph glyph, int size, QWidget* parent);
[[nodiscard]] Glyph glyphOfVerb(Verb verb);
// Shape and line, one per consequence; says "nothing" rather than leaving the place empty.
[[nodiscard]] QWidget* consequences(
    const QString& title, Glyph glyph, const QStringList& lines, QWidget* parent);
// "Abandon" and "Set outcome" are names of their own; all others are the verb's.
[[nodiscard]] QString actName(const ActRequest& request);

}  // namespace cairn::ui
