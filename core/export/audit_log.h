#pragma once
// The audit of a store as one file: all entries, or those that somebody asks for, in their order. One thread;
// all calls block.

#include "core/audit/second_person.h"
#include "core/base/clock.h"
#include "core/base/rng.h"

#include <functional>

namespace cairn::exporting {

// JsonLines: each entry as bundles have it, with its hash and the one before, so that a log of all entries
// can be computed anew. Csv: to be looked at in a spreadsheet.
enum class AuditLogFormat : std::uint8_t { JsonLines, Csv };

struct AuditLogOrder {
    AuditLogFormat format = AuditLogFormat::JsonLines;
    std::string path;  // a new file
    // Which entries; null: all.
    std::function<bool(const AuditRow&, const audit::SecondPerson&)> takes{};
    std::string filter{};  // what asks for them, in words, for the record
    std::function<bool()> stopped = [] { return false; };
    std::function<void(std::uint64_t looked, std::uint64_t inAll, std::uint64_t bytes)> tell =
        [](std::uint64_t, std::uint64_t, std::uint64_t) {};
};
struct AuditLogReport {
    std::uint64_t entries = 0;  // written
    std::uint64_t looked = 0;   // at
    std::uint64_t size = 0;     // of the file
};
// Whatever happens, there is a whole file or none. What is added meanwhile is not in it. Refused: the file is
// there. Cancelled: stopped. NoRight.
[[nodiscard]] Result<AuditLogReport> writeAuditLog(StoreReader& store, const AuditLogOrder& order);

// The act that says that the log left the store. `who` has person, host, login and reason.
[[nodiscard]] AuditRow auditLogAct(
    AuditRow who, const AuditLogOrder& order, const AuditLogReport& report, TimeMs now, Rng& rng);

}  // namespace cairn::exporting
