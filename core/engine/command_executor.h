#pragma once
// Runs programs: an argv, no shell, through cairn-exec. Input on standard input, output from standard output;
// standard error is kept for the error text. Exit codes: 0 done · 65 the input does not fit · 75 try again
// later · 77 a credential is missing (these three promise that nothing was done) · any other: final; a signal
// or 128+n: crashed. Settings: "argv", "cwd", "env" (names that are handed on), "max_output". The process
// sees PATH, HOME, LANG, LC_ALL, LC_CTYPE, TZ, TMPDIR, what "env" names, and CAIRN_RUN, CAIRN_STEP,
// CAIRN_ATTEMPT, CAIRN_ATTEMPT_NUMBER, CAIRN_PURPOSE, CAIRN_EFFECT_KEY, CAIRN_SECRET, TRACEPARENT.
// Use on the thread that runs `io`, and nowhere else: the parent-death signal belongs to the thread that
// spawns.

#include "core/engine/executor.h"

#include <boost/asio/io_context.hpp>

#include <cstdint>

namespace cairn {

struct CommandLimits {
    std::uint64_t cpuSeconds = 24 * 3600;
    std::uint64_t memory = 16ULL << 30;  // address space, bytes
    std::uint64_t fileSize = 4ULL << 30;
    std::uint64_t files = 1024;
    std::uint64_t processes = 0;  // of this user in all; 0: as the engine's own limit
    std::uint64_t output = kPayloadBytes;
    SpanMs grace = 5'000;  // between TERM and KILL
};

struct CommandConfig {
    std::string helper;  // path of cairn-exec
    CommandLimits limits;
};

class CommandExecutor final : public Executor {
public:
    CommandExecutor(boost::asio::io_context& io, CommandConfig config);
    ~CommandExecutor() override;

    void onFinished(Finished finished) override;
    void start(StartOrder order) override;
    void cancel(const AttemptId& attempt) override;
    void abandon(const AttemptId& attempt) override;
    void leaseEnds(SpanMs at) override;

    struct Impl;

private:
    std::unique_ptr<Impl> m_impl;
};

}  // namespace cairn
