#include "core/engine/exec_helper.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn {

namespace {

constexpr const char* kWhatToDo =
    "cairn-exec runs the programs of command tools, and without it none of them can be called. Install the "
    "package whole, or put the cairn-exec of the same version beside cairn, with the right to run it (chmod "
    "755)";

// 0: it can be run. A folder may be entered, and is no program.
int whyNot(const std::string& path)
{
    struct stat info { };
    if (::stat(path.c_str(), &info) != 0 || ::access(path.c_str(), X_OK) != 0)
        return errno;
    return S_ISREG(info.st_mode) ? 0 : EACCES;
}

}  // namespace

std::string ownFolder()
{
    std::array<char, 4096> self{};
    const ssize_t size = ::readlink("/proc/self/exe", self.data(), self.size() - 1);
    if (size <= 0)
        return {};
    const std::string path(self.data(), static_cast<std::size_t>(size));
    return path.substr(0, path.rfind('/'));
}

Result<std::string> findExecHelper(const std::string& folder)
{
    std::string looked;
    // The drill's older engine is one of the helpers itself: libexec/cairn, beside bin (CairnInstall.cmake).
    for (const std::string& candidate : {folder + "/cairn-exec", folder + "/../libexec/cairn/cairn-exec",
             folder + "/../bin/cairn-exec", folder + "/../../bin/cairn-exec"}) {
        const int native = whyNot(candidate);
        if (native == 0)
            return candidate;
        looked += (looked.empty() ? "" : ", ") + candidate + " (" + std::strerror(native) + ")";
    }
    return makeError(ErrorKind::Refused,
        "the engine cannot start: it has no cairn-exec. Looked for: " + looked + ". " + kWhatToDo);
}

Status checkExecHelper(const std::string& path)
{
    const int native = whyNot(path);
    if (native == 0)
        return {};
    return makeError(ErrorKind::Refused,
        "the engine cannot start: " + path + " cannot be run: " + std::strerror(native) + ". " + kWhatToDo,
        native);
}

bool isOwnLack(int native) noexcept
{
    return native == EMFILE || native == ENFILE || native == ENOMEM || native == EAGAIN || native == ENOBUFS;
}

}  // namespace cairn
