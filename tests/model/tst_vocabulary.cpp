// The vocabulary: each value of an enum has exactly one word, and the machine words never change.
#include "core/model/command.h"
#include "core/model/definition.h"
#include "tests/support/cairn_qtest.h"

#include <QtCore/QFile>

#include <set>
#include <vector>

using namespace cairn;

namespace {

// The machine words in the order of the values: stored data and other programs count on them.
template<typename Enum> struct Keys;
template<> struct Keys<Activity> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{"completed", "failed", "cancelled", "compensated",
        "paused", "cancelling", "compensating", "executing", "retrying", "queued", "waiting", "blocked"};
};
template<> struct Keys<Attention> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{
        "unknown_effect", "repair", "person", "machine", "none"};
};
template<> struct Keys<Reason> {
    static constexpr std::uint8_t kFirst = 0;
    static inline const std::vector<std::string_view> kAll{"none", "outcome_unknown", "effect_key_conflict",
        "worker", "attempts_exhausted", "failed_child", "incompatible", "credential", "approval", "budget",
        "deadline", "paused", "effect_in_flight", "retry", "resource", "capacity", "timer", "signal", "child",
        "dependency", "lease"};
};
template<> struct Keys<StepState> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{
        "pending", "ready", "running", "waiting", "unknown", "complete", "failed", "skipped", "cancelled"};
};
template<> struct Keys<StepKind> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{
        "tool", "decision", "approval", "timer", "signal", "run", "fan_out"};
};
template<> struct Keys<ReplaySafety> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{"read_only", "repeatable", "irreversible"};
};
template<> struct Keys<Purpose> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{"do", "look_up", "undo"};
};
template<> struct Keys<AttemptEnd> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{
        "completed", "failed", "timed_out", "owner_lost", "cancelled"};
};
template<> struct Keys<EffectKnowledge> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{
        "no_effect", "not_happened", "happened", "unknown"};
};
template<> struct Keys<FailureClass> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{"retryable", "permanent", "rate_limited",
        "credential", "rejected", "too_large", "crashed", "not_begun"};
};
template<> struct Keys<ApprovalState> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{
        "pending", "approved", "rejected", "expired", "cancelled", "used"};
};
template<> struct Keys<ActorKind> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{
        "person", "caller", "worker", "engine", "run", "system"};
};
template<> struct Keys<Verb> {
    static constexpr std::uint8_t kFirst = 1;
    static inline const std::vector<std::string_view> kAll{"approve", "reject", "pause", "resume", "cancel",
        "retry", "skip", "record", "settle", "amend", "deadline", "budget", "slow", "takeover", "compensate",
        "fork", "migrate", "redact", "start", "add_steps", "claim", "renew", "progress", "complete", "fail",
        "partial", "signal", "request_approval", "driven_step", "advance", "recover", "fire_timers",
        "deliver", "reconcile", "park", "workflow_add", "store_migrate", "store_backup", "store_clock",
        "store_copy", "store_artifacts", "audit_checkpoint", "audit_anchor", "store_export", "store_import",
        "hold", "assign", "note", "retain", "act_propose", "act_confirm", "policy_set", "plan", "reveal"};
};

template<typename Enum> void checkTable()
{
    const auto table = words<Enum>();
    const auto& expected = Keys<Enum>::kAll;
    QCOMPARE(table.size(), expected.size());
    std::set<std::string_view> keys;
    std::set<std::string_view> labels;
    for (std::size_t i = 0; i < table.size(); ++i) {
        const auto value = static_cast<Enum>(Keys<Enum>::kFirst + i);
        QCOMPARE(table[i].value, static_cast<std::uint8_t>(value));
        QCOMPARE(table[i].key, expected[i]);
        QCOMPARE(key(value), expected[i]);
        QCOMPARE(&word(value), &table[i]);
        QVERIFY(isKnown(value));
        QVERIFY(parseKey<Enum>(expected[i]) == value);
        QVERIFY2(keys.insert(table[i].key).second, table[i].key.data());
        QVERIFY2(labels.insert(table[i].label).second, table[i].label.data());
        QVERIFY2(!table[i].label.empty() && table[i].label.front() >= 'A' && table[i].label.front() <= 'Z',
            table[i].key.data());
        QVERIFY2(table[i].help.ends_with('.') && table[i].help.size() <= 100, table[i].key.data());
        QVERIFY2(table[i].help.find('\n') == std::string_view::npos, table[i].key.data());
    }
    const auto after = static_cast<Enum>(Keys<Enum>::kFirst + expected.size());
    QVERIFY(!isKnown(after));
    QVERIFY(!isKnown(static_cast<Enum>(255)));
    QCOMPARE(key(after), std::string_view("?"));
    QVERIFY(!parseKey<Enum>("?"));
    QVERIFY(!parseKey<Enum>(""));
    if (Keys<Enum>::kFirst == 1) {
        QVERIFY(!isKnown(Enum{}));
        QCOMPARE(key(Enum{}), std::string_view("?"));
    }
}

struct Move {
    Reason reason;
    Attention attention;
    Activity activity;
};

cmd::Body decide(bool approve)
{
    cmd::Decide command;
    command.approve = approve;
    return command;
}

cmd::Body setPaused(bool paused)
{
    cmd::SetPaused command;
    command.paused = paused;
    return command;
}

cmd::Body renew(bool progress)
{
    cmd::Renew command;
    if (progress)
        command.progress.id.bytes[0] = 1;
    return command;
}

}  // namespace

class TestVocabulary : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void eachValueHasOneWord();
    void reasonsSayWhoMovesNext();
    void activitiesSayWhoMovesThem();
    void commandsHaveTheirVerb();
    void eachCommandHasAVerb();
    void definitionsFindByName();
    void theHandbookExplainsEachWord();
};

void TestVocabulary::eachValueHasOneWord()
{
    checkTable<Activity>();
    checkTable<Attention>();
    checkTable<Reason>();
    checkTable<StepState>();
    checkTable<StepKind>();
    checkTable<ReplaySafety>();
    checkTable<Purpose>();
    checkTable<AttemptEnd>();
    checkTable<EffectKnowledge>();
    checkTable<FailureClass>();
    checkTable<ApprovalState>();
    checkTable<ActorKind>();
    checkTable<Verb>();
}

void TestVocabulary::reasonsSayWhoMovesNext()
{
    const Move moves[] = {
        {Reason::None, Attention::None, Activity{}},
        {Reason::OutcomeUnknown, Attention::UnknownEffect, Activity::Blocked},
        {Reason::EffectKeyConflict, Attention::Repair, Activity::Blocked},
        {Reason::Worker, Attention::Repair, Activity::Blocked},
        {Reason::AttemptsExhausted, Attention::Repair, Activity::Blocked},
        {Reason::FailedChild, Attention::Repair, Activity::Blocked},
        {Reason::Incompatible, Attention::Repair, Activity::Blocked},
        {Reason::Credential, Attention::Repair, Activity::Blocked},
        {Reason::Approval, Attention::Person, Activity::Waiting},
        {Reason::Budget, Attention::Person, Activity::Blocked},
        {Reason::Deadline, Attention::Person, Activity::Blocked},
        {Reason::Paused, Attention::Person, Activity::Paused},
        {Reason::EffectInFlight, Attention::Machine, Activity::Waiting},
        {Reason::Retry, Attention::Machine, Activity::Retrying},
        {Reason::Resource, Attention::Machine, Activity::Queued},
        {Reason::Capacity, Attention::Machine, Activity::Queued},
        {Reason::Timer, Attention::Machine, Activity::Waiting},
        {Reason::Signal, Attention::Machine, Activity::Waiting},
        {Reason::Child, Attention::Machine, Activity::Waiting},
        {Reason::Dependency, Attention::Machine, Activity::Waiting},
        {Reason::Lease, Attention::Machine, Activity::Executing},
    };
    QCOMPARE(std::size(moves), words<Reason>().size());
    for (const Move& move : moves) {
        QVERIFY2(word(move.reason).attention == move.attention, key(move.reason).data());
        QVERIFY2(word(move.reason).activity == move.activity, key(move.reason).data());
    }
}

void TestVocabulary::activitiesSayWhoMovesThem()
{
    const Attention expected[] = {
        Attention::None,
        Attention::None,
        Attention::None,
        Attention::None,
        Attention::Person,
        Attention::Machine,
        Attention::Machine,
        Attention::Machine,
        Attention::Machine,
        Attention::Machine,
        Attention::Machine,
        Attention::Repair,
    };
    QCOMPARE(std::size(expected), words<Activity>().size());
    for (const Word& one : words<Activity>()) {
        QCOMPARE(one.attention, expected[one.value - 1]);
        QCOMPARE(static_cast<std::uint8_t>(one.activity), one.value);
        QCOMPARE(isFinished(one.activity), one.attention == Attention::None);
    }
}

void TestVocabulary::commandsHaveTheirVerb()
{
    QCOMPARE(verbOf(decide(true)), Verb::Approve);
    QCOMPARE(verbOf(decide(false)), Verb::Reject);
    QCOMPARE(verbOf(setPaused(true)), Verb::Pause);
    QCOMPARE(verbOf(setPaused(false)), Verb::Resume);
    QCOMPARE(verbOf(renew(false)), Verb::Renew);
    QCOMPARE(verbOf(renew(true)), Verb::Progress);
    QCOMPARE(verbOf(cmd::RetryStep{}), Verb::Retry);
    QCOMPARE(verbOf(cmd::SkipStep{}), Verb::Skip);
    QCOMPARE(verbOf(cmd::RecordResult{}), Verb::Record);
    QCOMPARE(verbOf(cmd::Settle{}), Verb::Settle);
    QCOMPARE(verbOf(cmd::LookedUp{}), Verb::Reconcile);
    QCOMPARE(verbOf(cmd::Start{}), Verb::Start);
    QCOMPARE(verbOf(cmd::Deliver{}), Verb::Deliver);
}

// Every command but the two-faced ones, default-made: their verbs are known and differ.
void TestVocabulary::eachCommandHasAVerb()
{
    std::set<Verb> seen;
    const auto check = [&]<std::size_t... I>(std::index_sequence<I...>)
    {
        (seen.insert(verbOf(cmd::Body{std::variant_alternative_t<I, cmd::Body>{}})), ...);
    };
    constexpr std::size_t kCount = std::variant_size_v<cmd::Body>;
    check(std::make_index_sequence<kCount>{});
    QCOMPARE(seen.size(), kCount);
    for (const Verb verb : seen)
        QVERIFY(isKnown(verb));
}

void TestVocabulary::definitionsFindByName()
{
    Definition definition;
    definition.steps.resize(2);
    definition.steps[0].name = "plan";
    definition.steps[1].name = "pay";
    definition.tools.resize(1);
    definition.tools[0].name = "bank";
    QCOMPARE(definition.step("pay"), &definition.steps[1]);
    QCOMPARE(definition.step("Pay"), nullptr);
    QCOMPARE(definition.step("bank"), nullptr);
    QCOMPARE(definition.tool("bank"), &definition.tools[0]);
    QCOMPARE(definition.tool(""), nullptr);
}

// Operators meet these words; the page must have each as it is printed, and as the console says it.
void TestVocabulary::theHandbookExplainsEachWord()
{
    QFile page(QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/concepts.md"));
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray text = page.readAll();
    const auto check = [&text](const Word& word, bool label) {
        QVERIFY2(
            text.contains("`" + QByteArray::fromStdString(std::string(word.key)) + "`"), word.key.data());
        if (label)
            QVERIFY2(text.contains(QByteArray::fromStdString(std::string(word.label))), word.label.data());
    };
    for (const Word& word : words<Activity>())
        check(word, true);
    for (const Word& word : words<Attention>())
        check(word, true);
    for (const Word& word : words<Reason>())
        if (word.value != 0)
            check(word, true);
    for (const Word& word : words<StepState>())
        check(word, false);
    for (const Word& word : words<Verb>())
        if (word.value <= static_cast<std::uint8_t>(Verb::Redact))
            check(word, false);
}

QTEST_APPLESS_MAIN(TestVocabulary)
#include "tst_vocabulary.moc"
