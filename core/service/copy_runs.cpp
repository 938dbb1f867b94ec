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
template<typename Each> Status RunCopier::eachRun(Each&& each)
{
    std::optional<PageKey> after;
    do {
        CAIRN_TRY_ASSIGN(const RunPage page, m_from.list({}, ListOrder::NewestFirst, after, kPage));
        for (const ListRow& row : page.rows)
            CAIRN_TRY(each(row.run));
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
    CAIRN_TRY(eachRun([&](const RunId& run) -> Status {
        CAIRN_TRY(copyRun(run));
        ++m_report.runs;
        return {};
    }));
    return flush();
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

Status RunCopier::copyRun(const RunId& id)
{
    Run run{id, {}, {}};
    CAIRN_TRY_ASSIGN(std::uint64_t version, versionThere(id));
    if (version > 0) {
        CAIRN_TRY_ASSIGN(const HotRow hot, m_from.hot(id));
        if (version == hot.version) {
            m_report.entries += version;
            return {};
        }
        CAIRN_TRY(recallPayloads(run, version));
    }
    for (;;) {
        CAIRN_TRY_ASSIGN(run.loaded, m_from.loadRun(id, version + 1, version + kEntriesAtOnce));
        for (const SealedEntry& sealed : run.loaded.entries) {
            CAIRN_TRY(addEntry(run, sealed));
            if (m_group.size() >= kMembersAtOnce || m_groupBytes >= kBytesAtOnce)
                CAIRN_TRY(flush());
        }
        version += run.loaded.entries.size();
        if (version == run.loaded.hot.version)
            break;
        if (run.loaded.entries.empty())
            return bad(id,
                "the copy is at version " + std::to_string(version) + ", the run itself at "
                    + std::to_string(run.loaded.hot.version));
    }
    m_report.entries += version;
    return {};
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
    if (const Status seal = checkSeal(sealed, sealed.previous); !seal)
        return bad(run.id, seal.error().text, seal.error().kind);
    CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
    CommitMember member;
    member.run = run.id;
    member.create = sealed.version == 1;
    member.expectedVersion = sealed.version - 1;
    member.checkEpoch = false;
    member.control = run.loaded.hot.control;
    member.nextDue = run.loaded.hot.nextDue;
    member.entry = sealed;
    if (member.create)
        member.identity = run.loaded.identity;
    CAIRN_TRY(addPayloads(run, entry, member));
    if (sealed.version == run.loaded.hot.version)
        CAIRN_TRY(addRows(run.id, member));
    m_groupBytes += weight(member);
    m_group.push_back(std::move(member));
    return {};
}

Status RunCopier::addPayloads(Run& run, const Entry& entry, CommitMember& member)
{
    for (const PayloadId& id : payloadsOf(entry)) {
        if (run.payloads.contains(id))
            continue;
        const auto info = m_from.payloadInfo(run.id, id);
        if (!info && info.error().kind == ErrorKind::NotFound)
            continue;  // named, but of another run
        if (!info)
            return info.error();
        if (info->redacted)
            return bad(run.id, "a redacted payload cannot be moved in this version", ErrorKind::Refused);
        PayloadRow row{info->ref, info->salt, {}, info->artifact};
        if (row.artifact.isNull()) {
            CAIRN_TRY_ASSIGN(row.bytes, m_from.payload(run.id, id));
        } else {
            CAIRN_TRY(stage(run.id, row));
        }
        m_progress.bytes += row.ref.size;
        run.payloads.insert(id);
        member.payloads.push_back(std::move(row));
    }
    return {};
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
Status RunCopier::addRows(const RunId& run, CommitMember& member)
{
    CAIRN_TRY_ASSIGN(auto lists, m_from.listRows(std::span(&run, 1)));
    if (lists.empty())
        return bad(run, "its list row is missing");
    member.list = std::move(lists.front());
    CAIRN_TRY_ASSIGN(member.steps, m_from.steps(run));
    CAIRN_TRY_ASSIGN(member.attempts, m_from.attempts(run, kNoStep));
    CAIRN_TRY_ASSIGN(member.approvals, m_from.approvals(run));
    CAIRN_TRY_ASSIGN(member.attributes, m_from.attributes(run));
    CAIRN_TRY(addEffects(run, member));
    CAIRN_TRY(addWaits(member));
    return addMessages(run, member);
}

// `there`: in the new store already, by another run that waits for it.
Status RunCopier::writeEffect(const EffectRow& row, bool there, CommitMember& member)
{
    if (there || !m_groupEffects.insert(row.effect).second)
        return {};
    EffectWrite& write = member.effects.emplace_back();
    write.row = row;
    write.row.revision = 0;
    return {};
}

Status RunCopier::addEffects(const RunId& run, CommitMember& member)
{
    CAIRN_TRY_ASSIGN(const auto rows, m_from.effectsOfRun(run));
    std::vector<EffectId> ids;
    for (const EffectRow& row : rows)
        ids.push_back(row.effect);
    std::set<EffectId> there;
    if (!ids.empty()) {
        CAIRN_TRY_ASSIGN(const auto copied, m_to.effects(ids));
        for (const EffectRow& row : copied)
            there.insert(row.effect);
    }
    for (const EffectRow& row : rows)
        CAIRN_TRY(writeEffect(row, there.contains(row.effect), member));
    return {};
}

// A waiter needs the row of what it waits for, so it brings the row along where the holder has not come yet:
// two runs may well wait for each other's effects. An effect that has ended is waited for no more; the
// message that says so is on its way.
Status RunCopier::addWaits(CommitMember& member)
{
    for (const StepRow& step : member.steps) {
        if (step.state != StepState::Waiting || step.reason != Reason::EffectInFlight)
            continue;
        CAIRN_TRY_ASSIGN(const auto rows, m_from.effects(std::span(&step.effect, 1)));
        if (rows.empty() || !isUnderWay(rows.front().state))
            continue;
        CAIRN_TRY_ASSIGN(const auto copied, m_to.effects(std::span(&step.effect, 1)));
        CAIRN_TRY(writeEffect(rows.front(), !copied.empty(), member));
        member.waits.emplace_back(step.effect, step.ix);
    }
    return {};
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
    m_groupEffects.clear();
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
    return eachRun([&](const RunId& run) -> Status {
        CAIRN_TRY(stop());
        CAIRN_TRY(compareRun(run));
        if (m_request.verifyAll || compared % kVerifyOneIn == 0)
            CAIRN_TRY(verify(run));
        tell("compared", ++compared);
        return {};
    });
}

// The head stands for the whole history: each hash covers the one before it.
Status RunCopier::compareRun(const RunId& id)
{
    CAIRN_TRY_ASSIGN(const HotRow here, m_from.hot(id));
    CAIRN_TRY_ASSIGN(const HotRow there, m_to.hot(id));
    if (here.version != there.version || here.head != there.head || here.control != there.control)
        return bad(id,
            "the copy ends at version " + std::to_string(there.version)
                + " with another head than the run, at " + std::to_string(here.version));
    return {};
}

Status RunCopier::verify(const RunId& id)
{
    ++m_report.verified;
    CAIRN_TRY_ASSIGN(const auto problems, verifyRun(m_to, id));
    if (problems.empty())
        return {};
    const std::string text = problems.front().where + ": " + problems.front().text;
    CAIRN_TRY_ASSIGN(const auto before, verifyRun(m_from, id));
    if (before.size() < problems.size())
        return bad(id, "the copy is not sound: " + text);
    m_report.notes.push_back("as it was in the store that was left: " + text);
    return {};
}

}  // namespace cairn
