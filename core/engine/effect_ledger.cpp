#include "core/engine/effect_ledger.h"

#include "core/base/text.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <unistd.h>
#include <utility>

namespace cairn {

namespace {

bool readNumber(std::string_view text, std::int64_t& out)
{
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
    return problem == std::errc() && end == text.data() + text.size() && out >= 0 && out < 1'000'000'000;
}

constexpr std::uint32_t kTokensPerCall = 200;  // beside those of the request, one for each of its bytes
constexpr std::int64_t kMicrosPerToken = 3;

}  // namespace

std::uint32_t tokensOf(const std::string& name, std::size_t bodySize)
{
    return name.starts_with("model") ? kTokensPerCall + static_cast<std::uint32_t>(bodySize) : 0;
}

std::string costOf(std::uint32_t tokens) { return formatAmount(tokens * kMicrosPerToken, "EUR"); }

Result<EffectMode> parseEffectMode(std::string_view text)
{
    const auto wrong = [&] {
        return makeError(ErrorKind::InvalidInput, "unknown mode \"" + std::string(text) + "\"");
    };
    EffectMode mode;
    std::string_view word = text;
    const bool raw = word.substr(0, 8) == "429:raw:";
    if (const auto at = word.rfind('@'); at != std::string_view::npos) {
        if (!readNumber(word.substr(at + 1), mode.calls))
            return wrong();
        word = word.substr(0, at);
    }
    std::int64_t number = 0;
    if (raw) {
        mode.kind = EffectMode::Kind::Refuse;
        mode.status = 429;
        mode.retryAfter = word.substr(8);
    } else if (word.substr(0, 4) == "429:" || word.substr(0, 4) == "503:") {
        if (!readNumber(word.substr(4), number))
            return wrong();
        mode.kind = EffectMode::Kind::Refuse;
        mode.status = word[0] == '4' ? 429 : 503;
        mode.retryAfter = word.substr(4);
    } else if (word.substr(0, 5) == "slow:") {
        const bool millis = word.size() > 7 && word.substr(word.size() - 2) == "ms";
        if (!readNumber(word.substr(5, millis ? word.size() - 7 : word.npos), number))
            return wrong();
        mode.kind = EffectMode::Kind::Slow;
        mode.slowMs = millis ? number : number * 1000;
    } else if (word == "hold") {
        mode.kind = EffectMode::Kind::Hold;
    } else if (word == "do-then-drop") {
        mode.kind = EffectMode::Kind::DoThenDrop;
    } else if (word == "drop-before") {
        mode.kind = EffectMode::Kind::DropBefore;
    } else if (word == "exit") {
        mode.kind = EffectMode::Kind::Exit;
    } else if (word == "keyless") {
        mode.kind = EffectMode::Kind::Keyless;
    } else if (word != "ok") {
        if (!readNumber(word, number) || number < 300 || number > 599)
            return wrong();
        mode.kind = EffectMode::Kind::Refuse;
        mode.status = static_cast<int>(number);
    }
    return mode;
}

EffectLedger::EffectLedger(EffectLedger&& other) noexcept
    : m_file(std::exchange(other.m_file, -1))
    , m_lines(other.m_lines)
    , m_byKey(std::move(other.m_byKey))
    , m_counts(std::move(other.m_counts))
{
}

EffectLedger::~EffectLedger()
{
    if (m_file >= 0)
        ::close(m_file);
}

Result<EffectLedger> EffectLedger::open(const std::string& path)
{
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0)
        return makeError(
            ErrorKind::Io, "the ledger " + path + " cannot be opened: " + std::strerror(errno), errno);
    EffectLedger ledger(file);
    std::ifstream before(path);
    for (std::string line; std::getline(before, line);) {
        std::istringstream fields(line);
        std::string time, name, key, sha, tokens;
        std::getline(fields, time, '\t');
        std::getline(fields, name, '\t');
        std::getline(fields, key, '\t');
        std::getline(fields, sha, '\t');
        std::getline(fields, tokens, '\t');
        std::int64_t charged = 0;
        static_cast<void>(readNumber(tokens, charged));  // a line without it charged none
        ++ledger.m_lines;
        ++ledger.m_counts[name];
        ledger.m_byKey.try_emplace(
            {name, key}, Line{name, sha, ledger.m_lines, static_cast<std::uint32_t>(charged)});
    }
    return ledger;
}

const EffectLedger::Line* EffectLedger::find(const std::string& name, const std::string& key) const
{
    const auto found = m_byKey.find({name, key});
    return found == m_byKey.end() ? nullptr : &found->second;
}

Result<EffectLedger::Line> EffectLedger::append(
    const std::string& name, const std::string& key, const std::string& bodySha, std::uint32_t tokens)
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const std::string line =
        std::to_string(static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1'000'000) + "\t" + name
        + "\t" + key + "\t" + bodySha
        + (tokens > 0 ? "\t" + std::to_string(tokens) + "\t" + costOf(tokens) : std::string()) + "\n";
    if (::write(m_file, line.data(), line.size()) != static_cast<ssize_t>(line.size())
        || ::fdatasync(m_file) != 0)
        return makeError(
            ErrorKind::Io, std::string("the ledger cannot be written: ") + std::strerror(errno), errno);
    ++m_lines;
    ++m_counts[name];
    const Line done{name, bodySha, m_lines, tokens};
    m_byKey.try_emplace({name, key}, done);
    return done;
}

}  // namespace cairn
