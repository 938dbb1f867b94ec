// What a connection tells others beside what it stores: hints after its commits, and how its engine hears.

#include "core/store/postgres/hint_words.h"
#include "core/store/postgres/store_impl.h"

#include <string_view>
#include <utility>

namespace cairn::postgres {

namespace {

constexpr SpanMs kBetweenHints = 50;

constexpr std::string_view kLabel = "cairn engine ";  // a session's id, a blank and a word; 63 bytes at most
constexpr std::pair<HintHealth::State, std::string_view> kWords[] = {{HintHealth::State::Beginning, "begins"},
    {HintHealth::State::Listening, "hears"}, {HintHealth::State::Deaf, "deaf"}};

}  // namespace

PostgresStore::~PostgresStore()
{
    m_hintsAt = 0;
    if (m_untold != hint::kNone)
        sendHints();
}

void PostgresStore::hint(const Status& written, HintSet what) noexcept
{
    if (what == hint::kNone || (!written && written.error().kind != ErrorKind::OutcomeUnknown))
        return;
    if (m_options.hints)
        return m_options.hints->tell(what);
    if (!m_options.sendsHints)
        return;
    m_untold = static_cast<HintSet>(m_untold | what);
    if (written)  // else the caller still asks what the error was
        sendHints();
}

void PostgresStore::sendHints() noexcept
{
    const SpanMs now = m_clock.monotonicMs();
    if (now < m_hintsAt || !m_db->connected() || m_db->inTransaction())
        return;
    m_hintsAt = now + kBetweenHints;
    // Where it fails the polls of the engines find what was committed.
    static_cast<void>(m_db->query(Sql::Notify, hintWord(std::exchange(m_untold, hint::kNone))));
}

Status PostgresStore::showHints(const SessionId& session, HintHealth::State state)
{
    std::string label = std::string(kLabel) + toText(session) + ' ';
    for (const auto& [each, word] : kWords)
        if (each == state)
            label += word;
    m_label = label;
    return reading([&]() -> Status {
        CAIRN_TRY(m_db->query(Sql::ShowLabel, m_label));
        return {};
    });
}

Result<std::map<SessionId, HintHealth::State>> PostgresStore::shownHints()
{
    const auto readLabel = [](Rows& q, std::string& label) { q.read(label); };
    CAIRN_TRY_ASSIGN(const auto labels, readAll<std::string>(Sql::ShownLabels, readLabel));
    std::map<SessionId, HintHealth::State> shown;
    for (const std::string_view label : labels) {
        const std::string_view rest = label.substr(kLabel.size());
        const std::size_t blank = rest.find(' ');
        const auto session = parseId<SessionId>(rest.substr(0, blank));
        if (!session || blank == std::string_view::npos)
            continue;
        for (const auto& [state, word] : kWords)
            if (rest.substr(blank + 1) == word)
                shown[*session] = state;
    }
    return shown;
}

}  // namespace cairn::postgres
