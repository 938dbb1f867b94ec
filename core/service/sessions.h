#pragma once
// Which engines are heard. One answer for `why`, lists and the console: the reason `lease` comes from nowhere
// else.

#include "core/machine/machine.h"
#include "core/store/store.h"

namespace cairn {

// A heartbeat of the future, by more than a store's clock may lag: the clock went back since, or had been
// wrong. Until when the lease lasts says nothing then.
[[nodiscard]] bool isAhead(const SessionRow& row, TimeMs now);

// As of one read of the store. An engine that lives here may still be dead: that shows when its lease has
// passed.
class HeardSessions {
public:
    HeardSessions() = default;
    // `open`: the sessions that nobody has ended.
    HeardSessions(std::vector<SessionRow> open, TimeMs now);

    // Nothing: it is heard.
    [[nodiscard]] std::optional<LostSession> lost(const SessionId& session) const;
    [[nodiscard]] const std::vector<SessionId>& living() const { return m_living; }
    // Also those of which nothing can be said, for their last heartbeat lies in the future.
    [[nodiscard]] std::vector<SessionRow> mayLive() const;
    // Those that are heard, and those that are not though nobody has ended them.
    [[nodiscard]] std::vector<SessionRow> heard() const { return open(true); }
    [[nodiscard]] std::vector<SessionRow> silent() const { return open(false); }

private:
    [[nodiscard]] std::vector<SessionRow> open(bool living) const;

    std::vector<SessionRow> m_open;
    std::vector<SessionId> m_living;
    TimeMs m_now = kNoTime;
};

// Whether the process of a session is certainly gone, for one who can see the processes of its host.
using SessionGone = std::function<bool(const SessionRow&)>;
// Blocks on a short read. A session whose process is gone is not heard any more, whatever its lease says.
[[nodiscard]] Result<HeardSessions> hearSessions(
    StoreReader& reader, TimeMs now, const SessionGone& gone = nullptr);

}  // namespace cairn
