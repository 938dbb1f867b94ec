#include "ui/pages/mainwindow.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/pages/auditpage.h"
#include "ui/pages/notifier.h"
#include "ui/pages/planspage.h"
#include "ui/pages/reportpage.h"
#include "ui/pages/runpage.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/band.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/keycap.h"
#include "ui/widgets/keystrip.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/taborder.h"
#include "ui/widgets/taskstrip.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QDialog>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QStackedWidget>
#include <QTabBar>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPollMs = 1000;
constexpr int kFrame = 3;
const QString kPaletteKey = QStringLiteral("Ctrl K");

// Tabs of the mock: 32 high, a 2 px line above the current one, the run's shape before its name.
class PageTabs final : public QTabBar {
public:
    explicit PageTabs(QWidget* parent)
        : QTabBar(parent)
    {
        setExpanding(false);
        setDrawBase(false);
        setElideMode(Qt::ElideRight);
        setFocusPolicy(Qt::NoFocus);
        setUsesScrollButtons(true);
        setFixedHeight(32);
        setAccessibleName(MainWindow::tr("Tabs"));
    }

protected:
    [[nodiscard]] QSize tabSizeHint(int index) const override
    {
        const int text =
            static_cast<int>(QFontMetricsF(typeface(13, true)).horizontalAdvance(tabText(index)));
        return {
            std::min(280, 14 + (glyph(index) == Glyph::None ? 0 : 19) + text + (index == 0 ? 14 : 40)), 32};
    }
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.fillRect(rect(), theme().panel);
        painter.setPen(theme().line);
        painter.drawLine(0, 31, width(), 31);
        for (int i = 0; i < count(); ++i)
            paintTab(painter, i);
        paintHint(painter);
    }

private:
    // Where the palette is found, as long as there is room beside the tabs.
    void paintHint(QPainter& painter) const
    {
        const QString text = tr("go to anything");
        painter.setFont(typeface(11));
        const double words = QFontMetricsF(painter.font()).horizontalAdvance(text);
        const double cap = keycapWidth(kPaletteKey);
        const double x = width() - 14 - words - 8 - cap;
        if (count() > 0 && x < tabRect(count() - 1).right() + 24)
            return;
        paintKeycap(painter, QPointF(x, 7), kPaletteKey);
        painter.setFont(typeface(11));
        painter.setPen(theme().text2);
        painter.drawText(QPointF(x + cap + 8, 20), text);
    }
    [[nodiscard]] Glyph glyph(int index) const { return static_cast<Glyph>(tabData(index).toInt()); }
    void paintTab(QPainter& painter, int index) const
    {
        const QRect area = tabRect(index);
        const bool on = index == currentIndex();
        painter.fillRect(area.adjusted(0, 0, 0, on ? 0 : -1), on ? theme().window : theme().panel);
        if (on)
            painter.fillRect(QRect(area.left(), 0, area.width(), 2), theme().text);
        painter.setPen(on ? theme().line : theme().hair);
        painter.drawLine(area.right(), 0, area.right(), 30);
        double x = area.left() + 14;
        if (glyph(index) != Glyph::None) {
            paintGlyph(painter, QRectF(x, 10, 12, 12), glyph(index), on ? theme().window : theme().panel);
            x += 19;
        }
        painter.setFont(typeface(13, on));
        painter.setPen(on ? theme().text : theme().text2);
        const double room = area.right() - x - (index == 0 ? 8 : 30);
        painter.drawText(
            QPointF(x, 21), QFontMetricsF(painter.font()).elidedText(tabText(index), Qt::ElideRight, room));
    }
};

std::unique_ptr<Stores> storesOf(Source& source)
{
    auto stores = std::make_unique<Stores>();
    stores->add(source, {});
    return stores;
}

}  // namespace

MainWindow::MainWindow(Stores& stores, bool dark, QWidget* parent)
    : MainWindow(nullptr, &stores, dark, parent)
{
}

MainWindow::MainWindow(Source& source, bool dark, QWidget* parent)
    : MainWindow(storesOf(source), nullptr, dark, parent)
{
}

MainWindow::MainWindow(std::unique_ptr<Stores> own, Stores* stores, bool dark, QWidget* parent)
    : QWidget(parent)
    , m_own(std::move(own))
    , m_stores(stores != nullptr ? *stores : *m_own)
    , m_notifier(new Notifier(m_stores, this))
    , m_offline(safe::label({}, {.bold = true, .wrap = true, .selectable = true}, this))
    , m_band(new Band(this))
    , m_tabs(new PageTabs(this))
    , m_pages(new QStackedWidget(this))
    , m_triage(new TriagePage(m_stores, this))
    , m_tasks(new TaskStrip(this))
    , m_keys(new KeyStrip(this))
    , m_notice(safe::label({}, {.wrap = true, .selectable = true}, this))
    , m_poll(new QTimer(this))
    , m_tick(new QTimer(this))
    , m_noticeTimer(new QTimer(this))
    , m_dark(dark)
{
    setWindowTitle(tr("Cairn"));
    m_poll->setInterval(kPollMs);
    m_tick->setInterval(kPollMs);
    m_noticeTimer->setSingleShot(true);
    m_noticeTimer->setInterval(12'000);
    m_offline->hide();
    m_offline->setContentsMargins(14, 6, 14, 6);
    m_offline->setAutoFillBackground(true);
    m_offline->setAccessibleName(tr("Stores that do not answer, or whose history was changed"));
    m_notice->hide();
    m_notice->setFocusPolicy(Qt::NoFocus);
    m_notice->setContentsMargins(14, 6, 14, 6);
    m_notice->setAutoFillBackground(true);
    buildLayout();
    buildActions();
    buildMenus();
    connectSignals();
    connectStores();
    connectNotifier();
    resize(1440, 900);
    setMinimumSize(960, 600);
}

MainWindow::~MainWindow()
{
    // Children that go down with the window move the focus; by then this is no MainWindow any more.
    disconnect(qApp, nullptr, this, nullptr);
    qApp->removeEventFilter(this);
}

void MainWindow::buildLayout()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(kFrame, 0, kFrame, kFrame);
    column->setSpacing(0);
    column->addWidget(m_band);
    column->addWidget(m_tabs);
    column->addWidget(m_offline);
    column->addWidget(m_notice);
    column->addWidget(m_pages, 1);
    column->addWidget(m_tasks);
    column->addWidget(m_keys);
    m_tabs->addTab(tr("Triage"));
    m_tabs->setTabData(0, static_cast<int>(Glyph::None));
    m_pages->addWidget(m_triage);
}

void MainWindow::connectSignals()
{
    connect(m_tabs, &QTabBar::currentChanged, this, &MainWindow::showTab);
    connect(m_poll, &QTimer::timeout, &m_stores, &Stores::poll);
    connect(m_tick, &QTimer::timeout, this, &MainWindow::tick);
    connect(m_noticeTimer, &QTimer::timeout, m_notice, &QWidget::hide);
    connect(m_band, &Band::zoneClicked, this, &MainWindow::switchZone);
    connect(m_triage, &TriagePage::openRun, this, [this](const RunRef& run) { openRun(run); });
    connect(m_triage, &TriagePage::verbChosen, this, &MainWindow::stageLine);
    connect(m_triage, &TriagePage::letterTyped, this, &MainWindow::takeLetter);
    connect(m_triage, &TriagePage::whyChanged, this, &MainWindow::writeKeys);
    connect(m_triage, &TriagePage::failed, this, &MainWindow::trouble);
    connect(m_triage, &TriagePage::said, this, &MainWindow::say);
    connect(m_triage, &TriagePage::plansWanted, this, [this] { openPlans(); });
    connect(m_triage, &TriagePage::planWanted, this, &MainWindow::openPlan);
    connect(m_triage, &TriagePage::planStepWanted, this, &MainWindow::orderFromDock);
    connect(qApp, &QApplication::focusChanged, this, &MainWindow::writeKeys);
    qApp->installEventFilter(this);
}

void MainWindow::start()
{
    m_stores.open();
    if (m_stores.several())  // one that cannot be opened is tried again, whatever the others do
        setPolling(true);
}

void MainWindow::setPolling(bool on)
{
    if (on) {
        m_poll->start();
        m_tick->start();
    } else {
        m_poll->stop();
        m_tick->stop();
    }
}

void MainWindow::trouble(const QString& what)
{
    // A refresh that failed is a banner with the age of the data, never a window in the way.
    say(what);
    tick();
}

void MainWindow::say(const QString& text)
{
    safe::setText(m_notice, text);
    m_lastSaid = nowText() + u"  "_s + m_notice->text();
    m_notice->show();
    m_noticeTimer->start();
}

void MainWindow::unsay()
{
    m_noticeTimer->stop();
    m_notice->hide();
}

QString MainWindow::notice() const { return m_notice->isHidden() ? QString() : m_notice->text(); }

void MainWindow::applyChanges(const ChangeSet& changes)
{
    m_triage->merge(changes);
    if (PlansPage* plans = currentPlans(); plans != nullptr && plans->store() == changes.store)
        plans->follow();
    RunPage* page = currentRun();
    if (page == nullptr || page->store() != changes.store)
        return;
    for (const RunLine& line : changes.lines)
        if (line.ref() == page->run()) {
            page->load();
            break;
        }
    for (const RunId& run : changes.removed)
        if (run == page->run().run)
            page->load();  // and is told when it was removed, and by which rule
    // A run that is open is followed closely: not every entry changes its line in the list. The page paces
    // itself.
    if (page->loaded() && page->detail().line.endedAt == 0)
        page->load();
}

RunPage* MainWindow::currentRun() const { return qobject_cast<RunPage*>(m_pages->currentWidget()); }

RunPage* MainWindow::openRun(const RunRef& run)
{
    for (int i = 1; i < m_pages->count(); ++i) {
        auto* page = qobject_cast<RunPage*>(m_pages->widget(i));
        if (page != nullptr && page->run() == run) {
            m_tabs->setCurrentIndex(i);
            return page;
        }
    }
    auto* page = new RunPage(m_stores.source(run.store), run, this);
    connect(page, &RunPage::changed, this, [this] {
        writeTabs();
        writeKeys();
    });
    connect(page, &RunPage::verbChosen, this, &MainWindow::stageLine);
    connect(page, &RunPage::letterTyped, this, &MainWindow::takeLetter);
    connect(page, &RunPage::runChosen, this, [this](const RunRef& other) { openRun(other); });
    connect(page, &RunPage::failed, this, &MainWindow::trouble);
    connect(page, &RunPage::said, this, &MainWindow::say);
    const int tab = addPage(page, shortId(run.run), Glyph::Queued);
    page->load();
    m_tabs->setCurrentIndex(tab);
    return page;
}

int MainWindow::addPage(QWidget* page, const QString& title, Glyph glyph)
{
    m_pages->addWidget(page);
    const int tab = m_tabs->addTab(title);
    m_tabs->setTabData(tab, static_cast<int>(glyph));
    auto* close = new QToolButton(m_tabs);
    close->setText(u"×"_s);
    close->setAutoRaise(true);
    close->setFixedSize(18, 18);
    close->setAccessibleName(tr("Close tab"));
    connect(close, &QToolButton::clicked, this, [this, page] { closeTab(m_pages->indexOf(page)); });
    m_tabs->setTabButton(tab, QTabBar::RightSide, close);
    return tab;
}

bool MainWindow::onLists() const { return m_pages->currentWidget() == m_triage; }

AuditPage* MainWindow::currentAudit() const { return qobject_cast<AuditPage*>(m_pages->currentWidget()); }

ReportPage* MainWindow::currentReport() const { return qobject_cast<ReportPage*>(m_pages->currentWidget()); }

ReportPage* MainWindow::openReport()
{
    const StoreIx store = currentRunRef().isNull() ? 0 : currentRunRef().store;
    auto* page = new ReportPage(m_stores, store, this);
    connect(page, &ReportPage::failed, this, &MainWindow::trouble);
    connect(page, &ReportPage::letterTyped, this, &MainWindow::takeLetter);
    const QString title = m_stores.several()
        ? tr("Report · %1").arg(shown(m_stores.nameOf(store), false, 24)).replace(u'&', u"&&"_s)
        : tr("Report");
    const int tab = addPage(page, title, Glyph::None);
    page->load();
    m_tabs->setCurrentIndex(tab);
    return page;
}

void MainWindow::showTab(int index)
{
    m_pages->setCurrentIndex(index);
    noteVisit();
    if (RunPage* page = currentRun()) {
        page->focusView();
        if (page->loaded())
            page->load();
    } else if (AuditPage* audit = currentAudit()) {
        audit->table()->setFocus();
    } else if (ReportPage* report = currentReport()) {
        report->days()->setFocus();
    } else if (PlansPage* plans = currentPlans()) {
        plans->table()->setFocus();
    } else {
        m_triage->focusRuns();
    }
    showBand();
    writeKeys();
}

void MainWindow::closeTab(int index)
{
    if (index <= 0 || index >= m_pages->count())
        return;
    QWidget* page = m_pages->widget(index);
    m_pages->removeWidget(page);
    m_tabs->removeTab(index);
    page->deleteLater();
    m_pages->setCurrentIndex(m_tabs->currentIndex());
}

void MainWindow::closeTabs()
{
    while (m_pages->count() > 1)
        closeTab(m_pages->count() - 1);
}

void MainWindow::closeCurrent() { closeTab(m_tabs->currentIndex()); }

void MainWindow::writeTabs()
{
    for (int i = 1; i < m_pages->count(); ++i) {
        const auto* page = qobject_cast<RunPage*>(m_pages->widget(i));
        if (page == nullptr || !page->loaded() || page->detail().title.isEmpty())
            continue;
        QString title = shown(page->detail().title, false, 40);
        if (m_stores.several())
            title = shown(m_stores.nameOf(page->store()), false, 24) + u" · "_s + title;
        m_tabs->setTabText(i, title.replace(u'&', u"&&"_s));
        m_tabs->setTabData(i, static_cast<int>(page->newest().why.glyph));
    }
    m_tabs->update();
}

bool MainWindow::settled() const
{
    for (int i = 1; i < m_pages->count(); ++i) {
        const auto* run = qobject_cast<RunPage*>(m_pages->widget(i));
        const auto* audit = qobject_cast<AuditPage*>(m_pages->widget(i));
        const auto* report = qobject_cast<ReportPage*>(m_pages->widget(i));
        const auto* plans = qobject_cast<PlansPage*>(m_pages->widget(i));
        if ((run != nullptr && !run->loaded()) || (audit != nullptr && !audit->settled())
            || (report != nullptr && !report->settled()) || (plans != nullptr && !plans->settled()))
            return false;
    }
    return m_triage->settled() && m_going.isEmpty() && m_looking == 0;
}

void MainWindow::setDark(bool dark)
{
    m_dark = dark;
    applyTheme(*qApp, look());
    m_band->retheme();
    m_triage->refresh();
    if (RunPage* page = currentRun())
        page->load();
}

void MainWindow::refresh()
{
    m_stores.refreshFacts();
    m_triage->refresh();
    if (RunPage* page = currentRun())
        page->load();
    if (AuditPage* audit = currentAudit())
        audit->load();
    if (ReportPage* report = currentReport())
        report->load();
    if (PlansPage* plans = currentPlans())
        plans->load();
}

void MainWindow::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_band->ground());
}

namespace {

bool isSingleKey(const QKeyEvent& key)
{
    constexpr Qt::KeyboardModifiers kOthers = Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier;
    const QString text = key.text();
    return (key.modifiers() & kOthers) == Qt::NoModifier && text.size() == 1 && text.front().isPrint()
        && !text.front().isSpace();
}

bool isTab(const QKeyEvent& key) { return key.key() == Qt::Key_Tab || key.key() == Qt::Key_Backtab; }

bool takesText(const QWidget* widget)
{
    return widget != nullptr
        && (widget->inherits("QLineEdit") || widget->inherits("QPlainTextEdit")
            || widget->inherits("QAbstractSpinBox"));
}

}  // namespace

bool MainWindow::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    if (auto* dialog = qobject_cast<QDialog*>(
            watched->isWidgetType() ? static_cast<QWidget*>(watched)->window() : nullptr);
        dialog != nullptr && isTab(*static_cast<QKeyEvent*>(event)))
        orderByPlace(*dialog);  // what it holds may be other than a moment ago
    if (QApplication::activeModalWidget() != nullptr)
        return QWidget::eventFilter(watched, event);
    auto* widget = qobject_cast<QWidget*>(watched);
    if (widget == nullptr || widget->window() != this)
        return QWidget::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_F6) {
        focusNext((key->modifiers() & Qt::ShiftModifier) != 0);
        return true;
    }
    if (key->key() == Qt::Key_Question && m_actions.lettersOn() && watched->inherits("QLineEdit") == false
        && watched->inherits("QPlainTextEdit") == false) {
        showKeys();
        return true;
    }
    // Single keys are switched off: none does anything but in what one writes in.
    if (!m_actions.lettersOn() && isSingleKey(*key) && !takesText(QApplication::focusWidget()))
        return true;
    const bool plain = key->modifiers() == Qt::NoModifier;
    // A box that one writes in has an Escape of its own. What it does not take itself comes by here again on
    // its way to the box's parents, so it is the focus that tells, not who is being asked.
    const QWidget* focus = QApplication::focusWidget();
    const bool writing = focus != nullptr && focus->inherits("QLineEdit");
    if (key->key() == Qt::Key_Escape && plain && !onLists() && !writing) {
        m_tabs->setCurrentIndex(0);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void MainWindow::focusNext(bool backwards)
{
    if (RunPage* page = currentRun())
        page->focusNext(backwards);
    else if (AuditPage* audit = currentAudit())
        audit->focusNext(backwards);
    else if (PlansPage* plans = currentPlans())
        plans->focusNext();
    else
        m_triage->focusNext(backwards);
    writeKeys();
}

void MainWindow::writeKeys()
{
    const RunPage* page = currentRun();
    const AuditPage* audit = currentAudit();
    const QString place = page != nullptr ? page->place()
        : audit != nullptr                ? audit->place()
                                          : m_triage->place();
    std::vector<KeyHint> hints;
    if (place == TriagePage::tr("Filter") || place == AuditPage::tr("Filter")) {
        m_keys->setHints(place, {{{u"Enter"_s}, tr("apply")}, {{u"Esc"_s}, tr("back to the list")}});
        return;
    }
    if (currentReport() != nullptr) {
        m_keys->setHints(tr("Report"), {{{u"F5"_s}, tr("refresh")}, {{u"Esc"_s}, tr("back")}});
        return;
    }
    if (currentPlans() != nullptr) {
        m_keys->setHints(tr("Plans"),
            {{{u"Enter"_s}, tr("runs")}, {{u"A"_s}, tr("confirm")}, {{u"X"_s}, tr("reject")},
                {{u"S"_s}, tr("start")}, {{u"H"_s, u"⇧H"_s}, tr("pause, continue")},
                {{u"Del"_s}, tr("abort")}, {{u"Y"_s}, tr("copy as command")}, {{u"Esc"_s}, tr("back")}});
        return;
    }
    if (audit != nullptr) {
        m_keys->setHints(place,
            {{{u"Enter"_s}, tr("open run")}, {{u"+"_s, u"-"_s}, tr("only this, not this")},
                {{u"/"_s}, tr("filter")}, {{u"V"_s}, tr("verify")}, {{u"C"_s}, tr("copy entry")},
                {{u"Esc"_s}, tr("back")}});
        return;
    }
    hints.push_back({{u"↑"_s, u"↓"_s}, tr("move")});
    hints.push_back({{u"Enter"_s}, page != nullptr ? tr("open data") : tr("open")});
    const std::size_t marks = page != nullptr ? 0 : m_triage->marked().size();
    const QString object = marks == 0 ? QString() : u' ' + plural(marks, "marked run", "marked runs");
    if (marks > 0)
        for (const Verb verb : {Verb::Pause, Verb::Resume, Verb::Retry, Verb::Cancel})
            hints.push_back(
                {{letterOf(verb)}, verbName(verb).toLower() + (verb == Verb::Pause ? object : QString())});
    else
        for (const VerbLine& verb : currentWhy().verbs)
            if (verb.on && !verb.letter.isEmpty())
                hints.push_back({{verb.letter}, verb.name.toLower()});
    if (page != nullptr) {
        addRunHints(place, hints);
    } else {
        if (place == TriagePage::tr("Runs"))
            hints.push_back({{u"Space"_s}, tr("mark")});
        if (place == TriagePage::tr("Runs") && !currentRunRef().isNull())
            hints.insert(hints.end(),
                {{{u"W"_s}, tr("what if")}, {{letterOf(Verb::Assign)}, verbName(Verb::Assign).toLower()}});
        hints.push_back({{u"E"_s}, tr("next problem")});
        hints.push_back({{u"+"_s, u"-"_s}, tr("only this, not this")});
        hints.push_back({{u"/"_s}, tr("filter")});
        hints.push_back({{u"C"_s}, tr("copy id")});
    }
    hints.push_back({{u"F5"_s}, tr("refresh")});
    m_keys->setHints(place, std::move(hints));
}

}  // namespace cairn::ui
