#include "ui/data/payloadindex.h"

#include "core/base/digest.h"

#include <QByteArrayMatcher>
#include <QStringList>

#include <algorithm>
#include <utility>

namespace cairn::ui {

namespace {

constexpr quint64 kBetweenLooks = 1u << 16;  // bytes, before `stop` is looked at again

bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// After the string that begins at `at` with its quote.
quint64 stringEnd(const QByteArray& bytes, quint64 at)
{
    const auto size = static_cast<quint64>(bytes.size());
    for (++at; at < size && bytes.at(static_cast<qsizetype>(at)) != '"'; ++at)
        if (bytes.at(static_cast<qsizetype>(at)) == '\\')
            ++at;
    return std::min(at + 1, size);
}

quint64 scalarEnd(const QByteArray& bytes, quint64 at)
{
    const auto size = static_cast<quint64>(bytes.size());
    for (; at < size; ++at) {
        const char c = bytes.at(static_cast<qsizetype>(at));
        if (c == ',' || c == '}' || c == ']' || isSpace(c))
            break;
    }
    return at;
}

// The same place, or at most three bytes before it: where a character begins.
qsizetype betweenCharacters(const QByteArray& bytes, qsizetype at)
{
    const qsizetype least = at - 3;
    while (at < bytes.size() && at > least && (static_cast<unsigned char>(bytes.at(at)) & 0xC0U) == 0x80U)
        --at;
    return at;
}

}  // namespace

std::shared_ptr<const PayloadIndex> PayloadIndex::build(
    const QByteArray& bytes, bool json, const std::atomic_bool& stop)
{
    auto index = std::make_shared<PayloadIndex>();
    index->m_bytes = bytes;
    index->buildRows(stop);
    if (json && !stop) {
        const std::string_view view(bytes.constData(), static_cast<std::size_t>(bytes.size()));
        if (const auto fault = findJsonFault(view)) {
            index->m_fault = QString::fromStdString(fault->text);
            index->m_faultAt = fault->offset;
        } else {
            index->buildTree(stop);
        }
    }
    return stop ? nullptr : index;
}

// One pass over text that is known to be JSON.
void PayloadIndex::buildTree(const std::atomic_bool& stop)
{
    const auto size = static_cast<quint64>(m_bytes.size());
    std::vector<quint32> open;
    bool wantsName = false;
    JsonNode name;
    quint64 look = 0;
    const auto add = [&](quint64 begin, quint64 end) {
        JsonNode node;
        node.begin = begin;
        node.end = end;
        node.nameBegin = std::exchange(name.nameBegin, 0);
        node.nameSize = std::exchange(name.nameSize, 0U);
        const auto ix = static_cast<quint32>(m_nodes.size());
        node.next = ix + 1;
        node.kind = jsonKind(std::string_view(m_bytes.constData() + begin, 1));
        node.parent = open.empty() ? ix : open.back();
        if (!open.empty())
            node.place = m_nodes[open.back()].count++;
        m_nodes.push_back(node);
        return ix;
    };
    for (quint64 at = 0; at < size;) {
        if (at > look) {
            look = at + kBetweenLooks;
            if (stop)
                return;
        }
        const char c = m_bytes.at(static_cast<qsizetype>(at));
        if (isSpace(c)) {
            ++at;
        } else if (c == '{' || c == '[') {
            open.push_back(add(at, at + 1));
            m_depth = std::max(m_depth, static_cast<int>(open.size()));
            wantsName = c == '{';
            ++at;
        } else if (c == '}' || c == ']') {
            m_nodes[open.back()].end = ++at;
            m_nodes[open.back()].next = static_cast<quint32>(m_nodes.size());
            open.pop_back();
        } else if (c == ',') {
            wantsName = !open.empty() && m_nodes[open.back()].kind == JsonKind::Object;
            ++at;
        } else if (c == ':') {
            wantsName = false;
            ++at;
        } else {
            const quint64 end = c == '"' ? stringEnd(m_bytes, at) : scalarEnd(m_bytes, at);
            if (wantsName) {
                name.nameBegin = at;
                name.nameSize = static_cast<quint32>(end - at);
            } else {
                add(at, end);
            }
            at = end;
        }
    }
}

void PayloadIndex::buildRows(const std::atomic_bool& stop)
{
    const qsizetype size = m_bytes.size();
    m_rows.reserve(static_cast<std::size_t>(size / kRowBytes + 1));
    m_rows.push_back(0);
    for (qsizetype begin = 0; begin < size && !stop;) {
        qsizetype end = std::min(size, begin + kRowBytes);
        // Within this row only: a search to the end, once a row, takes minutes where there is but one line.
        const char* const first = m_bytes.constData() + begin;
        const char* const last = m_bytes.constData() + end;
        if (const char* line = std::find(first, last, '\n'); line != last) {
            end = begin + (line - first) + 1;
        } else {
            end = betweenCharacters(m_bytes, end);
        }
        begin = end;
        if (begin < size)
            m_rows.push_back(static_cast<quint64>(begin));
    }
}

std::string_view PayloadIndex::slice(quint32 node) const
{
    const JsonNode& n = m_nodes[node];
    return {m_bytes.constData() + n.begin, static_cast<std::size_t>(n.end - n.begin)};
}

QByteArray PayloadIndex::raw(quint32 node) const
{
    const std::string_view text = slice(node);
    return {text.data(), static_cast<qsizetype>(text.size())};
}

QString PayloadIndex::name(quint32 node) const
{
    const JsonNode& n = m_nodes[node];
    if (n.nameSize == 0)
        return n.parent == node ? QString() : QString::number(n.place);
    const auto decoded = jsonString({m_bytes.constData() + n.nameBegin, n.nameSize});
    return decoded ? QString::fromStdString(*decoded) : QString();
}

QString PayloadIndex::path(quint32 node) const
{
    QString path;
    for (quint32 at = node; m_nodes[at].parent != at; at = m_nodes[at].parent)
        path.prepend(u'/' + QString::fromStdString(jsonPointerPart(name(at).toStdString())));
    return path;
}

std::optional<quint32> PayloadIndex::nodeOf(const QString& path) const
{
    if (m_nodes.empty() || (!path.isEmpty() && !path.startsWith(u'/')))
        return std::nullopt;
    quint32 at = 0;
    const QStringList parts = path.mid(1).split(u'/');
    for (const QString& part : path.isEmpty() ? QStringList() : parts) {
        const auto children = childrenOf(at);
        const auto found = std::find_if(children.begin(), children.end(), [&](quint32 child) {
            return QString::fromStdString(jsonPointerPart(name(child).toStdString())) == part;
        });
        if (found == children.end())
            return std::nullopt;
        at = *found;
    }
    return at;
}

bool PayloadIndex::isInName(quint64 offset) const
{
    if (m_nodes.empty())
        return false;
    const JsonNode& node = m_nodes[nodeAt(offset)];
    return node.nameSize != 0 && offset >= node.nameBegin && offset < node.nameBegin + node.nameSize;
}

quint32 PayloadIndex::nodeAt(quint64 offset) const
{
    // Nodes are in the order in which they begin: the last that begins, with its name, by then, and its
    // parents up to the one that still holds it.
    const auto after =
        std::upper_bound(m_nodes.begin(), m_nodes.end(), offset, [](quint64 place, const JsonNode& node) {
            return place < (node.nameSize != 0 ? node.nameBegin : node.begin);
        });
    if (after == m_nodes.begin())
        return 0;
    auto at = static_cast<quint32>(std::distance(m_nodes.begin(), after) - 1);
    while (m_nodes[at].parent != at && offset >= m_nodes[at].end)
        at = m_nodes[at].parent;
    return at;
}

std::vector<quint32> PayloadIndex::childrenOf(quint32 node) const
{
    std::vector<quint32> children;
    children.reserve(m_nodes[node].count);
    for (quint32 at = node + 1; at < m_nodes[node].next; at = m_nodes[at].next)
        children.push_back(at);
    return children;
}

std::size_t PayloadIndex::rowAt(quint64 offset) const
{
    const auto after = std::upper_bound(m_rows.begin(), m_rows.end(), offset);
    return after == m_rows.begin() ? 0 : static_cast<std::size_t>(std::distance(m_rows.begin(), after) - 1);
}

std::vector<StoredRow> storedRows(const QByteArray& bytes, quint64 from, std::size_t most)
{
    std::vector<StoredRow> rows;
    const qsizetype size = bytes.size();
    for (auto begin = static_cast<qsizetype>(from); begin < size && rows.size() < most;) {
        const qsizetype end = betweenCharacters(bytes, std::min(size, begin + StoredRow::kStoredBytes));
        rows.push_back({static_cast<quint64>(begin), bytes.mid(begin, end - begin)});
        begin = end;
    }
    return rows;
}

bool bytesFit(const QByteArray& bytes, const QByteArray& salt, const QString& hash)
{
    Salt known{};
    if (static_cast<std::size_t>(salt.size()) != known.size())
        return false;
    std::copy(salt.begin(), salt.end(), known.begin());
    const Digest plain = sha256(std::string_view(bytes.data(), static_cast<std::size_t>(bytes.size())));
    return QString::fromStdString(hex(saltedDigest(known, plain))) == hash;
}

Matches findAll(const QByteArray& bytes, const QByteArray& needle, const std::atomic_bool& stop)
{
    Matches matches;
    matches.size = static_cast<quint64>(needle.size());
    if (needle.isEmpty())
        return matches;
    const QByteArrayMatcher matcher(needle);
    for (qsizetype at = matcher.indexIn(bytes); at >= 0 && !stop;
         at = matcher.indexIn(bytes, at + needle.size())) {
        if (matches.at.size() == Matches::kMost) {
            matches.more = true;
            break;
        }
        matches.at.push_back(static_cast<quint64>(at));
    }
    return matches;
}

}  // namespace cairn::ui
