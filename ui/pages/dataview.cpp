#include "ui/pages/dataview.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/models/payloadsmodel.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

DataView::DataView(Source& source, const RunId& run, QWidget* parent)
    : QWidget(parent)
    , m_source(source)
    , m_run(run)
    , m_model(new PayloadsModel(this))
    , m_table(new DataTable(u"Payloads"_s, this))
    , m_listTitle(new DockTitle(u"Payloads"_s, this))
    , m_valueTitle(new DockTitle(u"Value"_s, this))
    , m_head(safe::label({}, {.selectable = true}, this))
    , m_more(safe::label({}, {.size = 11, .secondary = true}, this))
    , m_text(safe::viewer(this))
    , m_save(safe::button(u"Save whole value…"_s, this))
{
    m_table->setModel(m_model);
    m_table->setColumns({240, 130, 80}, 0);
    m_text->setAccessibleName(u"Payload text"_s);
    m_head->setFocusPolicy(Qt::NoFocus);
    m_save->setEnabled(false);
    auto* left = new QWidget(this);
    auto* list = new QVBoxLayout(left);
    list->setContentsMargins(0, 0, 0, 0);
    list->setSpacing(0);
    list->addWidget(m_listTitle);
    list->addWidget(m_table, 1);
    auto* right = new QWidget(this);
    auto* value = new QVBoxLayout(right);
    value->setContentsMargins(0, 0, 0, 0);
    value->setSpacing(0);
    value->addWidget(m_valueTitle);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(16, 8, 12, 8);
    head->addWidget(m_head, 1);
    head->addWidget(m_save);
    value->addLayout(head);
    value->addWidget(m_text, 1);
    m_more->setContentsMargins(16, 5, 12, 5);
    value->addWidget(m_more);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(left);
    split->addWidget(right);
    split->setSizes({520, 900});
    split->setStretchFactor(1, 1);
    auto* row = new QVBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(split);
    connect(m_table, &DataTable::letterTyped, this, &DataView::letterTyped);
    connect(m_table, &DataTable::currentMoved, this, [this](const QModelIndex& index) {
        if (const PayloadLine* line = m_model->row(index.row()))
            openPayload(*line);
    });
    connect(m_table, &DataTable::opened, this, [this] { m_text->setFocus(); });
    connect(m_save, &QPushButton::clicked, this, [this] {
        const QString path = QFileDialog::getSaveFileName(this, u"Save whole value"_s, u"payload"_s);
        if (!path.isEmpty())
            save(path);
    });
}

void DataView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), theme().window);
}

void DataView::setPayloads(const std::vector<PayloadLine>& payloads)
{
    m_model->setPayloads(payloads);
    m_listTitle->setRemark(plural(payloads.size(), u"payload"_s, u"payloads"_s));
}

QString DataView::headText() const { return m_head->text(); }

std::vector<QWidget*> DataView::stops() const
{
    if (m_save->isEnabled())
        return {m_table, m_save, m_text};
    return {m_table, m_text};
}

QString DataView::place() const { return m_text->hasFocus() || m_save->hasFocus() ? u"Value"_s : u"Data"_s; }

void DataView::openPayload(const PayloadLine& payload)
{
    if (m_shown == payload)
        return;
    m_shown = payload;
    // Type and size are known before anything is read.
    safe::setText(m_head, payload.media + u" · "_s + sizeText(payload.size));
    m_valueTitle->setRemark(payload.title);
    // Nothing of another payload stands under this one's name.
    m_text->clear();
    m_save->setEnabled(false);
    safe::setText(m_more, u"reading"_s);
    const int row = m_model->rowOf(payload.id);
    if (row >= 0 && row != m_table->currentRow())
        m_table->setCurrentIndex(m_model->index(row, 0));
    const quint64 ticket = m_tickets.next();
    whenDone(m_source.payload(m_run, payload), this, [this, ticket](const Reply<PayloadText>& reply) {
        if (!m_tickets.current(ticket))
            return;
        if (reply)
            return showPayload(*reply.value);
        m_shown = {};  // choosing it again reads it again
        safe::setText(m_more,
            reply.failure.cancelled ? u"not read: choose it again"_s
                                    : reply.failure.what + u' ' + reply.failure.todo);
    });
}

void DataView::showPayload(const PayloadText& payload)
{
    safe::setText(m_head,
        payload.line.media + u" · "_s + sizeText(payload.line.size)
            + (payload.hash.isEmpty()
                    ? QString()
                    : u" · sha256 "_s + payload.hash.left(6) + u'…' + payload.hash.right(4)));
    m_save->setEnabled(!payload.redacted);
    if (payload.redacted) {
        m_text->setPlainText({});
        safe::setText(m_more,
            tr("The bytes were deleted by an audited act. Type, size and hash remain: %1")
                .arg(payload.redaction));
        return;
    }
    m_text->setPlainText(shownBytes(payload.head, kPayloadShown));
    const auto rest = static_cast<qint64>(payload.line.size) - payload.head.size();
    safe::setText(m_more,
        rest > 0 ? u"%1 more not shown. Save whole value… gives all of it, exactly as stored."_s.arg(
            sizeText(static_cast<quint64>(rest)))
                 : u"Shown whole."_s);
}

void DataView::save(const QString& path)
{
    whenDone(m_source.savePayload(m_run, m_shown, path), this, [this](const Reply<quint64>& reply) {
        if (reply)
            Q_EMIT said(u"Saved %1, exactly as stored."_s.arg(sizeText(*reply.value)));
        else
            Q_EMIT failed(reply.failure.what + u' ' + reply.failure.todo);
    });
}

}  // namespace cairn::ui
