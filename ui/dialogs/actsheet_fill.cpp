// What the sheet shows: the request or the evidence, what would be sent, and what would happen.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/actsheet.h"
#include "ui/dialogs/sheetparts.h"
#include "ui/widgets/factgrid.h"
#include "ui/widgets/keycap.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/sentence.h"

#include <QAbstractButton>
#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QRadioButton>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kWholeWord = 72;    // what one decides on is not shortened as long as a line holds it
constexpr int kUnderOption = 48;  // below the words of an option, behind its key and its circle
constexpr qsizetype kNamed = 3;   // lines in a sentence; the others by their number

QString namedFew(const QStringList& lines)
{
    if (lines.isEmpty())
        return ActSheet::tr("nothing");
    const QString named = lines.mid(0, kNamed).join(u", "_s);
    return lines.size() <= kNamed
        ? named
        : ActSheet::tr("%1 and %2 more").arg(named, countText(static_cast<quint64>(lines.size() - kNamed)));
}

}  // namespace

void ActSheet::fillBody()
{
    emptyLayout(m_body);
    auto* top = new QHBoxLayout;
    top->setSpacing(12);
    top->addWidget(glyphLabel(glyphOfVerb(m_request.verb), 20, m_bodyWidget), 0, Qt::AlignTop);
    auto* sentence = new Sentence(m_bodyWidget);
    sentence->setSentence(m_preview.sentence, m_preview.strong);
    top->addWidget(sentence, 1);
    m_body->addLayout(top);
    addFacts();
    addSent();
    addConsequences();
    m_body->addStretch(1);
    if (m_options != nullptr) {
        for (const OutcomeOffer& offer : m_preview.outcomes) {
            safe::setOff(
                m_options->button(static_cast<int>(offer.outcome)), offer.allowed ? QString() : offer.why);
            QLabel* off = m_outcomeOff[static_cast<int>(offer.outcome)];
            safe::setText(off, offer.allowed ? QString() : offer.why);
            off->setVisible(!offer.allowed);
        }
    }
}

void ActSheet::addFacts()
{
    if (m_preview.facts.empty())
        return;
    m_body->addSpacing(10);
    m_body->addWidget(caption(m_request.verb == Verb::Settle ? tr("Evidence")
            : m_request.verb == Verb::Slow                   ? tr("As it is now")
            : m_request.verb == Verb::Redact                 ? tr("What is deleted")
                                                             : tr("The request"),
        m_bodyWidget));
    m_body->addSpacing(4);
    m_body->addWidget(factGrid(m_preview.facts, 104, m_bodyWidget, kWholeWord));
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
    head->addWidget(safe::label(
        sent.line.media + u", "_s + sizeText(sent.line.size), {.size = 11, .secondary = true}, m_bodyWidget));
    m_body->addLayout(head);
    m_body->addSpacing(4);
    if (!sent.fields.empty()) {
        m_body->addWidget(factGrid(sent.fields, 104, m_bodyWidget, kWholeWord));
        return;
    }
    auto* text = safe::viewer(m_bodyWidget);
    QString body = shownBytes(sent.head, 4000);
    if (sent.shown > 4000)
        body += tr("\n… %1 more, see Data").arg(sizeText(sent.shown - 4000));
    text->setPlainText(body);
    text->setFixedHeight(120);
    text->setAccessibleName(shown(m_preview.sentTitle));
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
    if (m_request.verb == Verb::Approve || m_request.verb == Verb::Reject) {
        // The answer to a question: what each of the two does, the yes first.
        const bool yes = m_request.verb == Verb::Approve;
        row->addWidget(
            consequences(tr("If you approve"), Glyph::Running, yes ? next : m_preview.otherwise, box), 1);
        row->addWidget(
            consequences(tr("If you reject"), Glyph::Cancelled, yes ? m_preview.otherwise : next, box), 1);
    } else {
        row->addWidget(consequences(tr("What happens next"), Glyph::Running, next, box), 1);
        row->addWidget(
            consequences(tr("Will not be repeated"), Glyph::Done, m_preview.willNotRepeat, box), 1);
    }
    if (!m_preview.mayRepeat.isEmpty())
        row->addWidget(consequences(tr("May be repeated"), Glyph::Uncertain, m_preview.mayRepeat, box), 1);
    m_body->addWidget(box);
    m_body->addSpacing(6);
    QString line =
        m_preview.mayRepeat.isEmpty() ? tr("May be repeated: nothing") : tr("May be repeated: see above");
    if (m_request.verb == Verb::Approve || m_request.verb == Verb::Reject)
        line = tr("Will not be repeated: %1").arg(namedFew(m_preview.willNotRepeat)) + u" · "_s + line;
    if (!m_preview.reversible.isEmpty())
        line += u" · "_s + m_preview.reversible;
    m_body->addWidget(safe::label(line, {.size = 11, .secondary = true, .wrap = true}, m_bodyWidget));
    if (!m_preview.second.isEmpty())
        m_body->addWidget(safe::label(tr("A second person is required: ") + m_preview.second,
            {.bold = true, .wrap = true}, m_bodyWidget));
}

void ActSheet::buildOptions()
{
    m_optionsBox = new QWidget(this);
    auto* column = new QVBoxLayout(m_optionsBox);
    column->setContentsMargins(0, 0, 0, 4);
    column->setSpacing(3);
    auto* head = new QHBoxLayout;
    head->addWidget(caption(tr("What happened"), m_optionsBox));
    head->addStretch(1);
    head->addWidget(safe::label(tr("safest first"), {.size = 11, .secondary = true}, m_optionsBox));
    column->addLayout(head);
    m_options = new QButtonGroup(this);
    const auto add = [this, column](Outcome outcome, const QString& text) {
        auto* radio = new QRadioButton(text, m_optionsBox);
        const auto place = static_cast<int>(m_options->buttons().size());
        m_options->addButton(radio, static_cast<int>(outcome));
        radio->installEventFilter(this);
        radio->setShortcut(QKeySequence(QKeyCombination(Qt::ALT, static_cast<Qt::Key>(Qt::Key_1 + place))));
        auto* key = new QLabel(m_optionsBox);
        key->setPixmap(keycapPixmap(QString::number(place + 1), devicePixelRatioF()));
        key->setAccessibleName(tr("key %1").arg(place + 1));
        auto* line = new QHBoxLayout;
        line->setSpacing(8);
        line->addWidget(key);
        line->addWidget(radio, 1);
        column->addLayout(line);
        m_outcomeOff.append(safe::label({}, {.size = 11, .secondary = true, .wrap = true}, m_optionsBox));
        m_outcomeOff.last()->setContentsMargins(kUnderOption, 0, 0, 0);
        m_outcomeOff.last()->hide();
        column->addWidget(m_outcomeOff.last());
    };
    add(Outcome::Happened, tr("It happened: record the provider's result; nothing is sent"));
    auto* field = new QHBoxLayout;
    field->setContentsMargins(kUnderOption, 0, 0, 0);
    field->addWidget(safe::label(tr("Result to record (JSON)"), {}, m_optionsBox));
    m_result->setPlaceholderText(u"{\"reference\": \"…\"}"_s);
    field->addWidget(m_result, 1);
    column->addLayout(field);
    add(Outcome::NotHappened, tr("It did not happen: the step then runs again, under the same key"));
    add(Outcome::RepeatSameKey, tr("Repeat with the same key"));
    add(Outcome::Compensate, tr("Compensate: take it for done, stop the run, and undo what it did"));
    add(Outcome::Park, tr("Park: it stays uncertain, nothing is called, and it is assigned to you"));
    auto* found = new QHBoxLayout;
    found->setContentsMargins(0, 3, 0, 0);
    found->addWidget(safe::label(tr("Evidence: how that was found out"), {}, m_optionsBox));
    m_evidence->setPlaceholderText(tr("provider reference, statement line, who was asked"));
    found->addWidget(m_evidence, 1);
    column->addLayout(found);
    m_options->button(static_cast<int>(m_request.settleAs))->setChecked(true);
    connect(m_options, &QButtonGroup::idToggled, this, [this](int id, bool on) {
        if (!on)
            return;
        m_request.settleAs = static_cast<Outcome>(id);
        safe::setOff(m_result,
            m_request.settleAs == Outcome::Happened ? QString() : tr("Only what happened has a result."));
        ask();  // another outcome, another preview
    });
}

// By its number, from wherever nothing is typed; then to what it still needs.
bool ActSheet::chooseOutcome(int number)
{
    if (m_options == nullptr || m_busy || number < 1 || number > m_options->buttons().size())
        return false;
    QAbstractButton* option = m_options->buttons().at(number - 1);
    if (!option->isEnabled()) {
        const auto offer = std::find_if(m_preview.outcomes.begin(), m_preview.outcomes.end(),
            [&](const OutcomeOffer& one) { return static_cast<int>(one.outcome) == m_options->id(option); });
        safe::setText(m_valid,
            tr("%1 is off: %2")
                .arg(QString::number(number),
                    offer == m_preview.outcomes.end() ? notNow(m_valid->text()) : offer->why));
        return true;
    }
    option->setChecked(true);
    const auto outcome = static_cast<Outcome>(m_options->id(option));
    if (outcome == Outcome::Happened)
        m_result->setFocus(Qt::ShortcutFocusReason);
    else if (outcome == Outcome::NotHappened)
        m_evidence->setFocus(Qt::ShortcutFocusReason);
    else
        m_reason->setFocus(Qt::ShortcutFocusReason);
    return true;
}

}  // namespace cairn::ui
