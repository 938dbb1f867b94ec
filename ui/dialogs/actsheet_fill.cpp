// What the sheet shows: the request or the evidence, what would be sent, and what would happen.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/dialogs/actsheet.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/sentence.h"
#include "ui/widgets/shapes.h"
#include "ui/widgets/theme.h"

#include <QButtonGroup>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

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

Glyph glyphOfVerb(const ActRequest& request)
{
    switch (request.verb) {
    case Verb::Approve:
    case Verb::Reject: return Glyph::Approval;
    case Verb::Settle: return Glyph::Uncertain;
    case Verb::Pause: return Glyph::Paused;
    case Verb::Cancel: return Glyph::Cancelled;
    default: return Glyph::Running;
    }
}

QWidget* factGrid(const std::vector<Fact>& facts, QWidget* parent)
{
    auto* holder = new QWidget(parent);
    auto* grid = new QGridLayout(holder);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(2);
    grid->setColumnMinimumWidth(0, 104);
    grid->setColumnStretch(1, 1);
    int row = 0;
    for (const Fact& fact : facts) {
        grid->addWidget(safe::label(fact.name, {.secondary = true}, holder), row, 0, Qt::AlignTop);
        auto* value = safe::label(fact.value, {.face = fact.mono ? Face::Mono : Face::Text, .wrap = true, .selectable = true},
                                  holder);
        value->setFocusPolicy(Qt::NoFocus);
        grid->addWidget(value, row++, 1);
    }
    return holder;
}

// Shape and line, one per consequence; says "nothing" rather than leaving the place empty.
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
        grid->addWidget(safe::label(u"nothing"_s, {.secondary = true}, holder), row++, 0, 1, 2);
    constexpr qsizetype kMost = 8;
    for (const QString& line : lines.mid(0, kMost)) {
        grid->addWidget(glyphLabel(glyph, 12, holder), row, 0, Qt::AlignTop | Qt::AlignHCenter);
        grid->addWidget(safe::label(shown(line, false, 300), {.wrap = true}, holder), row++, 1);
    }
    if (lines.size() > kMost)
        grid->addWidget(safe::label(u"and %1 more"_s.arg(countText(static_cast<quint64>(lines.size() - kMost))),
                                    {.secondary = true}, holder), row++, 0, 1, 2);
    grid->setRowStretch(row, 1);
    return holder;
}

}  // namespace

void ActSheet::fillBody()
{
    emptyLayout(m_body);
    auto* top = new QHBoxLayout;
    top->setSpacing(12);
    top->addWidget(glyphLabel(glyphOfVerb(m_request), 20, m_bodyWidget), 0, Qt::AlignTop);
    auto* sentence = new Sentence(m_bodyWidget);
    sentence->setSentence(m_preview.sentence, m_preview.strong);
    top->addWidget(sentence, 1);
    m_body->addLayout(top);
    addFacts();
    addSent();
    addConsequences();
    m_body->addStretch(1);
    if (m_options != nullptr) {
        auto* repeat = m_options->button(static_cast<int>(Outcome::RepeatSameKey));
        repeat->setEnabled(m_preview.repeatOff.isEmpty());
        const QString off = u"Repeat with the same key (off: %1)"_s.arg(shown(m_preview.repeatOff, false, 160));
        repeat->setText(m_preview.repeatOff.isEmpty() ? u"Repeat with the same key"_s : QString(off).replace(u'&', u"&&"_s));
    }
}

void ActSheet::addFacts()
{
    if (m_preview.facts.empty())
        return;
    m_body->addSpacing(10);
    m_body->addWidget(caption(m_request.verb == Verb::Settle ? u"Evidence"_s : u"The request"_s, m_bodyWidget));
    m_body->addSpacing(4);
    m_body->addWidget(factGrid(m_preview.facts, m_bodyWidget));
}

void ActSheet::addSent()
{
    const PayloadText& sent = m_preview.sent;
    if (sent.line.id.isNull())
        return;
    m_body->addSpacing(9);
    m_body->addWidget(hairLine(m_bodyWidget));
    m_body->addSpacing(8);
    auto* head = new QHBoxLayout;
    head->addWidget(caption(m_preview.sentTitle, m_bodyWidget));
    head->addStretch(1);
    head->addWidget(safe::label(sent.line.media + u", "_s + sizeText(sent.line.size), {.size = 11, .secondary = true},
                                m_bodyWidget));
    m_body->addLayout(head);
    m_body->addSpacing(4);
    if (!sent.fields.empty()) {
        m_body->addWidget(factGrid(sent.fields, m_bodyWidget));
        return;
    }
    auto* text = safe::viewer(m_bodyWidget);
    QString body = shownBytes(sent.head, 4000);
    if (sent.line.size > 4000)
        body += u"\n… %1 more, see Data"_s.arg(sizeText(sent.line.size - 4000));
    text->setPlainText(body);
    text->setFixedHeight(120);
    text->setAccessibleName(m_preview.sentTitle);
    m_body->addWidget(text);
}

void ActSheet::addConsequences()
{
    m_body->addSpacing(10);
    auto* box = new QWidget(m_bodyWidget);
    box->setAutoFillBackground(true);
    auto* row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(0);
    QStringList next = m_preview.willHappen;
    next += m_preview.alsoChanges;
    row->addWidget(consequences(u"What happens next"_s, Glyph::Running, next, box), 1);
    row->addWidget(consequences(u"Will not be repeated"_s, Glyph::Done, m_preview.willNotRepeat, box), 1);
    if (!m_preview.mayRepeat.isEmpty())
        row->addWidget(consequences(u"May be repeated"_s, Glyph::Uncertain, m_preview.mayRepeat, box), 1);
    m_body->addWidget(box);
    m_body->addSpacing(6);
    QString line = m_preview.mayRepeat.isEmpty() ? u"May be repeated: nothing"_s : u"May be repeated: see above"_s;
    if (!m_preview.reversible.isEmpty())
        line += u" · "_s + m_preview.reversible;
    m_body->addWidget(safe::label(line, {.size = 11, .secondary = true, .wrap = true}, m_bodyWidget));
}

void ActSheet::buildOptions()
{
    m_optionsBox = new QWidget(this);
    auto* column = new QVBoxLayout(m_optionsBox);
    column->setContentsMargins(0, 0, 0, 4);
    column->setSpacing(3);
    auto* head = new QHBoxLayout;
    head->addWidget(caption(u"What happened"_s, m_optionsBox));
    head->addStretch(1);
    head->addWidget(safe::label(u"safest first"_s, {.size = 11, .secondary = true}, m_optionsBox));
    column->addLayout(head);
    m_options = new QButtonGroup(this);
    const auto add = [this, column](Outcome outcome, const QString& text) {
        auto* radio = new QRadioButton(text, m_optionsBox);
        m_options->addButton(radio, static_cast<int>(outcome));
        radio->installEventFilter(this);
        column->addWidget(radio);
    };
    add(Outcome::Happened, u"It happened: record the provider's result; nothing is sent"_s);
    auto* field = new QHBoxLayout;
    field->setContentsMargins(22, 0, 0, 0);
    field->addWidget(safe::label(u"Result to record (JSON)"_s, {}, m_optionsBox));
    m_result->setPlaceholderText(u"{\"reference\": \"…\"}"_s);
    field->addWidget(m_result, 1);
    column->addLayout(field);
    add(Outcome::NotHappened, u"It did not happen: the step then runs again, under the same key"_s);
    add(Outcome::RepeatSameKey, u"Repeat with the same key"_s);
    m_options->button(static_cast<int>(m_request.settleAs))->setChecked(true);
    connect(m_options, &QButtonGroup::idToggled, this, [this](int id, bool on) {
        if (!on)
            return;
        m_request.settleAs = static_cast<Outcome>(id);
        m_result->setEnabled(m_request.settleAs == Outcome::Happened);
        ask();   // another outcome, another preview
    });
}

}  // namespace cairn::ui
