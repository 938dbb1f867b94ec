#include "app/console/bundledoor.h"

#include "core/export/bundle.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <mutex>
#include <unistd.h>

namespace cairn::console {

namespace {

struct Unpacked {
    std::mutex mutex;
    QTemporaryDir folder{QDir::temp().filePath(QStringLiteral("cairn-bundle-XXXXXX"))};
    bool done = false;
};

Status unpack(Unpacked& into, const std::string& bundle, const std::string& store, const std::string& person)
{
    if (into.done)
        return {};
    if (!into.folder.isValid())
        return makeError(
            ErrorKind::Io, "no folder for what is in the bundle: " + into.folder.errorString().toStdString());
    AuditRow act;
    act.actor = person;
    act.uid = ::getuid();
    act.login = "uid " + std::to_string(::getuid());
    act.reason = "opened to be looked at";
    SystemRng rng;
    // One that was left half made is begun anew.
    for (const char* end : {"", "-wal", "-shm", "-journal"})
        QFile::remove(QString::fromStdString(store + end));
    const std::string url = "sqlite:" + store;
    const exporting::ImportRequest request{bundle,
        {url, [url](const StoreOptions& options) { return openStoreUrl(url, options); },
            [url](const InitOptions& options) { return initStoreUrl(url, options); }},
        act, rng};
    CAIRN_TRY(exporting::importBundle(request));
    into.done = true;
    return {};
}

}  // namespace

bool isBundle(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) && file.read(4) == QByteArray("PK\3\4", 4);
}

std::function<Result<std::unique_ptr<StoreWriter>>(bool readOnly)> bundleDoor(
    const QString& path, const QString& person)
{
    return [into = std::make_shared<Unpacked>(), bundle = path.toStdString(), who = person.toStdString()](
               bool readOnly) -> Result<std::unique_ptr<StoreWriter>> {
        const std::lock_guard lock(into->mutex);
        const std::string store = into->folder.filePath(QStringLiteral("runs.db")).toStdString();
        CAIRN_TRY(unpack(*into, bundle, store, who));
        StoreOptions options;
        options.readOnly = readOnly;
        return openStoreUrl("sqlite:" + store, options);
    };
}

}  // namespace cairn::console
