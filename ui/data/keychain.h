#pragma once
// Passwords of logins at servers in the desktop's keychain. Used on the window's thread; every call returns
// at once, and a keychain that asks its user holds up nothing.

#include "ui/data/source.h"

#include <QFuture>
#include <QObject>

namespace cairn::ui {

struct KeychainSaid {
    enum class Kind {
        Done,     // read, kept, or forgotten
        Nothing,  // it holds no password of this login
        Absent,   // there is no keychain here
        Refused,  // locked, or it would not
    };
    Kind kind = Kind::Nothing;
    QString password{};  // of read() alone: never shown, logged, or put into an argument
    QString text{};      // Absent and Refused: a sentence, and what to do
};

// How long a keychain is waited for that asks its user to unlock it.
constexpr int kKeychainPatienceMs = 20'000;

class Keychain : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    ~Keychain() override;

    // The reply has a value always. `login`: user@host:port/database.
    virtual QFuture<Reply<KeychainSaid>> read(const QString& login) = 0;
    virtual QFuture<Reply<KeychainSaid>> keep(const QString& login, const QString& password) = 0;
    virtual QFuture<Reply<KeychainSaid>> forget(const QString& login) = 0;
};

// That of the desktop (Secret Service, KWallet), by QtKeychain. Without a session bus, or where nobody on it
// keeps secrets, everything is Absent; nothing is ever written anywhere else.
class DesktopKeychain final : public Keychain {
    Q_OBJECT
public:
    using Keychain::Keychain;
    QFuture<Reply<KeychainSaid>> read(const QString& login) override;
    QFuture<Reply<KeychainSaid>> keep(const QString& login, const QString& password) override;
    QFuture<Reply<KeychainSaid>> forget(const QString& login) override;
};

}  // namespace cairn::ui
