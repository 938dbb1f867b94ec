#include "ui/pages/compareview.h"

#include "ui/data/format.h"
#include "ui/models/runviewmodels.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/safetext.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

SideText parseSide(const QString& text)
{
    const QString word = text.trimmed();
    SideText side;
    if (word.isEmpty() || word.compare(u"now"_s, Qt::CaseInsensitive) == 0) {
        side.kind = SideText::Kind::Version;
        return side;
    }
    static const QRegularExpression kVersion(
        u"^(?:version\\s+)?([0-9]{1,15})$"_s, QRegularExpression::CaseInsensitiveOption);
    if (const auto match = kVersion.match(word); match.hasMatch()) {
        side.version = match.captured(1).toULongLong();
        if (side.version == 0)
            side.wrong = CompareView::tr("versions count from 1; now is the newest");
        else
            side.kind = SideText::Kind::Version;
        return side;
    }
    static const QRegularExpression kAttempt(
        u"^attempt\\s+([0-9]{1,9})\\s+of\\s+(.+)$"_s, QRegularExpression::CaseInsensitiveOption);
    if (const auto match = kAttempt.match(word); match.hasMatch()) {
        side.attempt = match.captured(1).toUInt();
        side.step = match.captured(2).trimmed();
        if (side.attempt == 0)
            side.wrong = CompareView::tr("attempts count from 1");
        else
            side.kind = SideText::Kind::Attempt;
        return side;
    }
    static const QRegularExpression kAt(u"^(.+)@([0-9]{1,15})$"_s);
    const bool named = word.startsWith(u"run:"_s, Qt::CaseInsensitive);
    side.run = named ? word.mid(4).trimmed() : word;
    if (const auto match = kAt.match(side.run); match.hasMatch()) {
        side.run = match.captured(1);
        side.version = match.captured(2).toULongLong();
    }
    if (side.run.isEmpty())
        side.wrong = CompareView::tr("write now, a version, attempt 2 of STEP, or a run");
    else
        side.kind = SideText::Kind::Run;
    return side;
}

CompareView::CompareView(Source& source, const RunId& run, QWidget* parent)
    : QWidget(parent)
    , m_source(source)
    , m_run(run)
    , m_model(new CompareModel(this))
    , m_table(new DataTable(tr("Differences"), this))
    , m_title(new DockTitle(tr("Compare"), this))
    , m_note(new PanelNote(tr("Comparing"), m_table))
    , m_go(safe::button(tr("Compare"), this))
    , m_wrong(safe::label({}, {.wrap = true}, this))
{
    setObjectName(u"view-compare"_s);
    m_table->setModel(m_model);
    m_table->setColumns({200, 120, 400, 400}, CompareModel::Right);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(16, 8, 12, 8);
    row->setSpacing(8);
    for (int side = 0; side < 2; ++side) {
        auto* box = new QLineEdit(this);
        box->setAccessibleName(side == 0 ? tr("A: what is compared") : tr("B: what it is compared with"));
        box->setPlaceholderText(tr("now, version 12, attempt 2 of STEP, or RUN@12"));
        m_boxes[static_cast<std::size_t>(side)] = box;
        row->addWidget(safe::label(side == 0 ? tr("A") : tr("B"), {.bold = true}, this));
        row->addWidget(box, 1);
        connect(box, &QLineEdit::textEdited, this, [this] { m_touched = true; });
        connect(box, &QLineEdit::returnPressed, this, &CompareView::start);
    }
    row->addWidget(m_go);
    m_wrong->setContentsMargins(16, 0, 12, 8);
    m_wrong->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_title);
    column->addLayout(row);
    column->addWidget(m_wrong);
    column->addWidget(m_table, 1);
    m_title->setRemark(tr("nothing is compared yet"));
    connect(m_go, &QPushButton::clicked, this, &CompareView::start);
    connect(m_table, &DataTable::letterTyped, this, &CompareView::letterTyped);
}

void CompareView::suggest(quint64 version)
{
    if (m_touched || version == 0)
        return;
    m_boxes[0]->setText(u"version %1"_s.arg(version));  // the language of the boxes is not translated
    m_boxes[1]->setText(u"now"_s);
}

void CompareView::compare(const QString& left, const QString& right)
{
    m_touched = true;
    m_boxes[0]->setText(left);
    m_boxes[1]->setText(right);
    start();
}

QString CompareView::remark() const { return m_title->remark(); }
QString CompareView::wrong() const { return m_wrong->isHidden() ? QString() : m_wrong->text(); }

std::vector<QWidget*> CompareView::stops() const { return {m_boxes[0], m_boxes[1], m_go, m_table}; }

// Escape leaves a box for the differences.
void CompareView::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && (m_boxes[0]->hasFocus() || m_boxes[1]->hasFocus())) {
        m_table->setFocus();
        event->accept();
    } else {
        QWidget::keyPressEvent(event);
    }
}

void CompareView::say(const QString& wrong)
{
    safe::setText(m_wrong, wrong);
    m_wrong->setVisible(!wrong.isEmpty());
}

void CompareView::start()
{
    const quint64 ticket = m_tickets.next();
    for (std::size_t side = 0; side < 2; ++side) {
        m_texts[side] = parseSide(m_boxes[side]->text());
        const SideText& text = m_texts[side];
        m_sides[side] = {m_run, text.version, text.step, text.attempt};
        if (text.kind == SideText::Kind::Wrong)
            return say((side == 0 ? tr("A: %1") : tr("B: %1")).arg(text.wrong));
    }
    const auto isAttempt = [this](std::size_t side) { return m_texts[side].kind == SideText::Kind::Attempt; };
    if (isAttempt(0) != isAttempt(1))
        return say(tr("An attempt is compared with an attempt: write \"attempt 2 of STEP\" on both sides."));
    say({});
    m_title->setRemark(tr("comparing"));
    m_note->begin();  // what stands below is of another question
    resolve(0, ticket);
}

// The ids of runs that were named, one after the other; then the question.
void CompareView::resolve(int side, quint64 ticket)
{
    if (side == 2)
        return ask(ticket);
    const SideText& text = m_texts[static_cast<std::size_t>(side)];
    if (text.kind != SideText::Kind::Run)
        return resolve(side + 1, ticket);
    whenDone(m_source.find(text.run), this, [this, side, ticket](const Reply<RunId>& reply) {
        if (!m_tickets.current(ticket))
            return;
        if (!reply) {
            m_note->end();
            m_title->setRemark(tr("nothing is compared"));
            return say((side == 0 ? tr("A: %1") : tr("B: %1")).arg(told(reply.failure)));
        }
        m_sides[static_cast<std::size_t>(side)].run = *reply.value;
        resolve(side + 1, ticket);
    });
}

void CompareView::ask(quint64 ticket)
{
    whenDone(m_source.compare(m_sides[0], m_sides[1]), this, [this, ticket](const Reply<Comparison>& reply) {
        if (!m_tickets.current(ticket))
            return;
        m_note->end();
        if (!reply) {
            m_title->setRemark(tr("nothing is compared"));
            return say(reply.failure.cancelled ? tr("superseded: compare again") : told(reply.failure));
        }
        m_model->setLines(reply.value->lines, m_boxes[0]->text(), m_boxes[1]->text());
        QString remark = reply.value->lines.empty()
            ? tr("no difference")
            : plural(reply.value->lines.size(), "difference", "differences");
        if (reply.value->steps > 0)
            remark += tr(", %1 of %2 steps are alike")
                          .arg(countText(reply.value->same), countText(reply.value->steps));
        m_title->setRemark(remark);
    });
}

}  // namespace cairn::ui
