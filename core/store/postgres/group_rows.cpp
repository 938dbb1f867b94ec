#include "core/store/postgres/group_commit.h"

#include <algorithm>

namespace cairn::postgres {

void GroupRows::addPayloads(const CommitMember& member)
{
    for (const PayloadRow& p : member.payloads) {
        m_payloads.row(member.run, p.ref.id, Blob{p.ref.hash.view()}, p.ref.size, p.ref.media, p.salt,
            p.artifact, Blob{p.artifact.isNull() ? std::string_view(p.bytes) : std::string_view()},
            p.redactedBy);
        if (!p.artifact.isNull())
            m_adopted.add(p.artifact);
    }
    for (const PayloadId& id : member.redacted)
        m_redacted.row(member.run, id, member.entry.version);
}

void GroupRows::add(const CommitMember& member)
{
    const RunId& run = member.run;
    if (member.create) {
        const RunRow& r = *member.identity;
        m_runs.row(r.run, r.root, r.parent.run, r.parent.step, r.parent.index, r.workflow.name,
            r.workflow.version, r.workflow.digest, r.workflow.stateSchema, TextOrNull{r.key}, r.keyInput,
            r.keySalt, r.createdAt, r.forkedFrom, r.driven);
    }
    const SealedEntry& e = member.entry;
    m_entries.row(run, e.version, e.command, e.format, Blob{e.hash.view()}, Blob{e.body});
    if (member.list) {
        const auto [at, fresh] = list.try_emplace(run, *member.list, e.version);
        if (!fresh) {  // what a run is and where it comes from is written once
            const ListRow first = std::exchange(at->second.first, *member.list);
            at->second.first.root = first.root;
            at->second.first.parent = first.parent;
            at->second.first.workflow = first.workflow;
            at->second.first.key = first.key;
            at->second.first.createdAt = first.createdAt;
            at->second.second = e.version;
        }
    }
    for (const StepRow& s : member.steps)
        m_steps[{run, s.ix}] = &s;
    for (const AttemptRow& a : member.attempts)
        m_attempts[{run, a.step, a.id}] = &a;
    for (const ApprovalRow& a : member.approvals)
        m_approvals[{run, a.id}] = &a;
    for (const AttributeRow& a : member.attributes)
        m_attributes[{run, a.name}] = &a;
    for (const ResourceRow& r : member.resources)
        m_resources[r.name].push_back(&r);
    addPayloads(member);
    if (member.delivered)
        m_delivered.row(member.delivered->from, member.delivered->version, member.delivered->number);
}

void GroupRows::putLists(Batch& batch) const
{
    Columns rows;
    for (const auto& [run, row] : list) {
        const ListRow& l = row.first;
        rows.row(run, l.root.isNull() ? run : l.root, l.parent, l.workflow, l.workflowVersion,
            TextOrNull{l.key}, l.activity, l.attention, l.reason, l.step, l.since, l.nextTime,
            TextOrNull{l.situation}, l.resource, l.error, l.createdAt, l.endedAt, l.steps, l.stepsDone,
            l.attempt, l.attemptsMax, l.amount.micros, l.amount.currency, l.heldUntil, l.assigned, row.second,
            l.changed);
    }
    if (!rows.empty())
        batch.add(Sql::PutList, rows);
}

void GroupRows::putSteps(Batch& batch) const
{
    Columns steps, attempts;
    for (const auto& [key, s] : m_steps)
        steps.row(key.first, s->ix, s->id, s->name, s->tool, s->agent, s->kind, s->safety, s->state,
            s->reason, s->since, s->due, s->revision, s->attempts, s->failures, s->lost, s->input, s->output,
            s->error, s->effect, s->readyAt, s->startedAt, s->endedAt);
    const bool traced = kSchema >= 2;
    for (const auto& [key, a] : m_attempts) {
        const RunId& run = std::get<0>(key);
        if (traced)
            attempts.row(run, a->step, a->id, a->number, a->purpose, a->session, a->worker, a->startedAt,
                a->endedAt, a->how, a->effect, a->error, a->trace, static_cast<std::int64_t>(a->span));
        else
            attempts.row(run, a->step, a->id, a->number, a->purpose, a->session, a->worker, a->startedAt,
                a->endedAt, a->how, a->effect, a->error);
    }
    if (!steps.empty())
        batch.add(Sql::PutSteps, steps);
    if (!attempts.empty())
        batch.add(traced ? Sql::PutAttempts2 : Sql::PutAttempts1, attempts);
}

// A resource may be named by several members: one statement for the first of each, one for the second, ...
void GroupRows::backOff(Batch& batch) const
{
    for (std::size_t round = 0;; ++round) {
        Columns rows;
        for (const auto& [name, given] : m_resources)
            if (round < given.size()) {
                const ResourceRow& r = *given[round];
                rows.row(r.name, r.backOffUntil, r.askedByServer, r.permitsPerSecond, r.slots, r.revision);
            }
        if (rows.empty())
            return;
        batch.add(Sql::BackOff, rows);
    }
}

void GroupRows::into(Batch& batch) const
{
    if (!m_runs.empty())
        batch.add(Sql::InsertRuns, m_runs);
    if (!m_entries.empty())
        batch.add(Sql::InsertEntries, m_entries);
    putLists(batch);
    putSteps(batch);
    Columns approvals, attributes;
    for (const auto& [key, a] : m_approvals)
        approvals.row(key.first, a->id, a->step, a->state, a->binding, a->role, a->askedAt, a->expires,
            a->decidedAt, a->decidedBy, a->note, a->needed, a->askedBy, a->deciders);
    for (const auto& [key, a] : m_attributes)
        attributes.row(key.first, a->name, a->type, a->text, a->number);
    if (!approvals.empty())
        batch.add(Sql::PutApprovals, approvals);
    if (!attributes.empty())
        batch.add(Sql::PutAttributes, attributes);
    if (!m_adopted.empty())
        batch.add(Sql::AdoptArtifacts, m_adopted);
    if (!m_payloads.empty())
        batch.add(Sql::InsertPayloads, m_payloads);
    if (m_redacted.empty())
        return;
    // The chunks of a large one are nobody's from then on, and go with what was staged and never used.
    batch.add(Sql::UnadoptRedacted, m_redacted);
    batch.add(Sql::RedactPayloads, m_redacted);
}

void GroupRows::intoLast(Batch& batch) const
{
    if (!m_delivered.empty())
        batch.add(Sql::DropDelivered, m_delivered);
    backOff(batch);
}

}  // namespace cairn::postgres
