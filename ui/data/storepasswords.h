#pragma once
// The password of one store's login: what was typed in the window, else what the keychain holds. The threads
// that connect wait here; the keychain is asked on the window's thread, once for all of them.

#include "core/base/clock.h"
#include "core/store/login.h"
#include "ui/data/keychain.h"

#include <condition_variable>
#include <memory>
#include <mutex>

namespace cairn::ui {

class StorePasswords final : public LoginPasswords, public std::enable_shared_from_this<StorePasswords> {
public:
    // The keychain outlives every thread that connects.
    explicit StorePasswords(Keychain& keychain, const QString& typed = {});

    [[nodiscard]] std::string given() override;
    // Nothing at once on the window's own thread, which has to answer.
    [[nodiscard]] PasswordAnswer kept(const std::string& login) override;
    // Ends every waiting, for good: what asks is to be joined.
    void giveUp();

private:
    enum class State { Idle, Asking, Answered };
    void ask(const std::string& login);
    void take(const KeychainSaid& said);

    Keychain* m_keychain;
    const std::string m_typed;
    SystemClock m_clock;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    PasswordAnswer m_answer;
    TimeMs m_answeredAt = 0;  // monotonic
    State m_state = State::Idle;
    bool m_over = false;
};

}  // namespace cairn::ui
