#include "ui/models/payloadmodels.h"

#include "ui/data/cellroles.h"
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"

#include <QSet>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kCell = 200;  // characters of one cell; the value panel has the rest

QString cellOf(std::string_view text)
{
    const bool cut = text.size() > static_cast<std::size_t>(kCell);
    const QByteArray head(text.data(), std::min<qsizetype>(static_cast<qsizetype>(text.size()), kCell));
    return shown(QString::fromUtf8(head)) + (cut ? u"…"_s : QString());
}

QVariant headOf(const QStringList& names, int section, Qt::Orientation orientation, int role, int right)
{
    if (orientation != Qt::Horizontal || section < 0 || section >= names.size())
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(section == right ? Qt::AlignRight : Qt::AlignLeft);
    return role == Qt::DisplayRole ? QVariant(names.at(section)) : QVariant();
}

QString offsetText(quint64 offset) { return u"%1"_s.arg(offset, 8, 16, QChar(u'0')); }

}  // namespace

QString kindText(JsonKind kind)
{
    switch (kind) {
    case JsonKind::Null: return JsonTreeModel::tr("null");
    case JsonKind::Bool: return JsonTreeModel::tr("true or false");
    case JsonKind::Number: return JsonTreeModel::tr("number");
    case JsonKind::String: return JsonTreeModel::tr("string");
    case JsonKind::Array: return JsonTreeModel::tr("array");
    case JsonKind::Object: return JsonTreeModel::tr("object");
    case JsonKind::Invalid: break;
    }
    return {};
}

// --- tree

void JsonTreeModel::setIndex(PayloadIndexPtr index)
{
    beginResetModel();
    m_index = std::move(index);
    m_rows.clear();
    if (m_index != nullptr && m_index->hasTree()) {
        m_rows.push_back(0);
        const auto inside = m_index->childrenOf(0);
        m_rows.insert(m_rows.end(), inside.begin(), inside.end());
    }
    endResetModel();
}

int JsonTreeModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int JsonTreeModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant JsonTreeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return headOf({tr("Name"), tr("Value"), tr("Type"), tr("Size")}, section, orientation, role, Size);
}

int JsonTreeModel::depthOf(quint32 node) const
{
    int depth = 0;
    for (quint32 at = node; m_index->nodes()[at].parent != at; at = m_index->nodes()[at].parent)
        ++depth;
    return depth;
}

QString JsonTreeModel::valueText(quint32 node) const
{
    const JsonNode& n = m_index->nodes()[node];
    if (n.kind == JsonKind::Object)
        return plural(n.count, "member", "members");
    if (n.kind == JsonKind::Array)
        return plural(n.count, "item", "items");
    return cellOf(m_index->slice(node));  // as written: no number is read and printed anew
}

bool JsonTreeModel::isOpen(int row) const
{
    return row + 1 < rowCount() && m_index->nodes()[nodeOf(row + 1)].parent == nodeOf(row)
        && nodeOf(row + 1) != 0;
}

QVariant JsonTreeModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || index.row() >= rowCount())
        return {};
    const quint32 node = nodeOf(index.row());
    const JsonNode& n = m_index->nodes()[node];
    const auto text = [&]() -> QString {
        switch (index.column()) {
        case Name: return n.parent == node ? tr("whole value") : shown(m_index->name(node), false, kCell);
        case Value: return valueText(node);
        case Type: return kindText(n.kind);
        case Size: return sizeText(n.end - n.begin);
        default: return {};
        }
    };
    switch (role) {
    case Qt::DisplayRole: return text();
    case Qt::AccessibleTextRole: return spokenCell(text());
    case Qt::TextAlignmentRole: return int(index.column() == Size ? Qt::AlignRight : Qt::AlignLeft);
    case IndentRole: return index.column() == Name ? depthOf(node) * 18 : 0;
    case FoldRole: return index.column() != Name || n.count == 0 ? 0 : isOpen(index.row()) ? 2 : 1;
    case LookRole:
        return index.column() == Size ? FigureLook : index.column() == Type ? SecondaryLook : MonoLook;
    default: return {};
    }
}

void JsonTreeModel::setOpen(int row, bool open)
{
    if (row < 0 || row >= rowCount() || m_index->nodes()[nodeOf(row)].count == 0 || isOpen(row) == open)
        return;
    const auto first = m_rows.begin() + row + 1;
    if (open) {
        const auto inside = m_index->childrenOf(nodeOf(row));
        beginInsertRows({}, row + 1, row + static_cast<int>(inside.size()));
        m_rows.insert(first, inside.begin(), inside.end());
        endInsertRows();
    } else {
        const auto last = std::lower_bound(first, m_rows.end(), m_index->nodes()[nodeOf(row)].next);
        beginRemoveRows({}, row + 1, static_cast<int>(last - m_rows.begin()) - 1);
        m_rows.erase(first, last);
        endRemoveRows();
    }
    Q_EMIT dataChanged(index(row, 0), index(row, Name));
}

bool JsonTreeModel::openTo(int level)
{
    if (m_index == nullptr || !m_index->hasTree())
        return true;
    beginResetModel();
    m_rows.clear();
    const auto& nodes = m_index->nodes();
    bool all = true;
    for (quint32 at = 0; at < nodes.size() && all;) {
        m_rows.push_back(at);
        const int depth = depthOf(at);
        at = depth < level ? at + 1 : nodes[at].next;
        all = m_rows.size() < kMostOpened;
    }
    endResetModel();
    return all;
}

int JsonTreeModel::rowOf(quint32 node) const
{
    const auto found = std::lower_bound(m_rows.begin(), m_rows.end(), node);
    return found == m_rows.end() || *found != node ? -1 : static_cast<int>(found - m_rows.begin());
}

int JsonTreeModel::reveal(quint32 node)
{
    std::vector<quint32> around;
    for (quint32 at = node; m_index->nodes()[at].parent != at;) {
        at = m_index->nodes()[at].parent;
        around.push_back(at);
    }
    for (auto at = around.rbegin(); at != around.rend(); ++at)
        setOpen(rowOf(*at), true);
    return rowOf(node);
}

// --- table

bool JsonTableModel::setArray(PayloadIndexPtr index, quint32 node)
{
    beginResetModel();
    m_index = std::move(index);
    m_items.clear();
    m_names.clear();
    m_more = 0;
    if (m_index != nullptr && m_index->hasTree() && m_index->nodes()[node].kind == JsonKind::Array) {
        m_items = m_index->childrenOf(node);
        const auto noObject = [this](
                                  quint32 item) { return m_index->nodes()[item].kind != JsonKind::Object; };
        if (std::any_of(m_items.begin(), m_items.end(), noObject))
            m_items.clear();
    }
    // Names of the first items only: what comes later has no column, and the tree shows it.
    constexpr std::size_t kLooked = 200;
    QSet<QString> seen;
    for (std::size_t i = 0; i < std::min(m_items.size(), kLooked); ++i)
        for (const quint32 member : m_index->childrenOf(m_items[i]))
            if (const QString name = m_index->name(member); !seen.contains(name)) {
                seen.insert(name);
                if (m_names.size() < kMostColumns)
                    m_names << name;
                else
                    ++m_more;
            }
    endResetModel();
    return !m_items.empty();
}

int JsonTableModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_items.size());
}
int JsonTableModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_names.size());
}

QVariant JsonTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const QVariant name = headOf(m_names, section, orientation, role, -1);
    return role == Qt::DisplayRole && name.isValid() ? QVariant(shown(name.toString(), false, kCell)) : name;
}

QVariant JsonTableModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || index.row() >= rowCount())
        return {};
    if (role == LookRole)
        return int(MonoLook);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)
        return {};
    for (const quint32 member : m_index->childrenOf(nodeOf(index.row())))
        if (m_index->name(member) == m_names.at(index.column()))
            return cellOf(m_index->slice(member));
    return role == Qt::AccessibleTextRole ? QVariant(tr("not there")) : QVariant(QString());
}

QString JsonTableModel::leftOut() const
{
    return m_more == 0 ? QString() : tr("%1 more names have no column here").arg(m_more);
}

// --- text

void TextRowsModel::setIndex(PayloadIndexPtr index)
{
    beginResetModel();
    m_index = std::move(index);
    endResetModel();
}

int TextRowsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_index == nullptr ? 0 : static_cast<int>(m_index->rows().size());
}
int TextRowsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QByteArray TextRowsModel::bytesOf(int row) const
{
    const auto& rows = m_index->rows();
    const auto at = static_cast<std::size_t>(row);
    const quint64 end = at + 1 < rows.size() ? rows[at + 1] : static_cast<quint64>(m_index->bytes().size());
    return m_index->bytes().mid(static_cast<qsizetype>(rows[at]), static_cast<qsizetype>(end - rows[at]));
}

QVariant TextRowsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return headOf({tr("Byte"), tr("Text")}, section, orientation, role, Offset);
}

QVariant TextRowsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || index.row() >= rowCount())
        return {};
    const bool offset = index.column() == Offset;
    switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: {
        if (offset)
            return countText(m_index->rows()[static_cast<std::size_t>(index.row())]);
        QByteArray bytes = bytesOf(index.row());
        while (bytes.endsWith('\n') || bytes.endsWith('\r'))
            bytes.chop(1);
        const QString line = shown(QString::fromUtf8(bytes));
        return role == Qt::AccessibleTextRole ? spokenCell(line) : line;
    }
    case Qt::TextAlignmentRole: return int(offset ? Qt::AlignRight : Qt::AlignLeft);
    case LookRole: return offset ? FigureLook | SecondaryLook : int(MonoLook);
    default: return {};
    }
}

// --- bytes

void HexRowsModel::setIndex(PayloadIndexPtr index)
{
    beginResetModel();
    m_index = std::move(index);
    endResetModel();
}

int HexRowsModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() || m_index == nullptr
        ? 0
        : static_cast<int>((m_index->bytes().size() + kRow - 1) / kRow);
}
int HexRowsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant HexRowsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    return headOf({tr("From byte"), tr("Bytes"), tr("As ASCII")}, section, orientation, role, -1);
}

QVariant HexRowsModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid) || index.row() >= rowCount())
        return {};
    if (role == LookRole)
        return index.column() == Offset ? MonoLook | SecondaryLook : int(MonoLook);
    if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole)
        return {};
    const qsizetype from = index.row() * kRow;
    QByteArray bytes = m_index->bytes().mid(from, kRow);
    switch (index.column()) {
    case Offset: return offsetText(static_cast<quint64>(from));
    case Hex: return QString::fromLatin1(bytes.toHex(' '));
    default: break;
    }
    for (char& c : bytes)
        if (c < 0x20 || c > 0x7E)
            c = '.';
    const QString line = QString::fromLatin1(bytes);
    return role == Qt::AccessibleTextRole ? spokenCell(line) : line;
}

}  // namespace cairn::ui
