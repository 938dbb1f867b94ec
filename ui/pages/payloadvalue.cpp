#include "ui/pages/payloadvalue.h"

#include "ui/data/format.h"
#include "ui/data/runvalues.h"
#include "ui/data/safetext.h"
#include "ui/data/values.h"
#include "ui/models/payloadmodels.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/safetext.h"

#include <QLabel>
#include <QPlainTextEdit>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kStoredRows = 4;

// A text with its escapes resolved; all else, and what is cut, as it stands.
QByteArray readable(const PayloadIndex& index, quint32 node)
{
    const std::string_view slice = index.slice(node);
    const bool fits = slice.size() <= static_cast<std::size_t>(kPayloadShown);
    if (fits && index.nodes()[node].kind == JsonKind::String)
        if (const auto decoded = jsonString(slice))
            return QByteArray::fromStdString(*decoded);
    return {slice.data(), std::min<qsizetype>(static_cast<qsizetype>(slice.size()), kPayloadShown)};
}

}  // namespace

PayloadValue::PayloadValue(QWidget* parent)
    : QWidget(parent)
    , m_title(new DockTitle(tr("Value"), this))
    , m_path(safe::label({}, {.size = 11, .face = Face::Mono, .wrap = true, .selectable = true}, this))
    , m_facts(safe::label({}, {.size = 11, .secondary = true, .wrap = true}, this))
    , m_text(safe::viewer(this))
    , m_storedTitle(new DockTitle(tr("As stored"), this))
    , m_stored(safe::viewer(this))
    , m_more(safe::label({}, {.size = 11, .secondary = true, .wrap = true}, this))
{
    m_text->setAccessibleName(tr("Payload text"));
    m_stored->setAccessibleName(tr("The value as it is stored"));
    m_path->setFocusPolicy(Qt::NoFocus);
    m_path->setContentsMargins(16, 6, 12, 0);
    m_facts->setContentsMargins(16, 2, 12, 4);
    m_more->setContentsMargins(16, 5, 12, 5);
    m_stored->setFont(typeface(11, false, Face::Mono));
    m_stored->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_stored->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_stored->setFixedHeight(
        static_cast<int>(kStoredRows + 1) * QFontMetrics(m_stored->font()).lineSpacing() + 12);
    auto* panel = new QVBoxLayout(this);
    panel->setContentsMargins(0, 0, 0, 0);
    panel->setSpacing(0);
    panel->addWidget(m_title);
    panel->addWidget(m_path);
    panel->addWidget(m_facts);
    panel->addWidget(m_text, 1);
    panel->addWidget(m_more);
    panel->addWidget(m_storedTitle);
    panel->addWidget(m_stored);
    clear();
}

void PayloadValue::setCovered(bool covered)
{
    m_storedTitle->setTitle(covered ? tr("As shown") : tr("As stored"));
}

void PayloadValue::setTitle(const QString& title) { m_title->setRemark(title); }
void PayloadValue::say(const QString& text) { safe::setText(m_more, text); }
QString PayloadValue::factsText() const { return m_facts->text(); }
QString PayloadValue::moreText() const { return m_more->text(); }

void PayloadValue::clear()
{
    m_text->clear();
    m_stored->clear();
    for (QLabel* label : {m_path, m_facts})
        safe::setText(label, {});
    for (QWidget* widget : std::initializer_list<QWidget*>{m_path, m_facts, m_storedTitle, m_stored})
        widget->hide();
}

void PayloadValue::showHead(const QByteArray& head) { m_text->setPlainText(shownBytes(head, kPayloadShown)); }

void PayloadValue::sayRest(quint64 bytes)
{
    say(bytes > 0 ? tr("%1 more not shown. Save whole value… gives all of it, exactly as stored.")
                        .arg(sizeText(bytes))
                  : tr("Shown whole."));
}

void PayloadValue::showNode(const PayloadIndex& index, quint32 node)
{
    const JsonNode& at = index.nodes()[node];
    const quint64 size = at.end - at.begin;
    const QByteArray text = readable(index, node);
    if (const QString seen = shownBytes(text, kPayloadShown); m_text->toPlainText() != seen)
        m_text->setPlainText(seen);
    const QString path = index.path(node);
    safe::setText(m_path, path.isEmpty() ? tr("whole value") : path);
    QStringList facts{kindText(at.kind)};
    if (at.kind == JsonKind::Object)
        facts << plural(at.count, "member", "members");
    else if (at.kind == JsonKind::Array)
        facts << plural(at.count, "item", "items");
    else if (at.kind == JsonKind::String && size <= static_cast<quint64>(kPayloadShown))
        facts << plural(
            static_cast<quint64>(QString::fromUtf8(text).toUcs4().size()), "character", "characters");
    facts << sizeText(size);
    facts << tr("bytes %1 to %2 of %3")
                 .arg(countText(at.begin), countText(at.end),
                     countText(static_cast<quint64>(index.bytes().size())));
    safe::setText(m_facts, facts.join(u" · "_s));
    sayRest(size > static_cast<quint64>(kPayloadShown) ? size - static_cast<quint64>(kPayloadShown) : 0);
    showStored(index, node);
}

// From its name on, as far as a few rows go.
void PayloadValue::showStored(const PayloadIndex& index, quint32 node)
{
    const JsonNode& at = index.nodes()[node];
    const quint64 from = at.nameSize != 0 ? at.nameBegin : at.begin;
    QStringList rows;
    for (const StoredRow& row : storedRows(index.bytes(), from, kStoredRows))
        rows << u"%1  "_s.arg(row.offset, 8, 16, QChar(u'0')) + shown(QString::fromUtf8(row.bytes));
    if (const QString text = rows.join(u'\n'); m_stored->toPlainText() != text)
        m_stored->setPlainText(text);
    m_storedTitle->setRemark(tr("bytes from %1").arg(countText(from)));
    for (QWidget* widget : std::initializer_list<QWidget*>{m_path, m_facts, m_storedTitle, m_stored})
        widget->show();
}

}  // namespace cairn::ui
