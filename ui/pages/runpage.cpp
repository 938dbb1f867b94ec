#include "ui/pages/runpage.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/pages/compareview.h"
#include "ui/pages/dataview.h"
#include "ui/pages/historyview.h"
#include "ui/pages/payloadviewer.h"
#include "ui/pages/runviews.h"
#include "ui/pages/stepsview.h"
#include "ui/pages/timelineview.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/keycap.h"
#include "ui/widgets/panelguard.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/revisionbar.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/sentence.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

RunPage::RunPage(Source& source, const RunRef& run, QWidget* parent)
    : QWidget(parent)
    , m_source(source)
    , m_store(run.store)
    , m_run(run.run)
    , m_glyph(new QLabel(this))
    , m_sentence(new Sentence(this))
    , m_ends(safe::label({}, {.wrap = true, .selectable = true}, this))
    , m_meta(safe::label({}, {.secondary = true, .wrap = true, .selectable = true}, this))
    , m_tabs(new ViewTabs(this))
    , m_views(new QStackedWidget(this))
    , m_note(new PanelNote(tr("Reading the run"), m_views))
    , m_steps(new StepsView(this))
    , m_history(new HistoryView(source, run.run, this))
    , m_data(new DataView(source, run.run, this))
    , m_timeline(new TimelineView(this))
    , m_relations(new RelationsView(source, run.run, this))
    , m_acts(new ActsView(this))
    , m_compare(new CompareView(source, run.run, this))
    , m_context(new ContextView(source, run.run, this))
    , m_revisions(new RevisionBar(this))
    , m_later(new QTimer(this))
{
    for (QLabel* label : {m_ends, m_meta}) {
        label->setFocusPolicy(Qt::NoFocus);
        label->setMinimumWidth(100);
    }
    m_ends->setAccessibleName(tr("Since when, and what ends it"));
    m_later->setSingleShot(true);
    connect(m_later, &QTimer::timeout, this, &RunPage::load);
    buildLayout();
    connectSignals();
    connectTravel();
    m_sentence->setSentence(tr("Reading the run."), {});
    m_note->begin();
    writeTabs();
}

QWidget* RunPage::buildHead()
{
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(16, 11, 16, 11);
    row->setSpacing(14);
    m_glyph->setFixedSize(20, 24);
    m_glyph->setAlignment(Qt::AlignTop);
    m_glyph->setContentsMargins(0, 2, 0, 0);
    row->addWidget(m_glyph, 0, Qt::AlignTop);
    auto* column = new QVBoxLayout;
    column->setSpacing(5);
    column->addWidget(m_sentence);
    column->addWidget(m_ends);
    column->addWidget(m_meta);
    column->addStretch(1);
    row->addLayout(column, 1);
    auto* buttons = new QWidget(head);
    m_buttons = new QHBoxLayout(buttons);
    m_buttons->setContentsMargins(0, 2, 0, 0);
    m_buttons->setSpacing(8);
    row->addWidget(buttons, 0, Qt::AlignTop);
    return head;
}

void RunPage::buildLayout()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildHead());
    column->addWidget(m_tabs);
    m_steps->setObjectName(u"view-steps"_s);
    m_history->setObjectName(u"view-history"_s);
    m_data->setObjectName(u"view-data"_s);
    // In the order of their numbers.
    for (QWidget* view : std::initializer_list<QWidget*>{
             m_steps, m_timeline, m_history, m_data, m_relations, m_acts, m_compare, m_context})
        m_views->addWidget(view);
    const QStringList names = viewNames();
    for (int i = 0; i < m_views->count(); ++i)
        setPanel(m_views->widget(i), tr("The view \"%1\"").arg(names.value(i)));
    column->addWidget(m_views, 1);
    column->addWidget(m_revisions);
}

void RunPage::connectSignals()
{
    connect(m_tabs, &ViewTabs::chosen, this, [this](int index) { showView(index + 1); });
    connect(m_steps, &StepsView::letterTyped, this, &RunPage::letterTyped);
    connect(m_steps, &StepsView::shownChanged, this, [this] {
        if (currentView() == 1)
            m_tabs->setRight(m_steps->hiddenText());
    });
    connect(m_steps, &StepsView::payloadChosen, this, [this](const PayloadLine& payload) {
        showView(4);
        m_data->openPayload(payload);
    });
    connect(m_steps, &StepsView::verbChosen, this,
        [this](const VerbLine& verb) { Q_EMIT verbChosen(verb, run()); });
    connect(m_steps, &StepsView::stepOpened, this, &RunPage::openStep);
    connect(m_steps, &StepsView::runChosen, this, [this](const RunId& other) {
        Q_EMIT runChosen({m_store, other});
    });
    connect(m_steps, &StepsView::previewsWanted, this, [this](const std::vector<PayloadLine>& payloads) {
        whenDone(
            m_source.previews(m_run, payloads), this, [this](const Reply<std::vector<PayloadText>>& reply) {
                if (reply)  // otherwise the buttons still open them, and say there why not
                    m_steps->setPreviews(*reply.value);
            });
    });
    connect(m_history, &HistoryView::letterTyped, this, &RunPage::letterTyped);
    connect(m_history, &HistoryView::failed, this, &RunPage::failed);
    connect(m_data, &DataView::letterTyped, this, &RunPage::letterTyped);
    connect(m_data, &DataView::failed, this, &RunPage::failed);
    connect(m_data, &DataView::said, this, &RunPage::said);
}

void RunPage::load()
{
    constexpr qint64 kShare =
        8;  // at most one part in so many of the time goes into reading one run again and again
    if (m_reading) {
        m_again = true;
        return;
    }
    const qint64 rest = m_loaded && m_asked.isValid() ? m_took * kShare - m_asked.elapsed() : 0;
    if (rest > 0)
        m_later->start(static_cast<int>(rest));
    else
        read();
}

void RunPage::read()
{
    m_reading = true;
    m_again = false;
    m_asked.start();
    whenDone(m_source.run(m_run), this, [this](const Reply<RunDetail>& reply) { answered(reply); });
}

void RunPage::answered(const Reply<RunDetail>& reply)
{
    m_reading = false;
    if (reply) {
        m_newest = *reply.value;
        m_revisions->setNewest(m_newest.version);
        if (atNow())
            showDetail(m_newest);
        else
            writeTabs();  // what is shown stays: it was so, and is no other now
        loadActs();
    } else if (!reply.failure.cancelled) {
        // This panel only: what was shown before stays.
        if (!m_loaded) {
            m_sentence->setSentence(told(reply.failure), {});
            m_note->fail(told(reply.failure));
        }
        m_loaded = true;
        Q_EMIT failed(told(reply.failure));
    }
    m_took = m_asked.elapsed();
    if (m_again)
        load();
}

// Since when it waits, what ends that, and when something happens by itself: under the sentence, always.
void RunPage::showEnds()
{
    const WhyView& why = m_detail.why;
    QStringList parts;
    if (why.since != 0 && m_detail.line.endedAt == 0)
        parts << tr("Since %1, %2 ago.").arg(instantText(why.since), durationText(m_detail.at - why.since));
    if (!why.releases.isEmpty()) {
        // It goes on in mid-sentence here; a name in capitals stays one.
        const bool name = why.releases.size() > 1 && why.releases.at(1).isUpper();
        parts << tr("Ends with: ")
                + (name ? why.releases : why.releases.left(1).toLower() + why.releases.mid(1));
    }
    safe::setText(m_ends, parts.join(u"  "_s));
    m_ends->setVisible(!parts.isEmpty());
}

void RunPage::showDetail(const RunDetail& detail)
{
    m_detail = detail;
    m_detail.line.store = m_detail.why.store = m_store;
    m_loaded = true;
    m_note->end();
    m_glyph->setPixmap(glyphPixmap(detail.why.glyph, 20, devicePixelRatioF()));
    m_glyph->setAccessibleName(glyphName(detail.why.glyph));
    m_sentence->setSentence(detail.why.sentence, detail.why.strong);
    QStringList meta{shortId(m_run)};
    if (!atNow())
        meta.prepend(versionText());
    meta += detail.meta;
    safe::setText(m_meta, meta.join(u"  ·  "_s));
    showEnds();
    safe::setTip(m_meta, detail.idText);
    writeTabs();
    guarded(m_steps, [&] { m_steps->setDetail(detail); });
    guarded(m_timeline, [&] {
        m_timeline->setDetail(detail);
        m_timeline->select(m_steps->current());
    });
    guarded(m_data, [&] { m_data->setPayloads(detail.payloads); });
    m_history->setTotal(m_newest.version);
    fillButtons();
    readStepActs();
    Q_EMIT changed();
}

void RunPage::setNow(qint64 now)
{
    if (!m_loaded || !atNow())
        return;
    m_steps->setNow(now);
    m_timeline->setNow(now);
}

QStringList RunPage::viewNames()
{
    return {u"steps"_s, u"timeline"_s, u"history"_s, u"data"_s, u"relations"_s, u"acts"_s, u"compare"_s,
        u"context"_s};
}

int RunPage::currentView() const { return m_views->currentIndex() + 1; }

void RunPage::writeTabs()
{
    QStringList keys;
    for (int number = 1; number <= m_views->count(); ++number)
        keys << QString::number(number);
    const auto counted = [](const QString& name, quint64 count) {
        return count == 0 ? name : name + u' ' + countText(count);
    };
    m_tabs->setTabs(keys,
        {tr("Steps"), tr("Timeline"), counted(tr("History"), m_newest.version),
            counted(tr("Data"), m_detail.payloads.size()), tr("Relations"),
            counted(tr("Acts"), m_actLines.size()), tr("Compare"), tr("Context")});
    m_tabs->setRight(currentView() == 1 ? m_steps->hiddenText() : QString());
}

bool RunPage::showNamed(const QString& name)
{
    const auto place = viewNames().indexOf(name);
    if (place >= 0)
        showView(static_cast<int>(place) + 1);
    return place >= 0;
}

void RunPage::showView(int number)
{
    if (number < 1 || number > m_views->count())
        return;
    follow(number);  // before the focus comes: a list without a current row takes its first then
    m_views->setCurrentIndex(number - 1);
    m_tabs->setCurrent(number - 1);
    m_tabs->setRight(number == 1 ? m_steps->hiddenText() : QString());
    focusView();
    readStepActs();
    Q_EMIT changed();
}

// What a view reads when one comes to it, and what of the selection it takes over.
void RunPage::follow(int number)
{
    const StepLine* step = m_steps->currentStep();
    switch (number) {
    case 4: m_data->showStep(step != nullptr ? step->id : QString()); break;
    case 5:
        m_relations->load();
        m_relations->select(step != nullptr ? step->id : QString());
        break;
    case 7: m_compare->suggest(atNow() && m_newest.version > 1 ? m_newest.version - 1 : m_version); break;
    case 8: m_context->load(); break;
    default: break;
    }
}

void RunPage::selectStep(quint32 step)
{
    if (m_steps->current() != step)
        m_steps->select(step);
    m_timeline->select(step);
    readStepActs();
}

void RunPage::openStep()
{
    const StepLine* step = m_steps->currentStep();
    if (step == nullptr || step->payloads.empty())
        return;
    const PayloadLine payload = step->payloads.back();
    showView(4);
    m_data->openPayload(payload);
}

void RunPage::focusView()
{
    if (currentView() == 1)
        m_steps->focusList();
    else
        viewStops().front()->setFocus();
}

std::vector<QWidget*> RunPage::viewStops() const
{
    switch (currentView()) {
    case 1: return m_steps->stops();
    case 2: return m_timeline->stops();
    case 3: return {m_history->table()};
    case 4: return m_data->stops();
    case 5: return {m_relations->table()};
    case 6: return {m_acts->table()};
    case 7: return m_compare->stops();
    default: return {m_context->text(), m_context->budget()};
    }
}

// What F6 goes through: the acts, the panels of the view, the versions.
std::vector<QWidget*> RunPage::stops() const
{
    std::vector<QWidget*> stops;
    if (m_buttons->count() > 0)
        stops.push_back(m_buttons->itemAt(0)->widget());
    const std::vector<QWidget*> inside = viewStops();
    stops.insert(stops.end(), inside.begin(), inside.end());
    stops.push_back(m_revisions);
    return stops;
}

void RunPage::focusNext(bool backwards)
{
    const std::vector<QWidget*> all = stops();
    const auto count = static_cast<int>(all.size());
    QWidget* here = focusWidget();
    int now = backwards ? count : -1;
    for (int i = 0; i < count; ++i) {
        QWidget* stop = all[static_cast<std::size_t>(i)];
        const bool sameRow = here != nullptr && qobject_cast<QPushButton*>(stop) != nullptr
            && here->parentWidget() == stop->parentWidget();
        const bool inside =
            here != nullptr && (stop == here || stop->focusProxy() == here || stop->isAncestorOf(here));
        if (inside || sameRow)
            now = i;
    }
    if (count > 0)
        all[static_cast<std::size_t>(((backwards ? now - 1 : now + 1) % count + count) % count)]->setFocus(
            Qt::TabFocusReason);
}

bool RunPage::takeLetter(QChar letter, bool shift)
{
    const int view = currentView();
    if (letter == u'[' || letter == u']') {
        const quint64 here = m_revisions->shownVersion();
        travelTo(letter == u'[' ? here - (here > 1 ? 1 : 0) : here + 1);
    } else if (letter == u'f') {
        m_steps->toggleUnfinished();
    } else if (letter == u'e') {
        m_steps->selectNextStuck(shift);
    } else if (letter == u'l' && view == 2) {
        m_timeline->setAsList(!m_timeline->asList());
    } else if (letter == u'z' && view == 3) {
        m_history->setCompact(!m_history->compact());
    } else if (letter == u'd' && view <= 2) {
        compareAttempts();
    } else {
        return view == 6 && m_acts->takeLetter(letter);
    }
    return true;
}

QString RunPage::place() const
{
    const QWidget* here = focusWidget();
    if (here != nullptr && m_buttons->count() > 0 && here->parentWidget() == m_buttons->parentWidget())
        return tr("Acts");
    if (here == m_revisions)
        return tr("Versions");
    switch (currentView()) {
    case 1: return m_steps->place();
    case 2: return tr("Timeline");
    case 3: return tr("History");
    case 4: return m_data->place();
    case 5: return tr("Relations");
    case 6: return tr("Operators' acts");
    case 7: return tr("Compare");
    default: return tr("Context");
    }
}

QString RunPage::payloadShown() const
{
    const PayloadId shown = m_data->payload()->shownLine().id;
    return currentView() == 4 && !shown.isNull() ? idText(shown) : QString();
}

void RunPage::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
}

void RunPage::keyPressEvent(QKeyEvent* event)
{
    const bool plain = (event->modifiers() & ~Qt::KeypadModifier) == Qt::NoModifier;
    if (plain && event->key() >= Qt::Key_1 && event->key() <= Qt::Key_8)
        showView(event->key() - Qt::Key_0);
    else if (plain && (event->key() == Qt::Key_BracketLeft || event->key() == Qt::Key_BracketRight))
        takeLetter(QChar(event->key()), false);
    else if (plain && event->key() == Qt::Key_Backspace && !m_detail.line.parent.isNull())
        Q_EMIT runChosen({m_store, m_detail.line.parent});
    else
        QWidget::keyPressEvent(event);
}

ViewTabs::ViewTabs(QWidget* parent)
    : QWidget(parent)
{
    setFixedHeight(32);
    setAccessibleName(tr("Views of the run"));
}

void ViewTabs::setTabs(const QStringList& keys, const QStringList& names)
{
    m_keys = keys;
    m_names = names;
    m_areas.clear();
    double x = 0;
    for (qsizetype i = 0; i < keys.size(); ++i) {
        const double width = 12 + keycapWidth(keys.at(i)) + 7
            + QFontMetricsF(typeface(13, true)).horizontalAdvance(names.at(i)) + 14;
        m_areas.append(QRectF(x, 0, width, 32));
        x += width;
    }
    QStringList spoken;
    for (qsizetype i = 0; i < keys.size(); ++i)
        spoken << tr("key %1: %2").arg(keys.at(i), names.at(i));
    setAccessibleDescription(spoken.join(u", "_s));
    update();
}

void ViewTabs::setCurrent(int index)
{
    m_current = index;
    update();
}

void ViewTabs::setRight(const QString& text)
{
    m_right = text;
    update();
}

void ViewTabs::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().panel);
    painter.setPen(theme().hair);
    painter.drawLine(0, 0, width(), 0);
    painter.setPen(theme().line);
    painter.drawLine(0, height() - 1, width(), height() - 1);
    for (qsizetype i = 0; i < m_areas.size(); ++i) {
        const QRectF area = m_areas.at(i);
        const bool on = i == m_current;
        if (on) {
            painter.fillRect(area, theme().window);
            painter.fillRect(QRectF(area.left(), 0, area.width(), 2), theme().text);
        }
        painter.setPen(on ? theme().line : theme().hair);
        painter.drawLine(QPointF(area.right(), 1), QPointF(area.right(), 31));
        const double cap = paintKeycap(painter, QPointF(area.left() + 12, 7), m_keys.at(i));
        painter.setFont(typeface(13, on));
        painter.setPen(on ? theme().text : theme().text2);
        painter.drawText(QPointF(area.left() + 12 + cap + 7, 21), m_names.at(i));
    }
    painter.setFont(typeface(11));
    painter.setPen(theme().text2);
    painter.drawText(rect().adjusted(0, 0, -14, 0), Qt::AlignRight | Qt::AlignVCenter, m_right);
    if (m_right.isEmpty())
        return;
    const QString text = tr("only what is not finished");
    const QFontMetricsF metrics(painter.font());
    const double x = width() - 14 - metrics.horizontalAdvance(m_right) - 14 - metrics.horizontalAdvance(text);
    painter.drawText(QPointF(x, 20), text);
    paintKeycap(painter, QPointF(x - 23, 7), u"F"_s);
}

void ViewTabs::mousePressEvent(QMouseEvent* event)
{
    for (qsizetype i = 0; i < m_areas.size(); ++i)
        if (m_areas.at(i).contains(event->position()))
            Q_EMIT chosen(static_cast<int>(i));
}

}  // namespace cairn::ui
