#include "core/store/checks.h"

#include "core/base/text.h"
#include "core/base/wire.h"

#include <algorithm>
#include <iterator>

namespace cairn {

namespace {

Error invalid(std::string text) { return makeError(ErrorKind::InvalidInput, std::move(text)); }

Status checkText(std::string_view text, const char* field)
{
    if (!isStorableText(text))
        return invalid(std::string(field) + " is not valid UTF-8 text without NUL; store it as a payload");
    return {};
}

Status checkCreate(const CommitMember& member)
{
    if (!member.identity)
        return invalid("a run cannot be created without its identity");
    const RunRow& id = *member.identity;
    if (id.run != member.run || member.entry.version != 1)
        return invalid("a run's first entry must have version 1 and name the run");
    CAIRN_TRY(checkText(id.key, "the run's key"));
    CAIRN_TRY(checkText(id.workflow.name, "the workflow's name"));
    return {};
}

Status checkRows(const CommitMember& member)
{
    if (member.list) {
        const ListRow& l = *member.list;
        for (const std::string* text : {&l.workflow, &l.key, &l.step, &l.situation, &l.resource, &l.error})
            CAIRN_TRY(checkText(*text, "a text of the run's list row"));
    }
    for (const StepRow& s : member.steps)
        for (const std::string* text : {&s.id, &s.name, &s.tool, &s.agent})
            CAIRN_TRY(checkText(*text, "a name of a step"));
    for (const AttemptRow& a : member.attempts)
        CAIRN_TRY(checkText(a.worker, "a worker's name"));
    for (const ApprovalRow& a : member.approvals) {
        CAIRN_TRY(checkText(a.role, "an approval's role"));
        CAIRN_TRY(checkText(a.decidedBy, "an approver's name"));
    }
    for (const AttributeRow& a : member.attributes) {
        CAIRN_TRY(checkText(a.name, "an attribute's name"));
        CAIRN_TRY(checkText(a.text, "an attribute's value"));
    }
    for (const EffectWrite& e : member.effects) {
        CAIRN_TRY(checkText(e.row.tool, "an effect's tool"));
        CAIRN_TRY(checkText(e.row.key, "an effect's key"));
    }
    return {};
}

int nibble(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return -1;
}

Error damagedItems(const PlanId& plan)
{
    return makeError(ErrorKind::Corrupt,
        "plan " + toText(plan) + " is damaged: an outcome of its items is none; see `cairn verify`");
}

template<typename Outcome> bool isOutcome(const Outcome& of)
{
    return of.state >= PlanItemState::Open && of.state <= PlanItemState::Failed && of.leftOut <= kLastLeftOut
        && of.fate <= PlanFate::Unknown;
}

}  // namespace

bool isStorableText(std::string_view text) noexcept
{
    std::size_t i = 0;
    while (i < text.size()) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c == 0)
            return false;
        if (c < 0x80) {
            ++i;
            continue;
        }
        const std::size_t extra = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
        if (c < 0xC2 || c > 0xF4 || text.size() - i <= extra)
            return false;
        std::uint32_t code = c & (0x3FU >> extra);
        for (std::size_t k = 1; k <= extra; ++k) {
            const auto next = static_cast<unsigned char>(text[i + k]);
            if ((next & 0xC0) != 0x80)
                return false;
            code = (code << 6) | (next & 0x3FU);
        }
        const bool overlong = (extra == 2 && code < 0x800) || (extra == 3 && code < 0x10000);
        if (overlong || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
            return false;
        i += extra + 1;
    }
    return true;
}

Status checkInlinePayload(const PayloadRow& payload)
{
    const PayloadRef& ref = payload.ref;
    if (payload.bytes.size() > kInlineLimit)
        return invalid("a payload of " + std::to_string(payload.bytes.size())
            + " bytes is over the inline limit of " + std::to_string(kInlineLimit)
            + "; stage it as an artifact");
    if (payload.bytes.size() != ref.size || saltedDigest(payload.salt, sha256(payload.bytes)) != ref.hash)
        return invalid("payload " + toText(ref.id) + " does not fit its size or hash");
    return {};
}

Status checkFormat(const CommitMember& member, std::uint16_t writeFormat)
{
    if (member.entry.format <= writeFormat)
        return {};
    return makeError(ErrorKind::SchemaMismatch,
        "format " + std::to_string(member.entry.format)
            + " may not be written to this store yet; run "
              "`cairn store migrate --contract` once every older engine has ended");
}

Status checkMember(const CommitMember& member, std::uint16_t writeFormat)
{
    CAIRN_TRY(checkFormat(member, writeFormat));
    return checkContent(member);
}

Status checkContent(const CommitMember& member)
{
    if (member.run.isNull() || member.entry.command.isNull())
        return invalid("a commit needs a run and a command id");
    if (member.entry.version != member.expectedVersion + 1)
        return invalid("an entry's version must follow the version that it was decided on");
    if (member.create)
        CAIRN_TRY(checkCreate(member));
    if (member.owner == OwnerChange::Take && (!member.create || member.newOwner.isNull()))
        return invalid("only the commit that creates a run may take it, and for a session");
    if (member.owner == OwnerChange::Release && member.create && member.by.isNull())
        return invalid("only an engine may say when a run that it creates is due");
    if (member.owner == OwnerChange::Drop && (member.create || !member.checkEpoch))
        return invalid(
            "only a run that is there can be taken from its owner, and from the one that was seen");
    CAIRN_TRY(checkRows(member));
    for (const PayloadRow& p : member.payloads) {
        if (p.ref.id.isNull())
            return invalid("a payload to store has no id");
        CAIRN_TRY(checkText(p.ref.media, "a payload's media type"));
        if (p.ref.size > kPayloadLimit)
            return invalid(
                "a payload of " + std::to_string(p.ref.size) + " bytes is over the limit of 256 MiB");
        if (p.redactedBy != 0 && (!p.bytes.empty() || !p.artifact.isNull()))
            return invalid("payload " + toText(p.ref.id) + " is redacted, and has bytes");
        if (p.artifact.isNull() && p.redactedBy == 0)
            CAIRN_TRY(checkInlinePayload(p));
    }
    if (member.planItem && (member.planItem->plan.isNull() || member.planItem->ord == 0))
        return invalid("the item of a plan that an act belongs to needs a plan and a place");
    if (member.audit)
        CAIRN_TRY(checkAudit(*member.audit));
    return {};
}

Status checkFound(FoundPayload& found, std::string bytes, const RunId& run, std::uint64_t inlineUpTo)
{
    const PayloadInfo& info = found.info;
    if (!info.artifact.isNull() || info.ref.size > inlineUpTo)
        return {};
    if (bytes.size() != info.ref.size || saltedDigest(info.salt, sha256(bytes)) != info.ref.hash)
        return makeError(ErrorKind::Corrupt,
            "payload " + toText(info.ref.id) + " of run " + toText(run) + " does not fit its hash");
    found.bytes = std::move(bytes);
    return {};
}

Status checkSlow(const ResourceRow& wanted, const AuditRow& act)
{
    if (wanted.name.empty() || !isStorableText(wanted.name))
        return invalid("a resource needs a name that is valid text");
    if (!act.run.isNull() || act.command.isNull())
        return invalid("an act on a resource has an id, and is about no run");
    return checkAudit(act);
}

Error limitsMoved(const ResourceRow& stored)
{
    return makeError(ErrorKind::Conflict,
        "the limits of resource " + stored.name + " have changed since they were shown, to "
            + (stored.permitsPerSecond == 0 ? std::string("no rate")
                                            : std::to_string(stored.permitsPerSecond) + " a second")
            + " and "
            + (stored.slots == 0 ? std::string("no limit at one time")
                                 : std::to_string(stored.slots) + " at one time")
            + "; nothing was done: look again");
}

Status checkSlots(SpanMs width)
{
    if (width > 0)
        return {};
    return makeError(ErrorKind::InvalidInput,
        "slots of time are longer than nothing: " + std::to_string(width) + " ms were asked for");
}

std::vector<std::string> inOrder(std::span<const std::string> texts)
{
    std::vector<std::string> out;
    std::copy_if(texts.begin(), texts.end(), std::back_inserter(out), isStorableText);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Status checkAudit(const AuditRow& row)
{
    for (const std::string* text :
        {&row.kind, &row.actor, &row.host, &row.login, &row.target, &row.reason, &row.before, &row.after})
        CAIRN_TRY(checkText(*text, "a text of the audit entry"));
    return {};
}

Status checkStaged(const StagedAct& act)
{
    const bool onStore = act.verb == Verb::SetPolicy || act.verb == Verb::Slow || act.verb == Verb::Plan;
    if (act.command.isNull() || (act.run.isNull() && !onStore))
        return invalid("an act needs a run and a command id");
    if (act.body.size() > kStagedLimit)
        return invalid("an act that waits for an engine may bring 1 MiB at most; this one has "
            + std::to_string(act.body.size()) + " bytes: it needs a login with the engine's right");
    for (const std::string* text : {&act.target, &act.reason, &act.claimed, &act.host})
        CAIRN_TRY(checkText(*text, "a text of the act"));
    return {};
}

Status checkPlan(const PlanChange& change)
{
    const PlanRow& row = change.row;
    if (row.id.isNull() || row.command.isNull())
        return invalid("a plan needs an id and the id of its staging");
    if (row.spec.size() > kStagedLimit)
        return invalid("what a plan does takes 1 MiB at most");
    for (const std::string* text :
        {&row.login, &row.actor, &row.host, &row.reason, &row.role, &row.confirmedBy, &row.note})
        CAIRN_TRY(checkText(*text, "a text of the plan"));
    if (change.added.size() > kPlanPage || change.done.size() > kPlanPage)
        return invalid("a plan changes by " + std::to_string(kPlanPage) + " items at a time at most");
    if (!change.added.empty() && row.state != PlanState::Draft)
        return invalid("items are added to a plan while it is a draft, and not once it is frozen");
    for (const auto* items : {&change.added, &change.done})
        for (const PlanItem& item : *items) {
            if (!isOutcome(item))
                return invalid("an item of a plan has an outcome that is none");
            if (item.ord == 0 || item.run.isNull() || item.command.isNull())
                return invalid("an item of a plan needs a place, a run and a command id");
            for (const std::string* text : {&item.target, &item.situation, &item.why})
                CAIRN_TRY(checkText(*text, "a text of an item"));
        }
    if (!change.audit)
        return {};
    if (!change.audit->run.isNull())
        return invalid("the audit of a plan is about no single run");
    return checkAudit(*change.audit);
}

Status checkRead(const PlanId& plan, std::span<const PlanItem> items)
{
    return std::all_of(items.begin(), items.end(), isOutcome<PlanItem>) ? Status() : damagedItems(plan);
}

Status checkRead(const PlanId& plan, std::span<const PlanCount> counts)
{
    return std::all_of(counts.begin(), counts.end(), isOutcome<PlanCount>) ? Status() : damagedItems(plan);
}

Error nobodyLeaves()
{
    return makeError(
        ErrorKind::Refused, "nothing is left for an engine in this store: whoever acts commits at once");
}

Error planMoved(const PlanId& plan)
{
    return makeError(ErrorKind::Conflict, "plan " + toText(plan) + " has moved on meanwhile: look again");
}

Error actIsOver(const CommandId& act)
{
    return makeError(ErrorKind::Refused,
        "act " + toText(act)
            + " does not wait to be carried out any more, for it was withdrawn or decided "
              "otherwise; nothing was done");
}

Error planItemOver(const PlanOutcome& item)
{
    return makeError(ErrorKind::Conflict,
        "item " + std::to_string(item.ord) + " of plan " + toText(item.plan)
            + " has its outcome already, or is about another act: nothing was done");
}

VerifyProblem openReview(const Review& review)
{
    const std::string what = review.run.isNull() ? std::string() : " run " + toText(review.run);
    return {"review " + toText(review.command),
        review.login + " broke the glass at " + formatInstant(review.openedAt) + " to "
            + std::string(key(review.verb)) + what
            + ", and nobody else has looked at it: `cairn audit review " + toText(review.command)
            + " --reason …`",
        false};
}

Status checkSession(const SessionRow& row)
{
    if (row.id.isNull())
        return invalid("a session needs an id");
    for (const std::string* text :
        {&row.name, &row.host, &row.bootId, &row.pidNamespace, &row.build, &row.serves})
        CAIRN_TRY(checkText(*text, "a text of the session"));
    return {};
}

Status checkWorkflow(const WorkflowRow& row)
{
    if (row.name.empty() || row.version == 0)
        return invalid("a workflow needs a name and a version of 1 or more");
    for (const std::string* text : {&row.name, &row.text, &row.folder})
        CAIRN_TRY(checkText(*text, "a text of the workflow"));
    return {};
}

Status checkSameWorkflow(const WorkflowRow& row, const Digest& stored)
{
    if (stored == row.digest)
        return {};
    return makeError(ErrorKind::Refused,
        "workflow " + row.name + "@" + std::to_string(row.version)
            + " is there with other content; give the changed one a new version");
}

Status checkClockOffset(const StoreInfo& info)
{
    if (info.testClock)
        return {};
    return makeError(ErrorKind::Refused, "only a store made with --test-clock accepts a clock offset");
}

Status checkChunk(const ArtifactId& artifact, std::uint32_t index, std::string_view bytes)
{
    if (artifact.isNull() || bytes.empty() || bytes.size() > kChunkSize)
        return invalid("a chunk needs an artifact and 1 byte to 1 MiB of content");
    if (index >= kPayloadLimit / kChunkSize)
        return invalid("an artifact may have at most 256 chunks of 1 MiB");
    return {};
}

Digest chunkDigest(const ArtifactId& artifact, std::uint32_t index, std::string_view bytes)
{
    WireWriter head;
    head.raw("cairn-chunk");
    head.id(artifact);
    head.u32(index);
    return sha256(head.out(), bytes);
}

Status checkAuditLink(const AuditRow& row, std::uint64_t seq, const Digest& head)
{
    CAIRN_TRY(checkAudit(row));
    if (row.seq != seq + 1 || row.previous != head)
        return makeError(ErrorKind::Conflict,
            "audit entry " + std::to_string(row.seq) + " does not continue the audit here, which ends at "
                + std::to_string(seq));
    if (auditHash(row) != row.hash)
        return makeError(ErrorKind::Corrupt,
            "audit entry " + std::to_string(row.seq) + " was changed after it was written");
    return {};
}

Status checkFilled(std::uint32_t intoFence)
{
    if (intoFence != 0)
        return {};
    return makeError(ErrorKind::Refused, "only a store that is being filled takes another's audit");
}

bool AuditVerifier::next(const AuditRow& row)
{
    if (!m_problem.empty())
        return false;
    const auto where = [&] { return "audit entry " + std::to_string(row.seq); };
    if (row.seq != m_seq + 1)
        m_problem =
            where() + " follows entry " + std::to_string(m_seq) + ": entries are missing or out of order";
    else if (row.previous != m_head)
        m_problem = where() + " does not continue the entry before it";
    else if (auditHash(row, m_room) != row.hash)
        m_problem = where() + " was changed after it was written";
    m_seq = row.seq;
    m_head = row.hash;
    return m_problem.empty();
}

std::optional<IdBounds> idBounds(std::string_view hexPrefix)
{
    IdBounds bounds;
    bounds.high.fill(0xFF);
    std::size_t digits = 0;
    for (const char c : hexPrefix) {
        if (c == '-')
            continue;
        const int value = nibble(c);
        if (value < 0 || digits >= 32)
            return std::nullopt;
        const auto shift = digits % 2 == 0 ? 4U : 0U;
        const auto keep = static_cast<std::uint8_t>(~(0x0FU << shift));
        const auto bits = static_cast<std::uint8_t>(static_cast<unsigned>(value) << shift);
        bounds.low[digits / 2] = static_cast<std::uint8_t>((bounds.low[digits / 2] & keep) | bits);
        bounds.high[digits / 2] = static_cast<std::uint8_t>((bounds.high[digits / 2] & keep) | bits);
        ++digits;
    }
    return bounds;
}

TimeMs dueAfterCommit(const CommitMember& member, bool byOwner, TimeMs now)
{
    if (byOwner || (member.create && member.owner == OwnerChange::Release))
        return member.nextDue;
    const bool ended = member.list && isFinished(member.list->activity);
    if (ended)
        return member.nextDue;
    return member.nextDue == kNoTime ? now : std::min(member.nextDue, now);
}

}  // namespace cairn
