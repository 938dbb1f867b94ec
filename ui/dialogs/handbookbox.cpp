#include "ui/dialogs/handbookbox.h"

#include "ui/data/handbook.h"
#include "ui/widgets/handbookview.h"
#include "ui/widgets/safetext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPage = Qt::UserRole;
constexpr int kPlace = Qt::UserRole + 1;

}  // namespace

HandbookBox::HandbookBox(QWidget* parent)
    : QDialog(parent)
    , m_words(new QLineEdit(this))
    , m_list(new QListWidget(this))
    , m_view(new HandbookView(this))
    , m_notice(safe::label({}, {.secondary = true, .wrap = true}, this))
    , m_back(safe::button(tr("Back"), this))
    , m_forward(safe::button(tr("Forward"), this))
{
    setWindowTitle(tr("Handbook"));
    setModal(false);
    buildLayout();
    addKeys();
    connect(m_words, &QLineEdit::textChanged, this, &HandbookBox::fill);
    connect(m_words, &QLineEdit::returnPressed, this, [this] {
        if (const QListWidgetItem* first = m_list->item(0))
            openPage(first->data(kPage).toString(), first->data(kPlace).toString());
    });
    connect(m_list, &QListWidget::itemActivated, this, [this](const QListWidgetItem* item) {
        openPage(item->data(kPage).toString(), item->data(kPlace).toString());
    });
    connect(m_view, &HandbookView::opened, this, [this](const QString& page, const QString& place) {
        visited({page, place});
    });
    connect(m_view, &HandbookView::leadsOut, this, [this](const QString& link) {
        safe::setText(m_notice, tr("Not opened: %1 is no page of the handbook.").arg(link));
    });
    fill();
}

void HandbookBox::buildLayout()
{
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(14, 12, 14, 12);
    auto* row = new QHBoxLayout;
    m_words->setPlaceholderText(tr("Search the handbook"));
    m_words->setAccessibleName(tr("Search the handbook"));
    m_words->setClearButtonEnabled(true);
    m_list->setAccessibleName(tr("Pages"));
    m_list->setUniformItemSizes(true);
    for (QPushButton* button : {m_back, m_forward})
        button->setAutoDefault(false);
    row->addWidget(m_back);
    row->addWidget(m_forward);
    row->addWidget(m_words, 1);
    column->addLayout(row);
    auto* split = new QSplitter(this);
    split->addWidget(m_list);
    split->addWidget(m_view);
    split->setStretchFactor(1, 1);
    split->setSizes({260, 640});
    column->addWidget(split, 1);
    column->addWidget(m_notice);
    resize(920, 680);
    connect(m_back, &QPushButton::clicked, this, &HandbookBox::back);
    connect(m_forward, &QPushButton::clicked, this, &HandbookBox::forward);
}

void HandbookBox::addKeys()
{
    const auto on = [this](const QKeySequence& keys, auto act) {
        connect(new QShortcut(keys, this), &QShortcut::activated, this, act);
    };
    on(QKeySequence(QKeySequence::Find), [this] {
        m_words->setFocus();
        m_words->selectAll();
    });
    on(QKeySequence(u"Alt+Left"_s), [this] { back(); });
    on(QKeySequence(u"Alt+Right"_s), [this] { forward(); });
    on(QKeySequence(u"Alt+Home"_s), [this] { openPage(handbookIndex()); });
    auto* down = new QShortcut(QKeySequence(Qt::Key_Down), m_words);
    down->setContext(Qt::WidgetShortcut);
    connect(down, &QShortcut::activated, this, [this] {
        m_list->setFocus();
        m_list->setCurrentRow(0);
    });
}

// The pages that the words leave, best first; the one that is open stays marked.
void HandbookBox::fill()
{
    m_list->clear();
    const std::vector<HandbookLine> lines = searchedHandbook(m_words->text());
    for (const HandbookLine& line : lines) {
        auto* item = new QListWidgetItem(line.title, m_list);
        item->setData(kPage, line.name);
        item->setData(kPlace, line.place);
        item->setData(Qt::AccessibleDescriptionRole, line.line);
        if (line.name == m_view->page())
            m_list->setCurrentItem(item);
    }
    const QString words = m_words->text().trimmed();
    safe::setText(m_notice,
        words.isEmpty()     ? QString()
            : lines.empty() ? tr("No page has all of these words.")
                            : tr("%n page(s), the best first", nullptr, static_cast<int>(lines.size())));
}

void HandbookBox::search(const QString& words)
{
    m_words->setText(words);
    m_words->setFocus();
}

void HandbookBox::openPage(const QString& page, const QString& place)
{
    const Visit visit{handbookText(page).name.isEmpty() ? handbookIndex() : page, place};
    showVisit(visit);
    visited(visit);
}

void HandbookBox::showVisit(const Visit& visit)
{
    safe::setText(m_notice, {});
    m_view->open(visit.page, visit.place);
}

// What lay ahead of the present page is gone once another one is opened from it.
void HandbookBox::visited(const Visit& visit)
{
    const bool same =
        !m_visits.empty() && m_visits[m_at].page == visit.page && m_visits[m_at].place == visit.place;
    if (!same) {
        m_visits.resize(m_visits.empty() ? 0 : m_at + 1);
        m_visits.push_back(visit);
        m_at = m_visits.size() - 1;
    }
    safe::setOff(m_back, m_at > 0 ? QString() : tr("This is the first page that was looked at."));
    safe::setOff(
        m_forward, m_at + 1 < m_visits.size() ? QString() : tr("This is the last page that was looked at."));
}

void HandbookBox::back()
{
    if (m_at == 0)
        return;
    showVisit(m_visits[--m_at]);
    visited(m_visits[m_at]);
}

void HandbookBox::forward()
{
    if (m_at + 1 >= m_visits.size())
        return;
    showVisit(m_visits[++m_at]);
    visited(m_visits[m_at]);
}

QString HandbookBox::notice() const { return m_notice->text(); }

}  // namespace cairn::ui
