#include "core/store/s3/credentials.h"

#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn::s3 {

namespace {

constexpr std::size_t kLargestFile = 1024 * 1024;

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

// What goes into a header.
bool isToken(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

Status checkFound(const Credentials& found)
{
    if (isToken(found.id) && isToken(found.secret) && isToken(found.token))
        return {};
    return makeError(ErrorKind::NoRight,
        "the credentials for the bucket (" + found.from + ") hold blanks or other characters that none have");
}

// The file is looked at through the descriptor that it is read by.
Result<std::string> readPrivate(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return makeError(ErrorKind::NoRight,
            "no credentials for the bucket: AWS_ACCESS_KEY_ID is not set, and " + path
                + " cannot be read: " + std::strerror(errno),
            errno);
    struct stat info { };
    Error problem;
    std::string text;
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        problem = makeError(ErrorKind::NoRight, path + " is no file");
    else if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        problem = makeError(
            ErrorKind::NoRight, path + " holds secrets, and others may read it; say chmod 600 " + path);
    else if (static_cast<std::uint64_t>(info.st_size) > kLargestFile)
        problem = makeError(ErrorKind::NoRight, path + " is too large to be a file of credentials");
    while (problem.text.empty()) {
        char part[4096];
        const ssize_t got = ::read(fd, part, sizeof part);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            problem = makeError(ErrorKind::NoRight, path + ": " + std::strerror(errno), errno);
        if (got <= 0 || text.size() > kLargestFile)
            break;
        text.append(part, static_cast<std::size_t>(got));
    }
    ::close(fd);
    if (!problem.text.empty())
        return problem;
    return text;
}

// [profile] and name = value; # and ; begin a comment.
Credentials readProfile(const std::string& text, const std::string& profile, bool& there)
{
    Credentials found;
    bool inside = false;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::string_view content = trimmed(line);
        if (content.empty() || content.front() == '#' || content.front() == ';')
            continue;
        if (content.front() == '[') {
            inside = trimmed(content.substr(1, content.find(']') - 1)) == profile;
            there = there || inside;
            continue;
        }
        const auto equals = content.find('=');
        if (!inside || equals == std::string_view::npos)
            continue;
        const std::string_view name = trimmed(content.substr(0, equals));
        const std::string value(trimmed(content.substr(equals + 1)));
        if (name == "aws_access_key_id")
            found.id = value;
        else if (name == "aws_secret_access_key")
            found.secret = value;
        else if (name == "aws_session_token")
            found.token = value;
    }
    return found;
}

}  // namespace

Result<Credentials> findCredentials()
{
    Credentials found{variable("AWS_ACCESS_KEY_ID"), variable("AWS_SECRET_ACCESS_KEY"),
        variable("AWS_SESSION_TOKEN"), "AWS_ACCESS_KEY_ID in the environment"};
    if (!found.id.empty() || !found.secret.empty()) {
        if (found.id.empty() || found.secret.empty())
            return makeError(ErrorKind::NoRight,
                std::string("no credentials for the bucket: ")
                    + (found.id.empty() ? "AWS_SECRET_ACCESS_KEY is set, but AWS_ACCESS_KEY_ID is not"
                                        : "AWS_ACCESS_KEY_ID is set, but AWS_SECRET_ACCESS_KEY is not"));
        CAIRN_TRY(checkFound(found));
        return found;
    }
    std::string path = variable("AWS_SHARED_CREDENTIALS_FILE");
    if (path.empty())
        path = variable("HOME") + "/.aws/credentials";
    std::string profile = variable("AWS_PROFILE");
    if (profile.empty())
        profile = "default";
    CAIRN_TRY_ASSIGN(const std::string text, readPrivate(path));
    bool there = false;
    found = readProfile(text, profile, there);
    found.from = "profile " + profile + " of " + path;
    if (found.id.empty() || found.secret.empty())
        return makeError(ErrorKind::NoRight,
            "no credentials for the bucket: " + path
                + (there ? " has the profile [" + profile
                            + "] without aws_access_key_id and "
                              "aws_secret_access_key"
                         : " has no profile [" + profile + "]"));
    CAIRN_TRY(checkFound(found));
    return found;
}

}  // namespace cairn::s3
