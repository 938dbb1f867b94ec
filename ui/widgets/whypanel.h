#pragma once
// Why a run (or a situation) does not move: the sentence, the evidence, what releases it, and what one may
// do, with the reason under every act that is off.

#include "ui/data/values.h"

#include <QWidget>

class QVBoxLayout;

namespace cairn::ui {

class DockTitle;
class Sentence;

class WhyPanel final : public QWidget {
    Q_OBJECT
public:
    explicit WhyPanel(QWidget* parent = nullptr);

    void setWhy(const WhyView& why);
    void setEmpty(const QString& text);  // all clear, nothing selected, cannot look
    [[nodiscard]] const WhyView& why() const { return m_why; }
    [[nodiscard]] QWidget* firstVerb() const { return m_firstVerb; }

Q_SIGNALS:
    void verbChosen(const VerbLine& verb);

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void clear();
    void addHair();
    void addCaption(const QString& text);
    void addEvidence(const std::vector<Fact>& facts);
    void addVerbs();

    DockTitle* m_title;
    QWidget* m_body = nullptr;
    QVBoxLayout* m_layout = nullptr;
    WhyView m_why;
    QString m_empty;
    QWidget* m_firstVerb = nullptr;
};

}  // namespace cairn::ui
