#include "core/query/query.h"

#include "core/base/text.h"
#include "core/definition/parse.h"
#include "core/model/codec.h"
#include "core/query/query_impl.h"
#include "core/service/error_text.h"
#include "core/service/redaction.h"
#include "core/store/checks.h"
#include "core/store/fence.h"

#include <algorithm>
#include <limits>

namespace cairn {

namespace {

constexpr std::size_t kLineBytes = 300;
constexpr int kMaxChain = 16;  // children followed to the root of a wait

// A store that is being moved, or was, takes no act.
void closeActions(std::vector<Action>& actions, std::uint32_t minWriter)
{
    if (const auto fence = fenceOf(minWriter))
        for (Action& action : actions) {
            action.allowed = false;
            action.why = fenceError(*fence).text;
        }
}

}  // namespace

std::shared_ptr<const Definition> Query::Impl::definition(const WorkflowRef& ref)
{
    if (ref.name.empty())
        return nullptr;
    const auto place = std::make_pair(ref.name, ref.version);
    if (const auto found = definitions.find(place); found != definitions.end())
        return found->second;
    const auto row = reader.workflow(ref.name, ref.version);
    if (!row || !*row)
        return nullptr;
    auto parsed = parseDefinition((*row)->text);
    if (!parsed)
        return nullptr;
    return definitions[place] = std::make_shared<const Definition>(std::move(*parsed.definition));
}

Result<Query::Impl::Folded> Query::Impl::fold(const RunId& run, std::uint64_t version)
{
    CAIRN_TRY_ASSIGN(LoadedRun loaded, reader.loadRun(run, 1, version));
    Folded folded{std::move(loaded.identity), loaded.hot, {}};
    for (const SealedEntry& sealed : loaded.entries) {
        CAIRN_TRY(checkSeal(sealed, folded.state.head));
        CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
        if (entry.version != folded.state.version + 1)
            return makeError(ErrorKind::Corrupt,
                "run " + toText(run) + " lacks an entry before version " + std::to_string(entry.version));
        apply(folded.state, entry);
        folded.state.head = sealed.hash;
        folded.state.format = std::max(folded.state.format, sealed.format);
    }
    if (version != 0 && folded.state.version != version)
        return makeError(ErrorKind::NotFound,
            "run " + toText(run) + " has no version " + std::to_string(version) + "; its newest is "
                + std::to_string(loaded.hot.version));
    return folded;
}

std::pair<Given, std::uint32_t> Query::Impl::given(
    const Definition* def, TimeMs at, const HeardSessions* heard)
{
    Given given;
    given.now = at;
    std::uint32_t minWriter = 0;
    if (const auto info = reader.info()) {
        given.seed = info->seed;
        given.safety = info->safety;
        minWriter = info->minWriter;
    }
    given.definition = def;
    if (heard)
        given.sessionLost = [heard](const SessionId& id) { return heard->lost(id); };
    return {std::move(given), minWriter};
}

Explanation Query::Impl::explained(
    const RunState& state, const Definition* def, TimeMs at, const HeardSessions* heard)
{
    const auto [given, minWriter] = this->given(def, at, heard);
    Explanation explanation = explain(state, given);
    closeActions(explanation.actions, minWriter);
    return explanation;
}

std::optional<std::string> Query::Impl::line(const RunId& run, const PayloadRef& ref)
{
    constexpr std::uint64_t kRead = 64 * 1024;
    const auto bytes = reader.payload(run, ref.id, 0, kRead);
    if (!bytes) {
        if (bytes.error().kind == ErrorKind::Refused)
            return redactedText(reader, run, ref.id);
        if (bytes.error().kind == ErrorKind::NoRight)
            return "not for your role";
        return std::nullopt;
    }
    const bool whole =
        ref.size <= bytes->size() || bytes->size() < kRead;  // hidden fields may make it shorter
    std::string text = errorTextOf(*bytes, whole ? ref.media : "text/plain");
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.pop_back();
    std::string shown = clipped(visibleLine(text), kLineBytes);
    while (!shown.empty() && shown.back() == '.')
        shown.pop_back();  // the sentence has its own
    return shown;
}

// A child that cannot begin, as the parent's step says; nullopt: nothing is known against it.
std::optional<ChildTold> Query::Impl::unstarted(const RunState& parent, const RunId& child)
{
    const auto found = parent.childByRun.find(child);
    if (found == parent.childByRun.end())
        return std::nullopt;
    const StepRecord& waiting = parent.steps[parent.children[found->second].step];
    if (!waiting.waitsForChild() || waiting.reason != Reason::Incompatible)
        return std::nullopt;
    const auto def = definition(parent.workflow);
    const StepDef* step = def ? def->step(waiting.name) : nullptr;
    ChildTold out;
    out.name = !step ? "child run " + shortId(toText(child))
                     : visibleLine(step->workflow)
            + (step->workflowVersion == 0 ? "" : "@" + std::to_string(step->workflowVersion));
    out.clause = "cannot start: " + line(parent.id, waiting.detail).value_or("why is not recorded");
    out.sentence.ends = "somebody adds the workflow with `cairn workflow add`; then the child starts";
    out.sentence.shortText = "Mismatch: it cannot start";
    return out;
}

Lookup Query::Impl::lookup(const RunState& state, Telling& telling)
{
    Lookup look;
    look.text = [this, run = state.id](const PayloadRef& ref) { return line(run, ref); };
    look.key = [this, &state](StepIx ix) -> std::optional<std::string> {
        if (ix >= state.steps.size() || state.steps[ix].effect.isNull())
            return std::nullopt;
        const auto rows = reader.effects(std::span(&state.steps[ix].effect, 1));
        return rows && !rows->empty() ? std::optional(rows->front().key) : std::nullopt;
    };
    look.session = [this](const SessionId& id) -> std::optional<SessionRow> {
        if (auto rows = reader.sessions(true))
            for (SessionRow& row : *rows)
                if (row.id == id)
                    return std::move(row);
        return std::nullopt;
    };
    if (telling.heard)
        lookUpPresent(look, state, telling);
    return look;
}

void Query::Impl::lookUpPresent(Lookup& look, const RunState& state, Telling& telling)
{
    look.engines = [&telling] { return telling.heard->heard(); };
    look.othersOn = [this](std::string_view resource, const RunId&) -> std::uint64_t {
        ListTerm term;
        term.resource.emplace_back(resource);
        term.reason = {Reason::Resource};
        const auto count = reader.count({term});
        return count && *count > 0 ? *count - 1 : 0;
    };
    look.pressing = [this](std::span<const RunId> children) -> std::optional<RunId> {
        const auto rows = reader.listRows(children);
        if (!rows || rows->empty())
            return std::nullopt;
        return std::min_element(rows->begin(), rows->end(), [](const ListRow& a, const ListRow& b) {
            return std::pair(a.attention, a.since) < std::pair(b.attention, b.since);
        })->run;
    };
    look.child = [this, &state, &telling](const RunId& run) { return childTold(state, run, telling); };
}

std::optional<ChildTold> Query::Impl::childTold(const RunState& parent, const RunId& run, Telling& telling)
{
    if (telling.depth >= kMaxChain || !telling.visited.insert(run).second)
        return std::nullopt;
    auto folded = fold(run, 0);
    if (!folded)
        return folded.error().kind == ErrorKind::NotFound ? unstarted(parent, run) : std::nullopt;
    const auto def = definition(folded->state.workflow);
    const Explanation explanation = explained(folded->state, def.get(), telling.at, telling.heard);
    const std::size_t place = telling.chain ? telling.chain->size() : 0;
    if (telling.chain)
        telling.chain->emplace_back(run, Sentence{});
    ++telling.depth;
    Told child = told(folded->state, explanation, def.get(), telling);
    --telling.depth;
    if (telling.chain)
        (*telling.chain)[place].second = child.sentence;
    ChildTold out;
    out.name = folded->state.workflow.name.empty() ? "run " + shortId(toText(run))
                                                   : visibleLine(folded->state.workflow.name);
    out.clause = std::move(child.clause);
    out.sentence = std::move(child.sentence);
    out.attention = explanation.summary.attention;
    out.open = !folded->state.closed;
    return out;
}

Told Query::Impl::told(
    const RunState& state, const Explanation& explanation, const Definition* def, Telling& telling)
{
    telling.visited.insert(state.id);
    return tellRun(state, explanation, def, telling.at, lookup(state, telling));
}

Query::Query(StoreReader& reader, const Clock& clock)
    : m_impl(std::make_unique<Impl>(reader, clock))
{
}
Query::~Query() = default;
void Query::seeProcesses(std::function<bool(const SessionRow&)> gone) { m_impl->gone = std::move(gone); }
StoreReader& Query::reader() { return m_impl->reader; }
void Query::compareBy(StoreReader& stored) { m_impl->compared = &stored; }

Result<RunView> Query::run(const RunId& run, std::uint64_t version)
{
    CAIRN_TRY_ASSIGN(const TimeMs at, m_impl->now());
    CAIRN_TRY_ASSIGN(auto folded, m_impl->fold(run, version));
    RunView view;
    view.identity = std::move(folded.identity);
    view.hot = folded.hot;
    view.state = std::move(folded.state);
    view.at = at;
    view.definition = m_impl->definition(view.state.workflow);
    // An earlier version is told as it was when that version was written.
    const TimeMs told = version == 0 ? at : view.state.changedAt;
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    view.explanation =
        m_impl->explained(view.state, view.definition.get(), told, version == 0 ? &heard : nullptr);
    Impl::Telling telling{told, version == 0 ? &heard : nullptr, &view.chain};
    view.sentence = m_impl->told(view.state, view.explanation, view.definition.get(), telling).sentence;
    CAIRN_TRY_ASSIGN(auto rows, this->rows(std::span(&run, 1)));
    if (version == 0 && !rows.empty())
        view.row = std::move(rows.front());
    else
        view.row = listRowOf(view.state, view.identity, told, view.definition.get());
    CAIRN_TRY_ASSIGN(view.attributes, m_impl->reader.attributes(run));
    return view;
}

Result<StepTold> Query::stepActions(const RunId& run, StepIx step)
{
    CAIRN_TRY_ASSIGN(const TimeMs at, m_impl->now());
    CAIRN_TRY_ASSIGN(const auto folded, m_impl->fold(run, 0));
    if (step >= folded.state.steps.size())
        return makeError(ErrorKind::NotFound,
            "run " + toText(run) + " has no step number " + std::to_string(step) + "; it has "
                + std::to_string(folded.state.steps.size()) + " steps");
    const auto definition = m_impl->definition(folded.state.workflow);
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    const auto [given, minWriter] = m_impl->given(definition.get(), at, &heard);
    StepTold told{folded.state.steps[step].id, cairn::stepActions(folded.state, step, given)};
    closeActions(told.actions, minWriter);
    return told;
}

Result<RunId> Query::resolve(std::string_view text)
{
    const std::string shown = visibleLine(text);
    if (text.empty())
        return makeError(
            ErrorKind::InvalidInput, "a run is named by its id, the beginning of its id, or its key");
    if (const auto id = parseId<RunId>(text)) {
        const auto hot = m_impl->reader.hot(*id);
        if (!hot)
            return hot.error();
        return *id;
    }
    ListTerm byKey;
    byKey.key.emplace_back(text);
    const bool pattern = text.back() == '*';
    std::map<RunId, std::string> found;  // and of what workflow, where that was read
    if (!pattern) {
        CAIRN_TRY_ASSIGN(
            const auto page, m_impl->reader.list({byKey}, ListOrder::NewestFirst, std::nullopt, 4));
        for (const ListRow& row : page.rows)
            found.emplace(row.run, row.workflow);
    }
    const bool byKeys = !found.empty();
    std::string prefix(text);
    std::transform(prefix.begin(), prefix.end(), prefix.begin(),
        [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c; });
    if (found.empty() && prefix.size() >= 4
        && prefix.find_first_not_of("0123456789abcdef-") == std::string::npos) {
        CAIRN_TRY_ASSIGN(const auto ids, m_impl->reader.findRuns(prefix, 4));
        for (const RunId& id : ids)
            found.emplace(id, std::string());
        const auto bounds = found.empty() ? idBounds(prefix) : std::nullopt;
        const auto gone = bounds ? m_impl->reader.tombstones(RunId{bounds->low}, 1)
                                 : Result<std::vector<Tombstone>>(std::vector<Tombstone>());
        if (gone && !gone->empty() && !(RunId{bounds->high} < gone->front().run))
            return makeError(ErrorKind::NotFound, removedText(gone->front()));
    }
    if (found.empty())
        return makeError(ErrorKind::NotFound,
            "no run has the id, the beginning of an id (4 or more characters), or the key \"" + shown + "\"");
    if (found.size() == 1)
        return found.begin()->first;
    std::string all;
    for (const auto& [id, workflow] : found)
        all +=
            (all.empty() ? "" : ", ") + toText(id) + (workflow.empty() ? "" : " of " + visibleLine(workflow));
    all += found.size() >= 4 ? ", ..." : "";
    return makeError(ErrorKind::InvalidInput,
        byKeys ? "the key \"" + shown + "\" is that of more than one run, each of another workflow: " + all
                + "; name one by its id"
               : "\"" + shown + "\" is the beginning of more than one id: " + all + "; give more of it");
}

// The ids by number. They never change and only become more, so those of a run are read again only where it
// has moved on since: a page costs what is on it.
Result<const std::vector<std::string>*> Query::Impl::stepIds(
    const RunId& run, std::uint64_t needed, std::uint64_t newest)
{
    if (m_stepsOf == run && m_stepsAt >= needed)
        return &m_stepIds;
    CAIRN_TRY_ASSIGN(const auto rows, reader.steps(run));
    m_stepIds.clear();
    for (const StepRow& row : rows) {
        m_stepIds.resize(std::max<std::size_t>(m_stepIds.size(), row.ix + 1));
        m_stepIds[row.ix] = row.id;
    }
    m_stepsOf = run;
    m_stepsAt = newest;
    return &m_stepIds;
}

Result<std::vector<HistoryItem>> Query::history(
    const RunId& run, std::uint64_t fromVersion, std::size_t limit)
{
    std::vector<HistoryItem> items;
    if (limit == 0)
        return items;
    const std::uint64_t first = std::max<std::uint64_t>(fromVersion, 1);
    const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    const std::uint64_t last = limit > most - std::min(first, most) ? 0 : first + limit - 1;
    CAIRN_TRY_ASSIGN(const LoadedRun loaded, m_impl->reader.loadRun(run, first, last));
    if (loaded.entries.empty())
        return items;
    CAIRN_TRY_ASSIGN(
        const auto* steps, m_impl->stepIds(run, loaded.entries.back().version, loaded.hot.version));
    for (const SealedEntry& sealed : loaded.entries) {
        HistoryItem item;
        CAIRN_TRY_ASSIGN(item.entry, decodeEntry(sealed.body, sealed.format));
        item.hash = sealed.hash;
        item.line = historyLine(item.entry, *steps);
        if (item.entry.reason) {
            const auto text = m_impl->reader.payload(run, item.entry.reason.id);
            item.reason = text                            ? visible(*text)
                : text.error().kind == ErrorKind::Refused ? "redacted"
                : text.error().kind == ErrorKind::NoRight ? "not for your role"
                                                          : "not recorded";
        }
        for (const Fact& fact : item.entry.facts) {
            const auto* settled = std::get_if<EffectEvidence>(&fact);
            const auto* denied = std::get_if<EffectDenied>(&fact);
            const PayloadRef ref = settled   ? settled->evidence
                : denied && denied->byPerson ? denied->evidence
                                             : PayloadRef{};
            if (const auto* note = std::get_if<NoteAdded>(&fact); note && !note->masked)
                item.line += ": " + m_impl->line(run, note->text).value_or("not recorded");
            if (ref)
                item.evidence = m_impl->line(run, ref).value_or("not recorded");
        }
        items.push_back(std::move(item));
    }
    return items;
}

Result<Sentence> Query::sentence(
    const RunState& state, const Explanation& explanation, const Definition* definition)
{
    CAIRN_TRY_ASSIGN(const TimeMs at, m_impl->now());
    CAIRN_TRY_ASSIGN(const HeardSessions heard, m_impl->heard());
    Impl::Telling telling{at, &heard};
    return m_impl->told(state, explanation, definition, telling).sentence;
}

Sentence Query::rowSentence(const ListRow& row, TimeMs now)
{
    Sentence s;
    s.since = row.since;
    s.next = row.nextTime;
    s.subject = row.resource.empty() || row.reason == Reason::None ? visibleLine(row.step)
                                                                   : visibleLine(row.resource);
    // A failure that is not tried again, for it says itself that it would be the same.
    const bool forGood =
        row.reason == Reason::AttemptsExhausted && row.attempt > 0 && row.attempt < row.attemptsMax;
    const std::string what(forGood       ? std::string_view("Failed for good")
            : row.reason == Reason::None ? label(row.activity)
                                         : label(row.reason));
    const std::string next = row.nextTime == kNoTime ? std::string() : ", next " + fromNow(row.nextTime, now);
    std::string attempt;
    if (row.attempt > 0 && (row.reason == Reason::Retry || row.reason == Reason::AttemptsExhausted))
        attempt = ", attempt " + std::to_string(row.attempt)
            + (row.attemptsMax > 0 ? " of " + std::to_string(row.attemptsMax) : "");
    const std::string money = row.amount.currency.empty()
        ? std::string()
        : ", " + formatMoney(row.amount.micros, row.amount.currency);
    const std::string resource = row.reason == Reason::Resource || row.reason == Reason::Capacity
        ? " by "
            + (row.resource.empty() ? std::string("a resource that is not recorded")
                                    : visibleLine(row.resource))
        : std::string();
    s.shortText = what + resource + attempt + money + ", " + ago(row.since, now) + next;
    s.text = (row.step.empty() ? "The run" : "Step \"" + visibleLine(row.step) + "\"") + std::string(": ")
        + s.shortText + (row.error.empty() ? "" : ": " + visibleLine(row.error)) + ".";
    s.ends = row.nextTime != kNoTime       ? "time, at " + formatInstant(row.nextTime)
        : row.attention == Attention::None ? "nothing: it is finished"
                                           : std::string(label(row.attention));
    return s;
}

Result<std::string> Query::context(const RunId& run, const ContextOptions& options)
{
    CAIRN_TRY_ASSIGN(const RunView view, this->run(run));
    const ContextSource source{view.state, view.identity, view.sentence, view.explanation,
        [this, run](
            const PayloadRef& ref, std::size_t most) { return m_impl->reader.payload(run, ref.id, 0, most); },
        view.at};
    const std::size_t bytes = std::max<std::size_t>(options.tokenBudget, 64) * 4;
    return options.json ? contextJson(source, bytes) : contextMarkdown(source, bytes);
}

Result<std::string> Query::dot(const RunId& run)
{
    CAIRN_TRY_ASSIGN(const auto folded, m_impl->fold(run, 0));
    return dotOf(folded.state);
}

}  // namespace cairn
