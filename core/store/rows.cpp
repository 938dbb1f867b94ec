#include "core/store/rows.h"
#include "core/store/staged_act.h"

#include "core/base/wire.h"
#include "core/store/payload_info.h"

#include <tuple>

namespace cairn {

namespace {

auto content(const ListRow& r)
{
    return std::tie(r.run, r.root, r.parent, r.workflow, r.workflowVersion, r.key, r.activity, r.attention,
        r.reason, r.step, r.since, r.nextTime, r.situation, r.resource, r.error, r.createdAt, r.endedAt,
        r.steps, r.stepsDone, r.attempt, r.attemptsMax, r.amount.micros, r.amount.currency, r.heldUntil,
        r.assigned);
}

}  // namespace

bool ListRow::sameContent(const ListRow& o) const { return content(*this) == content(o); }

Digest actDigest(const StagedAct& act)
{
    WireWriter out;
    out.raw("cairn-act");
    out.u16(1);
    out.id(act.command);
    out.id(act.run);
    out.u8(static_cast<std::uint8_t>(act.verb));
    out.bytes(act.target);
    out.bytes(act.body);
    out.bytes(act.reason);
    out.bytes(act.stagedBy);
    return sha256(out.out());
}

Error redactedError(const PayloadId& payload, std::int64_t by)
{
    return makeError(ErrorKind::Refused,
        "payload " + toText(payload)
            + (by == kWithheldBy ? " was redacted: the bundle that this store was made from does not have it"
                                 : " was redacted by act " + std::to_string(by)));
}

Digest auditHash(const AuditRow& row)
{
    WireWriter room;
    return auditHash(row, room);
}

Digest auditHash(const AuditRow& row, WireWriter& out)
{
    out.clear();
    out.reserve(192 + row.kind.size() + row.actor.size() + row.host.size() + row.login.size()
        + row.target.size() + row.reason.size() + row.before.size() + row.after.size());
    out.raw("cairn-audit");
    out.u16(1);
    out.digest(row.previous);
    out.u64(row.seq);
    out.i64(row.time);
    out.bytes(row.kind);
    out.u8(static_cast<std::uint8_t>(row.verb));
    out.bytes(row.actor);
    out.u32(row.uid);
    out.bytes(row.host);
    out.bytes(row.login);
    out.id(row.run);
    out.bytes(row.target);
    out.id(row.command);
    out.bytes(row.reason);
    out.bytes(row.before);
    out.bytes(row.after);
    return sha256(out.out());
}

}  // namespace cairn
