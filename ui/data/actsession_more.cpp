// Acts that are not about one run's next step: slowing a resource down, and deleting payloads for good. By
// the same functions as the command line's.
#include "core/base/text.h"
#include "core/machine/policy.h"
#include "core/model/codec.h"
#include "core/service/agreement.h"
#include "core/service/preview_parts.h"
#include "core/service/redaction.h"
#include "core/service/slow.h"

#include "ui/data/actsession.h"
#include "ui/data/convert.h"
#include "ui/data/format.h"
#include "ui/data/qtconvert.h"
#include "ui/data/words.h"

#include <QCoreApplication>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(actsession_more)
};

constexpr std::uint64_t kLookedBack = 1000;                    // entries
constexpr const char* kTried = "preview, nothing is written";  // where no reason has been given yet
constexpr std::size_t kMostNamed = 12;                         // payloads; the rest is told by its number

// "20/s", "none", "hold 10m".
SlowWish wishOf(const QString& typed)
{
    const QString text = typed.simplified();
    return {core(text.section(u' ', 0, 0)), core(text.section(u' ', 1)), std::nullopt};
}

LimitsSeen seenOf(const ResourceRow& row)
{
    return {row.permitsPerSecond, row.slots, row.backOffUntil, row.askedByServer, row.revision};
}

ResourceRow rowOf(const QString& name, const LimitsSeen& seen)
{
    ResourceRow row;
    row.name = core(name);
    row.permitsPerSecond = seen.perSecond;
    row.slots = seen.atOnce;
    row.backOffUntil = seen.heldUntil;
    row.askedByServer = seen.askedByServer;
    row.revision = seen.revision;
    return row;
}

std::vector<Fact> factsOf(const ResourceRow& row, const ResourceSaid& said, TimeMs now)
{
    const auto limit = [](std::uint32_t most, const QString& of) {
        return most == 0 ? Words::tr("not limited") : Words::tr("at most %1").arg(countText(most)) + of;
    };
    std::vector<Fact> facts{
        {Words::tr("Calls begin"), limit(row.permitsPerSecond, Words::tr(" a second")), false},
        {Words::tr("Under way"), limit(row.slots, Words::tr(" at one time")), false}};
    if (row.backOffUntil > now)
        facts.push_back({Words::tr("Held until"),
            instantText(row.backOffUntil)
                + (row.askedByServer ? Words::tr(", as the provider asked")
                                     : Words::tr(", by a person or its rate")),
            false});
    if (!said.named.empty()) {
        QStringList tools;
        for (const std::string& tool : said.named)
            tools << qt(visibleLine(tool));
        facts.push_back({Words::tr("Called by"), tools.join(u", "_s), false});
    }
    return facts;
}

// "all", "step:NAME", kinds and ids, in any order.
RedactionChoice choiceOf(const QString& typed)
{
    RedactionChoice choice;
    for (const QString& word : QString(typed).replace(u',', u' ').split(u' ', Qt::SkipEmptyParts)) {
        if (word == u"all"_s)
            choice.all = true;
        else if (word.startsWith(u"step:"_s))
            choice.step = core(word.mid(5));
        else if (const auto id = parseId<PayloadId>(core(word)))
            choice.payloads.push_back(*id);
        else
            choice.kinds.push_back(core(word));
    }
    return choice;
}

}  // namespace

Result<ActPreview> ActSession::previewSlow(const ActRequest& request)
{
    const std::string name = core(request.resource);
    CAIRN_TRY_ASSIGN(const ResourceRow seen, resourceNamed(*m_store, name));
    CAIRN_TRY_ASSIGN(const ResourceSaid said, resourceSaid(*m_store, *m_service, name));
    ActPreview preview;
    preview.request = request;
    preview.request.limits = seenOf(seen);
    preview.request.holdUntil = 0;
    preview.at = m_service->now();
    preview.version = seen.revision;
    preview.sentence =
        Words::tr("Slow down %1. It holds for all runs that call it, until it is changed again.")
            .arg(request.resource);
    preview.strong = {request.resource};
    preview.facts = factsOf(seen, said, preview.at);
    CAIRN_TRY_ASSIGN(const ResourceRow wanted, wantedSlow(wishOf(request.value), seen, said, preview.at));
    if (wanted.backOffUntil > preview.at && !wanted.askedByServer)
        preview.request.holdUntil = wanted.backOffUntil;
    const SlowChange change{seen, wanted, kTried, core(m_opening->person), false, {}};
    CAIRN_TRY_ASSIGN(const SlowPreview decided, Agreements(*m_service).previewSlow(change));
    CAIRN_TRY_ASSIGN(const auto lines, tellSlow(*m_store, *m_service, seen, wanted, said));
    for (const std::string& line : lines)
        preview.willHappen << qt(line);
    preview.reversible = qt(undoOf(Verb::Slow).text);
    if (decided.needed.second())
        preview.second = qt(tellNeeded(decided.needed));
    preview.reasonMinimum =
        static_cast<int>(std::max<std::size_t>(reasonMinimum(m_info.safety), decided.needed.reason));
    preview.reasonRequired = preview.reasonMinimum > 0;
    // How long the reason has to be is told beside its box.
    if (decided.rejection && decided.rejection->code != RejectCode::ReasonMissing)
        preview.refusal = qt(decided.rejection->text);
    if (!m_rights.commits)
        preview.refusal =
            Words::tr("the login \"%1\" may not change resources: it takes one with the right of an engine")
                .arg(qt(m_rights.login));
    if (const QString off = whyNoActs(*m_opening, m_info, m_rights); !off.isEmpty())
        preview.refusal = off;
    preview.possible = preview.refusal.isEmpty();
    return preview;
}

// Decided again, on the limits as they were shown: others by now are refused.
Result<ActResult> ActSession::slow(const ActRequest& request)
{
    if (!m_rights.commits)
        return makeError(ErrorKind::NoRight,
            "the login \"" + m_rights.login
                + "\" may not change resources: it takes one with the right of an engine");
    const ResourceRow seen = rowOf(request.resource, request.limits);
    CAIRN_TRY_ASSIGN(const ResourceSaid said, resourceSaid(*m_store, *m_service, seen.name));
    SlowWish wish = wishOf(request.value);
    if (request.expects && request.holdUntil != 0)
        wish.until = formatRfc3339(request.holdUntil);
    CAIRN_TRY_ASSIGN(const ResourceRow wanted, wantedSlow(wish, seen, said, m_service->now()));
    const SlowChange change{seen, wanted, core(request.reason), core(m_opening->person), false, {}};
    const cairn::Outcome outcome = Agreements(*m_service).slow(*m_store, change);
    ActResult result;
    result.auditSeq = outcome.auditSeq;
    using Kind = cairn::Outcome::Kind;
    switch (outcome.kind) {
    case Kind::Proposed:
        result.end = ActEnd::Done;
        result.text = Words::tr("Proposed, not done yet: %1.").arg(qt(outcome.text));
        break;
    case Kind::Rejected:
        result.end = outcome.rejection.code == RejectCode::Stale ? ActEnd::Stale : ActEnd::Refused;
        result.text = qt(outcome.rejection.text) + u'.';
        break;
    case Kind::Failed:
        result.end = outcome.error.kind == ErrorKind::OutcomeUnknown ? ActEnd::NotKnown : ActEnd::Failed;
        result.text = qt(outcome.error.text) + u'.';
        break;
    default:
        result.end = ActEnd::Done;
        result.text = Words::tr("%1 is slowed down; engines go by it within a second.").arg(request.resource);
        break;
    }
    return result;
}

// What is deleted is exactly what was shown: ids, not a kind that more may have by then.
Status ActSession::choosePayloads(const RunState& state, ActPreview& preview)
{
    CAIRN_TRY_ASSIGN(
        preview.request.payloads, chosenPayloads(*m_store, state, choiceOf(preview.request.value)));
    CAIRN_TRY_ASSIGN(const auto all, namedPayloads(*m_store, state.id));
    const std::vector<PayloadId>& chosen = preview.request.payloads;
    quint64 bytes = 0;
    for (const NamedPayload& named : all) {
        if (std::find(chosen.begin(), chosen.end(), named.ref.id) == chosen.end())
            continue;
        bytes += named.ref.size;
        if (preview.facts.size() < kMostNamed)
            preview.facts.push_back({payloadOf(named.ref, qt(named.kind), qt(named.step)).title,
                sizeText(named.ref.size), false});
    }
    if (chosen.size() > preview.facts.size())
        preview.facts.push_back({Words::tr("More"), countText(chosen.size() - preview.facts.size()), false});
    preview.facts.push_back({Words::tr("Together"),
        u"%1, %2"_s.arg(plural(chosen.size(), "payload", "payloads"), sizeText(bytes)), false});
    preview.typed = chosen.size();
    preview.typedOf = chosen.size() == 1 ? Words::tr("payload") : Words::tr("payloads");
    return {};
}

// What is asked cannot have changed meanwhile: it is bound, and a change of it asks anew.
QString ActSession::sinceAsked(const RunState& state, const ApprovalId& approval)
{
    const std::uint64_t from = state.version > kLookedBack ? state.version - kLookedBack + 1 : 1;
    const auto loaded = m_store->loadRun(state.id, from, state.version);
    if (!loaded)
        return qt(loaded.error().text);
    const auto told = [](const QString& count) {
        return Words::tr("%1 in the run's history; a change of what is asked would have asked anew")
            .arg(count);
    };
    for (auto sealed = loaded->entries.rbegin(); sealed != loaded->entries.rend(); ++sealed) {
        const auto entry = decodeEntry(sealed->body, sealed->format);
        if (!entry)
            return qt(entry.error().text);
        const bool asks = std::any_of(entry->facts.begin(), entry->facts.end(), [&](const cairn::Fact& fact) {
            const auto* asked = std::get_if<ApprovalRequested>(&fact);
            return asked != nullptr && asked->approval == approval;
        });
        if (asks)
            return told(plural(state.version - sealed->version, "entry", "entries"));
    }
    return told(Words::tr("more than %1").arg(plural(kLookedBack, "entry", "entries")));
}

}  // namespace cairn::ui
