#include "core/engine/command_executor.h"

#include "core/base/failpoint.h"
#include "core/base/text.h"
#include "core/engine/call_settings.h"
#include "core/engine/command_spawn.h"
#include "core/engine/exec_helper.h"
#include "core/engine/lease_page.h"

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>
#include <unordered_map>

namespace cairn {

namespace asio = boost::asio;
using boost::system::error_code;

namespace {

constexpr int kExitRejected = 65;  // EX_DATAERR
constexpr std::chrono::seconds kRest{1};
constexpr int kExitRetry = 75;       // EX_TEMPFAIL
constexpr int kExitCredential = 77;  // EX_NOPERM

// One running program. Kept alive by its pending reads; ends when all streams have ended and the helper was
// reaped.
struct Call : std::enable_shared_from_this<Call> {
    Call(asio::io_context& io, StartOrder o, const Spawned& spawned, const SpawnRequest& request,
        std::uint64_t limit, std::string s)
        : order(std::move(o))
        , program(request.program)
        , folder(request.folder)
        , pid(spawned.pid)
        , secret(std::move(s))
        , in(io, spawned.in)
        , out(io, spawned.out)
        , err(io, spawned.err)
        , status(io, spawned.status)
        , exited(io, spawned.pidFd)
        , output(std::make_shared<Spool>(limit, secret))
        , rest(io)
    {
    }

    void begin()
    {
        auto self = shared_from_this();
        asio::async_write(in, asio::buffer(order.input), [self](error_code, std::size_t) {
            error_code ignored;  // a tool need not read its input
            self->in.close(ignored);
        });
        readOutput();
        readError();
        readStatus();
        exited.async_wait(asio::posix::stream_descriptor::wait_read, [self](error_code problem) {
            if (problem)
                return;
            ::waitpid(self->pid, nullptr, 0);
            self->pid = -1;
            error_code ignored;
            self->exited.close(ignored);
            self->in.close(ignored);
            self->ended();
            self->waitForRest();
        });
    }
    // All processes of the tool are gone. What they wrote is in the pipes; an end that is kept open by
    // somebody whom they gave it to (over a socket) is not waited for: once nothing comes any more, it is
    // over.
    void waitForRest()
    {
        if (open == 0)
            return;
        auto self = shared_from_this();
        rest.expires_after(kRest);
        rest.async_wait([self, before = received](error_code problem) {
            if (problem || self->open == 0)
                return;
            if (self->received != before)
                return self->waitForRest();
            self->closeAll();
        });
    }
    void readOutput()
    {
        auto self = shared_from_this();
        out.async_read_some(asio::buffer(outBuffer), [self](error_code problem, std::size_t size) {
            if (problem) {
                self->ended();
                return;
            }
            if (self->spoolProblem) {
                self->readOutput();  // goes on reading, so that the tool can end
                return;
            }
            self->received += size;
            if (auto kept = self->output->append({self->outBuffer.data(), size}); !kept) {
                self->spoolProblem = kept.error();
                self->signal(SIGTERM);
            }
            self->readOutput();
        });
    }
    void readError()
    {
        auto self = shared_from_this();
        err.async_read_some(asio::buffer(errBuffer), [self](error_code problem, std::size_t size) {
            if (problem) {
                self->ended();
                return;
            }
            self->received += size;
            // The end of it says most: the newest part is kept.
            self->errorText.append(self->errBuffer.data(), size);
            if (self->errorText.size() > 4 * kErrorTextLimit)
                self->errorText.erase(0, self->errorText.size() - 2 * kErrorTextLimit);
            self->readError();
        });
    }
    void readStatus()
    {
        auto self = shared_from_this();
        status.async_read_some(asio::buffer(statusBuffer), [self](error_code problem, std::size_t size) {
            if (problem) {
                self->ended();
                return;
            }
            self->statusText.append(self->statusBuffer.data(), size);
            self->readStatus();
        });
    }
    // The helper turns TERM into TERM, grace, KILL for everything below it.
    void signal(int number) const
    {
        if (pid > 0)
            ::kill(pid, number);
    }
    void ended()
    {
        if (--open > 0)
            return;
        rest.cancel();
        if (done)
            std::exchange(done, {})(*this);
    }
    void closeAll()
    {
        error_code ignored;
        for (asio::posix::stream_descriptor* stream : {&in, &out, &err, &status})
            stream->close(ignored);
    }

    StartOrder order;
    std::string program, folder;
    pid_t pid;
    std::string secret;
    asio::posix::stream_descriptor in, out, err, status, exited;
    std::array<char, 64 * 1024> outBuffer{};
    std::array<char, 4096> errBuffer{};
    std::array<char, 64> statusBuffer{};
    std::shared_ptr<Spool> output;
    std::string errorText;
    std::string statusText;
    std::optional<Error> spoolProblem;
    bool stopped = false;  // asked to by cancel()
    int open = 4;          // out, err, status, the helper itself
    asio::steady_timer rest;
    std::uint64_t received = 0;  // bytes of output and error text
    std::function<void(Call&)> done;
};

// The tool ended by itself with this code, which is not 0.
AttemptResult exitResult(const StartOrder& order, int code, std::string text)
{
    if (text.empty())
        text = "exit code " + std::to_string(code);
    const EffectKnowledge notDone = knowledgeWhenNotDone(order);
    switch (code) {
    case kExitRetry: return failedResult(order, FailureClass::Retryable, notDone, std::move(text));
    case kExitCredential: return failedResult(order, FailureClass::Credential, notDone, std::move(text));
    case kExitRejected: return failedResult(order, FailureClass::Rejected, notDone, std::move(text));
    default: break;
    }
    const EffectKnowledge broken = knowledgeWhenBroken(order);
    if (code > 128)
        return failedResult(order, FailureClass::Crashed, broken,
            "ended by signal " + std::to_string(code - 128) + (text.empty() ? "" : ": " + text));
    // A tool that may be repeated under its key has said that it failed; of an irreversible one only a
    // look-up tells.
    return failedResult(order, FailureClass::Permanent,
        order.safety == ReplaySafety::Irreversible ? broken : notDone, std::move(text));
}

AttemptResult outputResult(Call& call)
{
    const StartOrder& order = call.order;
    if (auto finished = call.output->finish(); !finished)
        return failedResult(order, FailureClass::TooLarge, knowledgeWhenBroken(order), finished.error().text);
    if (order.purpose == Purpose::LookUp)
        return lookUpResult(order, *call.output);
    AttemptResult result;
    result.attempt = order.attempt;
    result.kind = AttemptResult::Kind::Completed;
    result.output = call.output;
    return result;
}

// The tool was never begun: whose fault it is decides what follows.
AttemptResult notRun(const Call& call, std::string_view how, int number)
{
    const auto say = [&](FailureClass failure, const std::string& text) {
        return failedResult(
            call.order, failure, knowledgeWhenNotDone(call.order), withoutSecret(text, call.secret));
    };
    const std::string why = std::strerror(number);
    const std::string program = "the program " + call.program;
    if (how == "begin" || isOwnLack(number))
        return say(FailureClass::NotBegun, program + " cannot be begun here now: " + why);
    if (how == "cwd")
        return say(FailureClass::Permanent,
            program + " was not run, for its folder (cwd) " + call.folder + " cannot be entered: " + why);
    // The system says "no such file" of a script's interpreter as well.
    const bool isThere = number == ENOENT && ::access(call.program.c_str(), F_OK) == 0;
    return say(FailureClass::Permanent,
        program + " cannot be run: "
            + (isThere ? "it is there, and the interpreter that its first line names is not" : why));
}

AttemptResult resultOf(Call& call)
{
    const StartOrder& order = call.order;
    char word[16] = {};
    int number = 0;
    const bool told = std::sscanf(call.statusText.c_str(), "%15s %d", word, &number) == 2;
    const std::string_view how = told ? std::string_view(word) : "lost";
    std::string text(trimmed(withoutSecret(call.errorText, call.secret)));
    if (text.size() > kErrorTextLimit)
        text.erase(0, text.size() - kErrorTextLimit);
    if (how == "exec" || how == "cwd" || how == "begin")
        return notRun(call, how, number);
    if (call.spoolProblem) {
        const bool large = call.spoolProblem->kind == ErrorKind::Refused;
        return failedResult(order, large ? FailureClass::TooLarge : FailureClass::Retryable,
            knowledgeWhenBroken(order), call.spoolProblem->text);
    }
    if (how == "exit" && number == 0)
        return outputResult(call);
    AttemptResult result = how == "exit" ? exitResult(order, number, text)
        : how == "signal"
        ? failedResult(order, FailureClass::Crashed, knowledgeWhenBroken(order),
            "ended by signal " + std::to_string(number) + (text.empty() ? "" : ": " + text))
        : failedResult(order, FailureClass::Crashed, knowledgeWhenBroken(order),
            told ? "stopped at the end of the engine's lease" : "the helper process was killed");
    result.cancelled = call.stopped;
    return result;
}

}  // namespace

struct CommandExecutor::Impl {
    Impl(asio::io_context& context, CommandConfig k)
        : io(context)
        , config(std::move(k))
    {
    }
    asio::io_context& io;
    CommandConfig config;
    Finished finished;
    std::unordered_map<AttemptId, std::shared_ptr<Call>> calls;
    LeasePage lease;
};

CommandExecutor::CommandExecutor(asio::io_context& io, CommandConfig config)
    : m_impl(std::make_unique<Impl>(io, std::move(config)))
{
}

CommandExecutor::~CommandExecutor()
{
    while (!m_impl->calls.empty())
        abandon(AttemptId(m_impl->calls.begin()->first));
}

void CommandExecutor::onFinished(Finished finished) { m_impl->finished = std::move(finished); }

void CommandExecutor::start(StartOrder order)
{
    Impl& impl = *m_impl;
    const auto fail = [&](FailureClass failure, const std::string& why) {
        impl.finished(failedResult(order, failure, knowledgeWhenNotDone(order), why));
    };
    const auto secret = readSecret(order.secret);
    if (!secret)
        return fail(isOwnLack(secret.error().native) ? FailureClass::NotBegun : FailureClass::Credential,
            secret.error().text);
    std::uint64_t limit = 0;
    if (const Status shared = impl.lease.open(); !shared)
        return fail(FailureClass::NotBegun, shared.error().text);
    const auto request = buildRequest(order, impl.config, *secret, impl.lease.descriptor(), limit);
    if (!request)
        return fail(FailureClass::Permanent, request.error().text);
    if (failpoint::hit("command.before-spawn"))
        return fail(FailureClass::Retryable, "failpoint command.before-spawn");
    const auto spawned = spawnHelper(impl.config.helper, *request);
    if (!spawned && spawned.error().kind == ErrorKind::OutcomeUnknown)
        return impl.finished(
            failedResult(order, FailureClass::Retryable, knowledgeWhenBroken(order), spawned.error().text));
    if (!spawned)  // what the tool is given may be too much for the system; all else is of this engine
        return fail(spawned.error().native == E2BIG ? FailureClass::Permanent : FailureClass::NotBegun,
            spawned.error().text);
    const AttemptId attempt = order.attempt;
    auto call =
        std::make_shared<Call>(impl.io, std::move(order), *spawned, *request, limit, secret->value_or(""));
    call->done = [this, attempt](Call& ended) {
        AttemptResult result = resultOf(ended);
        m_impl->calls.erase(attempt);
        static_cast<void>(failpoint::hit("command.before-answer"));
        m_impl->finished(std::move(result));
    };
    impl.calls[attempt] = call;
    call->begin();
}

void CommandExecutor::cancel(const AttemptId& attempt)
{
    const auto found = m_impl->calls.find(attempt);
    if (found == m_impl->calls.end())
        return;
    found->second->stopped = true;
    found->second->signal(SIGTERM);
}

void CommandExecutor::abandon(const AttemptId& attempt)
{
    const auto found = m_impl->calls.find(attempt);
    if (found == m_impl->calls.end())
        return;
    const std::shared_ptr<Call> call = std::move(found->second);
    m_impl->calls.erase(found);
    call->done = {};
    call->closeAll();
    call->signal(SIGQUIT);
}

void CommandExecutor::leaseEnds(SpanMs at) { m_impl->lease.set(at); }

}  // namespace cairn
