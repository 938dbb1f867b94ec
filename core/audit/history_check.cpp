#include "core/audit/history_check.h"

#include "core/audit/chain_check.h"

namespace cairn::audit {

namespace {

constexpr std::size_t kPage = 5'000;

std::string chainOf(const RunId& run) { return "run " + toText(run); }

// Where the chain of one run stood when its last entry had been seen.
struct Seen {
    RunId run;
    Stand stand;
    bool broken = false;  // `stand` is the place before the break
};

// The heads of all runs in their order, a page at a time.
class HeadCursor {
public:
    explicit HeadCursor(StoreReader& store)
        : m_store(store)
    {
    }
    // Null: there are no more.
    Result<const OpenHead*> now()
    {
        if (m_at == m_page.size() && !m_atEnd) {
            const RunId after = m_page.empty() ? RunId{} : m_page.back().now.run;
            CAIRN_TRY_ASSIGN(m_page, m_store.runHeads(after, kPage));
            m_at = 0;
            m_atEnd = m_page.empty();
        }
        return m_at < m_page.size() ? &m_page[m_at] : nullptr;
    }
    void next() { ++m_at; }

private:
    StoreReader& m_store;
    std::vector<OpenHead> m_page;
    std::size_t m_at = 0;
    bool m_atEnd = false;
};

class Checker {
public:
    Checker(StoreReader& store, std::size_t most)
        : m_store(store)
        , m_most(most)
        , m_heads(store)
    {
    }

    Result<Histories> run()
    {
        ChainPlace at;
        const auto see = [&](const RunId& run, const SealedEntry& entry) {
            at = {run, entry.version};
            this->see(run, entry);
        };
        for (;;) {
            CAIRN_TRY_ASSIGN(const std::size_t read, m_store.eachEntry(at, kPage, see));
            if (read == 0)
                break;
            CAIRN_TRY(judge());
            if (m_out.found.size() >= m_most)
                return m_out;
        }
        if (!m_now.run.isNull())
            m_ended.push_back(m_now);
        CAIRN_TRY(judge());
        CAIRN_TRY(withoutEntries(nullptr));
        return m_out;
    }

private:
    // The hot path: nothing is allocated, and nothing is put into words.
    void see(const RunId& run, const SealedEntry& entry)
    {
        if (run != m_now.run) {
            if (!m_now.run.isNull())
                m_ended.push_back(m_now);
            m_now = {run, {}, false};
        }
        if (m_now.broken)
            return;
        ++m_out.entries;
        Stand& stand = m_now.stand;
        if (entry.version != stand.number + 1 || !entryFits(entry, entry.version, stand.head)) {
            m_now.broken = true;
            return;
        }
        stand.before = stand.head;
        stand.head = entry.hash;
        ++stand.number;
    }

    // The runs that have ended since, while no statement is open.
    Status judge()
    {
        for (const Seen& seen : m_ended) {
            CAIRN_TRY(withoutEntries(&seen.run));
            CAIRN_TRY(ended(seen));
            if (m_out.found.size() >= m_most)
                break;
        }
        m_ended.clear();
        return {};
    }

    Status ended(const Seen& seen)
    {
        CAIRN_TRY_ASSIGN(const OpenHead* head, m_heads.now());
        const bool known = head != nullptr && head->now.run == seen.run;
        if (known)
            count(*head);
        const bool asTold = known && !seen.broken && head->now.version == seen.stand.number
            && head->now.head == seen.stand.head;
        if (known)
            m_heads.next();
        return asTold ? Status() : lookAgain(seen);
    }

    void count(const OpenHead& head)
    {
        ++m_out.runs;
        if (head.covered < head.now.version)
            ++m_out.uncovered;
    }

    // Runs before `until` that are said to stand somewhere, and of which no entry was seen.
    Status withoutEntries(const RunId* until)
    {
        for (;;) {
            CAIRN_TRY_ASSIGN(const OpenHead* head, m_heads.now());
            if (head == nullptr || (until != nullptr && !(head->now.run < *until)))
                return {};
            count(*head);
            const RunId run = head->now.run;
            m_heads.next();
            CAIRN_TRY(lookAgain({run, {}, false}));
            if (m_out.found.size() >= m_most)
                return {};
        }
    }

    void add(Damage kind, const RunId& run, std::uint64_t number, const std::string& text)
    {
        m_out.found.push_back({kind, chainOf(run), number, chainOf(run) + ": " + text});
    }

    // From where it stood: the run may have gone on. What is broken stays so.
    Status lookAgain(Seen seen)
    {
        const auto hot = m_store.hot(seen.run);
        if (!hot && hot.error().kind != ErrorKind::NotFound)
            return hot.error();
        for (;;) {
            CAIRN_TRY_ASSIGN(const auto rest, following(seen.run, seen.stand.number));
            if (!hot && (seen.stand.number > 0 || !rest.empty())) {
                add(Damage::Inserted, seen.run, 1, "its entries belong to no run of this store");
                return {};
            }
            for (const SealedEntry& entry : rest) {
                if (!entryFits(entry, seen.stand.number + 1, seen.stand.head)) {
                    CAIRN_TRY_ASSIGN(const auto window, following(seen.run, seen.stand.number));
                    m_out.found.push_back(classify(chainOf(seen.run), EntryWindow(window), seen.stand));
                    return {};
                }
                seen.stand = {seen.stand.number + 1, entry.hash, seen.stand.head};
            }
            if (rest.empty())
                return hot ? end(seen, *hot) : Status();
        }
    }

    Status end(const Seen& seen, const HotRow& hot)
    {
        const std::uint64_t last = seen.stand.number;
        if (last < hot.version)
            add(Damage::CutAtEnd, seen.run, last + 1,
                "its entries end with " + std::to_string(last) + ", and it is said to stand at "
                    + std::to_string(hot.version));
        else if (last == hot.version && seen.stand.head != hot.head)
            add(Damage::Changed, seen.run, last,
                "entry " + std::to_string(last) + " is not the one that the run is said to stand at");
        else if (last > hot.version) {  // it went on since `hot` was read, or more was put there
            CAIRN_TRY_ASSIGN(const HotRow now, m_store.hot(seen.run));
            if (now.version < last)
                add(Damage::Inserted, seen.run, now.version + 1,
                    "there are entries after " + std::to_string(now.version)
                        + ", where the run is said to stand");
        }
        return {};
    }

    Result<std::vector<SealedEntry>> following(const RunId& run, std::uint64_t version)
    {
        std::vector<SealedEntry> entries;
        CAIRN_TRY(m_store.eachEntry({run, version}, kWindow, [&](const RunId& of, const SealedEntry& entry) {
            if (of == run)
                entries.push_back(entry);
        }));
        return entries;
    }

    StoreReader& m_store;
    std::size_t m_most;
    HeadCursor m_heads;
    Histories m_out;
    Seen m_now;
    std::vector<Seen> m_ended;
};

}  // namespace

Result<Histories> checkHistories(StoreReader& store, std::size_t most) { return Checker(store, most).run(); }

}  // namespace cairn::audit
