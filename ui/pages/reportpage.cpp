#include "ui/pages/reportpage.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/widgets/barchart.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QDateTime>
#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QStandardItemModel>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kDays = 14;
constexpr std::size_t kMostBars = 8;  // of waits; the table has all

QStandardItem* textItem(const QString& text, Glyph glyph = Glyph::None)
{
    auto* item = new QStandardItem(shown(text, false, 120));
    if (glyph != Glyph::None)
        item->setData(static_cast<int>(glyph), GlyphRole);
    return item;
}
QStandardItem* figureItem(const QString& text)
{
    auto* item = new QStandardItem(text);
    item->setData(int(FigureLook), LookRole);
    item->setData(int(Qt::AlignRight), Qt::TextAlignmentRole);
    return item;
}
void setHeaders(QStandardItemModel& rows, const QStringList& names)
{
    rows.setHorizontalHeaderLabels(names);
    for (int column = 0; column < names.size(); ++column)
        rows.horizontalHeaderItem(column)->setData(
            int(column == 0 ? Qt::AlignLeft : Qt::AlignRight), Qt::TextAlignmentRole);
}

}  // namespace

ReportPage::ReportPage(Stores& stores, StoreIx store, QWidget* parent)
    : QWidget(parent)
    , m_stores(stores)
    , m_store(store)
    , m_head(safe::label({}, {.size = 16, .wrap = true, .selectable = true}, this))
    , m_dayChart(new BarChart(tr("Runs that ended, by day (UTC)"), this))
    , m_waitChart(new BarChart(tr("Runs that stand still now"), this))
    , m_days(new DataTable(tr("Runs by day"), this))
    , m_waits(new DataTable(tr("Runs by wait"), this))
    , m_dayRows(new QStandardItemModel(0, 5, this))
    , m_waitRows(new QStandardItemModel(0, 3, this))
    , m_note(new PanelNote(tr("Reading the report"), this))
{
    setHeaders(*m_dayRows, {tr("Day"), tr("Started"), tr("Completed"), tr("Failed"), tr("Cancelled")});
    setHeaders(*m_waitRows, {tr("Wait"), tr("Runs"), tr("Oldest")});
    m_days->setModel(m_dayRows);
    m_days->setColumns({110, 84, 84, 84, 84}, 0);
    m_waits->setModel(m_waitRows);
    m_waits->setColumns({160, 84, 110}, 0);
    for (DataTable* table : {m_days, m_waits}) {
        table->setRowSize(22);
        connect(table, &DataTable::letterTyped, this, &ReportPage::letterTyped);
    }
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(16, 12, 16, 12);
    grid->setSpacing(14);
    grid->addWidget(m_head, 0, 0, 1, 2);
    grid->addWidget(m_dayChart, 1, 0);
    grid->addWidget(m_waitChart, 1, 1);
    grid->addWidget(m_days, 2, 0);
    grid->addWidget(m_waits, 2, 1);
    grid->setRowStretch(1, 3);
    grid->setRowStretch(2, 4);
}

void ReportPage::load()
{
    const quint64 ticket = m_tickets.next();
    ++m_open;
    if (!m_read)
        m_note->begin();
    whenDone(m_stores.source(m_store).report(kDays), this, [this, ticket](const Reply<ReportView>& reply) {
        --m_open;
        if (!m_tickets.current(ticket))
            return;
        if (reply)
            return showReport(*reply.value);
        if (reply.failure.cancelled)
            return;
        if (!m_read)
            m_note->fail(told(reply.failure));
        Q_EMIT failed(told(reply.failure));
    });
}

void ReportPage::showReport(const ReportView& view)
{
    m_read = true;
    m_note->end();
    quint64 ended = 0;
    quint64 failed = 0;
    std::vector<BarGroup> days;
    m_dayRows->removeRows(0, m_dayRows->rowCount());
    for (const ReportDay& day : view.days) {
        const QString date = QDateTime::fromMSecsSinceEpoch(day.day, Qt::UTC).toString(u"yyyy-MM-dd"_s);
        days.push_back({date.mid(5), {day.completed, day.failed, day.cancelled}});
        ended += day.completed + day.failed + day.cancelled;
        failed += day.failed;
        m_dayRows->insertRow(0,
            {textItem(date), figureItem(countText(day.started)), figureItem(countText(day.completed)),
                figureItem(countText(day.failed)), figureItem(countText(day.cancelled))});
    }
    m_dayChart->setData(
        {{tr("completed"), Family::Good}, {tr("failed"), Family::Nobody}, {tr("cancelled"), Family::Rest}},
        std::move(days));
    std::vector<BarGroup> waits;
    m_waitRows->removeRows(0, m_waitRows->rowCount());
    for (const ReportWait& wait : view.waits) {
        if (waits.size() < kMostBars)
            waits.push_back({wait.word, {wait.count}});
        m_waitRows->appendRow({textItem(wait.word, wait.glyph), figureItem(countText(wait.count)),
            figureItem(wait.oldest == 0 ? u"–"_s : durationText(view.at - wait.oldest))});
    }
    m_waitChart->setData({{tr("runs"), Family::Moving}}, std::move(waits));
    QString head = tr("%1 ended in %2 days, %3 of them failed.")
                       .arg(plural(ended, "run", "runs"))
                       .arg(view.days.size())
                       .arg(countText(failed));
    if (view.waits.size() > kMostBars)
        head += u' '
            + tr("The chart shows %1 of %2 waits; the table has all.").arg(kMostBars).arg(view.waits.size());
    safe::setText(m_head, head);
}

void ReportPage::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
}

}  // namespace cairn::ui
