#include "core/audit/history_check.h"

#include "core/audit/chain_check.h"

#include <algorithm>
#include <future>
#include <unordered_map>
#include <vector>

namespace cairn::audit {

namespace {

constexpr std::size_t kPage = 2'000;

std::string chainOf(const RunId& run) { return "run " + toText(run); }

// Where the chain of one run stood when its last entry had been seen. Some 90 bytes for each run of the
// store.
struct Seen {
    std::uint64_t version = 0;
    Digest head;
    bool broken = false;  // or out of order: to be looked at from its beginning
};

// Entries as they were read. The texts keep their room from page to page.
struct EntryPage {
    std::vector<std::pair<RunId, SealedEntry>> rows;
    std::size_t count = 0;

    void take(const RunId& run, const SealedEntry& entry)
    {
        if (count == rows.size())
            rows.emplace_back();
        rows[count].first = run;
        rows[count++].second = entry;
    }
};

class Checker {
public:
    Checker(StoreReader& store, std::size_t most)
        : m_store(store)
        , m_most(most)
    {
    }

    Result<Histories> run()
    {
        CAIRN_TRY(scan());
        CAIRN_TRY(compareHeads());
        // What belongs to no run, and runs that were begun since.
        std::vector<RunId> rest;
        for (const auto& [run, seen] : m_runs)
            rest.push_back(run);
        std::sort(rest.begin(), rest.end());
        for (const RunId& run : rest)
            if (m_out.found.size() < m_most)
                CAIRN_TRY(lookAgain(run, m_runs[run]));
        return m_out;
    }

private:
    // While one page is hashed the next is read.
    Status scan()
    {
        ScanPlace place;
        EntryPage page;
        EntryPage next;
        CAIRN_TRY(read(place, page));
        while (page.count > 0) {
            auto seen = std::async(std::launch::async | std::launch::deferred, [&] {
                for (std::size_t at = 0; at < page.count; ++at)
                    see(page.rows[at].first, page.rows[at].second);
            });
            const Status more = read(place, next);
            seen.get();
            CAIRN_TRY(more);
            std::swap(page, next);
        }
        return {};
    }
    Status read(ScanPlace& place, EntryPage& page)
    {
        page.count = 0;
        CAIRN_TRY(m_store.scanEntries(
            place, kPage, [&](const RunId& run, const SealedEntry& entry) { page.take(run, entry); }));
        return {};
    }

    // The hot path: nothing is allocated but a place for each run, and nothing is put into words.
    void see(const RunId& run, const SealedEntry& entry)
    {
        if (m_last == nullptr || run != m_lastRun) {
            m_last = &m_runs[run];
            m_lastRun = run;
        }
        ++m_out.entries;
        Seen& seen = *m_last;
        if (seen.broken)
            return;
        if (entry.version != seen.version + 1 || !entryFits(entry, entry.version, seen.head)) {
            seen.broken = true;
            return;
        }
        seen.head = entry.hash;
        ++seen.version;
    }

    // With where each run is said to stand.
    Status compareHeads()
    {
        RunId after;
        for (bool more = true; more && m_out.found.size() < m_most;) {
            CAIRN_TRY_ASSIGN(const auto page, m_store.runHeads(after, kPage));
            more = !page.empty();
            for (const OpenHead& head : page) {
                after = head.now.run;
                ++m_out.runs;
                m_out.uncovered += head.covered < head.now.version ? 1 : 0;
                const auto at = m_runs.find(after);
                const Seen seen = at == m_runs.end() ? Seen{} : at->second;
                if (at != m_runs.end())
                    m_runs.erase(at);
                if (seen.broken || seen.version != head.now.version || seen.head != head.now.head)
                    CAIRN_TRY(lookAgain(after, seen));
                if (m_out.found.size() >= m_most)
                    break;
            }
        }
        return {};
    }

    void add(Damage kind, const RunId& run, std::uint64_t number, const std::string& text)
    {
        m_out.found.push_back({kind, chainOf(run), number, chainOf(run) + ": " + text});
    }

    // From where it stood: the run may have gone on, or have been deleted. What is broken stays so.
    Status lookAgain(const RunId& run, const Seen& seen)
    {
        const auto hot = m_store.hot(run);
        if (!hot && hot.error().kind != ErrorKind::NotFound)
            return hot.error();
        if (!hot) {
            CAIRN_TRY_ASSIGN(const auto left, following(run, 0));
            if (!left.empty())
                add(Damage::Inserted, run, 1, "its entries belong to no run of this store");
            return {};
        }
        Stand stand;
        if (!seen.broken)
            stand = {seen.version, seen.head, {}};
        for (;;) {
            CAIRN_TRY_ASSIGN(const auto rest, following(run, stand.number));
            if (rest.empty())
                return end(run, stand, *hot);
            for (const SealedEntry& entry : rest) {
                if (!entryFits(entry, stand.number + 1, stand.head)) {
                    CAIRN_TRY_ASSIGN(const auto window, following(run, stand.number));
                    m_out.found.push_back(classify(chainOf(run), EntryWindow(window), stand));
                    return {};
                }
                stand = {stand.number + 1, entry.hash, stand.head};
            }
        }
    }

    Status end(const RunId& run, const Stand& stand, const HotRow& hot)
    {
        const std::uint64_t last = stand.number;
        if (last < hot.version)
            add(Damage::CutAtEnd, run, last + 1,
                "its entries end with " + std::to_string(last) + ", and it is said to stand at "
                    + std::to_string(hot.version));
        else if (last == hot.version && stand.head != hot.head)
            add(Damage::Changed, run, last,
                "entry " + std::to_string(last) + " is not the one that the run is said to stand at");
        else if (last > hot.version) {  // it went on since `hot` was read, or more was put there
            CAIRN_TRY_ASSIGN(const HotRow now, m_store.hot(run));
            if (now.version < last)
                add(Damage::Inserted, run, now.version + 1,
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
    Histories m_out;
    std::unordered_map<RunId, Seen> m_runs;
    RunId m_lastRun;
    Seen* m_last = nullptr;  // its place; stays where it is while others are added
};

}  // namespace

Result<Histories> checkHistories(StoreReader& store, std::size_t most) { return Checker(store, most).run(); }

}  // namespace cairn::audit
