#include "ui/widgets/letters.h"
#include "ui/widgets/timeline/timelinecanvas.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kNames = 176;
constexpr int kHead = 34;
constexpr int kActs = 44;
constexpr int kRow = 26;
constexpr int kMember = 5;
constexpr int kLanePad = 8;
constexpr double kMostZoom = 4096;

}  // namespace

TimelineCanvas::TimelineCanvas(QWidget* parent)
    : QAbstractScrollArea(parent)
{
    installTimelineAccessibility();
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setAccessibleName(tr("Timeline"));
    setAccessibleDescription(tr("L shows the same as a list"));
}

void TimelineCanvas::setTimeline(Timeline timeline)
{
    m_timeline = std::move(timeline);
    arrange();
}

void TimelineCanvas::setFolded(bool on)
{
    m_folds = on;
    arrange();
}

void TimelineCanvas::setZoom(double zoom)
{
    // What is in the middle stays there.
    const int middle = (viewport()->width() - kNames) / 2;
    const qint64 time = m_scale.time(horizontalScrollBar()->value() + middle);
    m_zoom = std::clamp(zoom, 1.0, kMostZoom);
    arrange();
    horizontalScrollBar()->setValue(static_cast<int>(m_scale.x(time)) - middle);
}

void TimelineCanvas::arrange()
{
    const int room = std::max(100, viewport()->width() - kNames - 24);
    m_scale = TimeScale(m_timeline.from, m_timeline.to,
        m_folds ? idleGaps(m_timeline, kIdleFolded) : std::vector<IdleGap>(), room * m_zoom);
    m_places.clear();
    m_laneTops.clear();
    int y = kHead;
    for (std::size_t i = 0; i < m_timeline.acts.size(); ++i)
        m_places.push_back({-1, static_cast<int>(i), y, kActs});
    y += kActs;
    for (std::size_t l = 0; l < m_timeline.lanes.size(); ++l) {
        m_laneTops.push_back(y);
        const int top = y;
        y += kLanePad;
        const std::vector<LaneRow>& rows = m_timeline.lanes[l].rows;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            const int height = rows[r].member ? kMember : kRow;
            m_places.push_back({static_cast<int>(l), static_cast<int>(r), y, height});
            y += height;
        }
        y = std::max(y + kLanePad, top + 48);
    }
    m_height = y;
    horizontalScrollBar()->setRange(0, std::max(0, static_cast<int>(m_scale.width()) - room));
    horizontalScrollBar()->setPageStep(room);
    horizontalScrollBar()->setSingleStep(40);
    verticalScrollBar()->setRange(0, std::max(0, m_height - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(kRow);
    viewport()->update();
}

const LaneRow* TimelineCanvas::rowAt(int place) const
{
    if (place < 0 || place >= static_cast<int>(m_places.size()))
        return nullptr;
    const Place& at = m_places[static_cast<std::size_t>(place)];
    return at.lane < 0
        ? nullptr
        : &m_timeline.lanes[static_cast<std::size_t>(at.lane)].rows[static_cast<std::size_t>(at.row)];
}

int TimelineCanvas::currentPlace() const
{
    if (m_act >= 0 && m_act < static_cast<int>(m_timeline.acts.size()))
        return m_act;
    for (int i = 0; i < static_cast<int>(m_places.size()); ++i)
        if (const LaneRow* row = rowAt(i); row != nullptr && row->step == m_step)
            return i;
    return -1;
}

QString TimelineCanvas::spoken(int place) const
{
    if (place < 0 || place >= static_cast<int>(m_places.size()))
        return {};
    const Place& at = m_places[static_cast<std::size_t>(place)];
    if (at.lane < 0) {
        const LaneAct& act = m_timeline.acts[static_cast<std::size_t>(at.row)];
        return shown(tr("act: %1 at %2").arg(act.text, instantText(act.time)));
    }
    const LaneRow& row = *rowAt(place);
    qint64 queued = 0;
    qint64 ran = 0;
    bool open = false;
    for (const LaneSpan& span : row.spans) {
        (span.kind == SpanKind::Ran ? ran : queued) += span.kind == SpanKind::Waits ? 0 : span.to - span.from;
        open = open || span.open;
    }
    return shown(
        tr("%1, %2, lane %3, queued %4, ran %5%6")
            .arg(row.title, glyphName(row.glyph), m_timeline.lanes[static_cast<std::size_t>(at.lane)].name,
                durationText(queued), durationText(ran), open ? u"+"_s : QString()));
}

QRect TimelineCanvas::viewRect(int place) const
{
    if (place < 0 || place >= static_cast<int>(m_places.size()))
        return {};
    const Place& at = m_places[static_cast<std::size_t>(place)];
    return {0, at.y - verticalScrollBar()->value(), viewport()->width(), at.height};
}

void TimelineCanvas::choose(int place)
{
    const LaneRow* row = rowAt(place);
    m_act = row == nullptr && place >= 0 ? place : -1;
    if (row != nullptr) {
        m_step = row->step;
        Q_EMIT stepChosen(m_step);
    }
    reveal();
}

void TimelineCanvas::select(quint32 step)
{
    m_step = step;
    m_act = -1;
    reveal();
}

void TimelineCanvas::reveal()
{
    const int current = currentPlace();
    if (current >= 0) {
        const Place& at = m_places[static_cast<std::size_t>(current)];
        QScrollBar* bar = verticalScrollBar();
        if (at.y - bar->value() < kHead)
            bar->setValue(at.y - kHead);
        else if (at.y + at.height - bar->value() > viewport()->height())
            bar->setValue(at.y + at.height - viewport()->height());
    }
    viewport()->update();
}

int TimelineCanvas::placeAt(const QPoint& view) const
{
    const int y = view.y() + verticalScrollBar()->value();
    int best = -1;
    double nearest = 1e9;
    for (int i = 0; i < static_cast<int>(m_places.size()); ++i) {
        const Place& at = m_places[static_cast<std::size_t>(i)];
        if (y < at.y || y >= at.y + at.height)
            continue;
        if (at.lane >= 0)
            return i;
        const double away =
            std::abs(viewX(m_timeline.acts[static_cast<std::size_t>(at.row)].time) - view.x());
        if (away < nearest) {
            nearest = away;
            best = i;
        }
    }
    return best;
}

double TimelineCanvas::viewX(qint64 time) const
{
    return kNames + 12 + m_scale.x(time) - horizontalScrollBar()->value();
}

void TimelineCanvas::resizeEvent(QResizeEvent* event)
{
    QAbstractScrollArea::resizeEvent(event);
    arrange();
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    if (const int place = placeAt(event->position().toPoint()); place >= 0)
        choose(place);
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (rowAt(placeAt(event->position().toPoint())) != nullptr)
        Q_EMIT stepOpened(m_step);
}

void TimelineCanvas::wheelEvent(QWheelEvent* event)
{
    if ((event->modifiers() & Qt::ControlModifier) == 0)
        return QAbstractScrollArea::wheelEvent(event);
    setZoom(event->angleDelta().y() > 0 ? m_zoom * 1.25 : m_zoom / 1.25);
    event->accept();
}

bool TimelineCanvas::moveKey(int key)
{
    const int last = static_cast<int>(m_places.size()) - 1;
    const int current = currentPlace();
    QScrollBar* along = horizontalScrollBar();
    switch (key) {
    case Qt::Key_Down:
    case Qt::Key_J: choose(std::min(last, current + 1)); return true;
    case Qt::Key_Up:
    case Qt::Key_K: choose(std::max(0, current - 1)); return true;
    case Qt::Key_Home: choose(0); return true;
    case Qt::Key_End: choose(last); return true;
    case Qt::Key_Left: along->setValue(along->value() - along->singleStep()); return true;
    case Qt::Key_Right: along->setValue(along->value() + along->singleStep()); return true;
    case Qt::Key_Plus:
    case Qt::Key_Equal: setZoom(m_zoom * 1.5); return true;
    case Qt::Key_Minus: setZoom(m_zoom / 1.5); return true;
    case Qt::Key_0: fit(); return true;
    default: return false;
    }
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event)
{
    const bool plain = (event->modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) == Qt::NoModifier;
    const int key = event->key();
    const bool letter = key == Qt::Key_Delete || key == Qt::Key_Slash || key == Qt::Key_BracketLeft
        || key == Qt::Key_BracketRight || (key >= Qt::Key_A && key <= Qt::Key_Z);
    if (plain && moveKey(key)) {
        event->accept();
    } else if (plain && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
        if (rowAt(currentPlace()) != nullptr)
            Q_EMIT stepOpened(m_step);
        event->accept();
    } else if (plain && letter) {
        Q_EMIT letterTyped(Letters::typed(key), (event->modifiers() & Qt::ShiftModifier) != 0);
        event->accept();
    } else {
        event->ignore();  // views are switched by the page
    }
}

void TimelineCanvas::focusInEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void TimelineCanvas::focusOutEvent(QFocusEvent* event)
{
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

}  // namespace cairn::ui
