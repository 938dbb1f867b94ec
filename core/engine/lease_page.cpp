#include "core/engine/lease_page.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cairn {

namespace {

constexpr int kAboveStandard = 10;  // out of the way of the descriptors that a helper is given

Error failedWith(const char* what)
{
    return makeError(ErrorKind::Io, std::string(what) + ": " + std::strerror(errno), errno);
}

}  // namespace

LeasePage::~LeasePage()
{
    if (m_end != nullptr)
        ::munmap(m_end, sizeof *m_end);
    if (m_fd >= 0)
        ::close(m_fd);
}

Status LeasePage::open()
{
    if (m_end != nullptr)
        return {};
    const int made = ::memfd_create("cairn-lease", MFD_CLOEXEC);
    if (made < 0)
        return failedWith("memory to share the lease cannot be had");
    const int fd = ::fcntl(made, F_DUPFD_CLOEXEC, kAboveStandard);
    ::close(made);
    if (fd < 0)
        return failedWith("no descriptor for the lease");
    void* at = ::ftruncate(fd, sizeof *m_end) == 0
        ? ::mmap(nullptr, sizeof *m_end, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
        : MAP_FAILED;
    if (at == MAP_FAILED) {
        Error error = failedWith("memory to share the lease cannot be had");
        ::close(fd);
        return error;
    }
    m_fd = fd;
    m_end = static_cast<SpanMs*>(at);
    set(m_before);
    return {};
}

void LeasePage::set(SpanMs end) noexcept
{
    m_before = end;
    if (m_end != nullptr)
        std::atomic_ref<SpanMs>(*m_end).store(end, std::memory_order_release);
}

}  // namespace cairn
