#include "core/store/replica.h"

#include "core/base/text.h"

namespace cairn {

// Where it is connected, and has shown all that it was sent, there is nothing to be behind of; but a link
// that died unseen looks the same, and then the heartbeats of engines that live are missing.
SpanMs Replica::behind() const noexcept { return !standby || (receives && replaysAll && !silent) ? 0 : age; }

bool Replica::late() const noexcept
{
    const SpanMs span = behind();
    return span == kUnknownAge || span > kLateReplica;
}

std::string replicaText(const Replica& replica)
{
    if (!replica.standby)
        return {};
    const SpanMs span = replica.behind();
    const std::string much =
        span == kUnknownAge ? std::string("behind by nobody knows how much") : formatSpan(span) + " behind";
    const std::string most = span == kUnknownAge ? much : "at most " + much;
    if (!replica.receives)
        return "Standby, " + most + ", and it receives nothing from its primary";
    if (!replica.replaysAll)
        return "Standby, " + much;
    if (replica.silent)
        return "Standby, " + most + ": no heartbeat of an engine came since";
    return "Standby, up to date";
}

}  // namespace cairn
