#pragma once
// What a connection sees that reads a copy of a store which another server writes (a physical standby).

#include "core/base/clock.h"

#include <string>

namespace cairn {

struct Replica {
    bool standby = false;    // nothing can be written here; all below is of a standby only
    bool receives = true;    // it is connected to the server that it follows
    bool replaysAll = true;  // nothing that it has received waits to be shown
    // How old what is shown is, in ms, by the standby's clock against the time that the primary gave to the
    // newest transaction shown. kUnknownAge: nobody can say, as after a start in which nothing came.
    SpanMs age = 0;
    // Engines that are open, and no heartbeat of theirs came in time: then "nothing new" is no proof.
    bool silent = false;

    // A bound on how far it is behind: 0 where it has all that its primary has written.
    [[nodiscard]] SpanMs behind() const noexcept;
    // Worth a line to people who only look: over a few seconds behind, or not known.
    [[nodiscard]] bool late() const noexcept;
    friend bool operator==(const Replica&, const Replica&) = default;
};

inline constexpr SpanMs kUnknownAge = -1;
inline constexpr SpanMs kLateReplica = 5'000;

// "Standby, 3 s behind", "Standby, up to date"; empty where it is none.
[[nodiscard]] std::string replicaText(const Replica& replica);

}  // namespace cairn
