#include "core/base/file.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace cairn {

OwnedFd::~OwnedFd()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

bool writeWhole(int fd, std::string_view bytes) noexcept
{
    while (!bytes.empty()) {
        const ssize_t some = ::write(fd, bytes.data(), bytes.size());
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return false;
        bytes.remove_prefix(static_cast<std::size_t>(some));
    }
    return true;
}

std::string folderOfFile(const std::string& path)
{
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash == 0 ? 1 : slash);
}

bool syncFolder(const std::string& folder) noexcept
{
    const OwnedFd parent(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return parent.get() >= 0 && ::fsync(parent.get()) == 0;
}

}  // namespace cairn
