// What helps to write a filter, asked of all stores.
#include "ui/data/stores.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

// The word that ends at the cursor, from its beginning on.
QString wordBefore(const QString& text, int cursor)
{
    const QString before = text.left(cursor);
    return before.mid(before.lastIndexOf(u' ') + 1);
}

}  // namespace

QFuture<Reply<FilterHelp>> Stores::filterHelp(const FilterQuestion& question)
{
    const QString word = wordBefore(question.text, question.cursor);
    if (several() && question.cursor >= 0 && word.startsWith(u"store:"_s, Qt::CaseInsensitive)) {
        const QString begun = word.mid(6);
        FilterHelp help;
        help.length = static_cast<int>(begun.size());
        help.offset = question.cursor - help.length;
        help.field = u"store"_s;
        for (const Place& place : m_places)
            if (place.state.name.startsWith(begun, Qt::CaseInsensitive))
                help.choices.push_back({termOf(u"store"_s, place.state.name).mid(6), -1});
        return readyReply<FilterHelp>({help, {}});
    }
    std::map<StoreIx, FilterQuestion> asked;
    std::vector<StoreIx> whom;
    for (const StoreIx store : openStores()) {
        const std::optional<QString> text =
            several() ? filterFor(question.text, nameOf(store)) : std::optional(question.text);
        if (!text)
            continue;
        asked[store] = {*text, question.cursor, question.effects};
        whom.push_back(store);
    }
    const QString topic = question.text + u'\n' + QString::number(question.cursor)
        + (question.effects ? tr(" effects") : QString());
    return m_helps.ask(
        topic, topic, whom,
        [this, asked](StoreIx store) { return m_places[store].source->filterHelp(asked.at(store)); },
        [](const auto& parts) { return merged(parts); });
}

QFuture<Reply<FilterCounts>> Stores::countFilters(const QStringList& filters)
{
    std::map<StoreIx, QStringList> asked;
    const std::vector<StoreIx> stores = openStores();
    for (const StoreIx store : stores)
        for (const QString& filter : filters) {
            const std::optional<QString> text =
                several() ? filterFor(filter, nameOf(store)) : std::optional(filter);
            asked[store] << text.value_or(u"run:00000000-0000-0000-0000-000000000000"_s);
        }
    const QString topic = filters.join(u'\n');
    return m_counts.ask(
        topic, topic, stores,
        [this, asked](StoreIx store) { return m_places[store].source->countFilters(asked.at(store)); },
        [](const auto& parts) { return merged(parts); });
}

}  // namespace cairn::ui
