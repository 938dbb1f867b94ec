// A receipt holds without a store, and for nothing but what was signed.

#include "core/export/receipt.h"
#include "tests/export/exported_run.h"

using namespace cairn;
using namespace cairn::testing;

class TestReceipt : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void itSaysWhatWasApprovedExecutedAndDone();
    void itIsOfAStepThatNobodyApprovedToo();
    void anyChangeIsSeen();
    void aSignerWhoWritesAnotherPageIsFoundOut();
    void whatIsNotDoneHasNone();

private:
    static Result<std::string> made(Exported& e, const std::string& step, const SigningKey& key)
    {
        return ex::makeReceipt({*e.w.store, e.run, step, key, "test"});
    }
    static std::string lineOf(const std::string& text, const std::string& name)
    {
        const std::size_t at = text.find("\n" + name + ":");
        if (at == std::string::npos)
            return "(no such line)";
        const std::string line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
        return std::string(trimmed(line.substr(name.size() + 1)));
    }
};

void TestReceipt::itSaysWhatWasApprovedExecutedAndDone()
{
    Exported e;
    const SigningKey key({1}), other({2});
    const auto text = made(e, "pay", key);
    CAIRN_VERIFY_OK(text);
    const auto state = e.w.service->load(e.run);
    const StepRecord& pay = *state->find("pay");
    const std::string digest = hex(state->findApproval(pay.approval)->binding);
    QCOMPARE(lineOf(*text, "run"), toText(e.run));
    QCOMPARE(lineOf(*text, "approved digest"), digest);
    QCOMPARE(lineOf(*text, "executed digest"), digest);
    QCOMPARE(lineOf(*text, "effect key"), std::string("pay/A1"));
    QCOMPARE(lineOf(*text, "result hash"), hex(pay.output.hash));
    QCOMPARE(lineOf(*text, "head"), hex(state->head));
    const auto verdict = ex::checkReceipt(*text, key.publicKey());
    QCOMPARE(verdict.fault, std::string());
    QVERIFY(verdict.key == key.publicKey());
    QCOMPARE(verdict.step, std::string("pay"));
    QCOMPARE(verdict.approvedDigest, digest);
    QVERIFY(ex::checkReceipt(*text, other.publicKey()).fault.find("not by") != std::string::npos);
    QVERIFY(ex::checkReceipt(*text).fault.empty());
}

void TestReceipt::itIsOfAStepThatNobodyApprovedToo()
{
    Exported e;
    const auto text = made(e, "find", SigningKey({1}));
    CAIRN_VERIFY_OK(text);
    QCOMPARE(lineOf(*text, "approval"), std::string("none was asked"));
    const auto verdict = ex::checkReceipt(*text);
    QCOMPARE(verdict.fault, std::string());
    QVERIFY(verdict.approvedDigest.empty());
}

void TestReceipt::anyChangeIsSeen()
{
    Exported e;
    const auto text = made(e, "pay", SigningKey({1}));
    CAIRN_VERIFY_OK(text);
    const std::size_t end = text->rfind("\nsignature:");
    for (std::size_t at = 0; at < end; at += 7) {
        std::string changed = *text;
        changed[at] = changed[at] == 'a' ? 'b' : 'a';
        QVERIFY2(!ex::checkReceipt(changed).fault.empty(), std::to_string(at).c_str());
    }
    for (const std::string& broken :
        {std::string(), std::string("hello"), text->substr(0, end), *text + "more\n"})
        QVERIFY2(!ex::checkReceipt(broken).fault.empty(), broken.c_str());
}

// Who has the key may sign what he likes; the readable lines still have to be those of the entries.
void TestReceipt::aSignerWhoWritesAnotherPageIsFoundOut()
{
    Exported e;
    const SigningKey key({1});
    const auto text = made(e, "pay", key);
    CAIRN_VERIFY_OK(text);
    const auto again = [&](std::string page) {
        page.erase(page.rfind("\nsignature:") + 1);
        return page + "signature: " + base64(sign(key, page).view()) + "\n";
    };
    QCOMPARE(ex::checkReceipt(again(*text)).fault, std::string());
    const std::string none(64, '0');
    for (const char* name : {"approved digest", "executed digest", "result hash", "input hash", "effect"}) {
        std::string page = *text;
        replaceFirst(page, lineOf(page, name), none);
        QVERIFY2(!ex::checkReceipt(again(page)).fault.empty(), name);
    }
    std::string cut = *text;
    const std::size_t entry = cut.rfind("\nentry ");
    cut.erase(entry, cut.find('\n', entry + 1) - entry);
    QVERIFY(!ex::checkReceipt(again(cut)).fault.empty());
}

void TestReceipt::whatIsNotDoneHasNone()
{
    Exported e;
    CAIRN_VERIFY_ERROR(made(e, "nothing", SigningKey({1})), ErrorKind::NotFound);
    e.run = e.engine->submitAndWait(World::start(*e.engine, "order", R"({"order":"B","amount":"1"})")).run;
    CAIRN_VERIFY_ERROR(made(e, "pay", SigningKey({1})), ErrorKind::Refused);
}

QTEST_APPLESS_MAIN(TestReceipt)
#include "tst_receipt.moc"
