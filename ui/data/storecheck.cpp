#include "ui/data/storecheck.h"

#include "ui/data/format.h"
#include "ui/data/jobs.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMostRecent = 12;
constexpr qint64 kLargest = 256 * 1024;

struct NoWorld {
    [[nodiscard]] static Status open() { return {}; }
};

// The rights of this login, and what a standby or a fence means for it.
void addRights(const StoreOpening& opening, StoreReader& store, const StoreInfo& info, StoreCheck& check)
{
    const auto rights = store.rights();
    const auto replica = store.replica();
    if (!rights || !replica) {
        const Failure failure = failureOf(rights ? replica.error() : rights.error());
        check.steps.push_back({failure.what, false});
        check.todo = failure.todo;
        return;
    }
    const QString off = whyNoActs(opening, info, *rights, *replica);
    check.steps.push_back({off.isEmpty()
            ? u"acts are possible for %1"_s.arg(rights->login.empty() ? opening.person : qt(rights->login))
            : u"look only: "_s + off,
        true});
    check.ok = true;
}

Result<std::vector<RecentStore>> readRecent(const QString& path)
{
    std::vector<RecentStore> stores;
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly) || file.size() > kLargest)
        return stores;
    for (const QJsonValue value :
        QJsonDocument::fromJson(file.readAll()).object().value(u"stores"_s).toArray()) {
        const QJsonObject one = value.toObject();
        RecentStore store{one.value(u"url"_s).toString(), one.value(u"environment"_s).toString(),
            one.value(u"act"_s).toBool(), one.value(u"used_ms"_s).toInteger()};
        if (!store.url.isEmpty())
            stores.push_back(std::move(store));
    }
    return stores;
}

Result<bool> writeRecent(const QString& path, const std::vector<RecentStore>& stores)
{
    QJsonArray list;
    for (const RecentStore& store : stores)
        list.append(QJsonObject{{u"url"_s, store.url}, {u"environment"_s, store.environment},
            {u"act"_s, store.act}, {u"used_ms"_s, store.usedAt}});
    QDir().mkpath(QFileInfo(path).absolutePath());
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)
        || file.write(QJsonDocument(QJsonObject{{u"stores"_s, list}}).toJson()) < 0 || !file.commit())
        return makeError(ErrorKind::Io, core(path + u": "_s + file.errorString()));
    return true;
}

}  // namespace

std::optional<CheckStep> fileFault(const QString& path, QString& todo)
{
    const QFileInfo info(path);
    const auto fault = [&](const QString& what, const QString& help) {
        todo = help;
        return CheckStep{what, false};
    };
    if (!info.exists()) {
        const QFileInfo folder(info.absolutePath());
        return folder.exists() ? fault(u"there is no file %1"_s.arg(path),
                   u"cairn store init makes a store; or choose the file."_s)
                               : fault(u"there is no folder %1"_s.arg(folder.filePath()),
                                   u"Look for a typing mistake, or mount what holds it."_s);
    }
    if (info.isDir())
        return fault(u"%1 is a folder"_s.arg(path), u"Name the file of the store in it."_s);
    if (!info.isReadable())
        return fault(u"%1 may not be read by this user; it belongs to %2"_s.arg(path, info.owner()),
            u"Ask its owner for the right to read it."_s);
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fault(path + u": "_s + file.errorString(), u"Repair that, and test again."_s);
    if (file.read(16) != QByteArray("SQLite format 3\0", 16))
        return fault(u"%1 is no SQLite file"_s.arg(path),
            u"A bundle is made a store by cairn import; anything else is no store."_s);
    return std::nullopt;
}

StoreCheck checkStore(const StoreOpening& opening, const QString& path)
{
    StoreCheck check;
    if (!path.isEmpty()) {
        if (const auto fault = fileFault(path, check.todo)) {
            check.steps.push_back(*fault);
            return check;
        }
        check.steps.push_back(
            {u"the file is there, %1"_s.arg(sizeText(static_cast<quint64>(QFileInfo(path).size()))), true});
    }
    const auto failed = [&check](const Error& error) {
        const Failure failure = failureOf(error);
        check.steps.push_back({failure.what, false});
        check.todo = failure.todo;
    };
    auto store = opening.open(true);
    if (!store) {
        failed(store.error());
        return check;
    }
    check.steps.push_back({u"it opens for reading"_s, true});
    const auto info = (*store)->info();
    if (!info) {
        failed(info.error());
        return check;
    }
    check.environment = qt(info->environment);
    check.guarded = info->safety == Safety::Guarded;
    check.steps.push_back(
        {u"environment %1, %2, schema %3"_s
                .arg(check.environment, check.guarded ? u"guarded: a reason always"_s : u"free"_s)
                .arg(info->schema),
            true});
    addRights(opening, **store, *info, check);
    return check;
}

struct StoreChecker::Thread {
    ~Thread()
    {
        for (const auto& waits : passwords)
            if (const auto one = waits.lock())
                one->giveUp();
    }
    std::vector<std::weak_ptr<StorePasswords>> passwords;  // of what is checked
    Jobs<NoWorld> jobs;
};
StoreChecker::StoreChecker()
    : m_thread(std::make_unique<Thread>())
{
}
StoreChecker::~StoreChecker() = default;

QFuture<Reply<StoreCheck>> StoreChecker::check(StoreOpening opening, const QString& path)
{
    std::erase_if(m_thread->passwords, [](const auto& one) { return one.expired(); });
    if (opening.passwords)
        m_thread->passwords.push_back(opening.passwords);
    return m_thread->jobs.ask<StoreCheck>(0, [opening = std::move(opening), path](NoWorld&) {
        return Result<StoreCheck>(checkStore(opening, path));
    });
}

std::vector<RecentStore> withRecent(std::vector<RecentStore> all, const RecentStore& one)
{
    std::erase_if(all, [&one](const RecentStore& old) { return old.url == one.url; });
    all.insert(all.begin(), one);
    if (all.size() > kMostRecent)
        all.resize(kMostRecent);
    return all;
}

struct RecentFile::Thread {
    Jobs<NoWorld> jobs;
};
RecentFile::RecentFile()
    : m_thread(std::make_unique<Thread>())
{
}
RecentFile::~RecentFile() = default;

QFuture<Reply<std::vector<RecentStore>>> RecentFile::load(const QString& path)
{
    return m_thread->jobs.ask<std::vector<RecentStore>>(-1, [path](NoWorld&) { return readRecent(path); });
}
QFuture<Reply<bool>> RecentFile::save(const QString& path, const std::vector<RecentStore>& stores)
{
    return m_thread->jobs.ask<bool>(-1, [path, stores](NoWorld&) { return writeRecent(path, stores); });
}

}  // namespace cairn::ui
