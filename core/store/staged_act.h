#pragma once
// An act of a person that lies in the store until somebody else, or an engine, has had a hand in it.

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/ids.h"
#include "core/model/types.h"
#include "core/model/vocabulary.h"

#include <cstdint>
#include <string>

namespace cairn {

// An act that waits: for an engine, where whoever may not commit leaves it in the store (DESIGN 9); or for
// somebody else to confirm it, where the policy asks for two people.
enum class StagedState : std::uint8_t {
    Waiting = 0,  // to be carried out: it needs nobody else, or is confirmed
    Committed,
    NoChange,
    Rejected,  // by the rules
    Failed,
    Proposed,   // waits for somebody else
    Refused,    // by somebody else
    Expired,    // nobody else confirmed it in time
    Withdrawn,  // by its author
};
inline constexpr StagedState kLastStagedState = StagedState::Withdrawn;
[[nodiscard]] constexpr bool isOpen(StagedState s)
{
    return s == StagedState::Waiting || s == StagedState::Proposed;
}
struct StagedAct {
    CommandId command;  // a UUID of version 7; the act's id in the run too
    RunId run;
    Verb verb = Verb::Approve;
    std::string target;  // step or approval id
    std::string body;    // encoded submission (core/service/staged.h)
    std::string reason;
    std::string claimed;  // name, uid and host as the stager says
    std::uint32_t uid = 0;
    std::string host;
    std::uint64_t seenVersion = 0;
    Digest seenDigest;  // of an approval: the binding that was shown
    // Filled by the store.
    std::string stagedBy{};  // session_user
    std::string address{};   // of that connection; empty: a socket of the server itself
    std::int64_t backend = 0;
    TimeMs stagedAt = kNoTime;
    StagedState state = StagedState::Waiting;
    std::uint8_t code = 0;      // RejectCode or ErrorKind, where it was not done
    std::uint64_t version = 0;  // of the entry, where there is one
    std::uint64_t auditSeq = 0;
    std::string outcome{};  // text
    TimeMs decidedAt = kNoTime;
    bool glass = false;  // asked for by break-glass: needs nobody else, and opens a review
    // Of an act that needs, or needed, somebody else; set where it was proposed.
    std::string role{};           // of who confirms; empty: whoever may act
    TimeMs expires = kNoTime;     // not confirmed by then, it is over
    Digest digest{};              // of all that is asked (actDigest), which is what is confirmed
    std::string confirmedBy{};    // login of who decided it, by the store where it knows logins
    std::string confirmedName{};  // as claimed
    std::string note{};           // that person's reason
    TimeMs confirmedAt = kNoTime;
};
// All that was asked and by whom, nothing of what became of it.
[[nodiscard]] Digest actDigest(const StagedAct& act);
inline constexpr std::size_t kStagedLimit = 1024 * 1024;         // bytes of a body
inline constexpr SpanMs kActExpires = SpanMs{24} * 3600 * 1000;  // then no engine carries it out any more
inline constexpr SpanMs kKeepAnswered = SpanMs{30} * 24 * 3600 * 1000;  // then an answered act is forgotten

}  // namespace cairn
