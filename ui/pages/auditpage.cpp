#include "ui/pages/auditpage.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/models/auditmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/daybar.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/factgrid.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kPage = 200;
constexpr int kLookMs = 100;
constexpr int kFactsHeight = 190;
}  // namespace

AuditPage::AuditPage(Stores& stores, StoreIx store, QWidget* parent)
    : QWidget(parent)
    , m_stores(stores)
    , m_store(store)
    , m_model(new AuditModel(this))
    , m_table(new DataTable(tr("Audit"), this))
    , m_filter(new FilterBox(this))
    , m_days(new DayBar(this))
    , m_title(new DockTitle(tr("Entry"), this))
    , m_note(new PanelNote(tr("Reading the acts"), m_table))
    , m_strip(safe::label({}, {.size = 11, .secondary = true}, this))
    , m_further(safe::button(tr("Look further back"), this))
    , m_glyph(safe::label({}, {}, this))
    , m_sentence(safe::label({}, {.size = 16, .wrap = true, .selectable = true}, this))
    , m_detail(safe::label({}, {.secondary = true, .wrap = true, .selectable = true}, this))
    , m_damage(safe::label({}, {.size = 11, .wrap = true, .selectable = true}, this))
    , m_detects(safe::label({}, {.size = 11, .secondary = true, .wrap = true, .selectable = true}, this))
    , m_limits(safe::button(tr("What it detects"), this))
    , m_bar(new QProgressBar(this))
    , m_verify(safe::button(tr("Verify"), this))
    , m_copyHead(safe::button(tr("Copy head"), this))
    , m_export(safe::button(tr("Export log…"), this))
    , m_facts(new QWidget(this))
    , m_factRow(new QHBoxLayout(m_facts))
    , m_look(new QTimer(this))
{
    m_table->setModel(m_model);
    m_table->setColumns({76, 160, 150, 150, 230, 240, 190, 150}, AuditModel::Reason);
    m_table->setGiveWay({AuditModel::Entry, AuditModel::Time}, 140);
    m_table->setCells(true);
    m_filter->setExample(
        tr("since:today  day:2026-11-29  person:kim  verb:pause  outcome:refused  second:alone  or words"));
    m_factRow->setContentsMargins(12, 8, 12, 8);
    m_facts->setFixedHeight(kFactsHeight);
    m_look->setInterval(kLookMs);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildVerdict());
    column->addWidget(m_days);
    column->addWidget(buildFilter());
    column->addWidget(m_table, 1);
    column->addWidget(buildStrip());
    column->addWidget(m_title);
    column->addWidget(m_facts);
    connectSignals();
    setVerdict(Glyph::Pending, tr("Not verified since this window was opened."),
        tr("Verify reads every entry, on a connection of its own; lists go on meanwhile."), {}, {});
}

AuditPage::~AuditPage()
{
    if (m_progress)
        m_progress->stop = true;
}

QWidget* AuditPage::buildVerdict()
{
    auto* strip = new QWidget(this);
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(16, 10, 16, 10);
    row->setSpacing(12);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(3);
    texts->addWidget(m_sentence);
    texts->addWidget(m_detail);
    m_bar->setFixedHeight(6);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress of the check"));
    m_bar->hide();
    texts->addWidget(m_bar);
    texts->addWidget(m_damage);
    texts->addWidget(m_detects);
    m_limits->setCheckable(true);
    m_limits->setAccessibleDescription(tr("Shows what a check can and cannot detect in this installation"));
    row->addWidget(m_glyph, 0, Qt::AlignTop);
    row->addLayout(texts, 1);
    safe::setOff(m_copyHead, tr("Verify first: a head is worth keeping of a log that is whole."));
    row->addWidget(m_copyHead, 0, Qt::AlignTop);
    row->addWidget(m_limits, 0, Qt::AlignTop);
    row->addWidget(m_export, 0, Qt::AlignTop);
    row->addWidget(m_verify, 0, Qt::AlignTop);
    return strip;
}

// The fields that are asked for most have a button each; what it offers is what stands in the list.
QWidget* AuditPage::buildFilter()
{
    auto* strip = new QWidget(this);
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(0, 0, 12, 0);
    row->setSpacing(6);
    strip->setAutoFillBackground(true);  // the ground of the filter's own strip
    row->addWidget(m_filter, 1);
    const std::pair<QString, QString> fields[] = {
        {tr("Person"), u"person"_s}, {tr("Verb"), u"verb"_s}, {tr("Outcome"), u"outcome"_s}};
    for (const auto& [name, field] : fields) {
        QPushButton* button = safe::button(name, strip);
        button->setObjectName(u"choose-"_s + field);
        button->setAccessibleDescription(tr("Shows the values of the list, to keep those with one of them"));
        connect(button, &QPushButton::clicked, this, [this, field] { m_filter->askValues(field); });
        row->addWidget(button);
    }
    return strip;
}

// A list that is not full cannot be scrolled, and what was asked for may lie further back.
QWidget* AuditPage::buildStrip()
{
    auto* strip = new QWidget(this);
    auto* row = new QHBoxLayout(strip);
    row->setContentsMargins(12, 4, 12, 5);
    row->addWidget(m_strip, 1);
    m_further->setProperty("small", true);
    m_further->hide();
    row->addWidget(m_further);
    return strip;
}

void AuditPage::connectSignals()
{
    connect(m_further, &QPushButton::clicked, this, &AuditPage::loadPage);
    connect(m_copyHead, &QPushButton::clicked, this, &AuditPage::copyHead);
    connect(m_verify, &QPushButton::clicked, this, &AuditPage::verify);
    connect(m_export, &QPushButton::clicked, this, &AuditPage::exportWanted);
    connect(m_limits, &QPushButton::toggled, m_detects, &QWidget::setVisible);
    connect(m_look, &QTimer::timeout, this, &AuditPage::tellProgress);
    connect(m_filter, &FilterBox::filterChanged, this, &AuditPage::load);
    connect(m_days, &DayBar::chosen, this, &AuditPage::narrowTo);
    connect(m_filter, &FilterBox::leave, this, [this] { m_table->setFocus(); });
    connect(m_filter, &FilterBox::helpWanted, this, &AuditPage::completeFilter);
    connect(m_table, &DataTable::filterAsked, this, &AuditPage::filterFromCell);
    connect(m_table, &DataTable::nearEnd, this, &AuditPage::loadPage);
    connect(m_table, &DataTable::currentMoved, this, &AuditPage::showEntry);
    connect(m_table, &DataTable::opened, this, [this] {
        if (const RunRef ref = run(); !ref.isNull())
            Q_EMIT openRun(ref);
        else
            Q_EMIT said(tr("This act is about no single run."));
    });
    connect(m_table, &DataTable::letterTyped, this, [this](QChar letter, bool shift) {
        if (letter == u'/')
            focusFilter();
        else if (letter == u'v')
            verify();
        else if (letter == u'c' && !shift)
            copyEntry();
        else
            Q_EMIT letterTyped(letter, shift);
    });
}

void AuditPage::focusFilter()
{
    m_filter->edit()->setFocus();
    m_filter->edit()->selectAll();
}

QString AuditPage::place() const { return m_filter->edit()->hasFocus() ? tr("Filter") : tr("Audit"); }

void AuditPage::focusNext(bool backwards)
{
    QList<QWidget*> order{m_export, m_verify, m_days, m_filter->edit(), m_table};
    if (m_limits->isVisible())
        order.prepend(m_limits);
    if (m_copyHead->isEnabled())
        order.prepend(m_copyHead);
    if (m_further->isVisible())
        order.append(m_further);
    const auto count = order.size();
    const auto now = order.indexOf(focusWidget());
    const auto next = now < 0 ? count - 1 : (now + (backwards ? count - 1 : 1)) % count;
    order.at(next)->setFocus(Qt::TabFocusReason);
}

RunRef AuditPage::run() const
{
    const AuditLine* line = m_model->row(m_table->currentRow());
    return line != nullptr && !line->run.isNull() ? RunRef{m_store, line->run} : RunRef();
}

QString AuditPage::verdictText() const { return m_sentence->text(); }

// --- the list

void AuditPage::load()
{
    const quint64 ticket = m_tickets.next();
    ++m_open;
    if (!m_read)
        m_note->begin();
    AuditRequest request = this->request();
    request.limit = std::clamp(m_model->rowCount(), kPage, 2000);
    showDays();
    whenDone(m_stores.source(m_store).audit(request), this, [this, ticket](const Reply<AuditSlice>& reply) {
        --m_open;
        if (!m_tickets.current(ticket))
            return;
        if (!reply) {
            if (reply.failure.cancelled)
                return;
            if (!m_read)
                m_note->fail(told(reply.failure));
            return Q_EMIT failed(told(reply.failure));
        }
        m_filter->setState(reply.value->filter, {});
        if (!reply.value->filter.valid)
            return;  // the table keeps what the last valid filter gave
        m_read = true;
        m_note->end();
        m_model->setFirst(reply.value->lines);
        showSlice(*reply.value);
        countDays();
        if (m_table->currentRow() < 0 && m_model->rowCount() > 0)
            m_table->setCurrentIndex(m_model->index(0, 0));
        showEntry();
    });
}

void AuditPage::loadPage()
{
    if (!m_last.more || m_open > 0)
        return;
    const quint64 ticket = m_tickets.next();
    ++m_open;
    AuditRequest request = this->request();
    request.before = m_last.lookedFrom;
    request.limit = kPage;
    whenDone(m_stores.source(m_store).audit(request), this, [this, ticket](const Reply<AuditSlice>& reply) {
        --m_open;
        if (!m_tickets.current(ticket) || !reply)
            return;
        m_model->addPage(reply.value->lines);
        showSlice(*reply.value);
    });
}

void AuditPage::showSlice(const AuditSlice& slice)
{
    m_last = slice;
    m_last.lines.clear();
    safe::setText(m_strip, stripText());
    m_further->setVisible(slice.more);
}

QString AuditPage::stripText() const
{
    const auto have = static_cast<quint64>(m_model->rowCount());
    const QString entries = plural(m_last.total, "entry", "entries");
    if (have == 0 && m_last.total == 0)
        return tr("Nobody has acted in this store yet.");
    QStringList parts;
    if (have == 0 && !m_last.more)
        parts
            << tr("Nothing matches: the filter leaves out all of %1; clear it (/) to see them").arg(entries);
    else
        parts << (have == 0 ? tr("Nothing matches so far, of %1").arg(entries)
                            : tr("%1 of %2 shown").arg(countText(have), entries));
    if (const quint64 refused = m_model->countNotDone(); refused > 0)
        parts << tr("%1 refused or expired").arg(countText(refused));
    if (m_last.more)
        parts << (have == 0
                ? tr("entries before %1 have not been looked at yet").arg(countText(m_last.lookedFrom))
                : tr("entries before %1 have not been looked at yet: scroll on")
                      .arg(countText(m_last.lookedFrom)));
    parts << tr("reading is not logged as acting");
    return parts.join(u" · "_s);
}

void AuditPage::showEntry()
{
    const AuditLine* line = m_model->row(m_table->currentRow());
    const quint64 seq = line == nullptr ? 0 : line->seq;
    if (seq == m_entry && m_factRow->count() > 0)
        return;
    m_entry = seq;
    while (QLayoutItem* item = m_factRow->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    if (line == nullptr) {
        m_title->setRemark(tr("no entry is selected"));
        m_title->setRight({});
        return;
    }
    m_title->setRemark(countText(line->seq),
        shown(tr("%1: %2, %3").arg(line->person, line->verb, line->outcome), false, 200));
    m_title->setRight(preciseText(line->time));
    for (const std::vector<Fact>* facts : {&line->act, &line->change, &line->chain}) {
        auto* area = new QWidget(m_facts);
        auto* inner = new QVBoxLayout(area);
        inner->setContentsMargins(0, 0, 16, 0);
        inner->addWidget(factGrid(*facts, 90, area));
        inner->addStretch(1);
        m_factRow->addWidget(area, 1);
    }
}

// As text that can be pasted into a report: who, what, when and why, and the hash that proves it.
void AuditPage::copyEntry()
{
    const AuditLine* line = m_model->row(m_table->currentRow());
    if (line == nullptr)
        return Q_EMIT said(tr("Copy is off: no entry is selected."));
    QStringList lines{tr("Entry %1, %2").arg(QString::number(line->seq), preciseText(line->time)),
        tr("%1: %2, %3").arg(line->person, line->verb, line->outcome)};
    for (const std::vector<Fact>* facts : {&line->act, &line->change, &line->chain})
        for (const Fact& fact : *facts)
            lines << fact.name + u": "_s + fact.value;
    QApplication::clipboard()->setText(lines.join(u'\n'));
    Q_EMIT said(tr("Copied entry %1.").arg(countText(line->seq)));
}

// The audit's list has fields of its own; values are put in quotes as in all filters.
void AuditPage::filterFromCell(const QModelIndex& index, QChar how)
{
    const QString term = index.data(FilterRole).toString();
    if (term.isEmpty())
        return Q_EMIT said(tr("No filter asks for what stands in this column."));
    if (how == u'_')
        return m_filter->askValues(term.section(u':', 0, 0));
    if (term.startsWith(u"day:"_s))
        return how == u'-' ? Q_EMIT said(tr("A day cannot be left out; + lists that day alone."))
                           : listDayOf(index.row());
    const QString filter = m_filter->filter();
    m_filter->setFilter(
        (filter.isEmpty() ? QString() : filter + u' ') + (how == u'-' ? u"-"_s : u""_s) + term);
}

// Fields, and of each the values that stand in the list, with how many rows of it have them.
void AuditPage::completeFilter(const FilterQuestion& question)
{
    const QString before = question.text.left(question.cursor);
    const QString begun = before.mid(before.lastIndexOf(u' ') + 1);
    const int dash = begun.startsWith(u'-') ? 1 : 0;
    FilterHelp help;
    help.field = begun.contains(u':') ? begun.section(u':', 0, 0).mid(dash) : QString();
    const int skip = help.field.isEmpty() ? dash : dash + static_cast<int>(help.field.size()) + 1;
    help.length = static_cast<int>(begun.size()) - skip;
    help.offset = question.cursor - help.length;
    const QString start = begun.mid(skip);
    std::vector<FilterChoice> all;
    if (help.field.isEmpty())
        for (const QString& field :
            {u"person:"_s, u"verb:"_s, u"outcome:"_s, u"second:"_s, u"run:"_s, u"since:"_s, u"day:"_s})
            all.push_back({field, -1});
    if (help.field == u"day"_s)
        for (const QString& value : {u"today"_s, u"yesterday"_s})
            all.push_back({value, -1});
    if (help.field == u"since"_s)
        for (const QString& value : {u"today"_s, u"yesterday"_s, u"<1h"_s, u"<1d"_s})
            all.push_back({value, -1});
    for (int row = 0; !help.field.isEmpty() && row < m_model->rowCount(); ++row)
        for (int column = 0; column < AuditModel::ColumnCount; ++column) {
            const QString term = m_model->index(row, column).data(FilterRole).toString();
            if (!term.startsWith(help.field + u':'))
                continue;
            const QString value = term.mid(help.field.size() + 1);
            const auto same = std::find_if(
                all.begin(), all.end(), [&value](const FilterChoice& one) { return one.text == value; });
            if (same == all.end())
                all.push_back({value, 1});
            else
                ++same->count;
        }
    for (const FilterChoice& choice : all)
        if (choice.text.startsWith(start, Qt::CaseInsensitive))
            help.choices.push_back(choice);
    std::stable_sort(help.choices.begin(), help.choices.end(),
        [](const FilterChoice& a, const FilterChoice& b) { return a.count > b.count; });
    m_filter->setHelp(question, help);
}

// --- whether it is whole

void AuditPage::verify()
{
    if (m_progress) {
        m_progress->stop = true;
        return;
    }
    m_progress = std::make_shared<CheckProgress>();
    m_verify->setText(tr("Stop"));
    m_bar->setRange(0, 0);
    m_bar->show();
    m_look->start();
    setVerdict(
        Glyph::Running, tr("Checking."), tr("Stop leaves nothing behind: a check changes nothing."), {}, {});
    whenDone(m_stores.source(m_store).checkAudit(m_progress), this,
        [this](const Reply<AuditVerdict>& reply) { showVerdict(reply); });
}

void AuditPage::tellProgress()
{
    if (!m_progress)
        return;
    const quint64 all = m_progress->actsInAll;
    const quint64 acts = std::min<quint64>(m_progress->acts, all);
    const quint64 entries = m_progress->entries;
    if (all > 0 && entries == 0) {
        m_bar->setRange(0, 1000);
        m_bar->setValue(static_cast<int>(acts * 1000 / all));
    } else {
        m_bar->setRange(0, 0);  // nobody knows how many entries the runs have: no percentage is made up
    }
    safe::setText(m_detail,
        tr("%1 of %2 acts, %3 entries of runs so far")
            .arg(countText(acts), countText(all), countText(entries)));
}

void AuditPage::showVerdict(const Reply<AuditVerdict>& reply)
{
    m_look->stop();
    m_bar->hide();
    m_progress.reset();
    m_verify->setText(tr("Verify again"));
    if (!reply) {
        const bool stopped = reply.failure.cancelled || reply.failure.what.contains(u"stopped:"_s);
        setVerdict(Glyph::Pending, stopped ? tr("The check was stopped.") : tr("The check failed."),
            stopped ? tr("Whether the log is whole is not known.") : told(reply.failure), {}, {});
        return;
    }
    const AuditVerdict& v = *reply.value;
    m_head = v.whole ? QString::number(v.entries) + u' ' + v.head : QString();
    safe::setOff(m_copyHead,
        v.whole ? QString() : tr("The log is damaged: its head is not one to be compared with later."));
    setVerdict(v.whole ? Glyph::Done : Glyph::Failed, v.sentence,
        tr("checked %1 in %2 · ").arg(instantText(v.at), durationText(v.tookMs)) + v.detail, v.damage,
        v.detects);
}

// To be kept outside of the store: `cairn audit verify --head` takes it.
void AuditPage::copyHead()
{
    QApplication::clipboard()->setText(m_head);
    Q_EMIT said(
        tr("Copied the head of entry %1. Keep it outside of the store: cairn audit verify --head takes it.")
            .arg(m_head.section(u' ', 0, 0)));
}

void AuditPage::setVerdict(Glyph glyph, const QString& sentence, const QString& detail,
    const QStringList& damage, const QStringList& limits)
{
    m_glyph->setPixmap(glyphPixmap(glyph, 20, devicePixelRatioF()));
    safe::setText(m_sentence, sentence);
    safe::setText(m_detail, detail);
    safe::setText(m_damage, damage.join(u'\n'));
    m_damage->setVisible(!damage.isEmpty());
    safe::setText(m_detects, limits.join(u'\n'));
    m_limits->setVisible(!limits.isEmpty());
    m_detects->setVisible(!limits.isEmpty() && m_limits->isChecked());
}

void AuditPage::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
}

}  // namespace cairn::ui
