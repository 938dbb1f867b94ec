#pragma once
// The end of an engine's lease where its helper processes see it: eight bytes in memory that they share. A
// helper stops its tool at that time by itself, so it does so as well while the engine's thread is blocked,
// or the engine's process was stopped. One thread sets it; any number of processes read it.

#include "core/base/clock.h"
#include "core/base/result.h"

#include <limits>

namespace cairn {

class LeasePage {
public:
    static constexpr SpanMs kNever = std::numeric_limits<SpanMs>::max();

    LeasePage() = default;
    ~LeasePage();
    LeasePage(const LeasePage&) = delete;
    LeasePage& operator=(const LeasePage&) = delete;

    // Makes it, with no end. Io where the system gives no memory for it. Done before: nothing.
    [[nodiscard]] Status open();
    // CLOCK_BOOTTIME in milliseconds, as Clock::monotonicMs() gives it.
    void set(SpanMs end) noexcept;
    // To be handed on by number; closed on exec, and above those that a helper is given. -1 before open().
    [[nodiscard]] int descriptor() const noexcept { return m_fd; }

private:
    int m_fd = -1;
    SpanMs* m_end = nullptr;
    SpanMs m_before = kNever;  // set before open()
};

}  // namespace cairn
