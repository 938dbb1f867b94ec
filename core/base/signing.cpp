#include "core/base/signing.h"

#include "core/base/digest.h"
#include "core/base/text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn {

namespace {

constexpr std::string_view kSecretWord = "cairn-ed25519";
constexpr std::string_view kPublicWord = "cairn-ed25519-public";
constexpr std::size_t kFileLimit = 4096;

const unsigned char* raw(std::string_view bytes)
{
    return reinterpret_cast<const unsigned char*>(bytes.data());
}

Error noKey(const std::string& what)
{
    return makeError(ErrorKind::InvalidInput,
        what + ": a key file has one line, \"" + std::string(kSecretWord) + " <base64 of 32 bytes>\"");
}

Error failed(const std::string& what, const std::string& path)
{
    const int code = errno;
    return makeError(code == ENOENT ? ErrorKind::NotFound : ErrorKind::Io,
        "cannot " + what + " the key file " + visibleLine(path) + ": " + std::strerror(code), code);
}

Result<std::string> readFile(int fd, const std::string& path)
{
    struct stat info = {};
    if (::fstat(fd, &info) != 0)
        return failed("look at", path);
    if (!S_ISREG(info.st_mode))
        return makeError(ErrorKind::InvalidInput, "the key file " + visibleLine(path) + " is not a file");
    if ((info.st_mode & 077U) != 0)
        return makeError(ErrorKind::Refused,
            "others may read the key file " + visibleLine(path)
                + ": whoever has the key signs in its name; "
                  "make another, and keep it with mode 0600");
    std::string text(kFileLimit, '\0');
    std::size_t size = 0;
    while (size < text.size()) {
        const ssize_t got = ::read(fd, text.data() + size, text.size() - size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failed("read", path);
        if (got == 0)
            break;
        size += static_cast<std::size_t>(got);
    }
    text.resize(size);
    return text;
}

Status writeAll(int fd, std::string_view text, const std::string& path)
{
    while (!text.empty()) {
        const ssize_t put = ::write(fd, text.data(), text.size());
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return failed("write", path);
        text.remove_prefix(static_cast<std::size_t>(put));
    }
    if (::fsync(fd) != 0)
        return failed("write", path);
    return {};
}

}  // namespace

std::string base64(std::string_view bytes)
{
    constexpr int kVariant = sodium_base64_VARIANT_ORIGINAL;
    std::string out(sodium_base64_ENCODED_LEN(bytes.size(), kVariant), '\0');
    sodium_bin2base64(out.data(), out.size(), raw(bytes), bytes.size(), kVariant);
    out.pop_back();  // the NUL
    return out;
}

std::optional<std::string> parseBase64(std::string_view text)
{
    std::string out(text.size() / 4 * 3 + 3, '\0');
    std::size_t size = 0;
    if (sodium_base642bin(reinterpret_cast<unsigned char*>(out.data()), out.size(), text.data(), text.size(),
            nullptr, &size, nullptr, sodium_base64_VARIANT_ORIGINAL)
        != 0)
        return std::nullopt;
    out.resize(size);
    return out;
}

std::string toText(const PublicKey& key)
{
    return std::string(kPublicWord) + " "
        + base64({reinterpret_cast<const char*>(key.bytes.data()), key.bytes.size()});
}

std::optional<PublicKey> parsePublicKey(std::string_view text)
{
    text = trimmed(text);
    if (text.starts_with(kPublicWord) && text.substr(kPublicWord.size()).starts_with(" "))
        text = trimmed(text.substr(kPublicWord.size()));
    const auto bytes = parseBase64(text);
    PublicKey key;
    if (!bytes || bytes->size() != key.bytes.size())
        return std::nullopt;
    std::memcpy(key.bytes.data(), bytes->data(), key.bytes.size());
    return key;
}

std::string fingerprint(const PublicKey& key)
{
    return hex(sha256({reinterpret_cast<const char*>(key.bytes.data()), key.bytes.size()})).substr(0, 16);
}

SigningKey::SigningKey(const std::array<std::uint8_t, 32>& seed)
{
    static_assert(crypto_sign_SEEDBYTES == 32 && crypto_sign_SECRETKEYBYTES == 64
        && crypto_sign_PUBLICKEYBYTES == 32 && crypto_sign_BYTES == 64);
    crypto_sign_seed_keypair(m_public.bytes.data(), m_secret.data(), seed.data());
}

SigningKey::~SigningKey() { sodium_memzero(m_secret.data(), m_secret.size()); }

Signature SigningKey::sign(std::string_view message) const
{
    Signature signature{};
    crypto_sign_detached(signature.data(), nullptr, raw(message), message.size(), m_secret.data());
    return signature;
}

bool isSignedBy(const PublicKey& key, std::string_view message, const Signature& signature)
{
    return crypto_sign_verify_detached(signature.data(), raw(message), message.size(), key.bytes.data()) == 0;
}

Result<SigningKey> parseSigningKey(std::string_view text)
{
    std::string_view line;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view next = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (next.empty() || next.starts_with("#"))
            continue;
        if (!line.empty())
            return noKey("there is more than one key");
        line = next;
    }
    if (!line.starts_with(kSecretWord) || !line.substr(kSecretWord.size()).starts_with(" "))
        return noKey("this is no key file");
    auto seed = parseBase64(trimmed(line.substr(kSecretWord.size())));
    if (!seed || seed->size() != 32)
        return noKey("the key is not 32 bytes in base64");
    std::array<std::uint8_t, 32> bytes{};
    std::memcpy(bytes.data(), seed->data(), bytes.size());
    SigningKey key(bytes);
    sodium_memzero(bytes.data(), bytes.size());
    sodium_memzero(seed->data(), seed->size());
    return key;
}

Result<SigningKey> readSigningKey(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return failed("open", path);
    auto text = readFile(fd, path);
    ::close(fd);
    CAIRN_TRY(text);
    auto key = parseSigningKey(*text);
    sodium_memzero(text->data(), text->size());
    if (!key)
        return makeError(key.error().kind, visibleLine(path) + ": " + key.error().text);
    return key;
}

Result<SigningKey> makeSigningKey(const std::string& path)
{
    std::array<std::uint8_t, 32> seed{};
    randombytes_buf(seed.data(), seed.size());
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno == EEXIST)
        return makeError(ErrorKind::Refused, "there is a file at " + visibleLine(path) + " already");
    if (fd < 0)
        return failed("make", path);
    std::string text = std::string(kSecretWord) + " "
        + base64({reinterpret_cast<const char*>(seed.data()), seed.size()}) + "\n";
    const Status written = writeAll(fd, text, path);
    ::close(fd);
    sodium_memzero(text.data(), text.size());
    if (!written) {
        ::unlink(path.c_str());
        return written.error();
    }
    SigningKey key(seed);
    sodium_memzero(seed.data(), seed.size());
    return key;
}

}  // namespace cairn
