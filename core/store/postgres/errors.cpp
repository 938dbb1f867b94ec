#include "core/store/postgres/errors.h"

#include <algorithm>
#include <array>

namespace cairn::postgres {

namespace {

struct Row {
    std::string_view state;  // five characters, or the two of a class
    Verdict verdict;
};

constexpr Verdict kRetry{ErrorKind::Busy, true, false, false, false};
constexpr Verdict kReconnect{ErrorKind::Disconnected, true, true, false, false};
constexpr Verdict kUnknown{ErrorKind::OutcomeUnknown, false, true, false, false};
constexpr Verdict kMember{ErrorKind::Internal, false, false, false, true};

// The first row that fits; single states stand before their class.
constexpr std::array kTable = {
    Row{kAppendOnly, {ErrorKind::Refused, false, false, false, true}},
    Row{kNoRole, {ErrorKind::NoRight, false, false, false, true}},
    Row{kChanged, {ErrorKind::Conflict, false, false, false, true}},
    Row{"40001", kRetry},      // could not serialize
    Row{"40P01", kRetry},      // deadlock
    Row{"55P03", kRetry},      // lock_timeout
    Row{"40003", kUnknown},    // statement completion unknown
    Row{"25006", kReconnect},  // read-only: this is a standby, or was demoted
    Row{"25P03", kReconnect},  // idle in transaction for too long
    Row{"57P01", kReconnect},  // shut down
    Row{"57P02", kReconnect},  // crashed
    Row{"57P03", kReconnect},  // not accepting yet
    Row{"57P04", {ErrorKind::NotFound, false, true, false, false}},  // the database was dropped
    Row{"57P05", kReconnect},                                        // idle for too long
    Row{"53300", kReconnect},                                        // too many connections
    Row{"57014", {ErrorKind::Cancelled, false, false, false, false}},
    Row{"53100", {ErrorKind::Full, false, false, false, false}},      // disk full
    Row{"53200", {ErrorKind::Internal, false, false, false, false}},  // out of memory
    Row{"54000", {ErrorKind::InvalidInput, false, false, false, true}},
    Row{"42501", {ErrorKind::NoRight, false, false, false, false}},         // no right to it
    Row{"42P01", {ErrorKind::SchemaMismatch, false, false, false, false}},  // no such table
    Row{"42703", {ErrorKind::SchemaMismatch, false, false, false, false}},  // no such column
    Row{"0A000", kReconnect},  // a cached plan whose result changed
    Row{"26000", kReconnect},  // a prepared statement is gone: a pooler in between
    Row{"3D000", {ErrorKind::NotFound, false, true, false, false}},   // no such database
    Row{"3F000", {ErrorKind::NotFound, false, false, false, false}},  // no such schema
    Row{"58030", {ErrorKind::Io, false, false, true, false}},
    Row{"XX001", {ErrorKind::Corrupt, false, false, true, false}},
    Row{"XX002", {ErrorKind::Corrupt, false, false, true, false}},
    Row{"08", kReconnect},
    Row{"22", {ErrorKind::InvalidInput, false, false, false, true}},
    Row{"23", kMember},  // a constraint that the driver should have looked at before
    Row{"28", {ErrorKind::Refused, false, true, false, false}},  // who are you
    Row{"42", kMember},
    Row{"53", {ErrorKind::Full, false, false, false, false}},
    Row{"54", {ErrorKind::InvalidInput, false, false, false, true}},
    Row{"58", {ErrorKind::Io, false, false, false, false}},
    Row{"P0", kMember},
};

}  // namespace

Verdict classify(std::string_view state, bool commitSent) noexcept
{
    Verdict verdict = state.empty() ? kReconnect : kMember;
    for (const Row& row : kTable)
        if (!state.empty() && state.substr(0, row.state.size()) == row.state) {
            verdict = row.verdict;
            break;
        }
    // The server said no to COMMIT itself, or was gone before it could say anything: only the former is
    // known.
    if (commitSent && verdict.kind == ErrorKind::Disconnected && state != "25006")
        return kUnknown;
    return verdict;
}

int nativeCode(std::string_view state) noexcept
{
    int code = 0;
    for (const char c : state) {
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'Z' ? c - 'A' + 10 : -1;
        if (digit < 0)
            return 0;
        code = code * 36 + digit;
    }
    return code;
}

bool isOnlyLocal(std::string_view sourceFunction, std::string_view severity) noexcept
{
    return sourceFunction == "SyncRepWaitForLSN" && severity == "WARNING";
}

std::string tidy(const char* text)
{
    constexpr std::size_t kLongest = 400;
    std::string out = text == nullptr ? "" : text;
    const auto end = out.find_last_not_of(" \r\n");
    out.resize(std::min(end == std::string::npos ? 0 : end + 1, kLongest));
    std::replace_if(
        out.begin(), out.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
    return out;
}

}  // namespace cairn::postgres
