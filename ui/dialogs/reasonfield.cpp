#include "ui/dialogs/reasonfield.h"

#include "ui/data/safetext.h"
#include "ui/dialogs/sheetparts.h"
#include "ui/widgets/safetext.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kShown = 80;  // characters of a template in the menu
QString menuText(const QString& text) { return shown(text, false, kShown).replace(u'&', u"&&"_s); }
}  // namespace

ReasonTemplates& ReasonTemplates::instance()
{
    static ReasonTemplates all;
    return all;
}

void ReasonTemplates::setTexts(const QStringList& texts)
{
    QStringList taken;
    for (const QString& text : texts)
        if (const QString one = text.trimmed().left(kLongest); !one.isEmpty() && taken.size() < kMost)
            if (!taken.contains(one))
                taken << one;
    if (taken == m_texts)
        return;
    m_texts = taken;
    Q_EMIT changed();
}

void ReasonTemplates::keep(const QString& text) { setTexts(QStringList{text} + m_texts); }

void ReasonTemplates::forget(const QString& text)
{
    QStringList texts = m_texts;
    texts.removeAll(text);
    setTexts(texts);
}

ReasonField::ReasonField(QWidget* parent)
    : QWidget(parent)
    , m_caption(caption(tr("Reason"), this))
    , m_edit(new QPlainTextEdit(this))
    , m_ticket(new QLineEdit(this))
    , m_templates(safe::button(tr("Kept reasons"), this))
{
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->addWidget(m_caption, 0, 0);
    grid->addWidget(caption(tr("Ticket, if there is one"), this), 0, 1);
    grid->addWidget(m_edit, 1, 0, 2, 1);
    grid->addWidget(m_ticket, 1, 1);
    grid->addWidget(m_templates, 2, 1);
    grid->setColumnStretch(0, 3);
    grid->setColumnStretch(1, 1);
    prepareReason(m_edit);
    m_ticket->setAccessibleName(tr("Ticket"));
    static const QRegularExpression kTicket(u"\\S{0,60}"_s);
    m_ticket->setValidator(new QRegularExpressionValidator(kTicket, m_ticket));
    m_templates->setProperty("small", true);
    m_templates->setAutoDefault(false);
    m_templates->setMenu(new QMenu(m_templates));
    connect(m_templates->menu(), &QMenu::aboutToShow, this, &ReasonField::fillMenu);
    connect(m_edit, &QPlainTextEdit::textChanged, this, &ReasonField::changed);
    connect(m_ticket, &QLineEdit::textChanged, this, &ReasonField::changed);
}

void ReasonField::setCaption(const QString& text) { safe::setText(m_caption, text); }

void ReasonField::setReadOnly(bool on)
{
    m_edit->setReadOnly(on);
    m_ticket->setReadOnly(on);
    m_templates->setEnabled(!on);
}

void ReasonField::watchBy(QObject* filter)
{
    m_edit->installEventFilter(filter);
    m_ticket->installEventFilter(filter);
}

qsizetype ReasonField::length() const { return m_edit->toPlainText().trimmed().size(); }

QString ReasonField::text() const
{
    const QString reason = m_edit->toPlainText().trimmed();
    const QString ticket = m_ticket->text().trimmed();
    if (ticket.isEmpty() || reason.contains(ticket))
        return reason;
    return reason.isEmpty() ? ticket : reason + u", "_s + ticket;
}

void ReasonField::fillMenu()
{
    QMenu* menu = m_templates->menu();
    menu->clear();
    ReasonTemplates& all = ReasonTemplates::instance();
    for (const QString& text : all.texts())
        connect(menu->addAction(menuText(text)), &QAction::triggered, this, [this, text] {
            m_edit->setPlainText(text);
            m_edit->setFocus();
            m_edit->moveCursor(QTextCursor::End);
        });
    if (!all.texts().isEmpty())
        menu->addSeparator();
    const QString mine = m_edit->toPlainText().trimmed();
    QAction* keep = menu->addAction(tr("Keep what is written here"));
    keep->setEnabled(
        !mine.isEmpty() && mine.size() <= ReasonTemplates::kLongest && !all.texts().contains(mine));
    connect(keep, &QAction::triggered, this, [mine] { ReasonTemplates::instance().keep(mine); });
    QAction* forget = menu->addAction(tr("Forget what is written here"));
    forget->setEnabled(all.texts().contains(mine));
    connect(forget, &QAction::triggered, this, [mine] { ReasonTemplates::instance().forget(mine); });
}

}  // namespace cairn::ui
