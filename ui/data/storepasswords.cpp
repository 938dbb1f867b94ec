#include "ui/data/storepasswords.h"

#include "ui/data/qtconvert.h"

#include <QThread>

#include <chrono>

namespace cairn::ui {

namespace {

// A link that is made anew every second does not ask the keychain's user every second.
constexpr SpanMs kAgainAfter = 30'000;
// Longer than the keychain itself is waited for: it says better why there is no answer.
constexpr std::chrono::milliseconds kPatience{kKeychainPatienceMs + 5'000};

PasswordAnswer answerOf(const KeychainSaid& said)
{
    using Answer = PasswordAnswer::Kind;
    switch (said.kind) {
    case KeychainSaid::Kind::Done:
        if (said.password.isEmpty())
            break;
        return {Answer::Found, core(said.password), {}};
    case KeychainSaid::Kind::Refused: return {Answer::Refused, {}, core(said.text)};
    case KeychainSaid::Kind::Nothing:
    case KeychainSaid::Kind::Absent: break;
    }
    return {Answer::Nothing, {}, core(said.text)};
}

}  // namespace

StorePasswords::StorePasswords(Keychain& keychain, const QString& typed)
    : m_keychain(&keychain)
    , m_typed(core(typed))
{
}

std::string StorePasswords::given() { return m_typed; }

PasswordAnswer StorePasswords::kept(const std::string& login)
{
    if (QThread::currentThread() == m_keychain->thread())
        return {};
    std::unique_lock lock(m_mutex);
    const bool old = m_state == State::Answered && m_answer.kind != PasswordAnswer::Kind::Found
        && m_clock.monotonicMs() - m_answeredAt >= kAgainAfter;
    if (!m_over && (m_state == State::Idle || old))
        ask(login);
    m_wake.wait_for(lock, kPatience, [this] { return m_over || m_state == State::Answered; });
    if (m_over)
        return {};
    if (m_state != State::Answered)
        return {PasswordAnswer::Kind::Refused, {}, "the keychain did not answer"};
    return m_answer;
}

// Under the lock.
void StorePasswords::ask(const std::string& login)
{
    m_state = State::Asking;
    QMetaObject::invokeMethod(
        m_keychain,
        [keychain = m_keychain, weak = weak_from_this(), login = qt(login)] {
            whenDone(keychain->read(login), keychain, [weak](const Reply<KeychainSaid>& reply) {
                if (const auto self = weak.lock(); self && reply)
                    self->take(*reply.value);
            });
        },
        Qt::QueuedConnection);
}

void StorePasswords::take(const KeychainSaid& said)
{
    const std::scoped_lock lock(m_mutex);
    m_answer = answerOf(said);
    m_answeredAt = m_clock.monotonicMs();
    m_state = State::Answered;
    m_wake.notify_all();
}

void StorePasswords::giveUp()
{
    const std::scoped_lock lock(m_mutex);
    m_over = true;
    m_wake.notify_all();
}

}  // namespace cairn::ui
