#include "ui/pages/payloadviewer.h"

#include "ui/data/format.h"
#include "ui/data/words.h"
#include "ui/pages/hiddenbar.h"
#include "ui/pages/payloadvalue.h"
#include "ui/widgets/bytemap.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/panelguard.h"
#include "ui/widgets/panelnote.h"
#include "ui/widgets/safetext.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

bool isJson(const QString& media) { return media.contains(u"json"_s, Qt::CaseInsensitive); }
bool isImage(const QString& media) { return media.startsWith(u"image/"_s, Qt::CaseInsensitive); }

}  // namespace

PayloadViewer::PayloadViewer(Source& source, const RunId& run, QWidget* parent)
    : QWidget(parent)
    , m_source(source)
    , m_run(run)
    , m_tree(new JsonTreeModel(this))
    , m_rows(new TextRowsModel(this))
    , m_items(new JsonTableModel(this))
    , m_hex(new HexRowsModel(this))
    , m_views(new QStackedWidget(this))
    , m_note(new PanelNote(tr("Reading the value"), m_views))
    , m_image(safe::label({}, {}, this))
    , m_head(safe::label({}, {.selectable = true}, this))
    , m_state(safe::label({}, {.size = 11, .secondary = true}, this))
    , m_found(safe::label({}, {.size = 11, .secondary = true}, this))
    , m_find(new QLineEdit(this))
    , m_scope(new QComboBox(this))
    , m_hiddenBar(new HiddenBar(this))
    , m_map(new ByteMap(this))
    , m_value(new PayloadValue(this))
    , m_save(safe::button(tr("Save whole value…"), this))
    , m_outside(safe::button(tr("Open outside…"), this))
    , m_copyPath(safe::button(tr("Copy path"), this))
{
    setObjectName(u"payload-viewer"_s);
    setPanel(this, tr("The value"));
    m_find->setAccessibleName(tr("Find in the payload"));
    m_find->setPlaceholderText(tr("Find (Ctrl+F), exactly these bytes"));
    m_image->setAccessibleName(tr("Image"));
    m_image->setAlignment(Qt::AlignCenter);
    m_head->setFocusPolicy(Qt::NoFocus);
    m_map->hide();
    m_scope->addItems({tr("names and values"), tr("names"), tr("values")});
    m_scope->setAccessibleName(tr("Where to find it"));
    m_scope->view()->setAccessibleName(tr("Where to find it"));
    for (QPushButton* button : {m_save, m_outside, m_copyPath})
        safe::setOff(button, tr("No payload is selected."));
    safe::setTip(m_copyPath, tr("The path of the value that is selected (C in the tree)"));
    buildLayout();
    connectSignals();
    writeModes();
}

PayloadViewer::~PayloadViewer()
{
    *m_stop = true;
    *m_stopFind = true;
}

QWidget* PayloadViewer::buildHead()
{
    auto* head = new QWidget(this);
    auto* row = new QHBoxLayout(head);
    row->setContentsMargins(16, 8, 12, 4);
    row->addWidget(m_head, 1);
    row->addWidget(m_copyPath);
    row->addWidget(m_outside);
    row->addWidget(m_save);
    return head;
}

QWidget* PayloadViewer::buildTools()
{
    auto* tools = new QWidget(this);
    auto* row = new QHBoxLayout(tools);
    row->setContentsMargins(16, 0, 12, 6);
    row->setSpacing(6);
    const QStringList names{tr("Tree"), tr("Text"), tr("Table"), tr("Hex"), tr("Draw the image")};
    for (int mode = 0; mode < ModeCount; ++mode) {
        QPushButton* button = safe::button(names.at(mode), tools);
        button->setProperty("small", true);
        button->setCheckable(mode != Image);
        connect(button, &QPushButton::clicked, this, [this, mode] {
            if (mode == Image)
                drawImage();
            else
                setMode(static_cast<Mode>(mode));
        });
        m_buttons[static_cast<std::size_t>(mode)] = button;
        row->addWidget(button);
    }
    row->addWidget(m_find, 1);
    row->addWidget(m_scope);
    row->addWidget(m_found);
    return tools;
}

void PayloadViewer::buildLayout()
{
    const QStringList names{
        tr("Tree of the value"), tr("Text of the value"), tr("Items of the value"), tr("Bytes of the value")};
    const std::array<QAbstractItemModel*, 4> models{m_tree, m_rows, m_items, m_hex};
    for (std::size_t i = 0; i < m_tables.size(); ++i) {
        m_tables[i] = new DataTable(names.at(static_cast<int>(i)), this);
        m_tables[i]->setRowSize(22);
        m_tables[i]->setModel(models[i]);
        m_views->addWidget(m_tables[i]);
    }
    m_views->addWidget(m_image);
    m_tables[Tree]->setColumns({170, 200, 70, 76}, JsonTreeModel::Value);
    m_tables[Tree]->setGiveWay({JsonTreeModel::Type}, 140);
    m_tables[Text]->setColumns({110, 400}, TextRowsModel::Text);
    m_tables[Table]->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    m_tables[Hex]->setColumns({90, 400, 160}, HexRowsModel::Text);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setHandleWidth(1);
    split->setChildrenCollapsible(false);
    split->addWidget(m_views);
    split->addWidget(m_value);
    split->setSizes({560, 420});
    split->setStretchFactor(0, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildHead());
    column->addWidget(m_hiddenBar);
    column->addWidget(buildTools());
    m_state->setContentsMargins(16, 0, 12, 4);
    column->addWidget(m_state);
    column->addWidget(m_map);
    column->addWidget(split, 1);
}

void PayloadViewer::connectSignals()
{
    connect(m_tables[Tree], &DataTable::foldAsked, this,
        [this](int row, bool open) { m_tree->setOpen(row, open); });
    connect(m_tables[Tree], &DataTable::opened, this,
        [this](const QModelIndex& at) { m_tree->setOpen(at.row(), !m_tree->isOpen(at.row())); });
    connect(m_tables[Tree], &DataTable::currentMoved, this, [this](const QModelIndex& at) {
        if (at.isValid())
            showValue(m_tree->nodeOf(at.row()));
    });
    connect(m_tables[Table], &DataTable::currentMoved, this, [this](const QModelIndex& at) {
        if (at.isValid())
            showValue(m_items->nodeOf(at.row()));
    });
    connect(m_map, &ByteMap::offsetChosen, this, &PayloadViewer::goTo);
    for (DataTable* table : m_tables)
        connect(table, &DataTable::currentMoved, this, &PayloadViewer::showPlace);
    for (DataTable* table : m_tables)
        connect(table, &DataTable::letterTyped, this, [this](QChar letter, bool shift) {
            if (letter != u'c')
                Q_EMIT letterTyped(letter, shift);
            else if (shift)
                copyValue();
            else
                copyPath();
        });
    connect(m_find, &QLineEdit::returnPressed, this, [this] {
        if (m_find->text() == m_find->property("looked").toString() && !m_matches.at.empty())
            findNext(false);
        else
            find(m_find->text());
    });
    connect(m_scope, &QComboBox::activated, this, [this] { find(m_find->text()); });
    connect(m_hiddenBar, &HiddenBar::revealAsked, this, &PayloadViewer::reveal);
    connect(m_hiddenBar, &HiddenBar::hideAsked, this, &PayloadViewer::hideAgain);
    connect(m_copyPath, &QPushButton::clicked, this, &PayloadViewer::copyPath);
    connect(m_outside, &QPushButton::clicked, this, &PayloadViewer::openOutside);
    connect(m_save, &QPushButton::clicked, this, [this] {
        const QString path = QFileDialog::getSaveFileName(this, tr("Save whole value"), u"payload"_s);
        if (!path.isEmpty())
            save(path);
    });
    const auto key = [this](const QKeySequence& keys, auto act) {
        auto* shortcut = new QShortcut(keys, this);
        shortcut->setContext(Qt::WidgetWithChildrenShortcut);
        connect(shortcut, &QShortcut::activated, this, act);
    };
    key(QKeySequence::Find, [this] {
        m_find->setFocus();
        m_find->selectAll();
    });
    key(Qt::CTRL | Qt::Key_L, [this] { askPlace(); });
    for (int level = 1; level <= 9; ++level)
        key(QKeyCombination(Qt::ALT, static_cast<Qt::Key>(Qt::Key_0 + level)),
            [this, level] { openTo(level); });
    key(QKeySequence(Qt::Key_F3), [this] { findNext(false); });
    key(Qt::SHIFT | Qt::Key_F3, [this] { findNext(true); });
    const auto turn = [this](int by) {
        for (int i = 1; i <= Hex + 1; ++i) {
            const int next = (static_cast<int>(mode()) % (Hex + 1) + by * i + 4 * (Hex + 1)) % (Hex + 1);
            if (possible(static_cast<Mode>(next)))
                return setMode(static_cast<Mode>(next));
        }
    };
    key(Qt::CTRL | Qt::Key_PageDown, [turn] { turn(1); });
    key(Qt::CTRL | Qt::Key_PageUp, [turn] { turn(-1); });
}

// Escape leaves the box for what was found.
void PayloadViewer::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Escape && m_find->hasFocus()) {
        m_views->currentWidget()->setFocus();
        event->accept();
    } else {
        QWidget::keyPressEvent(event);
    }
}

PayloadViewer::Mode PayloadViewer::mode() const { return static_cast<Mode>(m_views->currentIndex()); }

bool PayloadViewer::possible(Mode mode) const
{
    switch (mode) {
    case Tree: return m_index != nullptr && m_index->hasTree();
    case Table: return m_items->rowCount() > 0;
    case Text:
    case Hex: return m_index != nullptr;
    case Image: return m_whole && isImage(m_shown.media);
    case ModeCount: break;
    }
    return false;
}

void PayloadViewer::writeModes()
{
    for (int mode = 0; mode < ModeCount; ++mode) {
        QPushButton* button = m_buttons[static_cast<std::size_t>(mode)];
        safe::setOff(
            button, possible(static_cast<Mode>(mode)) ? QString() : tr("This payload cannot be shown so."));
        button->setChecked(mode == m_views->currentIndex());
    }
    m_buttons[Image]->setVisible(isImage(m_shown.media));
    safe::setOff(m_copyPath, possible(Tree) ? QString() : tr("Only values in JSON have a path."));
    m_scope->setVisible(possible(Tree));
}

void PayloadViewer::setMode(Mode mode)
{
    if (possible(mode)) {
        // Its rows are the most; they are counted when somebody comes to see them.
        if (mode == Hex && m_hex->payload() != m_index)
            m_hex->setIndex(m_index);
        const bool here = m_views->currentWidget()->hasFocus();
        m_views->setCurrentIndex(mode);
        if (here)
            m_views->currentWidget()->setFocus();
    }
    writeModes();
}

void PayloadViewer::say(const QString& state) { safe::setText(m_state, state); }
QString PayloadViewer::stateText() const { return m_state->text(); }
QString PayloadViewer::findText() const { return m_found->text(); }
QString PayloadViewer::headText() const { return m_head->text(); }
QPlainTextEdit* PayloadViewer::value() const { return m_value->text(); }
QString PayloadViewer::path() const { return possible(Tree) ? m_index->path(m_node) : QString(); }

std::vector<QWidget*> PayloadViewer::stops() const
{
    std::vector<QWidget*> stops;
    if (m_index != nullptr)
        stops.push_back(m_views->currentWidget());
    if (m_hiddenBar->isVisible())
        stops.push_back(m_hiddenBar->reason()->isVisible() ? static_cast<QWidget*>(m_hiddenBar->reason())
                                                           : m_hiddenBar->button());
    if (m_save->isEnabled())
        stops.push_back(m_save);
    if (m_map->isVisible())
        stops.push_back(m_map);
    stops.push_back(value());
    return stops;
}

// --- reading

void PayloadViewer::open(const PayloadLine& payload)
{
    PayloadLine again = payload;
    again.plain = m_shown.plain;
    if (m_shown == again)
        return;
    m_recorded.clear();
    read(payload);
}

void PayloadViewer::read(const PayloadLine& payload)
{
    *m_stop = true;
    m_stop = makeStopFlag();
    m_shown = payload;
    m_size = payload.size;
    m_hidden = 0;
    m_hiddenBar->hide();
    // Type and size are known before anything is read.
    safe::setText(m_head, payload.media + u" · "_s + sizeText(payload.size));
    m_value->setTitle(payload.title);
    // Nothing of another payload stands under this one's name.
    m_value->clear();
    m_image->clear();
    m_bytes.clear();
    m_redacted = false;
    take(nullptr, false);
    m_note->begin();
    for (QPushButton* button : {m_save, m_outside})
        safe::setOff(button, tr("It has not been read yet."));
    m_value->say(tr("reading, since %1").arg(nowText()));
    const quint64 ticket = m_tickets.next();
    whenDone(m_source.payload(m_run, payload), this, [this, ticket](const Reply<PayloadText>& reply) {
        if (!m_tickets.current(ticket))
            return;
        if (!reply)
            return showFailure(reply.failure);
        m_note->end();
        showHead(*reply.value);
        if (m_redacted)
            return;
        // The beginning can be read as text and bytes at once.
        m_bytes = reply.value->head;
        take(PayloadIndex::build(m_bytes, false, *m_stop), false);
        m_views->setCurrentIndex(Text);
        writeModes();
        readPart(ticket);
    });
}

void PayloadViewer::showFailure(const Failure& failure)
{
    m_shown = {};  // choosing it again reads it again
    const QString why = failure.cancelled ? tr("not read: choose it again") : told(failure);
    m_note->fail(why);
    m_value->say(why);
}

void PayloadViewer::showHead(const PayloadText& payload)
{
    m_hash = payload.hash;
    m_salt = payload.salt;
    m_headText = payload.line.media + u" · "_s + sizeText(payload.line.size)
        + (payload.hidden == 0 || m_shown.plain
                ? QString()
                : tr(", shown with %1 hidden").arg(plural(payload.hidden, "field", "fields")))
        + (m_hash.isEmpty() ? QString() : tr(" · stored hash ") + m_hash.left(6) + u'…' + m_hash.right(4));
    safe::setText(m_head, m_headText);
    m_size = payload.redacted ? payload.line.size : payload.shown;
    m_hidden = payload.hidden;
    m_value->setCovered(payload.hidden > 0 && !m_shown.plain);
    m_redacted = payload.redacted;
    for (QPushButton* button : {m_save, m_outside})
        safe::setOff(button, payload.redacted ? tr("It has been redacted.") : QString());
    if (m_recorded.isEmpty())
        m_hiddenBar->showHidden(m_hidden, payload.revealOff);
    else
        m_hiddenBar->showRevealed(m_hidden, m_recorded);
    if (payload.redacted) {
        m_value->clear();
        say(tr("redacted"));
        m_value->say(tr("Redacted: the bytes were deleted by an audited act. Type, size and hash remain."));
        return;
    }
    m_value->showHead(payload.head);
    m_value->sayRest(m_size - std::min<quint64>(m_size, static_cast<quint64>(payload.head.size())));
}

void PayloadViewer::readPart(quint64 ticket)
{
    const quint64 wanted = std::min(m_size, kPayloadWhole);
    const auto have = static_cast<quint64>(m_bytes.size());
    if (have >= wanted)
        return indexAll(ticket);
    m_bytes.reserve(static_cast<qsizetype>(wanted));
    say(tr("%1 of %2 read").arg(sizeText(have), sizeText(m_size)));
    const PayloadLine line = m_shown;
    whenDone(m_source.payloadPart(m_run, line, have, std::min(kPayloadPart, wanted - have)), this,
        [this, ticket, have](const Reply<PayloadPart>& reply) {
            if (!m_tickets.current(ticket))
                return;
            if (!reply || reply.value->bytes.isEmpty()) {
                const QString why = reply     ? tr("no more came, though it should be longer")
                    : reply.failure.cancelled ? tr("superseded; choose it again")
                                              : told(reply.failure);
                return say(tr("%1 of %2 read, then: %3").arg(sizeText(have), sizeText(m_size), why));
            }
            m_bytes += reply.value->bytes;
            readPart(ticket);
        });
}

void PayloadViewer::indexAll(quint64 ticket)
{
    say(tr("indexing"));
    checkHash(ticket);
    const bool json = isJson(m_shown.media) && m_size <= kPayloadWhole;
    const StopFlag stop = m_stop;
    whenDone(inBackground<PayloadIndexPtr>(
                 [bytes = m_bytes, json, stop] { return PayloadIndex::build(bytes, json, *stop); }),
        this, [this, ticket](const Reply<PayloadIndexPtr>& reply) {
            if (m_tickets.current(ticket) && *reply.value != nullptr)
                take(*reply.value, true);
        });
}

void PayloadViewer::take(PayloadIndexPtr index, bool whole)
{
    m_index = std::move(index);
    m_whole = whole;
    m_matches = {};
    m_node = 0;
    m_tree->setIndex(m_index);
    m_rows->setIndex(m_index);
    m_hex->setIndex(mode() == Hex ? m_index : nullptr);
    m_items->setArray(m_index, 0);
    QList<int> widths;
    for (int i = 0; i < m_items->columnCount(); ++i)
        widths << 140;
    m_tables[Table]->setColumns(widths, -1);
    safe::setText(m_found, {});
    fillMap();
    m_find->setProperty("looked", QString());
    say({});
    if (!whole)
        return writeModes();
    QStringList state{tr("%1 rows of text").arg(countText(m_index->rows().size()))};
    if (m_index->hasTree())
        state.prepend(
            plural(m_index->nodes().size(), "value", "values") + tr(", depth %1").arg(m_index->depth()));
    if (!m_index->fault().isEmpty())
        state << tr("no JSON: byte %1, %2").arg(countText(m_index->faultAt()), m_index->fault());
    if (m_size > static_cast<quint64>(m_bytes.size()))
        state << tr("only the first %1 are shown").arg(sizeText(static_cast<quint64>(m_bytes.size())));
    if (!m_items->leftOut().isEmpty())
        state << m_items->leftOut();
    say(state.join(u" · "_s));
    if (mode() == Text)  // otherwise somebody has chosen another meanwhile
        setMode(m_index->hasTree() ? Tree : Text);
    writeModes();
    if (m_index->hasTree())
        m_tables[Tree]->setCurrentIndex(m_tree->index(0, 0));
}

void PayloadViewer::showValue(quint32 node)
{
    m_node = node;
    m_value->showNode(*m_index, node);
}

// What fits on a screen needs no map.
void PayloadViewer::fillMap()
{
    constexpr quint64 kLeast = 2048;
    const quint64 read = m_index == nullptr ? 0 : static_cast<quint64>(m_index->bytes().size());
    m_map->setSize(std::max(m_size, read), read);
    m_map->setVisible(m_index != nullptr && m_size >= kLeast);
    if (m_index == nullptr || !m_index->hasTree())
        return;
    constexpr quint32 kNamed = 64;  // of more, none would have room for its name
    std::vector<ByteMap::Part> parts;
    if (m_index->nodes().front().count <= kNamed)
        for (const quint32 child : m_index->childrenOf(0)) {
            const JsonNode& node = m_index->nodes()[child];
            parts.push_back(
                {m_index->name(child), node.nameSize != 0 ? node.nameBegin : node.begin, node.end});
        }
    m_map->setParts(std::move(parts));
}

// Where the row that one stands on begins.
void PayloadViewer::showPlace()
{
    if (m_index == nullptr || mode() == Image)
        return;
    const int row = m_tables[static_cast<std::size_t>(mode())]->currentRow();
    if (row < 0)
        return;
    switch (mode()) {
    case Tree: m_map->setHere(m_index->nodes()[m_tree->nodeOf(row)].begin); break;
    case Table: m_map->setHere(m_index->nodes()[m_items->nodeOf(row)].begin); break;
    case Hex: m_map->setHere(static_cast<quint64>(row) * static_cast<quint64>(HexRowsModel::kRow)); break;
    default: m_map->setHere(m_index->rows()[static_cast<std::size_t>(row)]); break;
    }
}

}  // namespace cairn::ui
