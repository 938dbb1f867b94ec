// What a workflow hides of payloads, where somebody else reads them; and who may read it all the same.

#include "core/query/hidden_fields.h"
#include "core/service/roles.h"
#include "tests/service/harness.h"

using namespace cairn;
using namespace cairn::testing;

namespace {

// Says that every payload is as large as this, and has a policy and roles of its own.
class Large final : public HookedStore {
public:
    explicit Large(std::unique_ptr<StoreWriter> store)
        : HookedStore(std::move(store),
            {[](const char*, Access) { return std::optional<Error>(); },
                [](const char*, Access) { return std::optional<Error>(); }})
    {
    }
    Result<PayloadInfo> payloadInfo(const RunId& run, const PayloadId& id) override
    {
        auto info = HookedStore::payloadInfo(run, id);
        if (info && size)
            info->ref.size = *size;
        return info;
    }
    Result<std::optional<PolicyRow>> policy(std::uint64_t) override
    {
        return policyText.empty() ? std::optional<PolicyRow>() : PolicyRow{7, policyText, {}, {}, 0};
    }
    Result<std::optional<bool>> holdsRole(std::string_view login, std::string_view role) override
    {
        return role == "known" ? std::optional<bool>(login == "kim") : std::nullopt;
    }

    std::optional<std::uint64_t> size;
    std::string policyText;
};

constexpr const char* kListed =
    R"({"schema":"urn:cairn:policy:1","rules":[],"roles":{"listed":["lee"],"known":["lee"]}})";

}  // namespace

class TestHiddenFields : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase_data() { storeRows(); }
    void init() { useStoreOfRow(); }
    void whatIsTooLargeToLookThroughIsGivenRevealedOnly();
    void rolesAreThePolicysThenTheStores();
    void aPolicyThatCannotBeReadLetsNobody();
};

void TestHiddenFields::whatIsTooLargeToLookThroughIsGivenRevealedOnly()
{
    World w;
    w.add(workflowText(
        "one", R"({"name":"only","tool":"look"})", R"(,"hidden":{"keys":["iban"],"role":"privacy"})"));
    const auto engine = w.engine();
    const RunId run = engine->submitAndWait(World::start(*engine, "one", R"({"iban":"DE02"})")).run;
    const auto state = engine->load(run);
    CAIRN_VERIFY_OK(state);
    const PayloadId input = state->input.id;

    HidingStore store(std::make_unique<Large>(w.connect()));
    const auto small = store.shown(run, input);
    CAIRN_VERIFY_OK(small);
    QCOMPARE(small->hidden, std::uint64_t(1));
    const auto counted = store.revealable(run, input);
    CAIRN_VERIFY_OK(counted);
    QVERIFY(counted->fields == std::optional<std::uint64_t>(1));
    QCOMPARE(counted->role, std::string("privacy"));

    auto larger = std::make_unique<Large>(w.connect());
    larger->size = kHideMost + 1;
    HidingStore cautious(std::move(larger));
    // Nothing of it is given, and nobody is told that it is empty.
    CAIRN_VERIFY_ERROR(cautious.payload(run, input), ErrorKind::NoRight);
    CAIRN_VERIFY_ERROR(cautious.shown(run, input), ErrorKind::NoRight);
    const auto uncounted = cautious.revealable(run, input);
    CAIRN_VERIFY_OK(uncounted);
    QVERIFY(!uncounted->fields);
    QCOMPARE(uncounted->role, std::string("privacy"));
    QCOMPARE(revealAct({}, run, input, *uncounted, 1, w.rng).after, std::string(R"({"fields":null})"));
    QCOMPARE(revealAct({}, run, input, *counted, 1, w.rng).after, std::string(R"({"fields":1})"));
}

void TestHiddenFields::rolesAreThePolicysThenTheStores()
{
    World w;
    Large store(w.connect());
    store.policyText = kListed;
    const auto info = store.info();
    CAIRN_VERIFY_OK(info);
    const auto row = store.policy(0);
    CAIRN_VERIFY_OK(row);
    const auto policy = policyOf(*row, *info);
    CAIRN_VERIFY_OK(policy);
    const auto holds = [&store](const Policy& by, const char* role, const char* login) {
        const auto found = holdsRole(store, by, role, login);
        return found && *found;
    };
    QVERIFY(holds(*policy, "", "kim"));
    QVERIFY(holds(*policy, "listed", "lee"));
    QVERIFY(!holds(*policy, "listed", "kim"));
    QVERIFY(holds(*policy, "known", "lee"));  // the policy's list goes before the store's
    QVERIFY(!holds(*policy, "known", "kim"));
    QVERIFY(holds(*policy, "heard-of-nowhere", "kim"));
    // Without a policy the store's list counts.
    const auto first = policyOf(std::nullopt, *info);
    CAIRN_VERIFY_OK(first);
    QVERIFY(holds(*first, "known", "kim"));
    QVERIFY(!holds(*first, "known", "lee"));
    // To reveal asks the same.
    CAIRN_VERIFY_OK(mayReveal(store, "lee", "listed"));
    CAIRN_VERIFY_ERROR(mayReveal(store, "kim", "listed"), ErrorKind::NoRight);
    CAIRN_VERIFY_ERROR(mayReveal(store, "kim", "known"), ErrorKind::NoRight);
}

void TestHiddenFields::aPolicyThatCannotBeReadLetsNobody()
{
    World w;
    Large store(w.connect());
    store.policyText = R"({"schema":"urn:cairn:policy:9"})";
    CAIRN_VERIFY_ERROR(mayReveal(store, "lee", "listed"), ErrorKind::Corrupt);
    const Status told = mayReveal(store, "lee", "listed");
    QVERIFY2(told.error().text.starts_with("policy 7 of this store cannot be read by this version"),
        told.error().text.c_str());
    CAIRN_VERIFY_OK(mayReveal(store, "lee", ""));
}

QTEST_APPLESS_MAIN(TestHiddenFields)
#include "tst_hidden_fields.moc"
