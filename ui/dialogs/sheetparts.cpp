#include "ui/dialogs/sheetparts.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(sheetparts)
};

bool isEnter(const QKeyEvent& event) { return event.key() == Qt::Key_Return || event.key() == Qt::Key_Enter; }

bool isExecute(const QKeyEvent& event)
{
    return isEnter(event) && (event.modifiers() & Qt::ControlModifier) != 0;
}

}  // namespace

void Sheet::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
    painter.setPen(theme().control);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

bool Sheet::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::KeyPress || !isExecute(*static_cast<QKeyEvent*>(event)))
        return QDialog::eventFilter(watched, event);
    execute();
    return true;
}

void Sheet::keyPressEvent(QKeyEvent* event)
{
    if (isExecute(*event))
        execute();
    else if (!isEnter(*event))
        QDialog::keyPressEvent(event);
}

QWidget* sheetFoot(QLabel* state, const std::vector<QPushButton*>& buttons, QWidget* parent)
{
    auto* foot = new QWidget(parent);
    foot->setFixedHeight(48);
    foot->setAutoFillBackground(true);
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(18, 0, 18, 0);
    row->setSpacing(8);
    row->addWidget(state);
    row->addStretch(1);
    for (QPushButton* button : buttons) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    buttons.back()->setProperty("primary", true);
    return foot;
}

Validity::Validity(QWidget* sheet)
    : QTimer(sheet)
    , m_warning(new QTimer(this))
    , m_more(safe::button(Words::tr("5 minutes more"), sheet))
{
    setSingleShot(true);
    m_warning->setSingleShot(true);
    m_more->setAccessibleDescription(
        Words::tr("The preview is valid for less than a minute; this makes it last longer, once"));
    m_more->hide();
    connect(m_warning, &QTimer::timeout, this, &Validity::warn);
    connect(this, &QTimer::timeout, m_more, &QWidget::hide);
    connect(m_more, &QPushButton::clicked, this, [this] {
        if (!isActive())
            return;
        m_extended = true;
        m_more->hide();
        start(remainingTime() + kPreviewValidMs);
        Q_EMIT extended();
    });
}

void Validity::begin()
{
    constexpr int kMinute = 60 * 1000;
    m_extended = false;
    m_more->hide();
    start(kPreviewValidMs);
    m_warning->start(kPreviewValidMs - kMinute);
}

void Validity::end()
{
    stop();
    m_warning->stop();
    m_more->hide();
}

void Validity::warn() { m_more->setVisible(isActive() && !m_extended); }

int Validity::lastsMs() const { return m_extended ? 2 * kPreviewValidMs : kPreviewValidMs; }

EndWords endWords(const ActResult& result)
{
    switch (result.end) {
    case ActEnd::Stale:
        return {
            Words::tr("Refused, because what this depends on has changed since you looked: ") + result.text,
            Words::tr("nothing was changed")};
    case ActEnd::Refused: return {Words::tr("Refused: ") + result.text, Words::tr("nothing was changed")};
    case ActEnd::NotKnown:
        return {Words::tr("Whether this was done is not known: ") + result.text
                + Words::tr(" Look again; the history tells."),
            Words::tr("not known whether it was done"), true};
    default: return {Words::tr("Not done: ") + result.text, Words::tr("the store is unchanged")};
    }
}

EndWords endWords(const Failure& failure)
{
    return {told(failure), failure.state.isEmpty() ? Words::tr("nothing was sent") : failure.state,
        failure.notKnown};
}

SheetNotice::SheetNotice(QWidget* parent)
    : QWidget(parent)
    , m_shape(glyphLabel(Glyph::Uncertain, 16, this))
    , m_text(safe::label({}, {.wrap = true, .selectable = true}, this))
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    row->addWidget(m_shape, 0, Qt::AlignTop);
    row->addWidget(m_text, 1);
    hide();
}

void SheetNotice::tell(const QString& text, bool notKnown)
{
    m_notKnown = notKnown;
    m_shape->setVisible(notKnown);
    safe::setText(m_text, text);
    setVisible(!text.isEmpty());
}

QString SheetNotice::text() const { return isHidden() ? QString() : m_text->text(); }

void prepareReason(QPlainTextEdit* reason)
{
    reason->setAccessibleName(Words::tr("Reason"));
    reason->setTabChangesFocus(true);
    reason->setFixedHeight(50);
}

SheetHead::SheetHead(const StoreFacts& facts, const QString& title, QWidget* parent)
    : QWidget(parent)
    , m_production(facts.environment.startsWith(u"prod"_s, Qt::CaseInsensitive))
    , m_word(m_production ? tr("PROD") : shown(facts.environment, false, 12).toUpper())
    , m_store(shown(facts.name, false, 60))
    , m_title(shown(title, false, 200))
{
    setFixedHeight(30);
    setAccessibleName(m_word + u' ' + m_store + u", "_s + m_title);
}

void SheetHead::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_production ? theme().prodBand : theme().otherBand);
    painter.setPen(m_production ? theme().prodLine : theme().otherLine);
    painter.drawLine(0, height() - 1, width(), height() - 1);
    const QColor ink = m_production ? theme().prodText : theme().otherText;
    if (m_production)
        paintLock(painter, QRectF(12, 8, 12, 14), ink);
    painter.setPen(ink);
    painter.setFont(typeface(13, true));
    double x = m_production ? 32 : 12;
    painter.drawText(QPointF(x, 20), m_word);
    x += QFontMetricsF(painter.font()).horizontalAdvance(m_word) + 8;
    painter.setFont(typeface(13));
    painter.drawText(QPointF(x, 20), m_store);
    painter.drawText(rect().adjusted(0, 0, -12, -1), Qt::AlignRight | Qt::AlignVCenter, m_title);
}

void emptyLayout(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->widget() != nullptr) {
            item->widget()->hide();
            item->widget()->deleteLater();
        } else if (item->layout() != nullptr) {
            emptyLayout(item->layout());
        }
        delete item;
    }
}

QWidget* hairLine(QWidget* parent)
{
    auto* line = new QWidget(parent);
    line->setFixedHeight(1);
    line->setAutoFillBackground(true);
    QPalette p = line->palette();
    p.setColor(QPalette::Window, theme().hair);
    line->setPalette(p);
    return line;
}

QLabel* caption(const QString& text, QWidget* parent)
{
    return safe::label(text, {.size = 11, .bold = true, .secondary = true}, parent);
}

QLabel* glyphLabel(Glyph glyph, int size, QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setPixmap(glyphPixmap(glyph, size, parent->devicePixelRatioF()));
    label->setFixedSize(size, size);
    label->setAccessibleName(glyphName(glyph));
    return label;
}

Glyph glyphOfVerb(Verb verb)
{
    switch (verb) {
    case Verb::Approve:
    case Verb::Reject: return Glyph::Approval;
    case Verb::Settle: return Glyph::Uncertain;
    case Verb::Pause: return Glyph::Paused;
    case Verb::Cancel: return Glyph::Cancelled;
    default: return Glyph::Running;
    }
}

QWidget* consequences(const QString& title, Glyph glyph, const QStringList& lines, QWidget* parent)
{
    auto* holder = new QWidget(parent);
    auto* grid = new QGridLayout(holder);
    grid->setContentsMargins(14, 8, 14, 8);
    grid->setHorizontalSpacing(6);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    grid->addWidget(caption(title, holder), 0, 0, 1, 2);
    int row = 1;
    if (lines.isEmpty())
        grid->addWidget(safe::label(Words::tr("nothing"), {.secondary = true}, holder), row++, 0, 1, 2);
    constexpr qsizetype kMost = 8;
    for (const QString& line : lines.mid(0, kMost)) {
        grid->addWidget(glyphLabel(glyph, 12, holder), row, 0, Qt::AlignTop | Qt::AlignHCenter);
        grid->addWidget(safe::label(shown(line, false, 300), {.wrap = true}, holder), row++, 1);
    }
    if (lines.size() > kMost)
        grid->addWidget(
            safe::label(Words::tr("and %1 more").arg(countText(static_cast<quint64>(lines.size() - kMost))),
                {.secondary = true}, holder),
            row++, 0, 1, 2);
    grid->setRowStretch(row, 1);
    return holder;
}

QString actsAs(const StoreFacts& facts)
{
    const QString level = facts.closed || !facts.mayAct ? Words::tr("look only, ") + facts.whyNot
        : facts.guarded                                 ? Words::tr("guarded, a reason always")
                                                        : Words::tr("free, a reason if you like");
    return Words::tr("You act as %1%2, in %3: %4.")
        .arg(
            facts.person, facts.identity.isEmpty() ? QString() : u", "_s + facts.identity, facts.name, level);
}

QString actName(const ActRequest& request)
{
    return request.verb == Verb::Cancel && !request.compensate ? Words::tr("Abandon")
                                                               : verbName(request.verb);
}

QString notNow(const QString& state)
{
    return state.isEmpty() ? Words::tr("there is no preview yet") : state;
}

QString computingText() { return Words::tr("computing the preview, since %1").arg(nowText()); }

}  // namespace cairn::ui
