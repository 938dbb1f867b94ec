#include "ui/widgets/factgrid.h"

#include "ui/data/safetext.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QClipboard>
#include <QDesktopServices>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(factgrid)
};

// Two sheets of paper.
class CopyButton final : public QToolButton {
public:
    CopyButton(const QString& what, const QString& value, QWidget* parent)
        : QToolButton(parent)
    {
        setFixedSize(18, 18);
        setAutoRaise(true);
        setFocusPolicy(Qt::TabFocus);
        setAccessibleName(shown(Words::tr("Copy ") + what));
        safe::setTip(this, Words::tr("Copy ") + value);
        connect(this, &QToolButton::clicked, this, [value] { QApplication::clipboard()->setText(value); });
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen(underMouse() || hasFocus() ? theme().text : theme().text2, 1.2));
        painter.drawRoundedRect(QRectF(3.5, 3.5, 7, 8), 1, 1);
        painter.setBrush(isDown() ? theme().sel : palette().color(QPalette::Base));
        painter.drawRoundedRect(QRectF(6.5, 6.5, 7, 8), 1, 1);
        if (!hasFocus())
            return;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(theme().focus, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
};

// A value that may be shown shortened: what is copied is the whole.
class FactLabel final : public QLabel {
public:
    FactLabel(const Fact& fact, int longest, QWidget* parent)
        : QLabel(parent)
        , m_whole(fact.value)
    {
        setTextFormat(Qt::PlainText);
        setFont(typeface(13, false, fact.mono ? Face::Mono : Face::Text));
        setWordWrap(true);
        setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        setFocusPolicy(Qt::ClickFocus);
        setText(shortenedInside(shown(fact.value, true), longest));
        if (text() != fact.value)
            setAccessibleName(shown(fact.value, true));
    }

protected:
    void keyPressEvent(QKeyEvent* event) override
    {
        if (event == QKeySequence::Copy && selectedText() == text()) {
            QApplication::clipboard()->setText(m_whole);
            return;
        }
        QLabel::keyPressEvent(event);
    }

private:
    QString m_whole;
};

}  // namespace

QString shortenedInside(const QString& text, int limit)
{
    QString out;
    qsizetype from = 0;
    while (from < text.size()) {
        qsizetype to = from;
        while (to < text.size() && !text.at(to).isSpace())
            ++to;
        const QStringView word = QStringView(text).mid(from, to - from);
        if (word.size() > limit)
            out += word.first(limit / 2).toString() + QChar(0x2026)
                + word.last(limit - limit / 2 - 1).toString();
        else
            out += word;
        if (to < text.size())
            out += text.at(to);
        from = to + 1;
    }
    return out;
}

bool isWebPage(const QUrl& url)
{
    return url.isValid() && (url.scheme() == u"https"_s || url.scheme() == u"http"_s)
        && !url.host().isEmpty();
}

QWidget* factGrid(const std::vector<Fact>& facts, int nameWidth, QWidget* parent, int longest)
{
    auto* holder = new QWidget(parent);
    auto* grid = new QGridLayout(holder);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(2);
    grid->setColumnMinimumWidth(0, nameWidth);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const Fact& fact : facts) {
        auto* value = new FactLabel(fact, longest, holder);
        grid->addWidget(
            safe::label(fact.name, {.secondary = true, .wrap = true}, holder), row, 0, Qt::AlignTop);
        grid->addWidget(value, row, 1);
        if (fact.mono || value->text() != shown(fact.value, true))
            grid->addWidget(new CopyButton(fact.name, fact.value, holder), row, 2, Qt::AlignTop);
        if (const QUrl page(fact.value, QUrl::StrictMode); fact.link && isWebPage(page)) {
            QPushButton* open = safe::button(Words::tr("Open"), holder);
            open->setProperty("small", true);
            open->setAutoDefault(false);
            open->setAccessibleDescription(Words::tr("Opens the page in the desktop's browser"));
            safe::setTip(open, fact.value);
            QObject::connect(open, &QPushButton::clicked, open, [page] { QDesktopServices::openUrl(page); });
            grid->addWidget(open, ++row, 1, Qt::AlignLeft);  // below: beside it the values would be squeezed
        }
        ++row;
    }
    return holder;
}

}  // namespace cairn::ui
