#include "app/cairn/waiting.h"

#include "app/common/open_store.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <limits>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace cairn::cli {

namespace {

// Before any thread is begun: they take over which signals wait.
int signalDescriptor()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    return ::signalfd(-1, &signals, SFD_CLOEXEC);
}

}  // namespace

Waiting::Waiting(const std::string& store)
    : m_signals(signalDescriptor())
    , m_changes(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    if (store.empty() || m_changes < 0)
        return;
    HintOptions how;
    how.wake = [fd = m_changes] {
        const std::uint64_t one = 1;
        static_cast<void>(!::write(fd, &one, sizeof one));  // full: it wakes already
    };
    if (auto link = openHintsUrl(store, how))
        m_link = *std::move(link);
}

Waiting::~Waiting()
{
    m_link.reset();  // its thread writes to the descriptor
    for (const int fd : {m_changes, m_signals})
        if (fd >= 0)
            ::close(fd);
}

Waiting::Woken Waiting::wait(SpanMs most)
{
    const auto span = std::clamp<SpanMs>(most, 0, std::numeric_limits<int>::max());
    std::array<pollfd, 2> on{pollfd{m_signals, POLLIN, 0}, pollfd{m_changes, POLLIN, 0}};
    if (::poll(on.data(), on.size(), static_cast<int>(span)) <= 0)
        return Woken::Time;
    if (on[0].revents != 0)
        return Woken::Signal;
    std::uint64_t count = 0;
    static_cast<void>(!::read(m_changes, &count, sizeof count));
    if (m_link)
        static_cast<void>(m_link->take());
    return Woken::Changed;
}

}  // namespace cairn::cli
