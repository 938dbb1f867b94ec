#pragma once
// What the sheets for one act and for several share: the head in the environment's colour, captions,
// consequences.

#include "ui/data/source.h"

#include <QDialog>
#include <QTimer>

#include <vector>

class QLabel;
class QLayout;
class QPlainTextEdit;
class QPushButton;

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

// How long a preview may be acted on. It then has to be looked at again.
constexpr int kPreviewValidMs = 5 * 60 * 1000;

// Runs while a preview may be acted on. In its last minute it offers as long again, once for each preview:
// whoever reads slowly loses nothing that was typed. What has changed meanwhile is refused in any case.
class Validity final : public QTimer {
    Q_OBJECT
public:
    explicit Validity(QWidget* sheet);

    void begin();
    void end();
    void warn();                                                // less than a minute is left
    [[nodiscard]] int lastsMs() const;                          // in all
    [[nodiscard]] QPushButton* more() const { return m_more; }  // in the sheet's foot; hidden until then

Q_SIGNALS:
    void extended();

private:
    QTimer* m_warning;
    QPushButton* m_more;
    bool m_extended = false;
};

// A modal sheet: Ctrl+Enter executes, a bare Enter never does. Install it as event filter on every editor, so
// that this holds inside them too.
class Sheet : public QDialog {
    Q_OBJECT
public:
    using QDialog::QDialog;

protected:
    virtual void execute() = 0;

    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
};

// What an act came to that did not end it: what it is, and what state the store is in now.
struct EndWords {
    QString text;
    QString state;
    bool notKnown = false;  // whether the store has changed
};
[[nodiscard]] EndWords endWords(const ActResult& result);
[[nodiscard]] EndWords endWords(const Failure& failure);

// What went wrong in a sheet, where it happened: whole, to be selected and copied. With the hexagon of what
// is uncertain where nobody knows whether the store has changed; a refusal is no alarm and has no shape.
class SheetNotice final : public QWidget {
    Q_OBJECT
public:
    explicit SheetNotice(QWidget* parent);  // empty, and then not there

    void tell(const QString& text, bool notKnown = false);
    [[nodiscard]] QString text() const;  // empty: there is nothing to tell
    [[nodiscard]] bool notKnown() const { return m_notKnown; }

private:
    QLabel* m_shape;
    QLabel* m_text;
    bool m_notKnown = false;
};

// The strip at the bottom: what is still needed, then the buttons, the one that executes last.
[[nodiscard]] QWidget* sheetFoot(QLabel* state, const std::vector<QPushButton*>& buttons, QWidget* parent);
void prepareReason(QPlainTextEdit* reason);

void emptyLayout(QLayout* layout);
[[nodiscard]] QWidget* hairLine(QWidget* parent);
[[nodiscard]] QLabel* caption(const QString& text, QWidget* parent);
[[nodiscard]] QLabel* glyphLabel(Glyph glyph, int size, QWidget* parent);
[[nodiscard]] Glyph glyphOfVerb(Verb verb);
// Shape and line, one per consequence; says "nothing" rather than leaving the place empty.
[[nodiscard]] QWidget* consequences(
    const QString& title, Glyph glyph, const QStringList& lines, QWidget* parent);
// "You act as kim, login of the database, in payments-eu: guarded, a reason always."
[[nodiscard]] QString actsAs(const StoreFacts& facts);
// "Abandon" and "Set outcome" are names of their own; all others are the verb's.
[[nodiscard]] QString actName(const ActRequest& request);

// What a sheet says until its preview is there.
[[nodiscard]] QString computingText();
// Why nothing can be confirmed while there is no preview: never empty.
[[nodiscard]] QString notNow(const QString& state);

}  // namespace cairn::ui
