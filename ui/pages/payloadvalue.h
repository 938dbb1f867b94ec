#pragma once
// One value of a payload: its path, type, length and bytes; whole, with the escapes of a text resolved; and
// below it as it is stored, byte for byte, with what stands around it.

#include "ui/data/payloadindex.h"

#include <QWidget>

class QLabel;
class QPlainTextEdit;

namespace cairn::ui {

class DockTitle;

class PayloadValue final : public QWidget {
    Q_OBJECT
public:
    explicit PayloadValue(QWidget* parent = nullptr);

    void setCovered(bool covered);  // fields are hidden in it: the bytes are those that are shown
    void setTitle(const QString& title);
    void clear();  // nothing of another payload stays
    void showHead(const QByteArray& head);
    void showNode(const PayloadIndex& index, quint32 node);
    // Below the value: how much of it is left out, or why it is not there.
    void say(const QString& text);
    void sayRest(quint64 bytes);
    [[nodiscard]] QPlainTextEdit* text() const { return m_text; }
    [[nodiscard]] QPlainTextEdit* stored() const { return m_stored; }
    [[nodiscard]] QString factsText() const;
    [[nodiscard]] QString moreText() const;

private:
    void showStored(const PayloadIndex& index, quint32 node);

    DockTitle* m_title;
    QLabel* m_path;
    QLabel* m_facts;
    QPlainTextEdit* m_text;
    DockTitle* m_storedTitle;
    QPlainTextEdit* m_stored;
    QLabel* m_more;
};

}  // namespace cairn::ui
