// Finding in a payload, going to a byte, and whether the bytes are those that were stored.
#include "ui/data/format.h"
#include "ui/models/payloadmodels.h"
#include "ui/pages/payloadviewer.h"
#include "ui/widgets/bytemap.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/safetext.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>

namespace cairn::ui {

using namespace Qt::StringLiterals;

void PayloadViewer::find(const QString& text)
{
    *m_stopFind = true;
    m_stopFind = makeStopFlag();
    m_find->setText(text);
    m_find->setProperty("looked", text);
    m_matches = {};
    m_map->setMatches({}, false);
    m_match = 0;
    if (m_index == nullptr || text.isEmpty())
        return writeFound();
    safe::setText(m_found, tr("looking"));
    const quint64 ticket = m_finds.next();
    const StopFlag stop = m_stopFind;
    const QByteArray bytes = m_index->bytes();
    const QByteArray needle = text.toUtf8();
    const int scope = m_index->hasTree() ? m_scope->currentIndex() : 0;
    whenDone(inBackground<Matches>([bytes, needle, stop, scope, index = m_index] {
        Matches found = findAll(bytes, needle, *stop);
        if (scope != 0)
            std::erase_if(found.at, [&](quint64 at) { return index->isInName(at) != (scope == 1); });
        return found;
    }),
        this, [this, ticket, index = m_index](const Reply<Matches>& reply) {
            if (!m_finds.current(ticket) || index != m_index)
                return;
            m_matches = *reply.value;
            m_map->setMatches(m_matches.at, m_matches.more);
            writeFound();
            if (!m_matches.at.empty())
                goTo(m_matches.at.front());
        });
}

void PayloadViewer::writeFound()
{
    if (m_find->text().isEmpty())
        return safe::setText(m_found, {});
    const quint64 count = m_matches.at.size();
    QString text = count == 0
        ? tr("nothing found")
        : tr("%1 of %2%3")
              .arg(countText(m_match + 1), m_matches.more ? u"≥ "_s : QString(), countText(count));
    if (!m_whole)
        text += tr(", in what has been read");
    safe::setText(m_found, text);
}

void PayloadViewer::findNext(bool backwards)
{
    const std::size_t count = m_matches.at.size();
    if (count == 0)
        return;
    m_match = (m_match + (backwards ? count - 1 : 1)) % count;
    writeFound();
    goTo(m_matches.at[m_match]);
}

void PayloadViewer::goTo(quint64 offset)
{
    if (m_index == nullptr || m_index->bytes().isEmpty())
        return;
    // The map is of all bytes, of which the beginning may have been read.
    offset = std::min(offset, static_cast<quint64>(m_index->bytes().size()) - 1);
    if (mode() == Table || mode() == Image)
        setMode(possible(Tree) ? Tree : Text);
    int row = 0;
    switch (mode()) {
    case Tree: row = m_tree->reveal(m_index->nodeAt(offset)); break;
    case Hex: row = static_cast<int>(offset / static_cast<quint64>(HexRowsModel::kRow)); break;
    default: row = static_cast<int>(m_index->rowAt(offset)); break;
    }
    DataTable* table = m_tables[static_cast<std::size_t>(mode())];
    table->setCurrentIndex(table->model()->index(row, 0));
    table->scrollTo(table->currentIndex());
    m_map->setHere(offset);  // the place that was asked for, not where its row begins
}

// The whole of it, on a thread: nothing that is shown waits for that.
void PayloadViewer::checkHash(quint64 ticket)
{
    if (m_hash.isEmpty() || m_salt.isEmpty())
        return;
    if (m_hidden > 0 && !m_shown.plain)
        return;  // what is shown are not those bytes
    if (m_size > static_cast<quint64>(m_bytes.size()))
        return safe::setText(m_head, m_headText + tr(", not checked: only a part was read"));
    whenDone(inBackground<bool>(
                 [bytes = m_bytes, salt = m_salt, hash = m_hash] { return bytesFit(bytes, salt, hash); }),
        this, [this, ticket](const Reply<bool>& reply) {
            if (m_tickets.current(ticket))
                safe::setText(m_head,
                    m_headText
                        + (*reply.value ? tr(", checked")
                                        : tr(": THESE BYTES DO NOT FIT IT. Do not write to this store; run "
                                             "cairn store check.")));
        });
}

}  // namespace cairn::ui
