#include "core/store/message.h"

#include "core/base/wire.h"

namespace cairn {

namespace {

constexpr std::uint8_t kBodyVersion = 3;  // 1 lacks the index, 2 whose budget a person sets
constexpr std::size_t kMaxLines = 1024;   // usage and allotment lines of one message

void putPayload(WireWriter& out, const PayloadRef& v)
{
    out.id(v.id);
    out.digest(v.hash);
    out.u64(v.size);
    out.bytes(v.media);
}

PayloadRef getPayload(WireReader& in)
{
    PayloadRef v;
    v.id = in.id<PayloadId>();
    v.hash = in.digest();
    v.size = in.u64();
    v.media = in.bytes();
    return v;
}

void putControl(WireWriter& out, const Control& v)
{
    out.boolean(v.paused);
    out.boolean(v.cancelled);
    out.boolean(v.compensate);
    out.i64(v.deadline);
    out.u64(v.revision);
}

Control getControl(WireReader& in)
{
    Control v;
    v.paused = in.boolean();
    v.cancelled = in.boolean();
    v.compensate = in.boolean();
    v.deadline = in.i64();
    v.revision = in.u64();
    return v;
}

std::size_t getCount(WireReader& in)
{
    const std::size_t count = in.u32();
    if (count > kMaxLines)
        in.setFail();
    return in.fail() ? 0 : count;
}

}  // namespace

std::string encodeMessage(const Message& m)
{
    WireWriter out;
    out.u8(kBodyVersion);
    out.u8(static_cast<std::uint8_t>(m.kind));
    out.id(m.to);
    out.u32(m.step);
    out.u32(m.index);
    putPayload(out, m.payload);
    out.u8(static_cast<std::uint8_t>(m.as));
    out.u32(static_cast<std::uint32_t>(m.used.size()));
    for (const Usage& line : m.used) {
        out.bytes(line.unit);
        out.i64(line.amount);
    }
    out.u32(static_cast<std::uint32_t>(m.allotment.size()));
    for (const BudgetLine& line : m.allotment) {
        out.bytes(line.unit);
        out.i64(line.limit);
        out.i64(line.used);
        out.i64(line.reserved);
    }
    putControl(out, m.control);
    out.bytes(m.workflow);
    out.u32(m.workflowVersion);
    out.id(m.root);
    out.id(m.origin);
    out.u32(m.confirmed);
    out.u32(m.total);
    out.digest(m.effect);
    out.id(m.budgetAt);
    return out.take();
}

Result<Message> decodeMessage(std::string_view body)
{
    WireReader in(body);
    const std::uint8_t version = in.u8();
    if (version < 1 || version > kBodyVersion)
        return makeError(
            ErrorKind::Corrupt, "a message in the outbox has a form that this program does not know");
    Message m;
    const std::uint8_t kind = in.u8();
    if (kind < 1 || kind > static_cast<std::uint8_t>(cmd::kLastMessage))
        in.setFail();
    m.kind = static_cast<cmd::MessageKind>(kind);
    m.to = in.id<RunId>();
    m.step = in.u32();
    m.index = version >= 2 ? in.u32() : 0;
    m.payload = getPayload(in);
    const std::uint8_t as = in.u8();
    if (as < 1 || as > static_cast<std::uint8_t>(Activity::Blocked))
        in.setFail();
    m.as = static_cast<Activity>(as);
    for (std::size_t left = getCount(in); left > 0 && !in.fail(); --left) {
        auto& line = m.used.emplace_back();
        line.unit = in.bytes();
        line.amount = in.i64();
    }
    for (std::size_t left = getCount(in); left > 0 && !in.fail(); --left) {
        auto& line = m.allotment.emplace_back();
        line.unit = in.bytes();
        line.limit = in.i64();
        line.used = in.i64();
        line.reserved = in.i64();
    }
    m.control = getControl(in);
    m.workflow = in.bytes();
    m.workflowVersion = in.u32();
    m.root = in.id<RunId>();
    m.origin = in.id<RunId>();
    m.confirmed = in.u32();
    m.total = in.u32();
    m.effect = in.digest();
    if (version >= 3)
        m.budgetAt = in.id<RunId>();
    if (in.fail() || !in.atEnd())
        return makeError(ErrorKind::Corrupt, "a message in the outbox is damaged");
    return m;
}

}  // namespace cairn
