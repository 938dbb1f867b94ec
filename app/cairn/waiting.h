#pragma once
// Waiting in a command that goes on until something happens: a time, a change of the store, or a signal that
// ends the program. One thread; blocks.

#include "core/base/clock.h"
#include "core/store/hints.h"

#include <memory>
#include <string>

namespace cairn::cli {

class Waiting {
public:
    enum class Woken {
        Time,     // it has passed
        Changed,  // another process said that it has committed something: look
        Signal,   // SIGINT or SIGTERM, which no longer end the program by themselves
    };

    // `store`: whose changes wake; empty, or of a kind whose processes cannot reach each other: none do. A
    // link that cannot be made is none: whoever waits looks again when the time has passed.
    explicit Waiting(const std::string& store = {});
    ~Waiting();
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

    [[nodiscard]] Woken wait(SpanMs most);

private:
    int m_signals;  // descriptors
    int m_changes;
    std::shared_ptr<HintLink> m_link;
};

}  // namespace cairn::cli
