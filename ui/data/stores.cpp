#include "ui/data/stores.h"

#include "ui/data/format.h"

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 kBetweenPolls = 200;  // ms, of polls that hints ask for
constexpr qint64 kLostMs = 15'000;     // from when on no act is offered in such a store
constexpr qint64 kLateMs = 3'000;      // from when on a store that owes an answer is said not to give one
const QString kNoRun = u"run:00000000-0000-0000-0000-000000000000"_s;  // finds nothing

}  // namespace

bool StoreState::answers() const
{
    return opened && trouble.isEmpty() && (askedAt == 0 || monotonicMs() - askedAt < kLateMs);
}
bool StoreState::takesActs() const
{
    return opened && trouble.isEmpty() && (askedAt == 0 || monotonicMs() - askedAt < kLostMs);
}
qint64 StoreState::age() const { return heardAt == 0 ? -1 : monotonicMs() - heardAt; }
qint64 StoreState::now() const { return storeNow == 0 ? 0 : storeNow + age(); }

Stores::Stores(QObject* parent)
    : QObject(parent)
    , m_overviews(this,
          {[this] { Q_EMIT fuller(); },
              [this](StoreIx store, const Failure* failure) { note(store, failure); }})
    , m_lists(this,
          {[this] { Q_EMIT fuller(); },
              [this](StoreIx store, const Failure* failure) { note(store, failure); }})
    , m_pages(this,
          {[this] { Q_EMIT fuller(); },
              [this](StoreIx store, const Failure* failure) { note(store, failure); }})
    , m_helps(this, {[] {}, {}})
    , m_counts(this, {[] {}, {}})
{
}
Stores::~Stores() = default;

StoreIx Stores::add(Source& source, const QString& name)
{
    const auto store = static_cast<StoreIx>(m_places.size());
    m_places.emplace_back();
    m_places.back().source = &source;
    m_places.back().state.name = name;
    connect(&source, &Source::hinted, this, [this, store] { hinted(store); });
    connect(&source, &Source::hearingChanged, this, [this, store](Hearing hearing, const QString& why) {
        m_places[store].state.hearing = hearing;
        m_places[store].state.deafness = why;
        Q_EMIT heard(store);
    });
    return store;
}

void Stores::setNames(const QStringList& names)
{
    for (std::size_t i = 0; i < m_places.size() && i < static_cast<std::size_t>(names.size()); ++i) {
        StoreState& state = m_places[i].state;
        state.name = names.at(static_cast<qsizetype>(i));
        if (state.opened)
            state.facts.name = state.name;
    }
}

QString Stores::nameOf(StoreIx store) const
{
    return store < m_places.size() ? m_places[store].state.name : QString();
}

void Stores::setPatience(int ms)
{
    m_overviews.setPatience(ms);
    m_lists.setPatience(ms);
    m_pages.setPatience(ms);
}

void Stores::touchAll()
{
    m_overviews.touchAll();
    m_lists.touchAll();
}

// --- what is known of each

void Stores::open()
{
    for (StoreIx store = 0; store < m_places.size(); ++store)
        readFacts(store);
}

void Stores::refreshFacts() { open(); }

void Stores::readFacts(StoreIx store)
{
    Place& place = m_places[store];
    if (place.reading) {
        place.again = true;
        return;
    }
    place.reading = true;
    place.again = false;
    owe(store);
    whenDone(place.source->facts(), this, [this, store](const Reply<StoreFacts>& reply) {
        Place& here = m_places[store];
        here.reading = false;
        settle(store);
        if (reply)
            takeFacts(store, *reply.value);
        else if (!reply.failure.cancelled) {
            note(store, &reply.failure);
            if (!here.state.opened)
                Q_EMIT cannotOpen(store, reply.failure);
        }
        if (here.again)
            readFacts(store);
    });
}

void Stores::takeFacts(StoreIx store, const StoreFacts& facts)
{
    Place& place = m_places[store];
    StoreState& state = place.state;
    StoreFacts fresh = facts;
    if (!state.name.isEmpty() && several())
        fresh.name = state.name;
    const bool other = state.opened
        && (fresh.mayAct != state.facts.mayAct || fresh.whyNot != state.facts.whyNot
            || fresh.guarded != state.facts.guarded || fresh.closed != state.facts.closed
            || fresh.rewritten != state.facts.rewritten || fresh.person != state.facts.person
            || fresh.environment != state.facts.environment);
    state.facts = fresh;
    if (state.name.isEmpty())
        state.name = fresh.name;
    const bool first = !std::exchange(state.opened, true);
    if (first)
        place.cursor = facts.cursor;
    note(store, nullptr, facts.now);
    if (first)
        Q_EMIT opened(store);
    else if (other)
        Q_EMIT factsChanged(store);
}

void Stores::note(StoreIx store, const Failure* failure, qint64 at)
{
    StoreState& state = m_places[store].state;
    if (failure != nullptr) {
        state.trouble = failure->what.isEmpty() ? tr("it does not answer") : failure->what;
    } else {
        const bool back = state.opened && !state.trouble.isEmpty();
        state.trouble.clear();
        state.storeNow = at != 0 ? at : state.now();
        state.heardAt = monotonicMs();
        if (back) {  // who knows what it is now: another may have taken its place
            m_overviews.touch(store);
            m_lists.touch(store);
            readFacts(store);
            QTimer::singleShot(0, this, &Stores::fuller);
        }
    }
    Q_EMIT heard(store);
}

void Stores::owe(StoreIx store)
{
    StoreState& state = m_places[store].state;
    if (state.askedAt == 0)
        state.askedAt = monotonicMs();
}

void Stores::settle(StoreIx store)
{
    const Place& place = m_places[store];
    m_places[store].state.askedAt = place.polling || place.reading ? monotonicMs() : 0;
}

void Stores::poll()
{
    for (StoreIx store = 0; store < m_places.size(); ++store)
        if (m_places[store].state.opened)
            pollOne(store);
        else if (!m_places[store].reading)
            readFacts(store);
}

// A hint makes a poll early, and a flood of hints is no flood of polls.
void Stores::hinted(StoreIx store)
{
    Place& place = m_places[store];
    if (!place.state.opened || std::exchange(place.hinted, true))
        return;
    const qint64 rest = std::clamp<qint64>(place.polledAt + kBetweenPolls - monotonicMs(), 0, kBetweenPolls);
    QTimer::singleShot(static_cast<int>(rest), this, [this, store] {
        m_places[store].hinted = false;
        pollOne(store);
    });
}

void Stores::pollOne(StoreIx store)
{
    Place& place = m_places[store];
    if (place.polling)
        return;
    place.polling = true;
    place.polledAt = monotonicMs();
    owe(store);
    whenDone(place.source->changes(place.cursor), this, [this, store](const Reply<ChangeSet>& reply) {
        Place& here = m_places[store];
        here.polling = false;
        settle(store);
        if (!reply) {
            if (!reply.failure.cancelled)
                note(store, &reply.failure);
            return;
        }
        ChangeSet changes = *reply.value;
        here.cursor = changes.cursor;
        changes.store = store;
        for (RunLine& line : changes.lines)
            line.store = store;
        if (!changes.lines.empty()) {
            m_overviews.touch(store);
            m_lists.touch(store);
        }
        const bool promoted = here.state.facts.standing.standby() != changes.standing.standby();
        here.state.facts.standing = changes.standing;
        if (promoted)  // what one may do there is another thing now
            readFacts(store);
        note(store, nullptr, changes.at);
        Q_EMIT changed(changes);
        if (changes.more)
            pollOne(store);
    });
}

std::vector<StoreIx> Stores::openStores() const
{
    std::vector<StoreIx> stores;
    for (StoreIx store = 0; store < m_places.size(); ++store)
        if (m_places[store].state.opened)
            stores.push_back(store);
    return stores;
}

std::vector<StoreShare> Stores::closedShares() const
{
    std::vector<StoreShare> shares;
    for (StoreIx store = 0; store < m_places.size(); ++store)
        if (!m_places[store].state.opened)
            shares.push_back({store, Share::Missing, 0});
    return shares;
}

QString Stores::silentText() const
{
    QStringList names;
    for (const Place& place : m_places) {
        if (place.state.answers())
            continue;
        const qint64 age = place.state.age();
        names << place.state.name
                + (age < 0 ? tr(" (nothing read yet)")
                           : tr(" (data %1 old)").arg(durationText(age / 1000 * 1000)));
    }
    return names.join(u", "_s);
}

QString Stores::shareText(const std::vector<StoreShare>& shares) const
{
    QStringList missing;
    QStringList old;
    for (const StoreShare& share : shares)
        if (share.share == Share::Missing)
            missing << nameOf(share.store);
        else if (share.share == Share::Old)
            old << tr("%1 as of %2 ago")
                       .arg(nameOf(share.store),
                           durationText(m_places[share.store].state.age() / 1000 * 1000));
    QStringList parts;
    if (!missing.isEmpty())
        parts << tr("without ") + missing.join(u", "_s);
    parts += old;
    return parts.join(u", "_s);
}

// --- lists

FilterState Stores::storeNames(const QString& filter) const
{
    QStringList names;
    for (const Place& place : m_places)
        names << place.state.name;
    const auto at = static_cast<int>(filter.indexOf(u"store:"_s, 0, Qt::CaseInsensitive));
    return {false, std::max(0, at), 6,
        tr("no store here is meant by this; they are called ") + names.join(u", "_s)};
}

QFuture<Reply<Overview>> Stores::overview(const QString& filter)
{
    std::map<StoreIx, QString> texts;
    bool any = false;
    const std::vector<StoreIx> stores = openStores();
    for (const StoreIx store : stores) {
        const std::optional<QString> text =
            several() ? filterFor(filter, nameOf(store)) : std::optional(filter);
        any = any || text.has_value();
        texts[store] = text.value_or(kNoRun);  // it still counts in the sums, and as left out by the filter
    }
    const FilterState wrong = any || stores.empty() ? FilterState() : storeNames(filter);
    const auto ask = [this, texts](
                         StoreIx store) { return m_places[store].source->overview(texts.at(store)); };
    return m_overviews.ask(filter, filter, stores, ask, [this, wrong](const auto& parts) {
        if (!several())
            return parts.empty() || parts.front().value == nullptr ? Overview() : *parts.front().value;
        Overview sum = merged(parts);
        const auto closed = closedShares();
        sum.shares.insert(sum.shares.end(), closed.begin(), closed.end());
        if (!wrong.valid)
            sum.filter = wrong;
        if (!sum.allClear.isEmpty() && !sum.shares.empty())
            sum.allClear =
                tr("No run of the stores that answer needs a person. %1.").arg(shareText(sum.shares));
        return sum;
    });
}

QFuture<Reply<RunSlice>> Stores::listed(Gather<RunSlice>& gather, const ListRequest& request)
{
    std::map<StoreIx, SliceRequest> asked;
    std::vector<StoreIx> whom;
    QString topic = request.filter + u'\n' + request.situation + (request.newest ? u"\nnewest"_s : QString());
    for (const StoreIx store : openStores()) {
        const std::optional<QString> text =
            several() ? filterFor(request.filter, nameOf(store)) : std::optional(request.filter);
        if (!text || (!request.situation.isEmpty() && request.situationOf != store))
            continue;
        SliceRequest one{*text, request.situation, std::nullopt, request.limit, request.newest};
        if (store < request.marks.size() && !request.marks[store].run.isNull())
            one.after = request.marks[store];
        asked[store] = one;
        whom.push_back(store);
    }
    if (!request.situation.isEmpty())
        topic += u'\n' + QString::number(request.situationOf);
    if (!request.marks.empty())
        topic += u'\n' + QString::number(++m_page);
    const QString question = topic + u'\n' + QString::number(request.limit);
    const auto ask = [this, asked](StoreIx store) { return m_places[store].source->runs(asked.at(store)); };
    const auto limit = static_cast<std::size_t>(std::max(1, request.limit));
    const bool all = request.situation.isEmpty();
    return gather.ask(question, topic, whom, ask,
        [this, marks = request.marks, limit, all, newest = request.newest](const auto& parts) {
            RunSlice sum = merged(parts, marks, limit, newest);
            const auto closed = all && several() ? closedShares() : std::vector<StoreShare>();
            sum.shares.insert(sum.shares.end(), closed.begin(), closed.end());
            return sum;
        });
}

QFuture<Reply<RunSlice>> Stores::runs(const ListRequest& request) { return listed(m_lists, request); }
QFuture<Reply<RunSlice>> Stores::page(const ListRequest& request) { return listed(m_pages, request); }

// --- one run among all

struct Stores::Search {
    QPromise<Reply<RunRef>> promise;
    QString text;
    std::vector<RunRef> found;
    std::optional<Failure> failure;
    std::size_t open = 0;
    std::vector<StoreIx> silent;
    bool over = false;
};

QFuture<Reply<RunRef>> Stores::find(const QString& text)
{
    constexpr int kMost = 3'000;  // a store that does not answer is waited for no longer
    auto search = std::make_shared<Search>();
    search->promise.start();
    search->text = text;
    const QFuture<Reply<RunRef>> future = search->promise.future();
    const auto end = [this, search] {
        if (std::exchange(search->over, true))
            return;
        Reply<RunRef> reply;
        std::sort(search->found.begin(), search->found.end(),
            [](const RunRef& a, const RunRef& b) { return a.store < b.store; });
        QStringList names;
        for (const RunRef& ref : search->found)
            names << nameOf(ref.store);
        QStringList silent;
        for (const StoreIx store : search->silent)
            silent << nameOf(store);
        if (search->found.size() == 1)
            reply.value = search->found.front();
        else if (search->found.size() > 1)
            reply.failure = {tr("\"%1\" is a run in each of %2.").arg(search->text, names.join(u", "_s)), {},
                tr("Write store:%1 before it to say which is meant.").arg(names.constFirst())};
        else if (search->failure)
            reply.failure = *search->failure;
        else
            reply.failure.what = tr("No store has been opened.");
        if (!reply && !silent.isEmpty())
            reply.failure.todo += tr(" Not asked, because it does not answer: %1.").arg(silent.join(u", "_s));
        search->promise.addResult(std::move(reply));
        search->promise.finish();
    };
    for (StoreIx store = 0; store < m_places.size(); ++store) {
        const std::optional<QString> word = several() ? filterFor(text, nameOf(store)) : std::optional(text);
        if (!word)
            continue;
        search->silent.push_back(store);
        if (!m_places[store].state.opened)
            continue;
        ++search->open;
        whenDone(m_places[store].source->find(word->trimmed()), this,
            [search, store, end](const Reply<RunId>& reply) {
                std::erase(search->silent, store);
                if (reply)
                    search->found.push_back({store, *reply.value});
                else
                    search->failure = reply.failure;
                if (--search->open == 0)
                    end();
            });
    }
    if (search->open == 0)
        end();
    else if (several())
        QTimer::singleShot(kMost, this, end);
    return future;
}

}  // namespace cairn::ui
