#include "ui/data/storecheck.h"

#include "ui/data/format.h"
#include "ui/data/jobs.h"

#include <QCoreApplication>
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

struct Words {
    Q_DECLARE_TR_FUNCTIONS(storecheck)
};

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
    check.steps.push_back(
        {off.isEmpty() ? Words::tr("acts are possible for %1")
                             .arg(rights->login.empty() ? opening.person : qt(rights->login))
                       : Words::tr("look only: ") + off,
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
        return folder.exists() ? fault(Words::tr("there is no file %1").arg(path),
                   Words::tr("cairn store init makes a store; or choose the file."))
                               : fault(Words::tr("there is no folder %1").arg(folder.filePath()),
                                   u"Look for a typing mistake, or mount what holds it."_s);
    }
    if (info.isDir())
        return fault(Words::tr("%1 is a folder").arg(path), Words::tr("Name the file of the store in it."));
    if (!info.isReadable())
        return fault(Words::tr("%1 may not be read by this user; it belongs to %2").arg(path, info.owner()),
            Words::tr("Ask its owner for the right to read it."));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fault(path + u": "_s + file.errorString(), Words::tr("Repair that, and test again."));
    const QByteArray begin = file.read(16);
    if (begin.startsWith(QByteArray("PK\3\4", 4)))
        return std::nullopt;  // a bundle, which is proved when it is opened
    if (begin != QByteArray("SQLite format 3\0", 16))
        return fault(Words::tr("%1 is no SQLite file").arg(path),
            Words::tr("A store of Cairn is one, and a bundle is a zip file; anything else is neither."));
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
            {Words::tr("the file is there, %1").arg(sizeText(static_cast<quint64>(QFileInfo(path).size()))),
                true});
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
    check.steps.push_back({Words::tr("it opens for reading"), true});
    const auto info = (*store)->info();
    if (!info) {
        failed(info.error());
        return check;
    }
    check.environment = qt(info->environment);
    check.guarded = info->safety == Safety::Guarded;
    check.steps.push_back({Words::tr("environment %1, %2, schema %3")
                               .arg(check.environment,
                                   check.guarded ? Words::tr("guarded: a reason always") : Words::tr("free"))
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
