#include "core/service/copy_runs.h"

#include "core/base/failpoint.h"
#include "core/model/codec.h"
#include "core/service/commit_prepare.h"
#include "core/service/impl.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace cairn {

namespace {

constexpr std::size_t kEntriesAtOnce = 256;
constexpr std::size_t kRunsAtOnce = 64;
constexpr std::uint64_t kEntriesCompared = 4'096;
constexpr std::size_t kMembersAtOnce = 256;
constexpr std::size_t kBytesAtOnce = std::size_t{4} * 1024 * 1024;
constexpr std::size_t kPage = 500;
constexpr std::uint64_t kVerifyOneIn = 64;

Error bad(const RunId& run, const std::string& text, ErrorKind kind = ErrorKind::Corrupt)
{
    return makeError(kind, "run " + toText(run) + ": " + text);
}

std::size_t weight(const CommitMember& member)
{
    std::size_t bytes = 500 + member.entry.body.size() + 200 * (member.steps.size() + member.attempts.size());
    for (const PayloadRow& payload : member.payloads)
        bytes += payload.bytes.size();
    return bytes;
}

// Some runs in their order, of which `most` entries are held at one time, or one run.
template<typename Each> Status inParts(const std::vector<RunId>& runs,
    const std::vector<std::uint64_t>& entries, std::uint64_t most, Each&& each)
{
    for (std::size_t begin = 0; begin < runs.size();) {
        std::uint64_t sum = entries[begin];
        std::size_t end = begin + 1;
        while (end < runs.size() && sum + entries[end] <= most)
            sum += entries[end++];
        CAIRN_TRY(each(std::span(runs).subspan(begin, end - begin)));
        begin = end;
    }
    return {};
}

bool waitsForEffect(const StepRow& step)
{
    return step.state == StepState::Waiting && step.reason == Reason::EffectInFlight;
}

bool isUnderWay(LedgerState state) { return state == LedgerState::InFlight || state == LedgerState::Unknown; }

}  // namespace

RunCopier::RunCopier(const CopyRequest& request, StoreWriter& to, bool fresh)
    : m_request(request)
    , m_from(request.from)
    , m_to(to)
    , m_fresh(fresh)
{
}

// Nothing changes the list meanwhile, so that its pages show each run once. In which order they come does not
// matter: nobody looks at a part of them.
template<typename Each> Status RunCopier::eachRuns(Each&& each)
{
    std::optional<PageKey> after;
    do {
        CAIRN_TRY_ASSIGN(const RunPage page, m_from.list({}, ListOrder::NewestFirst, after, kPage));
        std::vector<RunId> runs;
        for (const ListRow& row : page.rows) {
            runs.push_back(row.run);
            if (runs.size() < kRunsAtOnce && &row != &page.rows.back())
                continue;
            CAIRN_TRY(each(runs));
            runs.clear();
        }
        after = page.next;
    } while (after);
    return {};
}

template<typename Each> Status RunCopier::eachMessage(StoreWriter& store, Each&& each)
{
    for (std::uint64_t after = 0;;) {
        CAIRN_TRY_ASSIGN(const auto rows, store.outbox(kPage, after));
        if (rows.empty())
            return {};
        for (const OutboxRow& row : rows)
            each(row);
        after = rows.back().seq;
    }
}

Status RunCopier::stop() const
{
    if (!m_request.stopped())
        return {};
    return makeError(ErrorKind::Cancelled, "stopped between two groups; the same command again goes on");
}

void RunCopier::tell(const char* doing, std::uint64_t runs)
{
    m_progress.doing = doing;
    m_progress.runs = runs;
    m_progress.runsInAll = m_runsInAll;
    m_request.tell(m_progress);
}

// --- copying
// ---------------------------------------------------------------------------------------------------------

Status RunCopier::copyAll()
{
    CAIRN_TRY_ASSIGN(m_runsInAll, m_from.count({}));
    CAIRN_TRY(eachMessage(m_from, [&](const OutboxRow& row) { m_messages[row.from].push_back(row.seq); }));
    CAIRN_TRY(eachRuns([&](const std::vector<RunId>& runs) { return copySome(runs); }));
    return flush();
}

// Runs that are not there yet come several at a time, each read in one go; large ones, and those of which a
// part is there, come by themselves.
Status RunCopier::copySome(const std::vector<RunId>& runs)
{
    CAIRN_TRY_ASSIGN(const auto heads, m_from.wholeRuns(runs, {}));
    CAIRN_TRY_ASSIGN(const auto complete, completeThere(runs));
    std::vector<RunId> fresh;
    std::vector<std::uint64_t> entries;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::uint64_t version = heads[i].loaded.hot.version;
        m_report.entries += version;
        ++m_report.runs;
        if (complete.contains(runs[i]))
            continue;
        CAIRN_TRY_ASSIGN(const std::uint64_t there, versionThere(runs[i]));
        if (there == 0 && version <= kEntriesAtOnce) {
            fresh.push_back(runs[i]);
            entries.push_back(version);
        } else if (there != version) {
            CAIRN_TRY(copyRun(runs[i], there));
        }
    }
    return inParts(
        fresh, entries, kEntriesAtOnce, [&](std::span<const RunId> some) { return copyWhole(some); });
}

// Those whose last entry is there: their list row came with it.
Result<std::set<RunId>> RunCopier::completeThere(const std::vector<RunId>& runs)
{
    std::set<RunId> complete;
    if (m_fresh)
        return complete;
    CAIRN_TRY_ASSIGN(const auto rows, m_to.listRows(runs));
    for (const ListRow& row : rows)
        complete.insert(row.run);
    return complete;
}

// How far it has come already.
Result<std::uint64_t> RunCopier::versionThere(const RunId& id)
{
    if (m_fresh)
        return std::uint64_t{0};
    const auto hot = m_to.hot(id);
    if (!hot && hot.error().kind == ErrorKind::NotFound)
        return std::uint64_t{0};
    if (!hot)
        return hot.error();
    return hot->version;
}

Status RunCopier::copyWhole(std::span<const RunId> runs)
{
    CAIRN_TRY_ASSIGN(auto wholes, m_from.wholeRuns(runs, {true, true, true}));
    CAIRN_TRY(readLedger(wholes));
    for (WholeRun& whole : wholes) {
        Run run{whole.loaded.identity.run, std::move(whole), {}, {}};
        if (run.whole.payloads)
            for (StoredPayload& payload : *run.whole.payloads)
                run.stored.emplace(payload.info.ref.id, &payload);
        for (const SealedEntry& sealed : run.whole.loaded.entries) {
            CAIRN_TRY(addEntry(run, sealed));
            if (m_groupBytes >= kBytesAtOnce)
                CAIRN_TRY(flush());
        }
    }
    return flush();
}

Status RunCopier::copyRun(const RunId& id, std::uint64_t version)
{
    Run run{id, {}, {}, {}};
    if (version > 0)
        CAIRN_TRY(recallPayloads(run, version));
    for (;;) {
        CAIRN_TRY_ASSIGN(LoadedRun loaded, m_from.loadRun(id, version + 1, version + kEntriesAtOnce));
        const bool last = version + loaded.entries.size() == loaded.hot.version;
        if (loaded.entries.empty())
            return bad(id,
                "the copy is at version " + std::to_string(version) + ", the run itself at "
                    + std::to_string(loaded.hot.version));
        if (last) {
            CAIRN_TRY_ASSIGN(auto wholes, m_from.wholeRuns(std::span(&id, 1), {false, true, false}));
            CAIRN_TRY(readLedger(wholes));
            run.whole = std::move(wholes.front());
        }
        run.whole.loaded = std::move(loaded);
        for (const SealedEntry& sealed : run.whole.loaded.entries) {
            CAIRN_TRY(addEntry(run, sealed));
            if (m_group.size() >= kMembersAtOnce || m_groupBytes >= kBytesAtOnce)
                CAIRN_TRY(flush());
        }
        version += run.whole.loaded.entries.size();
        if (last)
            return flush();
    }
}

// Payloads come with the first entry that names them: those of entries that are there already are there.
Status RunCopier::recallPayloads(Run& run, std::uint64_t upTo)
{
    for (std::uint64_t version = 0; version < upTo;) {
        CAIRN_TRY_ASSIGN(const LoadedRun loaded,
            m_from.loadRun(run.id, version + 1, std::min(version + kEntriesAtOnce, upTo)));
        if (loaded.entries.empty())
            return bad(run.id, "the copy has more entries than the run");
        for (const SealedEntry& sealed : loaded.entries) {
            CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
            run.payloads.merge(payloadsOf(entry));
        }
        version += loaded.entries.size();
    }
    return {};
}

Status RunCopier::addEntry(Run& run, const SealedEntry& sealed)
{
    const LoadedRun& loaded = run.whole.loaded;
    if (const Status seal = checkSeal(sealed, sealed.previous); !seal)
        return bad(run.id, seal.error().text, seal.error().kind);
    CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
    CommitMember member;
    member.run = run.id;
    member.create = sealed.version == 1;
    member.expectedVersion = sealed.version - 1;
    member.checkEpoch = false;
    member.control = loaded.hot.control;
    member.nextDue = loaded.hot.nextDue;
    member.entry = sealed;
    if (member.create)
        member.identity = loaded.identity;
    const bool last = sealed.version == loaded.hot.version;
    CAIRN_TRY(addPayloads(run, payloadsOf(entry), member));
    if (last && run.whole.payloads) {  // what no entry names stays with the run as well
        std::set<PayloadId> rest;
        for (const auto& [id, payload] : run.stored)
            rest.insert(id);
        CAIRN_TRY(addPayloads(run, rest, member));
    }
    if (last)
        CAIRN_TRY(addRows(run, member));
    m_groupBytes += weight(member);
    m_group.push_back(std::move(member));
    return {};
}

Status RunCopier::addPayloads(Run& run, const std::set<PayloadId>& ids, CommitMember& member)
{
    for (const PayloadId& id : ids) {
        if (run.payloads.contains(id))
            continue;
        CAIRN_TRY_ASSIGN(auto stored, payloadOf(run, id));
        if (!stored)
            continue;  // named, but of another run
        PayloadRow row{stored->info.ref, stored->info.salt, std::move(stored->bytes), stored->info.artifact};
        if (stored->info.redacted) {
            row.salt = {};
            row.bytes.clear();
            row.artifact = {};
            row.redactedBy = stored->info.by;
            ++m_report.redacted;
        }
        if (!row.artifact.isNull())
            CAIRN_TRY(stage(run.id, row));
        m_progress.bytes += row.redactedBy == 0 ? row.ref.size : 0;
        run.payloads.insert(id);
        member.payloads.push_back(std::move(row));
    }
    return {};
}

// Asked for once a run comes upon one: most have none.
Result<std::optional<StoredPayload>> RunCopier::redactedOf(Run& run, const PayloadId& id)
{
    if (!run.redacted) {
        std::map<PayloadId, PayloadInfo>& all = run.redacted.emplace();
        CAIRN_TRY_ASSIGN(auto some, m_from.redactedPayloads(run.id));
        for (PayloadInfo& info : some)
            all.emplace(info.ref.id, std::move(info));
    }
    const auto at = run.redacted->find(id);
    if (at == run.redacted->end())
        return bad(run.id, "payload " + toText(id) + " can neither be read nor was it redacted");
    return std::optional(StoredPayload{at->second});
}

// Bytes of inline ones, checked; of a redacted one what is left.
Result<std::optional<StoredPayload>> RunCopier::payloadOf(Run& run, const PayloadId& id)
{
    std::optional<StoredPayload> payload;
    if (run.whole.payloads) {
        const auto at = run.stored.find(id);
        if (at == run.stored.end())
            return payload;
        payload = std::move(*at->second);
    } else {
        auto info = m_from.payloadInfo(run.id, id);
        if (!info && info.error().kind == ErrorKind::NotFound)
            return payload;
        if (!info && info.error().kind == ErrorKind::Refused)
            return redactedOf(run, id);
        CAIRN_TRY(info);
        payload.emplace(StoredPayload{*std::move(info)});
        if (!payload->info.redacted && payload->info.artifact.isNull()) {
            CAIRN_TRY_ASSIGN(payload->bytes, m_from.payload(run.id, id));
        }
    }
    const PayloadInfo& info = payload->info;
    if (!info.redacted && info.artifact.isNull()
        && (payload->bytes.size() != info.ref.size
            || saltedDigest(info.salt, sha256(payload->bytes)) != info.ref.hash))
        return bad(run.id, "payload " + toText(id) + " does not fit its hash");
    return payload;
}

// Under its own id: the digests of its chunks depend on it. Staged again where a kill left a part of it.
Status RunCopier::stage(const RunId& run, const PayloadRow& payload)
{
    std::uint32_t index = 0;
    for (std::uint64_t at = 0; at < payload.ref.size; at += kChunkSize) {
        CAIRN_TRY_ASSIGN(const std::string bytes, m_from.payload(run, payload.ref.id, at, kChunkSize));
        const Status staged = m_to.stageChunk(payload.artifact, index++, bytes);
        if (!staged && staged.error().kind == ErrorKind::Refused) {
            CAIRN_TRY_ASSIGN(const StoreInfo info, m_to.info());
            const auto fence = fenceOf(info.minWriter);
            if (fence && fence->kind == FenceKind::Filling)
                return {};  // another payload has brought it; the commit checks that it is whole
        }
        CAIRN_TRY(staged);
        if (failpoint::hit("copy.chunk"))
            return makeError(ErrorKind::Io, "stopped by a failpoint");
        CAIRN_TRY(stop());
    }
    return {};
}

// What follows from the entries, with the last of them.
Status RunCopier::addRows(Run& run, CommitMember& member)
{
    WholeRun& whole = run.whole;
    if (!whole.list)
        return bad(run.id, "its list row is missing");
    member.list = std::move(whole.list);
    member.steps = std::move(whole.steps);
    member.attempts = std::move(whole.attempts);
    member.approvals = std::move(whole.approvals);
    member.attributes = std::move(whole.attributes);
    for (const EffectRow& row : whole.effects)
        writeEffect(row, member);
    addWaits(member);
    return addMessages(run.id, member);
}

// What these runs hold, and wait for, in either store. Nothing of it is under way into the new one.
Status RunCopier::readLedger(const std::vector<WholeRun>& wholes)
{
    std::set<EffectId> held, waited;
    for (const WholeRun& whole : wholes) {
        for (const EffectRow& row : whole.effects)
            held.insert(row.effect);
        for (const StepRow& step : whole.steps)
            if (waitsForEffect(step))
                waited.insert(step.effect);
    }
    CAIRN_TRY(flush());
    m_waited.clear();
    m_there.clear();
    const std::vector<EffectId> wanted(waited.begin(), waited.end());
    CAIRN_TRY_ASSIGN(const auto rows, m_from.effects(wanted));
    for (const EffectRow& row : rows)
        m_waited.emplace(row.effect, row);
    // In a store that this call has made, only a waiter can have brought what a run holds.
    if (!m_fresh)
        waited.merge(held);
    const std::vector<EffectId> asked(waited.begin(), waited.end());
    CAIRN_TRY_ASSIGN(const auto copied, m_to.effects(asked));
    for (const EffectRow& row : copied)
        m_there.insert(row.effect);
    return {};
}

void RunCopier::writeEffect(const EffectRow& row, CommitMember& member)
{
    if (m_brought.contains(row.effect) || !m_there.insert(row.effect).second)
        return;
    if (row.holder != member.run)
        m_brought.insert(row.effect);
    EffectWrite& write = member.effects.emplace_back();
    write.row = row;
    write.row.revision = 0;
}

// A waiter needs the row of what it waits for, so it brings the row along where the holder has not come yet:
// two runs may well wait for each other's effects. An effect that has ended is waited for no more; the
// message that says so is on its way.
void RunCopier::addWaits(CommitMember& member)
{
    for (const StepRow& step : member.steps) {
        const auto at = waitsForEffect(step) ? m_waited.find(step.effect) : m_waited.end();
        if (at == m_waited.end() || !isUnderWay(at->second.state))
            continue;
        writeEffect(at->second, member);
        member.waits.emplace_back(step.effect, step.ix);
    }
}

Status RunCopier::addMessages(const RunId& run, CommitMember& member)
{
    const auto found = m_messages.find(run);
    if (found == m_messages.end())
        return {};
    for (const std::uint64_t place : found->second) {
        CAIRN_TRY_ASSIGN(auto rows, m_from.outbox(1, place - 1));
        if (rows.empty() || rows.front().seq != place)
            return bad(run, "a message of it has gone");
        member.outbox.push_back(std::move(rows.front()));
    }
    return {};
}

Status RunCopier::checkResults(const std::vector<MemberResult>& results) const
{
    using Kind = MemberResult::Kind;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const MemberResult& result = results[i];
        // Repeated after a lost answer: it had landed.
        if (result.kind == Kind::Committed || result.kind == Kind::Duplicate)
            continue;
        if (result.kind == Kind::Failed)
            return bad(m_group[i].run, result.error.text, result.error.kind);
        return bad(m_group[i].run,
            "its entry " + std::to_string(m_group[i].entry.version)
                + " does not fit what the new store has; is another copy under way?",
            ErrorKind::Conflict);
    }
    return {};
}

Status RunCopier::flush()
{
    if (m_group.empty())
        return {};
    std::vector<MemberResult> results;
    CAIRN_TRY(commitGroup(m_to, m_group, results, [&](SpanMs wait) {
        std::this_thread::sleep_for(std::chrono::milliseconds(wait));
        return !m_request.stopped();
    }));
    CAIRN_TRY(checkResults(results));
    m_progress.entries += m_group.size();
    m_group.clear();
    m_groupBytes = 0;
    if (failpoint::hit("copy.group"))
        return makeError(ErrorKind::Io, "stopped by a failpoint");
    tell("copied", m_report.runs);
    return stop();
}

// --- comparing
// -------------------------------------------------------------------------------------------------------

Status RunCopier::compareAll()
{
    CAIRN_TRY_ASSIGN(const std::uint64_t runs, m_to.count({}));
    if (runs != m_report.runs)
        return makeError(ErrorKind::Corrupt,
            "the copy has " + std::to_string(runs) + " runs, the store " + std::to_string(m_report.runs));
    std::uint64_t messages = 0, copied = 0, compared = 0;
    CAIRN_TRY(eachMessage(m_from, [&](const OutboxRow&) { ++messages; }));
    CAIRN_TRY(eachMessage(m_to, [&](const OutboxRow&) { ++copied; }));
    if (messages != copied)
        return makeError(ErrorKind::Corrupt,
            "the copy has " + std::to_string(copied) + " messages under way, the store "
                + std::to_string(messages));
    return eachRuns([&](const std::vector<RunId>& some) { return compareSome(some, compared); });
}

// The head stands for the whole history: each hash covers the one before it.
Status RunCopier::compareSome(const std::vector<RunId>& runs, std::uint64_t& compared)
{
    CAIRN_TRY_ASSIGN(const auto here, m_from.wholeRuns(runs, {}));
    CAIRN_TRY_ASSIGN(const auto there, m_to.wholeRuns(runs, {}));
    std::vector<RunId> folded;
    std::vector<std::uint64_t> entries;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const HotRow &a = here[i].loaded.hot, &b = there[i].loaded.hot;
        if (a.version != b.version || a.head != b.head || a.control != b.control)
            return bad(runs[i],
                "the copy ends at version " + std::to_string(b.version)
                    + " with another head than the run, at " + std::to_string(a.version));
        if (m_request.verifyAll || compared % kVerifyOneIn == 0) {
            folded.push_back(runs[i]);
            entries.push_back(a.version);
        }
        ++compared;
    }
    CAIRN_TRY(inParts(
        folded, entries, kEntriesCompared, [&](std::span<const RunId> some) { return verify(some); }));
    tell("compared", compared);
    return {};
}

Status RunCopier::verify(std::span<const RunId> runs)
{
    CAIRN_TRY_ASSIGN(const auto wholes, m_to.wholeRuns(runs, {true, true, false}));
    for (const WholeRun& whole : wholes) {
        CAIRN_TRY(stop());
        const RunId& id = whole.loaded.identity.run;
        ++m_report.verified;
        CAIRN_TRY_ASSIGN(const auto problems, verifyWhole(m_to, whole, m_workflows));
        if (problems.empty())
            continue;
        const std::string text = problems.front().where + ": " + problems.front().text;
        CAIRN_TRY_ASSIGN(const auto before, verifyRun(m_from, id));
        if (before.size() < problems.size())
            return bad(id, "the copy is not sound: " + text);
        m_report.notes.push_back("as it was in the store that was left: " + text);
    }
    return {};
}

}  // namespace cairn
