#include "core/base/signing.h"

#include "core/base/digest.h"
#include "core/base/file.h"

#include <sodium.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cairn {

namespace {

constexpr std::string_view kSecretWord = "cairn-ed25519 ";
constexpr std::string_view kPublicWord = "cairn-ed25519-pub ";
constexpr std::size_t kMostText = 256;

Error failedFile(const std::string& path, const char* doing)
{
    const int code = errno;
    const ErrorKind kind = code == ENOENT ? ErrorKind::NotFound
        : code == EEXIST                  ? ErrorKind::Refused
                                          : ErrorKind::Io;
    return makeError(kind, std::string(doing) + " " + path + ": " + std::strerror(code), code);
}

// Exactly so many bytes, and nothing beside them.
template<std::size_t Size> bool decode(std::string_view text, std::array<std::uint8_t, Size>& out)
{
    std::size_t length = 0;
    const char* end = nullptr;
    return sodium_base642bin(out.data(), out.size(), text.data(), text.size(), nullptr, &length, &end,
               sodium_base64_VARIANT_ORIGINAL)
        == 0
        && length == out.size() && end == text.data() + text.size();
}

std::string_view oneLine(std::string_view text)
{
    if (text.ends_with('\n'))
        text.remove_suffix(1);
    return text;
}

// A key file is short: what is longer is none.
Result<std::string> readSmall(const std::string& path, bool& secret)
{
    const OwnedFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file.get() < 0)
        return failedFile(path, "cannot open the key file");
    struct stat info { };
    if (::fstat(file.get(), &info) != 0)
        return failedFile(path, "cannot look at the key file");
    if (!S_ISREG(info.st_mode))
        return makeError(ErrorKind::Refused, path + " is not a plain file");
    std::string text(kMostText, '\0');
    std::size_t have = 0;
    while (have < text.size()) {
        const ssize_t got = ::read(file.get(), text.data() + have, text.size() - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return failedFile(path, "cannot read the key file");
        if (got == 0)
            break;
        have += static_cast<std::size_t>(got);
    }
    text.resize(have);
    secret = text.starts_with(kSecretWord);
    if (secret && (info.st_mode & 077) != 0) {
        sodium_memzero(text.data(), text.size());
        return makeError(ErrorKind::Refused,
            path
                + " can be read or written by others than its owner: a key that others may have copied "
                  "proves nothing. Make a new one, or, where nobody can have read it, `chmod 600` it");
    }
    return text;
}

Result<SigningKey> secretOf(std::string& text, const std::string& path)
{
    std::array<std::uint8_t, 32> seed{};
    const std::string_view line = oneLine(text);
    const bool whole = line.starts_with(kSecretWord) && decode(line.substr(kSecretWord.size()), seed);
    sodium_memzero(text.data(), text.size());
    if (!whole)
        return makeError(ErrorKind::InvalidInput,
            path + " does not hold one whole key: a line \"cairn-ed25519 \" and 44 characters of base64");
    SigningKey key(seed);
    sodium_memzero(seed.data(), seed.size());
    return key;
}

Status writeNew(const std::string& path, std::string_view text)
{
    const OwnedFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (file.get() < 0)
        return failedFile(path, "cannot make the key file");
    // Whatever the umask took away from the owner, and no more than that.
    const bool written = ::fchmod(file.get(), 0600) == 0 && writeWhole(file.get(), text);
    if (!written || ::fsync(file.get()) != 0) {
        Error error = failedFile(path, "cannot write the key file");
        ::unlink(path.c_str());
        return error;
    }
    if (!syncFolder(folderOfFile(path)))
        return failedFile(folderOfFile(path), "cannot sync the folder");
    return {};
}

}  // namespace

SigningKey::SigningKey(const std::array<std::uint8_t, 32>& seed)
{
    crypto_sign_seed_keypair(m_public.bytes.data(), m_secret.data(), seed.data());
}

SigningKey::~SigningKey() { sodium_memzero(m_secret.data(), m_secret.size()); }

Result<PublicKey> makeKey(const std::string& path)
{
    if (sodium_init() < 0)
        return makeError(ErrorKind::Io, "the system's random numbers cannot be read");
    std::array<std::uint8_t, 32> seed{};
    randombytes_buf(seed.data(), seed.size());
    std::string text =
        std::string(kSecretWord) + base64({reinterpret_cast<const char*>(seed.data()), seed.size()}) + "\n";
    const Status written = writeNew(path, text);
    sodium_memzero(text.data(), text.size());
    PublicKey made = SigningKey(seed).publicKey();
    sodium_memzero(seed.data(), seed.size());
    if (!written)
        return written.error();
    return made;
}

Result<SigningKey> readKey(const std::string& path)
{
    bool secret = false;
    CAIRN_TRY_ASSIGN(std::string text, readSmall(path, secret));
    if (!secret && text.starts_with(kPublicWord))
        return makeError(ErrorKind::InvalidInput,
            path
                + " holds the public key, which can only check; to sign takes the file that `cairn audit key "
                  "new` made");
    return secretOf(text, path);
}

Result<PublicKey> readPublicKey(const std::string& pathOrText)
{
    if (pathOrText.starts_with(kPublicWord))
        return parsePublicKey(pathOrText);
    bool secret = false;
    CAIRN_TRY_ASSIGN(std::string text, readSmall(pathOrText, secret));
    if (!secret)
        return parsePublicKey(text);
    CAIRN_TRY_ASSIGN(const SigningKey key, secretOf(text, pathOrText));
    return PublicKey(key.publicKey());
}

std::string base64(std::string_view bytes)
{
    std::string out(sodium_base64_encoded_len(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
    sodium_bin2base64(out.data(), out.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
        bytes.size(), sodium_base64_VARIANT_ORIGINAL);
    out.pop_back();  // its NUL
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

std::string fingerprint(const PublicKey& key) { return hex(sha256(key.view())).substr(0, 16); }

std::string publicKeyText(const PublicKey& key) { return std::string(kPublicWord) + base64(key.view()); }

Result<PublicKey> parsePublicKey(std::string_view text)
{
    PublicKey key;
    const std::string_view line = oneLine(text);
    if (!line.starts_with(kPublicWord) || !decode(line.substr(kPublicWord.size()), key.bytes))
        return makeError(ErrorKind::InvalidInput,
            "that is no public key: a line \"cairn-ed25519-pub \" and 44 characters of base64");
    return key;
}

Result<Signature> parseSignature(std::string_view base64Text)
{
    Signature signature;
    if (!decode(base64Text, signature.bytes))
        return makeError(ErrorKind::InvalidInput, "that is no signature: 88 characters of base64");
    return signature;
}

Signature sign(const SigningKey& key, std::string_view message)
{
    Signature signature;
    crypto_sign_detached(signature.bytes.data(), nullptr,
        reinterpret_cast<const unsigned char*>(message.data()), message.size(), key.m_secret.data());
    return signature;
}

bool verifySignature(const PublicKey& key, std::string_view message, const Signature& signature) noexcept
{
    return crypto_sign_verify_detached(signature.bytes.data(),
               reinterpret_cast<const unsigned char*>(message.data()), message.size(), key.bytes.data())
        == 0;
}

}  // namespace cairn
