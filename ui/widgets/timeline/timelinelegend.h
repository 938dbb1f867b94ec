#pragma once
// What the marks of the timeline mean, painted as the timeline paints them.

#include <QStringList>
#include <QWidget>

class QPainter;

namespace cairn::ui {

// Time that was waited: a thin bar with a tick at its start; of a fan-out's member, a hair.
void paintQueue(QPainter& painter, const QRectF& bar, const QColor& color, bool member);
// Idle time that is folded: a strip across the lanes, with broken edges.
void paintFold(QPainter& painter, const QRectF& fold);
// A person acted: initials in a cap.
void paintActCap(
    QPainter& painter, const QRectF& cap, const QString& initials, bool applied, bool chosen, bool focused);

class TimelineLegend final : public QWidget {
    Q_OBJECT
public:
    explicit TimelineLegend(QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] const QStringList& words() const { return m_words; }  // in the order of Mark

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    enum Mark { Queued, Ran, Between, Waits, Fold, Act };

    QStringList m_words;
};

}  // namespace cairn::ui
