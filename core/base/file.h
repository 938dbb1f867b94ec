#pragma once
// What small files that must last share: a descriptor that is closed when it goes, whole writes, and the sync
// of the folder without which a new name may be gone after a power cut. Any thread; all of it blocks on the
// file system. What returns false has left the reason in errno.

#include <string>
#include <string_view>

namespace cairn {

class OwnedFd {
public:
    explicit OwnedFd(int fd) noexcept
        : m_fd(fd)
    {
    }
    ~OwnedFd();
    OwnedFd(const OwnedFd&) = delete;
    OwnedFd& operator=(const OwnedFd&) = delete;
    [[nodiscard]] int get() const noexcept { return m_fd; }  // negative: it was not opened

private:
    int m_fd;
};

[[nodiscard]] bool writeWhole(int fd, std::string_view bytes) noexcept;
[[nodiscard]] std::string folderOfFile(const std::string& path);  // "." for a bare name
[[nodiscard]] bool syncFolder(const std::string& folder) noexcept;

}  // namespace cairn
