#pragma once
// One or two sentences at size 16, at most 70 characters a line, with some parts in bold. Laid out as plain
// text with format ranges: nothing in the text can be taken for markup.

#include <QStringList>
#include <QWidget>

class QTextLayout;

namespace cairn::ui {

class Sentence final : public QWidget {
    Q_OBJECT
public:
    explicit Sentence(QWidget* parent = nullptr);

    void setSentence(const QString& text, const QStringList& strong);
    [[nodiscard]] QString text() const { return m_text; }
    [[nodiscard]] bool hasHeightForWidth() const override { return true; }
    [[nodiscard]] int heightForWidth(int width) const override;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] double lay(QTextLayout& layout, int width) const;
    [[nodiscard]] int lineWidth(int width) const;

    QString m_text;
    QStringList m_strong;
};

}  // namespace cairn::ui
