// The write boundary: what must never be stored is replaced in everything that comes with a command, before
// it is hashed, decided on or kept.

#include "core/base/log.h"
#include "core/service/impl.h"
#include "core/service/render_job.h"

#include <type_traits>

namespace cairn {

namespace {

constexpr SpanMs kListFor = 2'000;  // the store's list is read again after this

// Every payload that a command refers to.
struct Renewer {
    const PayloadRef& now;

    void renew(PayloadRef& ref) const
    {
        if (ref.id == now.id)
            ref = now;
    }
    template<class T> void renew(T&) const { }  // of that name, and no payload
    template<class C> void operator()(C& c) const
    {
        if constexpr (requires { c.input; })
            renew(c.input);
        if constexpr (requires { c.data; })
            renew(c.data);
        if constexpr (requires { c.progress; })
            renew(c.progress);
        if constexpr (requires { c.output; })
            renew(c.output);
        if constexpr (requires { c.refusedReport; })
            renew(c.refusedReport);
        if constexpr (requires { c.error; })
            renew(c.error);
        if constexpr (requires { c.evidence; })
            renew(c.evidence);
        if constexpr (requires { c.detail; })
            renew(c.detail);
        if constexpr (requires { c.text; })
            renew(c.text);
    }
};

}  // namespace

std::shared_ptr<const Masker> Service::Impl::masker(const WorkflowRef& workflow)
{
    const SpanMs mono = clock.monotonicMs();
    if ((!neverStoreKnown || mono - neverStoreAt >= kListFor) && !stillAway()) {
        if (auto list = reader.neverStore()) {
            if (!neverStoreKnown || *list != neverStore) {
                neverStore = *std::move(list);
                maskers.clear();
                log::setMasker(std::make_shared<const Masker>(neverStore));
            }
            // The newest version of a workflow may be another by now.
            std::erase_if(maskers, [](const auto& each) { return each.first.second == 0; });
            neverStoreKnown = true;
            neverStoreAt = mono;
        } else {
            noteAway(list.error());
        }
    }
    auto& known = maskers[{workflow.name, workflow.version}];
    if (!known) {
        SecretList list = neverStore;
        if (const auto found = definition(workflow.name, workflow.version))
            list.add(found->neverStore);
        known = std::make_shared<const Masker>(std::move(list));
    }
    return known;
}

std::shared_ptr<const Masker> Service::Impl::maskerOf(const RunId& run)
{
    if (const Slot* slot = findSlot(run); slot != nullptr && slot->loaded)
        return masker(slot->tentative.workflow);
    WorkflowRef workflow;
    if (!run.isNull())
        if (const auto rows = reader.listRows(std::span(&run, 1)); rows && !rows->empty()) {
            workflow.name = rows->front().workflow;
            workflow.version = rows->front().workflowVersion;
        }
    return masker(workflow);
}

// A payload that was staged already is staged again as it is to be: its first chunks belong to nobody, and
// hold nothing either where they came by stagePayload().
void Service::Impl::mask(Submission& s)
{
    if (s.payloads.empty() && s.reason.empty())
        return;
    const bool starts = std::holds_alternative<cmd::Start>(s.command.body);
    std::shared_ptr<const Masker> with;
    if (starts) {
        WorkflowRef workflow;
        workflow.name = s.workflow;
        workflow.version = s.workflowVersion;
        with = masker(workflow);
    } else {
        with = maskerOf(s.forkSource.isNull() ? s.run : s.forkSource);
    }
    s.reason = with->text(s.reason);
    for (NewPayload& payload : s.payloads) {
        if (!payload.copyOf.isNull())
            continue;
        std::string clean = with->payload(payload.bytes, payload.ref.media);
        if (clean == payload.bytes)
            continue;
        PayloadSeed seed;
        seed.id = payload.ref.id;
        seed.salt = payload.salt;
        if (clean.size() > kInlineLimit)
            seed.artifact = makeId<ArtifactId>(clock.wallMs(), rng);
        payload = payloadOf(seed, std::move(clean), payload.ref.media);
        const Renewer renewer{payload.ref};
        std::visit(renewer, s.command.body);
        renewer.renew(s.command.reason);
    }
}

void Service::mask(Submission& submission) { m_impl->mask(submission); }

std::string Service::masked(std::string_view text) { return m_impl->masker({})->text(text); }

}  // namespace cairn
