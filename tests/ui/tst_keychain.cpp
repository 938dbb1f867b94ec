// Passwords of servers: what was typed, what the keychain holds, and who waits for it; and that they stay
// where they belong. The keychain is a fake; of the desktop's own only that it is not there.
#include "ui/data/keychain.h"
#include "ui/data/qtconvert.h"
#include "ui/data/storepasswords.h"
#include "ui/data/storesession.h"
#include "ui/dialogs/connectbox.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <map>
#include <thread>

using namespace cairn::ui;
using namespace Qt::StringLiterals;
using Kind = KeychainSaid::Kind;
using Answer = cairn::PasswordAnswer::Kind;

namespace {

constexpr int kLongWait = 60'000;  // for things that are waited for, never asserted
constexpr auto kLogin = "ann@db.example:5432/runs";
const auto kServer = u"postgresql://ann@db.example/runs"_s;
const auto kSecret = u"hunter2-and-more"_s;

class FakeKeychain final : public Keychain {
public:
    QFuture<Reply<KeychainSaid>> read(const QString& login) override
    {
        ++reads;
        if (silent) {
            waiting.push_back(std::make_unique<QPromise<Reply<KeychainSaid>>>());
            waiting.back()->start();
            return waiting.back()->future();
        }
        const auto at = items.find(login);
        return readyReply<KeychainSaid>(
            {at == items.end() ? otherwise : KeychainSaid{Kind::Done, at->second, {}}, {}});
    }
    QFuture<Reply<KeychainSaid>> keep(const QString& login, const QString& password) override
    {
        items[login] = password;
        return readyReply<KeychainSaid>({KeychainSaid{Kind::Done, {}, {}}, {}});
    }
    QFuture<Reply<KeychainSaid>> forget(const QString& login) override
    {
        const bool there = items.erase(login) > 0;
        return readyReply<KeychainSaid>({there ? KeychainSaid{Kind::Done, {}, {}} : otherwise, {}});
    }
    void answer()
    {
        silent = false;
        for (const auto& promise : waiting) {
            promise->addResult(Reply<KeychainSaid>{KeychainSaid{Kind::Done, kSecret, {}}, {}});
            promise->finish();
        }
        waiting.clear();
    }

    std::map<QString, QString> items;
    KeychainSaid otherwise{};
    int reads = 0;
    bool silent = false;
    std::vector<std::unique_ptr<QPromise<Reply<KeychainSaid>>>> waiting;
};

// Asks on a thread of its own, as a connection does, while the window goes on.
cairn::PasswordAnswer askedAside(StorePasswords& passwords)
{
    cairn::PasswordAnswer answer;
    std::atomic<bool> done = false;
    std::thread thread([&] {
        answer = passwords.kept(kLogin);
        done = true;
    });
    const bool ended = QTest::qWaitFor([&] { return done.load(); }, kLongWait);
    if (!ended)
        passwords.giveUp();
    thread.join();
    return answer;
}

QString everythingIn(const QWidget& widget)
{
    QString all;
    for (const QLabel* label : widget.findChildren<QLabel*>())
        all += label->text() + u'\n';
    for (const auto* button : widget.findChildren<QAbstractButton*>())
        all += button->text() + button->toolTip() + u'\n';
    return all;
}

}  // namespace

class TestKeychain : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsKeptIsReadBesideTheWindow();
    void allConnectionsAskOnce();
    void whoWaitsIsSentAwayAtTheEnd();
    void whatIsNotGivenIsSaid_data();
    void whatIsNotGivenIsSaid();
    void withoutASessionThereIsNone();
    void passwordsAreAskedForServersOnly();
    void whatIsTypedGoesToWhoOpensAlone();
    void keptPasswordsCanBeForgotten();
};

void TestKeychain::whatIsKeptIsReadBesideTheWindow()
{
    FakeKeychain keychain;
    keychain.items[QString::fromLatin1(kLogin)] = kSecret;
    const auto kept = std::make_shared<StorePasswords>(keychain);
    QCOMPARE(kept->given(), std::string());
    QVERIFY(kept->kept(kLogin).kind == Answer::Nothing);  // the window's thread never waits for itself
    QCOMPARE(keychain.reads, 0);
    const cairn::PasswordAnswer answer = askedAside(*kept);
    QVERIFY(answer.kind == Answer::Found);
    QCOMPARE(answer.password, core(kSecret));
    QVERIFY(askedAside(*kept).kind == Answer::Found);  // a link that is made anew does not ask anew
    QCOMPARE(keychain.reads, 1);
    const auto typed = std::make_shared<StorePasswords>(keychain, u"typed"_s);
    QCOMPARE(typed->given(), std::string("typed"));
    QCOMPARE(keychain.reads, 1);
}

void TestKeychain::allConnectionsAskOnce()
{
    FakeKeychain keychain;
    keychain.silent = true;
    const auto passwords = std::make_shared<StorePasswords>(keychain);
    std::atomic<int> found = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
        threads.emplace_back([&] { found += passwords->kept(kLogin).kind == Answer::Found ? 1 : 0; });
    QTRY_COMPARE_WITH_TIMEOUT(keychain.reads, 1, kLongWait);
    keychain.answer();
    QTRY_COMPARE_WITH_TIMEOUT(found.load(), 3, kLongWait);
    for (std::thread& thread : threads)
        thread.join();
    QCOMPARE(keychain.reads, 1);
}

// A session whose connection waits for a keychain that never answers ends at once.
void TestKeychain::whoWaitsIsSentAwayAtTheEnd()
{
    FakeKeychain keychain;
    keychain.silent = true;
    StoreOpening opening;
    opening.url = kServer;
    opening.passwords = std::make_shared<StorePasswords>(keychain);
    std::atomic<bool> ended = false;
    opening.open = [passwords = opening.passwords, &ended](
                       bool) -> cairn::Result<std::unique_ptr<cairn::StoreWriter>> {
        const cairn::PasswordAnswer answer = passwords->kept(kLogin);
        ended = true;
        return cairn::makeError(cairn::ErrorKind::Disconnected, "no password: " + answer.text);
    };
    auto session = std::make_unique<StoreSession>(opening);
    const auto facts = session->facts();
    QTRY_COMPARE_WITH_TIMEOUT(keychain.reads, 1, kLongWait);
    QVERIFY(!ended);
    session.reset();
    QVERIFY(ended);
    QVERIFY(opening.passwords->kept(kLogin).kind == Answer::Nothing);
    keychain.answer();  // late: nobody is there, and nothing falls over
}

void TestKeychain::whatIsNotGivenIsSaid_data()
{
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("expected");
    QTest::newRow("nothing") << int(Kind::Nothing) << int(Answer::Nothing);
    QTest::newRow("no keychain") << int(Kind::Absent) << int(Answer::Nothing);
    QTest::newRow("locked") << int(Kind::Refused) << int(Answer::Refused);
    QTest::newRow("an empty one") << int(Kind::Done) << int(Answer::Nothing);
}

void TestKeychain::whatIsNotGivenIsSaid()
{
    QFETCH(int, kind);
    QFETCH(int, expected);
    FakeKeychain keychain;
    keychain.otherwise = {static_cast<Kind>(kind), {}, u"nobody unlocked it"_s};
    const auto passwords = std::make_shared<StorePasswords>(keychain);
    const cairn::PasswordAnswer answer = askedAside(*passwords);
    QCOMPARE(int(answer.kind), expected);
    QCOMPARE(answer.text, std::string("nobody unlocked it"));
    QCOMPARE(answer.password, std::string());
    QCOMPARE(int(askedAside(*passwords).kind), expected);
    QCOMPARE(keychain.reads, 1);  // nobody is asked to unlock it with each try of a connection
}

void TestKeychain::withoutASessionThereIsNone()
{
    const QByteArray bus = qgetenv("DBUS_SESSION_BUS_ADDRESS"), folder = qgetenv("XDG_RUNTIME_DIR");
    qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    qputenv("XDG_RUNTIME_DIR", "/nowhere");
    DesktopKeychain keychain;
    for (const auto& future :
        {keychain.read(u"x"_s), keychain.keep(u"x"_s, kSecret), keychain.forget(u"x"_s)}) {
        QVERIFY(future.isFinished());  // nobody was asked
        const auto reply = future.result();
        QVERIFY(reply.value->kind == Kind::Absent);
        QVERIFY2(reply.value->text.contains(u"Put it into ~/.pgpass or into a service file."_s),
            qPrintable(reply.value->text));
    }
    qputenv("DBUS_SESSION_BUS_ADDRESS", bus);
    if (bus.isNull())
        qunsetenv("DBUS_SESSION_BUS_ADDRESS");
    qputenv("XDG_RUNTIME_DIR", folder);
    if (folder.isNull())
        qunsetenv("XDG_RUNTIME_DIR");
}

void TestKeychain::passwordsAreAskedForServersOnly()
{
    ConnectBox box({}, {}, {}, nullptr);
    QVERIFY(!box.password()->isVisibleTo(&box));
    box.address()->setText(u"/data/runs.db"_s);
    QVERIFY(!box.password()->isVisibleTo(&box));
    box.address()->setText(kServer);
    QVERIFY(box.password()->isVisibleTo(&box));
    QCOMPARE(box.password()->echoMode(), QLineEdit::Password);
    QVERIFY(!box.keep()->isChecked());  // nothing is kept unless somebody says so
    QVERIFY(!box.keep()->isEnabled());  // and nothing is typed yet
    box.password()->setText(kSecret);
    QVERIFY(box.keep()->isEnabled() && !box.keep()->isChecked());
    QVERIFY(!box.forgetButton()->isVisibleTo(&box));  // nobody can forget here
}

void TestKeychain::whatIsTypedGoesToWhoOpensAlone()
{
    StoreWish tested;
    auto* box = new ConnectBox(
        {{u"postgresql://kim@db.example/old"_s, u"prod"_s, false, 1}},
        [&tested](const StoreWish& wish) {
            tested = wish;
            StoreCheck check;
            check.steps = {{u"it opens for reading"_s, true}};
            check.ok = true;
            return readyReply<StoreCheck>({check, {}});
        },
        {}, nullptr);
    std::vector<StoreWish> chosen;
    connect(box, &ConnectBox::chosen, this, [&chosen](const StoreWish& wish) { chosen.push_back(wish); });
    box->address()->setText(kServer);
    box->password()->setText(kSecret);
    box->keep()->setChecked(true);
    box->testButton()->click();
    QTRY_COMPARE_WITH_TIMEOUT(box->resultText(), u"it opens for reading"_s, kLongWait);
    QCOMPARE(tested.password, kSecret);
    QVERIFY(!everythingIn(*box).contains(kSecret));
    // A file's address takes no password along, whatever stands in the line that is not seen any more.
    box->address()->setText(u"/data/runs.db"_s);
    box->testButton()->click();
    QTRY_COMPARE_WITH_TIMEOUT(tested.store, u"/data/runs.db"_s, kLongWait);
    QCOMPARE(tested.password, QString());
    QVERIFY(!tested.keep);
    box->address()->setText(kServer);
    for (QPushButton* button : box->findChildren<QPushButton*>())
        if (button->text() == u"Open"_s)
            button->click();
    QCOMPARE(chosen.size(), 1U);
    QCOMPARE(chosen.front().store, kServer);
    QCOMPARE(chosen.front().password, kSecret);
    QVERIFY(chosen.front().keep && !chosen.front().act);
    QCOMPARE(box->password()->text(), QString());
}

void TestKeychain::keptPasswordsCanBeForgotten()
{
    FakeKeychain keychain;
    keychain.items[kServer] = kSecret;
    ConnectBox box(
        {}, {}, [&keychain](const QString& store) { return keychain.forget(store); }, nullptr);
    box.address()->setText(kServer);
    QVERIFY(box.forgetButton()->isVisibleTo(&box));
    box.forgetButton()->click();
    QTRY_COMPARE_WITH_TIMEOUT(
        box.resultText(), u"The keychain has no password of this login any more."_s, kLongWait);
    QVERIFY(keychain.items.empty());
    box.forgetButton()->click();
    QTRY_COMPARE_WITH_TIMEOUT(box.resultText(), u"The keychain held no password of this login."_s, kLongWait);
    keychain.otherwise = {Kind::Absent, {}, u"There is no keychain here."_s};
    box.forgetButton()->click();
    QTRY_COMPARE_WITH_TIMEOUT(box.resultText(), u"There is no keychain here."_s, kLongWait);
}

QTEST_MAIN(TestKeychain)
#include "tst_keychain.moc"
