// The states of a move. What both stores have in common is in copy_shared.cpp, the runs are in copy_runs.cpp.
//
// What stands in the two stores says how far a move has come (FROM / TO):
//   no fence       / nothing      not begun
//   Leaving        / nothing      begun
//   Leaving        / Filling n    the copy was made
//   Leaving n      / Filling n    that copy, and no other, is the one
//   Moved n        / Filling n    the copy is whole; FROM does not change its mind any more
//   Moved n        / no fence     done
// A number n belongs to one copy: a second one, made under the same name or elsewhere, never opens.

#include "core/service/copy_store.h"

#include "core/base/failpoint.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/service/copy_runs.h"
#include "core/service/copy_shared.h"
#include "core/service/sessions.h"
#include "core/service/staged.h"
#include "core/store/checks.h"

#include <chrono>
#include <utility>

namespace cairn {

namespace {

constexpr std::size_t kAuditPage = 1'000;

Error refused(std::string text) { return makeError(ErrorKind::Refused, std::move(text)); }

Status stoppedAt(const char* point)
{
    if (failpoint::hit(point))
        return makeError(ErrorKind::Io, "stopped by a failpoint");
    return {};
}

// --- how far a move has come
// -------------------------------------------------------------------------------------------

struct Standing {
    enum class Next { Begin, Make, Fill, Nothing };
    Next next = Next::Begin;
    StoreInfo from;
    std::optional<Fence> fence;   // of FROM
    std::optional<StoreInfo> to;  // where there is one
    std::uint32_t copy = 0;       // the number of TO
};

Result<std::optional<StoreInfo>> lookAt(const StoreDoor& door)
{
    StoreOptions reading;
    reading.readOnly = true;
    auto store = door.open(reading);
    if (!store && store.error().kind == ErrorKind::NotFound)
        return std::optional<StoreInfo>();
    if (!store)
        return makeError(store.error().kind, door.name + ": " + store.error().text, store.error().native);
    CAIRN_TRY_ASSIGN(const StoreInfo info, (*store)->info());
    return std::optional<StoreInfo>(info);
}

// What a move can bring along, and that nobody is at work.
Status checkMovable(StoreReader& from, const StoreInfo& info)
{
    CAIRN_TRY_ASSIGN(const StoreRights rights, from.rights());
    if (!rights.owns)
        return makeError(ErrorKind::NoRight,
            "a store with roles is moved by its owner: the login \"" + rights.login
                + "\" is not a member of the role cairn_owner");
    if (info.schema != kMaxFormat || info.minWriter != kMaxFormat || info.writeFormat != kMaxFormat)
        return refused("a store is moved as this version has it: run `cairn store migrate --contract` first");
    CAIRN_TRY_ASSIGN(const TimeMs now, from.now());
    CAIRN_TRY_ASSIGN(const HeardSessions sessions, hearSessions(from, now));
    if (const auto living = sessions.mayLive(); !living.empty())
        return engineLives(living.front().name, living.front().host, living.front().pid);
    CAIRN_TRY_ASSIGN(const auto acts, from.waitingActs(1));
    if (!acts.empty())
        return refused("an act that was left for an engine still waits, or for somebody else, for run "
            + toText(acts.front().run)
            + " (`cairn acts`): let it be carried out, rejected or withdrawn first");
    CAIRN_TRY_ASSIGN(const auto found, from.unmovable());
    if (!found.empty())
        return refused(found.front() + "; then move the store");
    return {};
}

// A chain that is broken cannot be moved as it is, and nothing else may be made of it. Found out while the
// store is still open.
Status checkWhole(StoreReader& from)
{
    CAIRN_TRY_ASSIGN(const ChainsRead chains, readChains(from, 1));
    if (!chains.problems.empty())
        return makeError(ErrorKind::Corrupt,
            chains.problems.front().where + ": " + chains.problems.front().text
                + ". A broken history cannot be moved; see `cairn verify`");
    AuditVerifier verifier;
    std::vector<AuditRow> rows;
    for (std::uint64_t seq = 0;;) {
        CAIRN_TRY(from.auditPage(seq, kAuditPage, rows));
        if (rows.empty())
            return {};
        for (const AuditRow& row : rows)
            if (!verifier.next(row))
                return makeError(ErrorKind::Corrupt,
                    verifier.problem() + ". A broken audit cannot be moved; see `cairn audit verify`");
        seq = rows.back().seq;
    }
}

// Where a move that has begun cannot go on.
Error orAbandon(Error error)
{
    if (error.kind == ErrorKind::Corrupt)
        error.text +=
            "; the move cannot go on: with --abandon it is given up, and this store takes writes again";
    return error;
}

InitOptions optionsLike(const StoreInfo& from, std::uint32_t copy, bool roles)
{
    InitOptions options;
    options.roles = roles;
    options.environment = from.environment;
    options.guarded = from.safety == Safety::Guarded;
    options.testClock = from.testClock;
    options.like = from;
    options.like->minWriter = minWriterOf({FenceKind::Filling, copy});
    options.like->clockOffset = 0;
    options.like->serverSystem = 0;
    options.like->serverTimeline = 0;
    return options;
}

// Made beforehand, with roles, and by nobody's move yet. Whether it holds something is for its own driver.
bool isWaiting(const std::optional<StoreInfo>& to, const StoreInfo& from)
{
    return to && to->roles && to->id != from.id && !fenceOf(to->minWriter);
}

Result<Standing> begun(Standing s, const std::string& to)
{
    const Fence& fence = *s.fence;
    if ((!s.to || isWaiting(s.to, s.from)) && fence.kind == FenceKind::Leaving && fence.copy == 0) {
        s.next = Standing::Next::Make;
        return s;
    }
    if (!s.to)
        return refused("the copy that this move fills is not at " + to
            + ": name the place that `cairn audit list` tells"
            + (fence.kind == FenceKind::Leaving ? ", or give the move up with --abandon" : ""));
    if (s.to->id != s.from.id)
        return refused(to + " holds another store");
    const auto there = fenceOf(s.to->minWriter);
    if (!there && fence.kind == FenceKind::Moved) {
        s.next = Standing::Next::Nothing;
        return s;
    }
    if (!there)
        return refused(to + " holds this same store without a fence: it is no copy of this move");
    if (there->kind != FenceKind::Filling)
        return refused(to + ": " + fenceError(*there).text);
    if (there->copy != fence.copy && (fence.kind != FenceKind::Leaving || fence.copy != 0))
        return refused(to + " holds the copy of another move, or another copy of this one");
    s.next = Standing::Next::Fill;
    s.copy = there->copy;
    return s;
}

Result<Standing> standingOf(StoreReader& from, const StoreDoor& door, bool roles)
{
    Standing s;
    CAIRN_TRY_ASSIGN(s.from, from.info());
    s.fence = fenceOf(s.from.minWriter);
    CAIRN_TRY_ASSIGN(s.to, lookAt(door));
    if (s.fence && s.fence->kind != FenceKind::Leaving && s.fence->kind != FenceKind::Moved)
        return fenceError(*s.fence);
    if (s.fence)
        return begun(std::move(s), door.name);
    CAIRN_TRY(checkMovable(from, s.from));
    if (s.to && !isWaiting(s.to, s.from))
        return refused("there is a store at " + door.name
            + " already; a move makes its own, or fills one that was made with roles and holds nothing yet");
    InitOptions trial = optionsLike(s.from, 1, roles);
    trial.preview = true;
    CAIRN_TRY(door.make(trial));
    CAIRN_TRY(checkWhole(from));
    return s;
}

// --- moving
// ----------------------------------------------------------------------------------------------------------

class Move {
public:
    explicit Move(const CopyRequest& request)
        : m_request(request)
        , m_from(request.from)
    {
    }

    Result<CopyReport> run()
    {
        auto done = go();
        if (!done && m_standing.fence && m_standing.fence->kind == FenceKind::Leaving)
            return orAbandon(std::move(done).error());
        return done;
    }

private:
    Result<CopyReport> go()
    {
        using Next = Standing::Next;
        CAIRN_TRY_ASSIGN(m_standing, standingOf(m_from, m_request.to, m_request.roles));
        if (m_standing.next == Next::Nothing)
            return already();
        if (m_standing.next == Next::Begin)
            CAIRN_TRY(begin());
        const bool fresh = m_standing.next != Next::Fill;
        if (fresh)
            CAIRN_TRY(make());
        CAIRN_TRY(openCopy());
        CAIRN_TRY(bind());
        CAIRN_TRY(fill(fresh));
        CAIRN_TRY(openTo());
        return std::move(m_report);
    }

    Result<AuditRow> entry(StoreWriter& store, std::string before, std::string after)
    {
        AuditRow row = m_request.act;
        CAIRN_TRY_ASSIGN(const StoreRights rights, store.rights());
        CAIRN_TRY_ASSIGN(row.time, store.now());
        row.login = loginOf(rights, row.uid);
        row.kind = "applied";
        row.verb = Verb::CopyStore;
        row.target = "store";
        row.command = makeId<CommandId>(row.time, m_request.rng);
        row.before = std::move(before);
        row.after = std::move(after);
        return row;
    }

    Result<CopyReport> already()
    {
        m_report.already = true;
        CAIRN_TRY_ASSIGN(m_report.runs, m_from.count({}));
        return std::move(m_report);
    }

    // From here on nothing is written into FROM, whoever tries.
    Status begin()
    {
        FenceChange change;
        change.from = m_standing.from.minWriter;
        change.to = minWriterOf({FenceKind::Leaving, 0});
        change.withoutEngines = true;
        CAIRN_TRY_ASSIGN(change.audit, entry(m_from, "{}", "{\"to\":" + jsonQuote(m_request.to.name) + "}"));
        CAIRN_TRY(m_from.changeFence(change));
        m_standing.fence = Fence{FenceKind::Leaving, 0};
        return stoppedAt("copy.fenced");
    }

    Status make()
    {
        m_standing.copy = 1 + static_cast<std::uint32_t>(m_request.rng.below(kCopies - 1));
        CAIRN_TRY(m_request.to.make(optionsLike(m_standing.from, m_standing.copy, m_request.roles)));
        return stoppedAt("copy.made");
    }

    Status openCopy()
    {
        StoreOptions filling;
        filling.intoFence = minWriterOf({FenceKind::Filling, m_standing.copy});
        CAIRN_TRY_ASSIGN(m_to, m_request.to.open(filling));
        return {};
    }

    // Of several copies that were made, FROM names one: only that can be opened.
    Status bind()
    {
        if (m_standing.fence->copy != 0)
            return {};
        // What was filled before belongs to a move that was given up: it may hold what has changed since.
        CAIRN_TRY_ASSIGN(const auto filled, m_to->audit(0, 1));
        if (!filled.empty())
            return refused(m_request.to.name + " holds the copy of an earlier move; remove it");
        FenceChange change;
        change.from = minWriterOf(*m_standing.fence);
        m_standing.fence->copy = m_standing.copy;
        change.to = minWriterOf(*m_standing.fence);
        CAIRN_TRY(m_from.changeFence(change));
        return stoppedAt("copy.bound");
    }

    Status fill(bool fresh)
    {
        SharedCopier shared(m_request, *m_to, m_standing.from.clockOffset);
        CAIRN_TRY(shared.copyAll());
        m_head = shared.auditHead();
        CAIRN_TRY(stoppedAt("copy.shared"));
        RunCopier runs(m_request, *m_to, fresh);
        CAIRN_TRY(runs.copyAll());
        CAIRN_TRY(stoppedAt("copy.copied"));
        CAIRN_TRY(shared.compareAll());
        CAIRN_TRY(runs.compareAll());
        m_report = shared.report();
        m_report.runs = runs.report().runs;
        m_report.entries = runs.report().entries;
        m_report.verified = runs.report().verified;
        m_report.redacted = runs.report().redacted;
        m_report.notes = runs.report().notes;
        return stoppedAt("copy.compared");
    }

    // FROM gives up the way back first. Until the second change nobody writes; a kill between them leaves
    // that change to the next call.
    Status openTo()
    {
        if (m_standing.fence->kind == FenceKind::Leaving) {
            FenceChange leave;
            leave.from = minWriterOf({FenceKind::Leaving, m_standing.copy});
            leave.to = minWriterOf({FenceKind::Moved, m_standing.copy});
            leave.auditHead = m_head;
            CAIRN_TRY(m_from.changeFence(leave));
            CAIRN_TRY(stoppedAt("copy.moved"));
        }
        FenceChange open;
        open.from = minWriterOf({FenceKind::Filling, m_standing.copy});
        open.to = kMaxFormat;
        open.auditHead = m_head;
        CAIRN_TRY_ASSIGN(open.audit,
            entry(*m_to, "{\"from\":" + jsonQuote(m_request.fromName) + "}",
                "{\"to\":" + jsonQuote(m_request.to.name) + ",\"runs\":" + std::to_string(m_report.runs)
                    + ",\"entries\":" + std::to_string(m_report.entries) + "}"));
        CAIRN_TRY(m_to->changeFence(open));
        return stoppedAt("copy.opened");
    }

public:
    // FROM's fence goes down last. A copy that cannot be found is no danger while FROM is only Leaving: to
    // open a copy takes FROM's change to Moved, which fails once FROM's audit has gone on.
    Result<CopyReport> abandon()
    {
        CAIRN_TRY_ASSIGN(const StoreInfo from, m_from.info());
        m_standing.fence = fenceOf(from.minWriter);
        CAIRN_TRY_ASSIGN(const std::optional<StoreInfo> to, checkAbandon(from, m_request.to));
        if (!to)
            m_report.notes.push_back(
                "no copy was found at " + m_request.to.name + "; wherever one was begun, it never opens");
        else if (const Fence fence = *fenceOf(to->minWriter); fence.kind == FenceKind::Filling) {
            m_standing.copy = fence.copy;
            CAIRN_TRY(openCopy());
            FenceChange shut;
            shut.from = to->minWriter;
            shut.to = minWriterOf({FenceKind::Abandoned, fence.copy});
            CAIRN_TRY(m_to->changeFence(shut));
        }
        CAIRN_TRY(stoppedAt("copy.shut"));
        FenceChange back;
        back.from = from.minWriter;
        back.to = kMaxFormat;
        CAIRN_TRY_ASSIGN(back.audit,
            entry(m_from, "{\"to\":" + jsonQuote(m_request.to.name) + "}", "{\"abandoned\":true}"));
        CAIRN_TRY(m_from.changeFence(back));
        CAIRN_TRY_ASSIGN(m_report.runs, m_from.count({}));
        return std::move(m_report);
    }

    // The copy that has to be shut, or was shut by an earlier call; nothing: there is none.
    static Result<std::optional<StoreInfo>> checkAbandon(const StoreInfo& from, const StoreDoor& door)
    {
        const auto fence = fenceOf(from.minWriter);
        if (!fence)
            return refused("this store is not being moved");
        if (fence->kind != FenceKind::Leaving && fence->kind != FenceKind::Moved)
            return fenceError(*fence);
        auto looked = lookAt(door);
        if (!looked && looked.error().kind == ErrorKind::Disconnected && fence->kind == FenceKind::Leaving)
            looked = std::optional<StoreInfo>();  // its server may be lost for good
        CAIRN_TRY_ASSIGN(const auto to, std::move(looked));
        if (fence->kind == FenceKind::Leaving && fence->copy == 0 && isWaiting(to, from))
            return std::optional<StoreInfo>();
        if (!to && fence->kind == FenceKind::Moved)
            return refused("the copy is not at " + door.name
                + ", and it may be in use: name the place that `cairn audit list` tells");
        if (!to)
            return to;
        const auto there = fenceOf(to->minWriter);
        if (to->id != from.id
            || (there && there->kind != FenceKind::Filling && there->kind != FenceKind::Abandoned))
            return refused(door.name + " holds no copy of this store");
        if (!there)
            return refused(
                door.name + " takes writes: the move is done, and there is no way back but another move");
        if (fence->copy != 0 && there->copy != fence->copy)
            return refused(door.name + " holds the copy of another move, or another copy of this one");
        return to;
    }

private:
    const CopyRequest& m_request;
    StoreWriter& m_from;
    std::unique_ptr<StoreWriter> m_to;
    Standing m_standing;
    CopyReport m_report;
    Digest m_head;  // of both audits
};

}  // namespace

Result<CopyReport> copyStore(const CopyRequest& request)
{
    const auto began = std::chrono::steady_clock::now();
    CAIRN_TRY_ASSIGN(CopyReport report, Move(request).run());
    report.took =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began)
            .count();
    return report;
}

Result<CopyReport> abandonCopy(const CopyRequest& request) { return Move(request).abandon(); }

Result<std::string> previewCopy(StoreReader& from, const StoreDoor& to, bool roles)
{
    CAIRN_TRY_ASSIGN(const Standing standing, standingOf(from, to, roles));
    CAIRN_TRY_ASSIGN(const std::uint64_t runs, from.count({}));
    const std::string what = formatCount(static_cast<std::int64_t>(runs)) + (runs == 1 ? " run" : " runs");
    switch (standing.next) {
    case Standing::Next::Begin:
        return "nothing is written into this store from now on; " + what + (runs == 1 ? " is" : " are")
            + " copied to " + to.name + ", compared, and live there";
    case Standing::Next::Nothing: return "nothing: it was moved to " + to.name + " before";
    default: break;
    }
    if (standing.fence && standing.fence->kind == FenceKind::Leaving)
        if (const Status whole = checkWhole(from); !whole)
            return orAbandon(whole.error());
    return "the move to " + to.name + " goes on; " + what + " live there at its end";
}

Result<std::string> previewAbandon(StoreReader& from, const StoreDoor& to)
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, from.info());
    CAIRN_TRY_ASSIGN(const auto copy, Move::checkAbandon(info, to));
    return std::string("engines may use this store again; ")
        + (copy ? "the copy at " + to.name + " is shut for good" : "there is no copy at " + to.name);
}

}  // namespace cairn
