#include "core/service/retention.h"

#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/definition/parse.h"
#include "core/model/codec.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kRootsAtOnce = 200;
constexpr std::size_t kTreePage = 1'000;
constexpr std::uint64_t kEntriesAtOnce = 1'000;
constexpr std::size_t kRowsAtOnce = 256;
constexpr std::size_t kKeysAtOnce = 64;
constexpr const char* kInPlan = "it is in a plan that is open";

std::string days(std::uint32_t count) { return counted(count, "day"); }

// Every finished run of a workflow that has no parent and began before that time.
ListFilter rootsOf(const std::string& workflow, TimeMs before)
{
    ListTerm term;
    term.workflow = {workflow};
    term.rootsOnly = true;
    term.createdBefore = before;
    for (const Word& word : words<Activity>())
        if (isFinished(static_cast<Activity>(word.value)))
            term.activity.push_back(static_cast<Activity>(word.value));
    return {term};
}

Result<std::vector<ListRow>> treeOf(StoreReader& reader, const RunId& root)
{
    ListTerm term;
    term.root = root;
    std::vector<ListRow> rows;
    std::optional<PageKey> after;
    do {
        CAIRN_TRY_ASSIGN(auto page, reader.list({term}, ListOrder::NewestFirst, after, kTreePage));
        after = page.next;
        std::move(page.rows.begin(), page.rows.end(), std::back_inserter(rows));
    } while (after);
    std::stable_partition(rows.begin(), rows.end(), [&](const ListRow& row) { return row.run == root; });
    return rows;
}

std::string boundBy(const TreeBonds& bonds, std::size_t runs)
{
    if (bonds.runs != runs)
        return "the tree is changing";
    if (bonds.owned > 0)
        return "an engine still owns a run of it";
    if (bonds.messages > 0)
        return counted(bonds.messages, "message") + " from or to it " + (bonds.messages == 1 ? "is" : "are")
            + " not delivered yet";
    if (bonds.waiters > 0)
        return "a step of it waits for another run's effect";
    if (bonds.acts > 0)
        return "an act of a person waits for an engine";
    if (bonds.proposals > 0)
        return "an act of a person waits for somebody else to confirm it";
    return bonds.plans > 0 ? kInPlan : "";
}

std::string inRun(const RunId& run, const RunId& root, const std::string& why)
{
    return run == root ? why : "run " + toText(run) + " of it: " + why;
}

Tombstone stoneOf(const RunState& state, const ListRow& row)
{
    Tombstone stone;
    stone.run = row.run;
    stone.root = row.root;
    stone.workflow = row.workflow;
    stone.workflowVersion = row.workflowVersion;
    stone.versions = state.version;
    stone.head = state.head;
    stone.createdAt = row.createdAt;
    stone.endedAt = row.endedAt;
    stone.as = state.closedAs;
    return stone;
}

}  // namespace

// --- rules

Result<std::vector<RetentionRule>> retentionRules(StoreReader& reader)
{
    std::map<std::string, RetentionRule> rules;
    rules[""] = {"", RetentionPolicy{}.keepDays, RetentionPolicy{}.redactDays, 0, "where nothing is said"};
    CAIRN_TRY_ASSIGN(const auto versions, reader.workflows(false));
    for (const WorkflowRow& version : versions)
        rules[version.name] = {version.name, RetentionPolicy{}.keepDays, RetentionPolicy{}.redactDays, 0,
            "where nothing is said"};
    CAIRN_TRY_ASSIGN(const auto set, reader.retention());
    for (const RetentionRow& row : set)
        rules[row.workflow] = {row.workflow, row.keepDays, row.redactDays, row.keysDays, "set in the store"};
    std::vector<RetentionRule> out;
    for (auto& [name, rule] : rules) {
        const bool isSet = rule.source == "set in the store";
        if (!isSet && !name.empty()) {
            CAIRN_TRY_ASSIGN(const auto row, reader.workflow(name, 0));
            if (const auto parsed = row ? parseDefinition(row->text) : parseDefinition("")) {
                rule.keepDays = parsed.definition->retention.keepDays;
                rule.redactDays = parsed.definition->retention.redactDays;
                rule.keysDays = parsed.definition->retention.keysDays;
                rule.source = "version " + std::to_string(row->version) + " of the workflow";
            } else {  // what cannot be read here says nothing: nothing of it is removed
                rule.keepDays = kMostDays;
                rule.redactDays = 0;
                rule.source = "the definition cannot be read by this version of Cairn";
            }
        }
        out.push_back(rule);
    }
    return out;
}

// --- one run

Result<FoldedRun> foldRun(StoreReader& reader, const RunId& run)
{
    FoldedRun folded;
    CAIRN_TRY_ASSIGN(const HotRow hot, reader.hot(run));
    while (folded.state.version < hot.version) {
        const std::uint64_t first = folded.state.version + 1;
        CAIRN_TRY_ASSIGN(const LoadedRun page,
            reader.loadRun(run, first, std::min(first + kEntriesAtOnce - 1, hot.version)));
        if (page.entries.empty())
            return makeError(ErrorKind::Corrupt,
                "run " + toText(run) + " has no entry of version " + std::to_string(first));
        for (const SealedEntry& sealed : page.entries) {
            CAIRN_TRY(checkSeal(sealed, folded.state.head));
            CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
            if (entry.version != folded.state.version + 1)
                return makeError(ErrorKind::Corrupt, "run " + toText(run) + " lacks an entry");
            apply(folded.state, entry);
            folded.state.head = sealed.hash;
            collectPayloads(entry, folded.payloads);
            // Why something was redacted stays, or each redaction by the rule would ask for the next.
            if (entry.verb == Verb::Redact)
                folded.payloads.erase(entry.reason.id);
        }
    }
    return folded;
}

Result<std::vector<PayloadInfo>> storedPayloads(StoreReader& reader, const FoldedRun& run)
{
    std::vector<PayloadId> ids;
    for (const auto& [id, ref] : run.payloads)
        if (!run.state.redacted.contains(id))
            ids.push_back(id);
    std::vector<PayloadInfo> out;
    for (std::size_t at = 0; at < ids.size(); at += kPayloadPage) {
        const auto page = std::span(ids).subspan(at, std::min(kPayloadPage, ids.size() - at));
        CAIRN_TRY_ASSIGN(auto found, reader.payloads(run.state.id, page, 0));
        for (FoundPayload& payload : found)
            out.push_back(std::move(payload.info));
    }
    return out;
}

// --- the pass

RetentionPass::RetentionPass(StoreReader& reader, Rng& rng, RetentionBy by, RetentionDo what)
    : m_reader(&reader)
    , m_rng(rng)
    , m_by(std::move(by))
    , m_do(what)
{
}

std::uint32_t RetentionPass::daysOf(const RetentionRule& rule) const
{
    return m_do == RetentionDo::Remove ? rule.keepDays : rule.redactDays;
}

Status RetentionPass::begin(std::optional<std::string> only)
{
    m_rule = 0;
    m_after.reset();
    m_lastPage = false;
    m_roots.clear();
    CAIRN_TRY_ASSIGN(const StoreInfo info, m_reader->info());
    m_store = info.id;
    CAIRN_TRY_ASSIGN(m_now, m_reader->now());
    CAIRN_TRY_ASSIGN(m_rules, retentionRules(*m_reader));
    std::erase_if(m_rules,
        [&](const RetentionRule& rule) { return daysOf(rule) == 0 || (only && rule.workflow != *only); });
    return {};
}

// The next page of roots; none where all were looked at.
Status RetentionPass::fill()
{
    while (m_roots.empty() && m_rule < m_rules.size()) {
        if (m_lastPage) {
            ++m_rule;
            m_after.reset();
            m_lastPage = false;
            continue;
        }
        const RetentionRule& rule = m_rules[m_rule];
        const TimeMs before = m_now - daysOf(rule) * kDay;  // it began before it ended
        CAIRN_TRY_ASSIGN(auto page,
            m_reader->list(
                rootsOf(rule.workflow, before + 1), ListOrder::NewestFirst, m_after, kRootsAtOnce));
        for (ListRow& row : page.rows)
            if (row.endedAt != kNoTime && row.endedAt <= before)
                m_roots.push_back(std::move(row));
        m_after = page.next;
        m_lastPage = !page.next;
    }
    return {};
}

Result<std::optional<TreeVerdict>> RetentionPass::next()
{
    for (;;) {
        CAIRN_TRY(fill());
        if (m_roots.empty())
            return std::optional<TreeVerdict>();
        const ListRow root = std::move(m_roots.front());
        m_roots.pop_front();
        CAIRN_TRY_ASSIGN(TreeVerdict verdict, judge(root, m_rules[m_rule]));
        const bool nothing = m_do == RetentionDo::Redact && verdict.stays.empty() && verdict.payloads.empty();
        const bool young = verdict.stays.empty() && verdict.endedAt > m_now - daysOf(m_rules[m_rule]) * kDay;
        if (!nothing && !young)
            return std::optional(std::move(verdict));
    }
}

Result<TreeVerdict> RetentionPass::judge(const ListRow& root, const RetentionRule& rule)
{
    TreeVerdict verdict;
    verdict.root = root.run;
    verdict.workflow = root.workflow;
    CAIRN_TRY_ASSIGN(const auto rows, treeOf(*m_reader, root.run));
    for (const ListRow& row : rows) {
        verdict.runs.push_back(row.run);
        verdict.endedAt = std::max(verdict.endedAt, row.endedAt);
    }
    const Status judged = judgeTree(verdict, rows, rule);
    // It went while it was looked at: another removed it.
    if (!judged && judged.error().kind == ErrorKind::NotFound)
        verdict.stays = "it is being removed already";
    else if (!judged && judged.error().kind == ErrorKind::Corrupt)
        verdict.stays = "its history is damaged: " + judged.error().text;
    else if (!judged)
        return judged.error();
    return verdict;
}

Status RetentionPass::judgeTree(
    TreeVerdict& verdict, std::span<const ListRow> rows, const RetentionRule& rule)
{
    for (const ListRow& row : rows)
        if (!isFinished(row.activity)) {
            verdict.stays = inRun(row.run, verdict.root, "it has not ended");
            return {};
        }
    if (verdict.endedAt > m_now - daysOf(rule) * kDay)
        return {};  // a child ended later: its time has not come
    CAIRN_TRY_ASSIGN(const TreeBonds bonds, m_reader->bondsOf(verdict.root));
    verdict.stays = boundBy(bonds, rows.size());
    if (verdict.stays == kInPlan) {
        CAIRN_TRY_ASSIGN(const auto plans, m_reader->plansOfRuns(verdict.runs));
        verdict.stays += plans.empty() ? std::string() : ": " + toText(plans.front().plan);
    }
    for (const ListRow& row : rows) {
        if (!verdict.stays.empty())
            return {};
        CAIRN_TRY(judgeRun(verdict, row, rule));
    }
    return finish(verdict, rule);
}

Status RetentionPass::judgeRun(TreeVerdict& verdict, const ListRow& row, const RetentionRule&)
{
    CAIRN_TRY_ASSIGN(const FoldedRun run, foldRun(*m_reader, row.run));
    if (run.state.isHeld(m_now)) {
        const TimeMs until = run.state.hold.until;
        verdict.stays = inRun(row.run, verdict.root,
            "it is held" + (until == kNoTime ? std::string() : " until " + formatInstant(until)));
        return {};
    }
    if (const std::string why = unsettled(run.state); !why.empty()) {
        verdict.stays = inRun(row.run, verdict.root, why);
        return {};
    }
    CAIRN_TRY_ASSIGN(const RunBytes bytes, m_reader->bytesOf(row.run));
    verdict.payloadBytes += bytes.payloads;
    if (m_do == RetentionDo::Remove) {
        verdict.entryBytes += bytes.entries;
        verdict.removal.stones.push_back(stoneOf(run.state, row));
        return {};
    }
    CAIRN_TRY_ASSIGN(const auto stored, storedPayloads(*m_reader, run));
    for (const PayloadInfo& info : stored)
        verdict.payloads[row.run].push_back(info.ref.id);
    return {};
}

// What the tree's end will look like: its tombstones and its audit entry.
Status RetentionPass::finish(TreeVerdict& verdict, const RetentionRule& rule)
{
    if (m_do != RetentionDo::Remove || !verdict.stays.empty())
        return {};
    TreeRemoval& removal = verdict.removal;
    removal.root = verdict.root;
    removal.keysUntil = rule.keysDays == 0 ? kNoTime : verdict.endedAt + rule.keysDays * kDay;
    const std::string text = "kept " + days(rule.keepDays) + " after its end (" + rule.source + ")";
    for (Tombstone& stone : removal.stones) {
        stone.deletedAt = m_now;
        stone.rule = text;
        stone.by = m_by.name;
        if (m_by.key) {
            stone.key = m_by.key->publicKey();
            stone.signature = sign(*m_by.key, tombstoneText(m_store, stone));
        }
    }
    AuditRow& row = removal.audit;
    row.time = m_now;
    row.kind = "applied";
    row.verb = Verb::Retain;
    row.actor = m_by.name;
    row.uid = m_by.uid;
    row.host = m_by.host;
    row.login = m_by.login;
    row.run = verdict.root;
    row.target = "tree";
    row.command = makeId<CommandId>(m_now, m_rng);
    row.reason = m_by.reason.empty() ? text : m_by.reason;
    row.before = "{\"runs\":" + std::to_string(verdict.runs.size())
        + ",\"bytes\":" + std::to_string(verdict.bytes()) + "}";
    row.after = "{\"removed\":true,\"kept_days\":" + std::to_string(rule.keepDays) + "}";
    return {};
}

// --- doing it

namespace {

Status redact(Service& service, const RetentionBy& by, const TreeVerdict& verdict, RetentionDone& done)
{
    bool redacted = false;
    for (const auto& [run, payloads] : verdict.payloads) {
        Submission submission;
        submission.run = run;
        submission.command.body = cmd::Redact{payloads};
        submission.command.actor = {by.person ? ActorKind::Person : ActorKind::System, by.name, by.login};
        submission.reason = by.reason;
        submission.claimedName = by.name;
        const Outcome outcome = service.submitAndWait(std::move(submission));
        if (outcome.kind == Outcome::Kind::Failed)
            return outcome.error;
        if (outcome.kind == Outcome::Kind::Rejected) {
            const RejectCode code = outcome.rejection.code;
            if (code == RejectCode::NoRight || code == RejectCode::ReasonMissing)
                return makeError(ErrorKind::Refused, outcome.rejection.text);
            ++done.moved;
            return {};
        }
        if (outcome.kind == Outcome::Kind::Proposed) {
            ++done.proposed;
            continue;
        }
        ++done.runs;
        done.payloads += payloads.size();
        redacted = true;
    }
    if (redacted) {
        ++done.trees;
        done.bytes += verdict.payloadBytes;
    }
    return {};
}

}  // namespace

Status carryOut(StoreWriter& store, Service& service, const RetentionBy& by, const TreeVerdict& verdict,
    RetentionDone& done)
{
    if (!verdict.stays.empty()) {
        ++done.stayed;
        return {};
    }
    if (!verdict.payloads.empty())
        return redact(service, by, verdict, done);
    CAIRN_TRY_ASSIGN(const bool removed, store.removeTree(verdict.removal));
    if (!removed) {
        ++done.moved;
        return {};
    }
    ++done.trees;
    done.runs += verdict.runs.size();
    done.bytes += verdict.bytes();
    return {};
}

Result<std::uint64_t> sweep(StoreWriter& store, TimeMs now, const std::function<bool()>& stop)
{
    constexpr std::uint64_t kAllOfIt = std::uint64_t{1} << 40U;
    constexpr TimeMs kUnadopted = 2;  // chunks of removed payloads are marked with 1
    for (bool more = true; more && !stop();) {
        CAIRN_TRY_ASSIGN(const std::uint64_t rows, store.sweepRemoved(kRowsAtOnce));
        more = rows > 0;
    }
    for (bool more = true; more && !stop();) {
        CAIRN_TRY_ASSIGN(const std::uint64_t keys, store.forgetKeys(now, kKeysAtOnce));
        more = keys == kKeysAtOnce;
    }
    if (stop())
        return std::uint64_t{0};
    CAIRN_TRY(store.dropStagedBefore(kUnadopted));
    CAIRN_TRY(store.checkpoint());
    return store.giveBack(kAllOfIt);
}

}  // namespace cairn
