#pragma once
// Whether a store can be opened from here, step by step, and what is wrong where it cannot.

#include "ui/data/storesession.h"

#include <memory>

namespace cairn::ui {

// What somebody wants opened.
struct StoreWish {
    QString store;
    bool act = false;
    QString password{};  // typed for a login at a server; never shown, logged, or put into a file of ours
    bool keep = false;   // in the keychain, once it has served
};

struct CheckStep {
    QString text;
    bool ok = false;
    bool operator==(const CheckStep&) const = default;
};
struct StoreCheck {
    std::vector<CheckStep> steps;  // up to the first that failed
    bool ok = false;
    QString todo;         // where it failed
    QString environment;  // of the store
    bool guarded = false;
};

// Blocks as long as the store does; opens it read-only and closes it again. `path`: of a SQLite file; empty:
// a server.
[[nodiscard]] StoreCheck checkStore(const StoreOpening& opening, const QString& path);
// The part that needs no store: what is wrong with the file. Nothing: it looks like one.
[[nodiscard]] std::optional<CheckStep> fileFault(const QString& path, QString& todo);

// Checks on a thread of its own.
class StoreChecker {
public:
    StoreChecker();
    ~StoreChecker();
    QFuture<Reply<StoreCheck>> check(StoreOpening opening, const QString& path);

private:
    struct Thread;
    std::unique_ptr<Thread> m_thread;
};

// Stores that were opened before, the newest first, without passwords.
struct RecentStore {
    QString url;
    QString environment;
    bool act = false;  // acts were allowed
    qint64 usedAt = 0;
    bool operator==(const RecentStore&) const = default;
};
[[nodiscard]] std::vector<RecentStore> withRecent(std::vector<RecentStore> all, const RecentStore& one);

class RecentFile {
public:
    RecentFile();
    ~RecentFile();
    // A file that is not there, or cannot be understood: none.
    QFuture<Reply<std::vector<RecentStore>>> load(const QString& path);
    QFuture<Reply<bool>> save(const QString& path, const std::vector<RecentStore>& stores);

private:
    struct Thread;
    std::unique_ptr<Thread> m_thread;
};

}  // namespace cairn::ui
