#include "core/export/output_file.h"

#include "core/base/file.h"
#include "core/base/text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn::exporting {

namespace {

Error thereIsOne(const std::string& path)
{
    return makeError(
        ErrorKind::Refused, "there is a file at " + visibleLine(path) + " already; it is not written over");
}

Error failedAt(const char* what, const std::string& path)
{
    const int code = errno;
    return makeError(code == ENOSPC || code == EDQUOT ? ErrorKind::Full : ErrorKind::Io,
        std::string("cannot ") + what + " " + visibleLine(path) + ": " + std::strerror(code), code);
}

}  // namespace

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path)
{
    struct stat info = {};
    if (::lstat(path.c_str(), &info) == 0)
        return thereIsOne(path);
    std::string part = path + ".XXXXXX";
    const int fd = ::mkostemp(part.data(), O_CLOEXEC);  // mode 0600
    if (fd < 0)
        return failedAt("make", path);
    return std::unique_ptr<OutputFile>(new OutputFile(path, std::move(part), fd));
}

OutputFile::OutputFile(std::string path, std::string part, int fd)
    : m_path(std::move(path))
    , m_part(std::move(part))
    , m_fd(fd)
{
}

OutputFile::~OutputFile()
{
    if (m_fd >= 0)
        ::close(m_fd);
    if (!m_finished)
        ::unlink(m_part.c_str());
}

Error OutputFile::failed(const char* what) const { return failedAt(what, m_path); }

Status OutputFile::write(std::string_view bytes)
{
    m_size += bytes.size();
    if (!writeWhole(m_fd, bytes))
        return failed("write");
    return {};
}

// A link fails where somebody has made a file of that name meanwhile; where a file system has no links, a
// rename has to do.
Status OutputFile::finish()
{
    if (::fsync(m_fd) != 0)
        return failed("write");
    if (::link(m_part.c_str(), m_path.c_str()) == 0)
        ::unlink(m_part.c_str());
    else if (errno == EEXIST)
        return thereIsOne(m_path);
    else if (::rename(m_part.c_str(), m_path.c_str()) != 0)
        return failed("make");
    m_finished = true;
    if (!syncFolder(folderOfFile(m_path)))
        return failed("sync the folder of");
    return {};
}

}  // namespace cairn::exporting
