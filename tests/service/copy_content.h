#pragma once
// What a store holds, as text to be compared: all that a move has to bring along.

#include "core/model/codec.h"
#include "core/service/impl.h"
#include "tests/support/cairn_qtest.h"

#include <algorithm>

namespace cairn::testing {

class Content {
public:
    explicit Content(StoreWriter& store)
        : m_store(store)
    {
        std::optional<PageKey> after;
        do {
            const auto page = need(store.list({}, ListOrder::NewestFirst, after, 100));
            for (const ListRow& row : page.rows)
                run(row);
            after = page.next;
        } while (after);
        for (const OutboxRow& row : need(store.outbox(10'000, 0)))
            add("message",
                {toText(row.from), number(row.version), number(row.number), toText(row.to),
                    hex(sha256(row.body)), number(row.createdAt)});
        for (const WorkflowRow& row : need(store.workflows(true)))
            add("workflow",
                {row.name, number(row.version), hex(row.digest), row.text, row.folder, number(row.addedAt)});
        for (const ResourceRow& row : need(store.resources()))
            add("resource",
                {row.name, number(row.backOffUntil), number(row.askedByServer), number(row.permitsPerSecond),
                    number(row.slots)});
        people();
        rules();
        for (const RemovedRun& gone : need(store.removedRuns({}, 1'000)))
            removed(gone);
        std::sort(lines.begin(), lines.end());
    }

    std::vector<std::string> lines;  // sorted
    std::vector<RunId> runs;

    // The first line that one has and the other has not.
    [[nodiscard]] std::string differsFrom(const Content& other) const
    {
        for (std::size_t i = 0; i < std::max(lines.size(), other.lines.size()); ++i) {
            const std::string a = i < lines.size() ? lines[i] : "(nothing)";
            const std::string b = i < other.lines.size() ? other.lines[i] : "(nothing)";
            if (a != b)
                return a + "\n  instead of\n" + b;
        }
        return {};
    }

private:
    template<typename T> static T need(Result<T> result)
    {
        if (!result)
            qFatal("%s", result.error().text.c_str());
        return *std::move(result);
    }
    template<typename N> static std::string number(N value) { return std::to_string(value); }
    template<typename E> static std::string word(E value)
    {
        return std::to_string(static_cast<unsigned>(value));
    }
    void add(const std::string& what, const std::vector<std::string>& fields)
    {
        std::string line = what;
        for (const std::string& field : fields)
            line += " | " + field;
        lines.push_back(std::move(line));
    }
    void run(const ListRow& row)
    {
        const RunId id = row.run;
        runs.push_back(id);
        const std::string r = toText(id);
        const LoadedRun loaded = need(m_store.loadRun(id, 1, 0));
        const RunRow& i = loaded.identity;
        add("run " + r,
            {toText(i.root), toText(i.parent.run), number(i.parent.step), number(i.parent.index),
                i.workflow.name, number(i.workflow.version), hex(i.workflow.digest), i.key, hex(i.keyInput),
                hex(i.keySalt), number(i.createdAt), toText(i.forkedFrom), number(i.driven)});
        add("hot " + r,
            {number(loaded.hot.version), number(loaded.hot.control), hex(loaded.hot.head),
                number(loaded.hot.format)});
        std::set<PayloadId> payloads;
        for (const SealedEntry& e : loaded.entries) {
            add("entry " + r,
                {number(e.version), toText(e.command), number(e.format), hex(e.hash), hex(e.previous),
                    hex(sha256(e.body))});
            payloads.merge(payloadsOf(need(decodeEntry(e.body, e.format))));
        }
        for (const PayloadId& p : payloads)
            payload(id, p);
        add("list " + r,
            {toText(row.root), toText(row.parent), row.workflow, row.key, word(row.activity),
                word(row.attention), word(row.reason), row.step, number(row.since), number(row.nextTime),
                row.situation, row.resource, row.error, number(row.createdAt), number(row.endedAt),
                number(row.steps), number(row.stepsDone), number(row.attempt), number(row.attemptsMax),
                number(row.amount.micros), row.amount.currency, number(row.heldUntil), row.assigned});
        rows(id, r);
    }
    void payload(const RunId& run, const PayloadId& id)
    {
        const auto info = m_store.payloadInfo(run, id);
        if (!info && info.error().kind == ErrorKind::NotFound)
            return;
        if (!info && info.error().kind == ErrorKind::Refused) {
            for (const PayloadInfo& gone : need(m_store.redactedPayloads(run)))
                if (gone.ref.id == id)
                    add("redacted " + toText(run),
                        {toText(id), hex(gone.ref.hash), number(gone.ref.size), gone.ref.media,
                            number(gone.by), info.error().text});
            return;
        }
        const PayloadInfo p = need(info);
        add("payload " + toText(run),
            {toText(id), hex(p.ref.hash), number(p.ref.size), p.ref.media, hex(p.salt), toText(p.artifact),
                hex(sha256(need(m_store.payload(run, id))))});
    }
    // Acts that were answered, reviews, and plans with what became of them; a plan's revision is each store's
    // own.
    void people()
    {
        for (const StagedAct& a : need(m_store.answeredActs({}, 1'000)))
            add("act " + toText(a.command),
                {toText(a.run), word(a.verb), a.target, hex(sha256(a.body)), a.reason, a.claimed,
                    number(a.uid), a.host, number(a.seenVersion), hex(a.seenDigest), a.stagedBy, a.address,
                    number(a.backend), number(a.stagedAt), word(a.state), number(a.code), number(a.version),
                    number(a.auditSeq), a.outcome, number(a.decidedAt), number(a.glass), a.role,
                    number(a.expires), hex(a.digest), a.confirmedBy, a.confirmedName, a.note,
                    number(a.confirmedAt)});
        for (const Review& r : need(m_store.reviews(true, 1'000)))
            add("review " + toText(r.command),
                {toText(r.run), word(r.verb), r.target, r.login, r.reason, r.address, number(r.backend),
                    number(r.openedAt), r.closedBy, r.note, number(r.closedAt)});
        for (const PlanRow& p : need(m_store.plans(true, 1'000))) {
            add("plan " + toText(p.id),
                {word(p.verb), toText(p.command), p.login, p.actor, number(p.uid), p.host, p.reason,
                    number(p.stagedAt), number(p.expiresAt), hex(sha256(p.spec)), number(p.items),
                    hex(p.digest), number(p.people), p.role, word(p.state), p.confirmedBy,
                    number(p.confirmedAt), p.note, number(p.aborted), number(p.startedAt),
                    number(p.executedAt), number(p.endedAt), toText(p.holder), number(p.leaseUntil)});
            for (const PlanItem& i : need(m_store.planItems(p.id, 0, 1'000, std::nullopt)))
                add("item " + toText(p.id),
                    {number(i.ord), toText(i.run), toText(i.command), i.target, number(i.seen), i.situation,
                        word(i.state), word(i.leftOut), i.why, number(i.version), number(i.doneAt),
                        word(i.fate)});
        }
    }
    void rules()
    {
        for (std::uint64_t version = 1; const auto row = need(m_store.policy(version)); ++version)
            add("policy", {number(row->version), row->text, row->login, row->claimed, number(row->setAt)});
        for (const RetentionRow& r : need(m_store.retention()))
            add("retention",
                {r.workflow, number(r.keepDays), number(r.redactDays), number(r.keysDays),
                    number(r.changedAt)});
        const SecretList never = need(m_store.neverStore());
        for (const std::string& key : never.keys)
            add("never stored", {"key", key});
        for (const std::string& pattern : never.patterns)
            add("never stored", {"pattern", pattern});
    }
    void removed(const RemovedRun& gone)
    {
        const Tombstone& t = gone.stone;
        const std::string r = toText(t.run);
        add("removed " + r,
            {toText(t.root), t.workflow, number(t.workflowVersion), number(t.versions), hex(t.head),
                number(t.createdAt), number(t.endedAt), word(t.as), number(t.deletedAt), t.rule, t.by,
                cairn::hex(t.key.view()), cairn::hex(t.signature.view()), number(t.act), toText(t.begun)});
        if (gone.kept)
            add("key of removed " + r,
                {gone.kept->workflow, gone.kept->key, hex(gone.kept->input), hex(gone.kept->salt),
                    number(gone.kept->until)});
        for (const EffectRow& e : gone.effects)
            add("effect of removed " + r,
                {hex(e.effect), e.tool, e.key, word(e.state), e.holderStep, hex(e.inputSalt),
                    hex(e.inputDigest), toText(e.result), number(e.changedAt)});
    }
    void rows(const RunId& id, const std::string& r)
    {
        for (const StepRow& s : need(m_store.steps(id)))
            add("step " + r,
                {number(s.ix), s.id, s.tool, word(s.state), word(s.reason), number(s.since), number(s.due),
                    number(s.revision), number(s.attempts), number(s.failures), toText(s.input),
                    toText(s.output), toText(s.error), hex(s.effect)});
        for (const AttemptRow& a : need(m_store.attempts(id, kNoStep)))
            add("attempt " + r,
                {toText(a.id), number(a.step), number(a.number), word(a.purpose), toText(a.session), a.worker,
                    number(a.startedAt), number(a.endedAt), word(a.how), word(a.effect), toText(a.error),
                    number(a.span)});
        for (const ApprovalRow& a : need(m_store.approvals(id)))
            add("approval " + r,
                {toText(a.id), number(a.step), word(a.state), hex(a.binding), a.role, number(a.askedAt),
                    number(a.expires), a.decidedBy, number(a.needed), a.askedBy, a.deciders});
        for (const AttributeRow& a : need(m_store.attributes(id)))
            add("attribute " + r, {a.name, a.type, a.text, number(a.number)});
        for (const EffectRow& e : need(m_store.effectsOfRun(id)))
            add("effect " + r,
                {hex(e.effect), e.tool, e.key, word(e.state), e.holderStep, hex(e.inputSalt),
                    hex(e.inputDigest), toText(e.result), number(e.changedAt)});
    }
    static std::string hex(const Digest& digest) { return cairn::hex(digest); }
    static std::string hex(const Salt& salt) { return cairn::hex(sha256(saltView(salt))); }

    StoreWriter& m_store;
};

}  // namespace cairn::testing
