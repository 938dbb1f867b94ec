#pragma once
// A payload's bytes with what finds one's way in them: the values of JSON by their places, and rows of text.
// Values stay slices of the bytes, so every digit is as stored. Built off the window's thread; never changed
// afterwards; 48 bytes a JSON value, 8 a row.

#include "core/base/json_scan.h"

#include <QByteArray>
#include <QString>

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace cairn::ui {

struct JsonNode {
    quint64 begin = 0;  // bytes of the value
    quint64 end = 0;
    quint64 nameBegin = 0;  // of a member's name as written, with its quotes
    quint32 nameSize = 0;   // 0: no member
    quint32 parent = 0;     // of the root: itself
    quint32 next = 0;       // after the last value inside this one
    quint32 count = 0;      // items or members
    quint32 place = 0;      // among those of its parent
    JsonKind kind = JsonKind::Invalid;
};

class PayloadIndex {
public:
    // `json`: whether the media type says so. Gives null where `stop` was set meanwhile.
    [[nodiscard]] static std::shared_ptr<const PayloadIndex> build(
        const QByteArray& bytes, bool json, const std::atomic_bool& stop);

    [[nodiscard]] const QByteArray& bytes() const { return m_bytes; }
    [[nodiscard]] bool hasTree() const { return !m_nodes.empty(); }
    [[nodiscard]] const QString& fault() const { return m_fault; }  // why there is no tree; empty: not JSON
    [[nodiscard]] quint64 faultAt() const { return m_faultAt; }
    [[nodiscard]] const std::vector<JsonNode>& nodes() const { return m_nodes; }
    [[nodiscard]] int depth() const { return m_depth; }

    [[nodiscard]] QByteArray raw(quint32 node) const;          // a copy
    [[nodiscard]] std::string_view slice(quint32 node) const;  // valid as long as this is
    [[nodiscard]] QString name(quint32 node) const;            // member name decoded, or place in the array
    [[nodiscard]] QString path(quint32 node) const;            // RFC 6901
    [[nodiscard]] quint32 nodeAt(quint64 offset) const;        // the innermost whose bytes or name hold it
    [[nodiscard]] std::optional<quint32> nodeOf(const QString& path) const;  // RFC 6901; nullopt: none there
    [[nodiscard]] bool isInName(quint64 offset) const;  // in a member's name, not in a value
    [[nodiscard]] std::vector<quint32> childrenOf(quint32 node) const;

    // Rows of text: broken at line ends, and after kRowBytes where a line is longer, never inside a
    // character.
    static constexpr qsizetype kRowBytes = 120;
    [[nodiscard]] const std::vector<quint64>& rows() const { return m_rows; }  // where each begins
    [[nodiscard]] std::size_t rowAt(quint64 offset) const;

private:
    void buildTree(const std::atomic_bool& stop);
    void buildRows(const std::atomic_bool& stop);

    QByteArray m_bytes;
    std::vector<JsonNode> m_nodes;
    std::vector<quint64> m_rows;
    QString m_fault;
    quint64 m_faultAt = 0;
    int m_depth = 0;
};

// Bytes as they are stored, in rows of at most kStoredBytes, broken between characters.
struct StoredRow {
    quint64 offset = 0;
    QByteArray bytes;
    static constexpr qsizetype kStoredBytes = 40;
};
[[nodiscard]] std::vector<StoredRow> storedRows(const QByteArray& bytes, quint64 from, std::size_t most);

struct Matches {
    std::vector<quint64> at;
    quint64 size = 0;   // bytes of each
    bool more = false;  // there are more than kMost
    static constexpr std::size_t kMost = 1'000'000;
};
// Whether these are the bytes of which that hash is kept (PayloadText). Takes a second for some 100 MiB.
[[nodiscard]] bool bytesFit(const QByteArray& bytes, const QByteArray& salt, const QString& hash);
// Exactly these bytes, upper and lower case told apart. What overlaps is found once.
[[nodiscard]] Matches findAll(
    const QByteArray& bytes, const QByteArray& needle, const std::atomic_bool& stop);

}  // namespace cairn::ui
