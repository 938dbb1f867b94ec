#pragma once
// Runs that leave a store: what is asked for, how much it is, how far it is, and what came of it.

#include "ui/data/values.h"

#include <atomic>

namespace cairn::ui {

// The last two are of the audit as a whole: `filter` is one of its list then, and there are no runs.
enum class ExportKind : quint8 { Bundle, CsvHistory, CsvSteps, CsvAudit, Html, Otlp, AuditLog, AuditTable };
[[nodiscard]] constexpr bool isOfAudit(ExportKind kind) { return kind >= ExportKind::AuditLog; }

struct ExportRequest {
    ExportKind kind = ExportKind::Bundle;
    std::vector<RunId> runs;  // none: all that the filter finds
    QString filter;
    bool tree = false;    // with the runs that they started
    bool redact = false;  // bundles: without the bytes of payloads
    QString keyFile;      // bundles: signs the heads
    QString path;         // a new file
    QString reason;
};
// Before anything is written.
struct ExportSize {
    quint64 runs = 0;
    quint64 entries = 0;
    quint64 payloads = 0;
    quint64 bytes = 0;       // of payloads
    bool estimated = false;  // payloads were counted in some of the runs only
};
struct ExportProgress {
    std::atomic<quint64> runs = 0;
    std::atomic<quint64> runsInAll = 0;  // of the audit: entries
    std::atomic<quint64> bytes = 0;
    std::atomic<bool> stop = false;
};
struct ExportDone {
    QString path;
    quint64 size = 0;
    quint64 runs = 0;
    quint64 entries = 0;   // of the audit
    quint64 withheld = 0;  // payloads without their bytes
    QStringList notes;
    QString recorded;  // where the act was put on record, or why it was not
};

}  // namespace cairn::ui
