#pragma once
// What people and retention have left in a store beside its runs: acts that others confirmed, rejected or
// that were withdrawn, a review, a plan that has ended, a policy, rules, a hold, a payload that was redacted,
// a run that was removed, and a checkpoint that was signed before. For tests of what a move brings along.

#include "core/audit/verify_audit.h"
#include "tests/service/copy_harness.h"

namespace cairn::testing {

struct Kept {
    RunId removed;  // was "done"
    CommandId begun;
    RunId redacted;  // is "paid"
    PayloadId secret;
    std::uint64_t redactedBy = 0;  // version of its last entry but for none
    TimeMs heldUntil = kNoTime;    // "nap"
    PublicKey key;
};

template<typename T> T needed(Result<T> result)
{
    if (!result)
        qFatal("%s", result.error().text.c_str());
    return *std::move(result);
}
inline void needed(const Status& status)
{
    if (!status)
        qFatal("%s", status.error().text.c_str());
}

class Keeping {
public:
    explicit Keeping(StoreWriter& store)
        : m_store(store)
        , m_queue(makeInlineQueue(store))
        , m_service(store, *m_queue, smallStore().c.clock, m_rng, {})
    {
        const SigningKey key(std::array<std::uint8_t, 32>{5, 6, 7});
        m_kept.key = key.publicKey();
        acts();
        rules();
        plan();
        redact();
        hold();
        needed(audit::makeCheckpoint(m_store, key, "kim"));
        remove(key);
    }
    [[nodiscard]] const Kept& kept() const { return m_kept; }

private:
    AuditRow entry(const std::string& kind, Verb verb, StoreChange change = {})
    {
        AuditRow row;
        row.time = needed(m_store.now());
        row.kind = kind;
        row.verb = verb;
        row.actor = "kim";
        row.uid = 1000;
        row.host = "desk";
        row.login = "uid 1000";
        row.command = makeId<CommandId>(row.time, m_rng);
        row.reason = "because of a test";
        row.with = std::make_shared<StoreChange>(std::move(change));
        return row;
    }
    StagedAct propose(const std::string& name)
    {
        StagedAct act;
        act.command = deriveId<CommandId>("kept", name);
        act.run = smallStore().runs.at("bell");
        act.verb = Verb::Pause;
        act.body = std::string("b\0dy", 4);
        act.reason = name;
        act.claimed = "ann";
        act.uid = 1001;
        act.host = "desk";
        act.seenVersion = 3;
        act.stagedBy = "uid 1001";
        act.stagedAt = needed(m_store.now());
        act.state = StagedState::Proposed;
        act.role = "ops";
        act.expires = act.stagedAt + 1'000'000;
        act.digest = actDigest(act);
        StoreChange change;
        change.propose = act;
        needed(m_store.appendAudit(entry("proposed", Verb::ProposeAct, std::move(change))));
        return act;
    }
    void decide(StagedAct act, StagedState as)
    {
        act.state = as;
        act.confirmedBy = as == StagedState::Withdrawn ? act.stagedBy : "uid 1000";
        act.confirmedName = "kim";
        act.note = "looked at it";
        act.confirmedAt = act.decidedAt = needed(m_store.now());
        StoreChange change;
        change.decide = act;
        needed(m_store.appendAudit(entry("applied", Verb::ConfirmAct, std::move(change))));
        if (as != StagedState::Waiting)
            return;
        act.state = StagedState::Committed;
        act.version = 9;
        act.auditSeq = 3;
        act.outcome = "so it was";
        needed(m_store.finishStaged(act));
    }
    void acts()
    {
        decide(propose("confirmed"), StagedState::Waiting);
        decide(propose("refused"), StagedState::Refused);
        decide(propose("withdrawn"), StagedState::Withdrawn);
        Review review;
        review.command = deriveId<CommandId>("kept", "glass");
        review.run = smallStore().runs.at("bell");
        review.verb = Verb::Pause;
        review.login = "uid 1001";
        review.reason = "it was burning";
        review.openedAt = needed(m_store.now());
        StoreChange opened;
        opened.review = review;
        needed(m_store.appendAudit(entry("applied", Verb::Pause, std::move(opened))));
        review.closedBy = "uid 1000";
        review.note = "all was well";
        review.closedAt = review.openedAt + 1;
        StoreChange closed;
        closed.review = review;
        needed(m_store.appendAudit(entry("applied", Verb::Pause, std::move(closed))));
    }
    void rules()
    {
        StoreChange change;
        change.policy = PolicyRow{
            1, R"({"schema":"urn:cairn:policy:1","rules":[]})", "uid 1000", "kim", needed(m_store.now())};
        needed(m_store.appendAudit(entry("applied", Verb::SetPolicy, std::move(change))));
        RetentionRow rule;
        rule.workflow = "look";
        rule.keepDays = 30;
        rule.keysDays = 400;
        needed(m_store.setRetention(rule, entry("applied", Verb::SetPolicy)));
        needed(m_store.setNeverStore({{"pin"}, {"sk-live-*"}}, entry("applied", Verb::SetPolicy)));
    }
    // 501 items: more than one page of them.
    void plan()
    {
        PlanChange change;
        PlanRow& row = change.row;
        row.id = deriveId<PlanId>("kept", "plan");
        row.verb = Verb::Retry;
        row.command = deriveId<CommandId>("kept", "plan");
        row.login = "uid 1000";
        row.actor = "kim";
        row.reason = "because of a test";
        row.stagedAt = needed(m_store.now());
        row.spec = std::string("sp\0c", 4);
        row.items = 501;
        row.digest = sha256("plan");
        std::vector<PlanItem> items;
        for (std::uint32_t ord = 1; ord <= row.items; ++ord) {
            PlanItem& item = items.emplace_back();
            item.ord = ord;
            item.run = smallStore().runs.at("bell");
            item.command = deriveId<CommandId>("kept", "item " + std::to_string(ord));
            item.target = "a";
            item.seen = ord;
        }
        for (auto [expected, state] : {std::pair(0U, PlanState::Draft), std::pair(1U, PlanState::Draft),
                 std::pair(2U, PlanState::Running), std::pair(3U, PlanState::Verifying),
                 std::pair(4U, PlanState::Closed)}) {
            change.expected = expected;
            row.state = state;
            change.added.clear();
            change.done.clear();
            const std::vector<PlanItem> first(items.begin(), items.begin() + 500), last{items.back()};
            if (state == PlanState::Draft)
                change.added = expected == 0 ? first : last;
            for (PlanItem& item : items) {
                if (state == PlanState::Draft)
                    continue;
                item.state = item.ord % 2 == 0 ? PlanItemState::Done : PlanItemState::Skipped;
                item.leftOut = item.ord % 2 == 0 ? PlanLeftOut::None : PlanLeftOut::AlreadySo;
                item.why = item.ord % 2 == 0 ? "" : "already so";
                item.doneAt = row.stagedAt + 1;
            }
            if (state == PlanState::Running)
                change.done.assign(items.begin(), items.begin() + 500);
            if (state == PlanState::Verifying)
                change.done = {items.back()};
            if (state == PlanState::Closed) {
                row.note = "done";
                row.endedAt = row.stagedAt + 2;
            }
            needed(m_store.changePlan(change));
        }
    }
    void act(const RunId& run, cmd::Body body)
    {
        Submission s;
        s.run = run;
        s.command.actor = {ActorKind::Person, "kim"};
        s.command.body = std::move(body);
        s.reason = "because of a test";
        const Outcome outcome = m_service.submitAndWait(std::move(s));
        if (outcome.kind != Outcome::Kind::Committed)
            qFatal("%s", told(outcome).c_str());
        m_version = outcome.version;
    }
    void redact()
    {
        m_kept.redacted = smallStore().runs.at("paid");
        const RunState state = needed(m_service.load(m_kept.redacted));
        m_kept.secret = state.steps.at(0).output.id;
        act(m_kept.redacted, cmd::Redact{{m_kept.secret}});
        m_kept.redactedBy = m_version;
    }
    void hold()
    {
        m_kept.heldUntil = needed(m_store.now()) + 3'600'000;
        act(smallStore().runs.at("nap"), cmd::Hold{true, m_kept.heldUntil, 0, false});
    }
    void remove(const SigningKey& key)
    {
        m_kept.removed = smallStore().runs.at("done");
        needed(m_store.takeOver(m_kept.removed, {}));  // its engine died, and may not have let it go
        const LoadedRun loaded = needed(m_store.loadRun(m_kept.removed, 1, 0));
        m_kept.begun = loaded.entries.front().command;
        TreeRemoval removal;
        removal.root = m_kept.removed;
        Tombstone& stone = removal.stones.emplace_back();
        stone.run = stone.root = m_kept.removed;
        stone.workflow = loaded.identity.workflow.name;
        stone.workflowVersion = loaded.identity.workflow.version;
        stone.versions = loaded.hot.version;
        stone.head = loaded.hot.head;
        stone.createdAt = loaded.identity.createdAt;
        stone.endedAt = loaded.identity.createdAt + 1;
        stone.deletedAt = needed(m_store.now());
        stone.rule = "kept 30 days after its end";
        stone.by = "kim";
        stone.key = key.publicKey();
        stone.signature = sign(key, tombstoneText(needed(m_store.info()).id, stone));
        removal.audit = entry("applied", Verb::Retain);
        removal.audit.run = m_kept.removed;
        if (!needed(m_store.removeTree(removal)))
            qFatal("the run could not be removed");
    }

    StoreWriter& m_store;
    SeededRng m_rng{17};
    std::unique_ptr<CommitQueue> m_queue;
    Service m_service;
    std::uint64_t m_version = 0;
    Kept m_kept;
};

// What `cairn audit verify` says, with the key that it was signed with; empty: all is whole.
inline std::string auditOf(const Place& place, const PublicKey& key)
{
    audit::Questions questions;
    questions.keys = {key};
    const auto report = audit::verifyAudit(*place.writer(), questions);
    if (!report)
        return report.error().text;
    if (report->checkpoints == 0)
        return "no checkpoint came along";
    return report->found.empty() ? std::string() : report->found.front().text;
}

// What is left of what was redacted and removed, word by word; and that nobody begins again what was removed.
inline void verifyKept(const Place& place, const Kept& kept)
{
    const auto store = place.writer();
    const auto read = store->payload(kept.redacted, kept.secret);
    CAIRN_VERIFY_ERROR(read, ErrorKind::Refused);
    QCOMPARE(read.error().text,
        "payload " + toText(kept.secret) + " was redacted by act " + std::to_string(kept.redactedBy));
    const auto problems = verifyRun(*store, kept.redacted);
    CAIRN_VERIFY_OK(problems);
    QVERIFY2(problems->empty(), problems->empty() ? "" : problems->front().text.c_str());
    const auto stone = store->tombstone(kept.removed);
    CAIRN_VERIFY_OK(stone);
    QVERIFY(stone->has_value());
    QCOMPARE(sealOf(store->info()->id, **stone), StoneSeal::Good);
    CAIRN_VERIFY_ERROR(store->hot(kept.removed), ErrorKind::NotFound);
    const auto holder = store->findKey("look", "key of done");
    CAIRN_VERIFY_OK(holder);
    QVERIFY(holder->has_value());
    QCOMPARE((*holder)->run, kept.removed);
    QVERIFY(*store->findCommand(kept.removed, kept.begun) == std::uint64_t{1});
    const RunId held[] = {smallStore().runs.at("nap")};
    QCOMPARE(store->listRows(held)->front().heldUntil, kept.heldUntil);
    QCOMPARE(auditOf(place, kept.key), std::string());
    const auto wrong = store->check(true);
    CAIRN_VERIFY_OK(wrong);
    QVERIFY2(wrong->empty(), wrong->empty() ? "" : wrong->front().text.c_str());
}

}  // namespace cairn::testing
