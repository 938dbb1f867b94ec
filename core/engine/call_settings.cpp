#include "core/engine/call_settings.h"

#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/definition/settings.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn {

std::string percentEncoded(std::string_view text)
{
    static constexpr char kDigits[] = "0123456789ABCDEF";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')
            || (byte >= '0' && byte <= '9') || byte == '-' || byte == '.' || byte == '_' || byte == '~';
        if (plain) {
            out.push_back(c);
            continue;
        }
        out.push_back('%');
        out.push_back(kDigits[byte >> 4]);
        out.push_back(kDigits[byte & 15]);
    }
    return out;
}

namespace {

constexpr std::size_t kSecretBytes = std::size_t{64} * 1024;

// A pipe or a device could keep the engine's thread for ever, or give bytes without end.
Result<std::string> readSecretFile(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return makeError(ErrorKind::Refused, std::strerror(errno), errno);
    std::string bytes(kSecretBytes + 1, '\0');
    struct stat info { };
    const bool isFile = ::fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
    const ssize_t size = isFile ? ::read(fd, bytes.data(), bytes.size()) : 0;
    const int native = size < 0 ? errno : 0;
    ::close(fd);
    if (!isFile)
        return makeError(ErrorKind::Refused, "it is no regular file");
    if (size < 0)
        return makeError(ErrorKind::Refused, std::strerror(native), native);
    if (static_cast<std::size_t>(size) > kSecretBytes)
        return makeError(ErrorKind::Refused, "it is larger than 64 KiB");
    bytes.resize(static_cast<std::size_t>(size));
    return bytes;
}

}  // namespace

Result<std::optional<std::string>> readSecret(const std::string& reference)
{
    std::optional<std::string> secret;
    if (reference.empty())
        return secret;
    if (reference.compare(0, 4, "env:") == 0) {
        const char* value = std::getenv(reference.c_str() + 4);
        if (!value || !*value)
            return makeError(
                ErrorKind::Refused, "the secret " + reference + " is not set in the engine's environment");
        secret = value;
        return secret;
    }
    auto read = readSecretFile(reference.substr(reference.compare(0, 5, "file:") == 0 ? 5 : 0));
    if (!read)
        return makeError(ErrorKind::Refused,
            "the secret " + reference + " cannot be read: " + read.error().text, read.error().native);
    std::string bytes = *std::move(read);
    while (!bytes.empty() && (bytes.back() == '\n' || bytes.back() == '\r'))
        bytes.pop_back();
    if (bytes.empty())
        return makeError(ErrorKind::Refused, "the secret " + reference + " is empty");
    secret = std::move(bytes);
    return secret;
}

Result<CallSettings> CallSettings::open(const StartOrder& order, std::optional<std::string> secret)
{
    CallSettings out;
    const std::string settings = order.settings.empty() ? "{}" : order.settings;
    CAIRN_TRY_ASSIGN(const auto members, jsonObjectMembers(settings));
    for (const auto& member : members)
        out.m_members[member.name] = std::string(member.value);
    out.m_secret = std::move(secret);
    out.m_folder = order.workflowFolder;
    out.m_key = order.effectKey;
    out.m_run = toText(order.run);
    out.m_step = order.step;
    out.m_attempt = toText(order.attempt);
    return out;
}

std::optional<std::string> CallSettings::lookUp(std::string_view name, bool forUrl) const
{
    const auto given = [&](const std::string& value) -> std::optional<std::string> {
        if (value.empty())
            return std::nullopt;
        return forUrl ? percentEncoded(value) : value;
    };
    if (name == "workflow_dir")
        return m_folder.empty() ? std::nullopt : std::optional(m_folder);
    if (name == "secret")
        return m_secret;
    if (name == "key")
        return given(m_key);
    if (name == "run")
        return given(m_run);
    if (name == "step")
        return given(m_step);
    if (name == "attempt")
        return given(m_attempt);
    if (name.substr(0, 4) == "env.") {
        const char* value = std::getenv(std::string(name.substr(4)).c_str());
        return value ? std::optional<std::string>(value) : std::nullopt;
    }
    return std::nullopt;
}

Result<std::string> CallSettings::expand(std::string_view slice, bool forUrl) const
{
    CAIRN_TRY_ASSIGN(const std::string text, jsonString(slice));
    return expandSettingsText(text, [&](std::string_view name) { return lookUp(name, forUrl); });
}

Result<std::string> CallSettings::text(std::string_view name, std::string fallback, bool forUrl) const
{
    const auto found = m_members.find(std::string(name));
    if (found == m_members.end())
        return fallback;
    return expand(found->second, forUrl);
}

Result<std::vector<std::string>> CallSettings::texts(std::string_view name) const
{
    std::vector<std::string> out;
    const auto found = m_members.find(std::string(name));
    if (found == m_members.end())
        return out;
    CAIRN_TRY_ASSIGN(const auto items, jsonArraySlices(found->second));
    for (const auto item : items) {
        CAIRN_TRY_ASSIGN(std::string text, expand(item, false));
        out.push_back(std::move(text));
    }
    return out;
}

Result<std::vector<std::pair<std::string, std::string>>> CallSettings::pairs(std::string_view name) const
{
    std::vector<std::pair<std::string, std::string>> out;
    const auto found = m_members.find(std::string(name));
    if (found == m_members.end())
        return out;
    CAIRN_TRY_ASSIGN(const auto members, jsonObjectMembers(found->second));
    for (const auto& member : members) {
        CAIRN_TRY_ASSIGN(std::string text, expand(member.value, false));
        out.emplace_back(member.name, std::move(text));
    }
    return out;
}

std::int64_t CallSettings::number(std::string_view name, std::int64_t fallback) const
{
    const auto found = m_members.find(std::string(name));
    if (found == m_members.end())
        return fallback;
    const auto value = jsonInt(found->second);
    return value ? *value : fallback;
}

}  // namespace cairn
