#include "core/engine/spool.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace cairn {

namespace {

constexpr std::string_view kMask = "[secret]";

Error fileError(const char* what)
{
    const int native = errno;
    const ErrorKind kind = native == ENOSPC || native == EDQUOT ? ErrorKind::Full : ErrorKind::Io;
    return makeError(kind, std::string(what) + ": " + std::strerror(native), native);
}

std::string temporaryFolder()
{
    const char* folder = std::getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

}  // namespace

std::string withoutSecret(std::string_view text, std::string_view secret)
{
    if (secret.empty())
        return std::string(text);
    std::string out;
    for (;;) {
        const auto at = text.find(secret);
        out.append(text.substr(0, at));
        if (at == std::string_view::npos)
            return out;
        out.append(kMask);
        text.remove_prefix(at + secret.size());
    }
}

Spool::~Spool()
{
    if (m_file >= 0)
        ::close(m_file);
}

Status Spool::openFile()
{
    const std::string folder = temporaryFolder();
    m_file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (m_file < 0) {
        std::string name = folder + "/cairn-output-XXXXXX";
        m_file = ::mkostemp(name.data(), O_CLOEXEC);
        if (m_file < 0)
            return fileError("a temporary file for a large output cannot be made");
        ::unlink(name.c_str());
    }
    return {};
}

Status Spool::append(std::string_view bytes)
{
    if (m_secret.empty())
        return put(bytes);
    m_held.append(bytes);
    std::string clean = withoutSecret(m_held, m_secret);
    // What may be the beginning of a secret waits for the next bytes.
    std::size_t keep = std::min(clean.size(), m_secret.size() - 1);
    while (keep > 0 && clean.compare(clean.size() - keep, keep, m_secret, 0, keep) != 0)
        --keep;
    m_held = clean.substr(clean.size() - keep);
    clean.resize(clean.size() - keep);
    return put(clean);
}

Status Spool::finish()
{
    const std::string rest = std::move(m_held);
    m_held.clear();
    return put(rest);
}

Status Spool::put(std::string_view bytes)
{
    if (m_size + bytes.size() > m_limit)
        return makeError(
            ErrorKind::Refused, "the output is larger than " + std::to_string(m_limit) + " bytes");
    if (m_file < 0 && m_size + bytes.size() <= kMemoryLimit) {
        m_memory.append(bytes);
        m_size += bytes.size();
        return {};
    }
    std::string all;
    if (m_file < 0) {
        CAIRN_TRY(openFile());
        all = std::move(m_memory);
        m_memory.clear();
        m_size = 0;
    }
    for (std::string_view part : {std::string_view(all), bytes}) {
        while (!part.empty()) {
            const ssize_t done = ::pwrite(m_file, part.data(), part.size(), static_cast<off_t>(m_size));
            if (done < 0 && errno == EINTR)
                continue;
            if (done < 0)
                return fileError("a large output cannot be kept in the temporary folder");
            m_size += static_cast<std::uint64_t>(done);
            part.remove_prefix(static_cast<std::size_t>(done));
        }
    }
    return {};
}

Result<std::string> Spool::read(std::size_t limit)
{
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(limit, m_size - m_readAt));
    std::string out;
    if (m_file < 0) {
        out = m_memory.substr(static_cast<std::size_t>(m_readAt), size);
        m_readAt += size;
        return out;
    }
    out.resize(size);
    std::size_t have = 0;
    while (have < size) {
        const ssize_t got =
            ::pread(m_file, out.data() + have, size - have, static_cast<off_t>(m_readAt + have));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return fileError("a large output cannot be read back from the temporary folder");
        have += static_cast<std::size_t>(got);
    }
    m_readAt += size;
    return out;
}

Result<std::string> Spool::all()
{
    m_readAt = 0;
    auto bytes = read(static_cast<std::size_t>(m_size));
    m_readAt = 0;
    return bytes;
}

}  // namespace cairn
