#include "ui/data/keychain.h"

#include "core/base/session_bus.h"

#include <QCoreApplication>
#include <QTimer>

#include <memory>
#include <qt6keychain/keychain.h>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(keychain)
};

using Kind = KeychainSaid::Kind;

// Under this name the items stand in the keychain's own list.
constexpr QStringView kService = u"Cairn";

KeychainSaid absent()
{
    return {Kind::Absent, {},
        Words::tr("There is no keychain here: nobody on this desktop keeps passwords. Put it into ~/.pgpass "
                  "or into a service file.")};
}

KeychainSaid refused(const QString& why)
{
    return {Kind::Refused, {},
        Words::tr("The keychain refused (%1). Unlock it and try again, or put the password into ~/.pgpass.")
            .arg(why)};
}

KeychainSaid saidBy(const QKeychain::Job& job)
{
    switch (job.error()) {
    case QKeychain::NoError: {
        const auto* read = qobject_cast<const QKeychain::ReadPasswordJob*>(&job);
        return {Kind::Done, read != nullptr ? read->textData() : QString(), {}};
    }
    case QKeychain::EntryNotFound: return {Kind::Nothing, {}, {}};
    case QKeychain::NoBackendAvailable:
    case QKeychain::NotImplemented: return absent();
    case QKeychain::AccessDeniedByUser: return refused(Words::tr("somebody said no"));
    case QKeychain::AccessDenied: return refused(Words::tr("access is denied"));
    case QKeychain::CouldNotDeleteEntry:
    case QKeychain::OtherError: break;
    }
    // The library is there, and no service of that name on the bus. Only the name is not translated.
    return job.errorString().contains(u"org.freedesktop.secrets"_s) ? absent() : refused(job.errorString());
}

// The answer, or that there was none in time; the first of the two counts.
struct Waiting {
    QPromise<Reply<KeychainSaid>> promise;
    bool over = false;
    void end(KeychainSaid said)
    {
        if (std::exchange(over, true))
            return;
        promise.addResult(Reply<KeychainSaid>{std::move(said), {}});
        promise.finish();
    }
};

// `job` deletes itself when it has ended, also one that was waited for no longer.
QFuture<Reply<KeychainSaid>> run(QKeychain::Job* job, const QString& login, QObject* context)
{
    auto waiting = std::make_shared<Waiting>();
    waiting->promise.start();
    const QFuture<Reply<KeychainSaid>> future = waiting->promise.future();
    job->setKey(login);
    job->setInsecureFallback(false);
    QObject::connect(job, &QKeychain::Job::finished, context,
        [waiting](const QKeychain::Job* ended) { waiting->end(saidBy(*ended)); });
    QTimer::singleShot(kKeychainPatienceMs, context, [waiting] {
        waiting->end(refused(Words::tr("it did not answer within %1 s").arg(kKeychainPatienceMs / 1'000)));
    });
    job->start();
    return future;
}

QFuture<Reply<KeychainSaid>> nobody() { return readyReply<KeychainSaid>({absent(), {}}); }

}  // namespace

Keychain::~Keychain() = default;

QFuture<Reply<KeychainSaid>> DesktopKeychain::read(const QString& login)
{
    if (!hasSessionBus())
        return nobody();
    return run(new QKeychain::ReadPasswordJob(kService.toString()), login, this);
}

QFuture<Reply<KeychainSaid>> DesktopKeychain::keep(const QString& login, const QString& password)
{
    if (!hasSessionBus())
        return nobody();
    auto* job = new QKeychain::WritePasswordJob(kService.toString());
    job->setTextData(password);
    return run(job, login, this);
}

QFuture<Reply<KeychainSaid>> DesktopKeychain::forget(const QString& login)
{
    if (!hasSessionBus())
        return nobody();
    return run(new QKeychain::DeletePasswordJob(kService.toString()), login, this);
}

}  // namespace cairn::ui
