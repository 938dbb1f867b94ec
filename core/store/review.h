#pragma once
// What a person left by break-glass: with the role for emergencies alone. Each such act opens a review, which
// somebody else closes.

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/model/vocabulary.h"

#include <string>

namespace cairn {

struct Review {
    CommandId command;  // of the act
    RunId run;
    Verb verb = Verb::Approve;
    std::string target;  // step or approval id
    std::string login;   // whose act it was, as the database says
    std::string reason;
    std::string address;  // of that connection; empty: a socket of the server itself
    std::int64_t backend = 0;
    TimeMs openedAt = kNoTime;
    std::string closedBy;  // login
    std::string note;      // what was found
    TimeMs closedAt = kNoTime;
    [[nodiscard]] bool open() const noexcept { return closedAt == kNoTime; }
};

}  // namespace cairn
