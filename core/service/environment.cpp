// What decisions are given: store time and settings, definitions, resources, capacity.

#include "core/base/log.h"
#include "core/base/text.h"
#include "core/definition/parse.h"
#include "core/service/impl.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr SpanMs kStep = 2'000;   // less may be drift, or a call that took its time
constexpr SpanMs kTimeFor = 250;  // store time is read again after this
constexpr SpanMs kInfoFor = 2'000;
constexpr SpanMs kResourcesFor = 250;

}  // namespace

TimeMs Service::Impl::now()
{
    const SpanMs mono = clock.monotonicMs();
    // Where the store does not answer, what it said last goes on: each call to it may block for seconds.
    const bool known = timeBase != kNoTime;
    if (!known || (std::min(mono - timeAt, mono - timeAskedAt) >= kTimeFor && !stillAway())) {
        if (const auto read = reader.now()) {
            const SpanMs answered = clock.monotonicMs();  // the call may have taken long
            const SpanMs went = known ? *read - timeBase : 0;
            if (known && (went > answered - timeAt + kStep || went < mono - timeAt - kStep))
                steppedAt = answered;
            timeBase = *read;
            timeAt = timeAskedAt = mono;
        } else {
            noteAway(read.error());
            if (!known)
                return clock.wallMs();
            timeAskedAt = clock.monotonicMs();
        }
    }
    return timeBase + (mono - timeAt);
}

Result<StoreInfo> Service::Impl::info()
{
    // Where the store does not answer, each call to it may block for seconds: it is not asked again at once.
    if (away && clock.monotonicMs() - awayAt < kTimeFor)
        return *away;
    if (!storeInfo || clock.monotonicMs() - infoAt >= kInfoFor) {
        if (const Status status = readInfo(); !status) {
            if (status.error().kind == ErrorKind::Disconnected) {
                away = status.error();
                awayAt = clock.monotonicMs();
            }
            return status.error();
        }
    }
    away.reset();
    return *storeInfo;
}

const Error* Service::Impl::stillAway() const
{
    const bool engine = !config.session.isNull();
    return engine && away && clock.monotonicMs() - awayAt < kTimeFor ? &*away : nullptr;
}

void Service::Impl::noteAway(const Error& error)
{
    if (error.kind != ErrorKind::Disconnected || config.session.isNull() || stillAway())
        return;
    away = error;
    awayAt = clock.monotonicMs();
}

Status Service::Impl::readInfo()
{
    CAIRN_TRY_ASSIGN(const StoreInfo read, reader.info());
    infoAt = clock.monotonicMs();
    if (acknowledged->seesServer(read.serverSystem, read.serverTimeline, infoAt))
        log::warning("server_replaced", {{"timeline", std::uint64_t{read.serverTimeline}}});
    storeInfo = read;
    return {};
}

// Null only where the store surely lacks it, or this version cannot read it: what is decided on that stays.
Result<std::shared_ptr<const Definition>> Service::Impl::findDefinition(
    std::string_view name, std::uint32_t version)
{
    using Found = std::shared_ptr<const Definition>;
    if (name.empty())
        return Found();
    if (version != 0)
        if (const auto found = definitions.find({std::string(name), version}); found != definitions.end())
            return found->second;
    CAIRN_TRY_ASSIGN(const auto row, reader.workflow(name, version));
    if (!row)
        return Found();
    const auto place = std::make_pair(std::string(name), row->version);
    if (const auto found = definitions.find(place); found != definitions.end())
        return found->second;
    auto parsed = parseDefinition(row->text);
    if (!parsed)
        return Found();
    auto made = std::make_shared<const Definition>(std::move(*parsed.definition));
    definitions[place] = made;
    return made;
}

std::shared_ptr<const Definition> Service::Impl::definition(std::string_view name, std::uint32_t version)
{
    auto found = findDefinition(name, version);
    return found ? *std::move(found) : nullptr;
}

bool Service::Impl::serves(std::string_view name, std::uint32_t version) const
{
    if (config.serves.empty())
        return true;
    const std::string exact = std::string(name) + "@" + std::to_string(version);
    return std::any_of(config.serves.begin(), config.serves.end(),
        [&](const std::string& served) { return served == name || served == exact || served == "*"; });
}

std::string Service::Impl::servedHere() const
{
    std::string text;
    for (const auto& served : config.serves)
        text += (text.empty() ? "" : ", ") + served;
    return text.empty() ? "everything that the store has" : text;
}

ResourceView Service::Impl::resource(const std::string& name)
{
    const SpanMs mono = clock.monotonicMs();
    if ((!resourcesKnown || mono - resourcesAt >= kResourcesFor) && !stillAway()) {
        auto rows = reader.resources();
        if (rows) {
            for (auto& row : *rows) {
                auto [place, isNew] = resources.try_emplace(row.name, row);
                if (!isNew)
                    place->second = std::move(row);
            }
            resourcesKnown = true;
            resourcesAt = mono;
        } else {
            noteAway(rows.error());
        }
    }
    ResourceView view;
    if (const auto found = resources.find(name); found != resources.end())
        view.backOffUntil = found->second.backOffUntil;
    if (capacity.permits) {
        const auto spent = permitsInFlight.find(name);
        const std::uint32_t used = spent == permitsInFlight.end() ? 0 : spent->second;
        const std::uint32_t left = capacity.permits(name);
        view.permits = left > used ? left - used : 0;
    }
    if (view.permits == 0)
        view.holder = holderOf(name);
    return view;
}

// This engine's own, else the newest run that the store lists as under way at the resource. One row is read,
// at most four times a second for each resource.
RunId Service::Impl::holderOf(const std::string& name)
{
    if (const RunId own = capacity.holder ? capacity.holder(name) : RunId{}; !own.isNull())
        return own;
    const SpanMs mono = clock.monotonicMs();
    auto [known, isNew] = holders.try_emplace(name);
    if ((isNew || mono - known->second.second >= kResourcesFor) && !stillAway()) {
        ListTerm term;
        term.resource = {name};
        term.activity = {Activity::Executing};
        const auto page = reader.list({term}, ListOrder::NewestFirst, std::nullopt, 1);
        if (!page)
            noteAway(page.error());
        known->second = {page && !page->rows.empty() ? page->rows.front().run : RunId{}, mono};
    }
    return known->second.first;
}

bool Service::Impl::limitedElsewhere(const std::string& name) const
{
    const auto row = resources.find(name);
    return !capacity.permits && row != resources.end()
        && (row->second.slots > 0 || row->second.permitsPerSecond > 0);
}

std::uint32_t Service::Impl::attemptsLeft() const
{
    return capacity.attempts > startsInFlight ? capacity.attempts - startsInFlight : 0;
}

NewPayload payloadOf(const PayloadSeed& seed, std::string bytes, std::string media)
{
    NewPayload payload;
    payload.ref.id = seed.id;
    payload.salt = seed.salt;
    payload.plain = sha256(bytes);
    payload.ref.hash = saltedDigest(payload.salt, payload.plain);
    payload.ref.size = bytes.size();
    payload.ref.media = std::move(media);
    if (bytes.size() > kInlineLimit)
        payload.artifact = seed.artifact;
    payload.bytes = std::move(bytes);
    return payload;
}

PayloadSeed Service::Impl::payloadSeed()
{
    PayloadSeed seed;
    const TimeMs at = clock.wallMs();
    seed.id = makeId<PayloadId>(at, rng);
    rng.fill(seed.salt.data(), seed.salt.size());
    return seed;
}

NewPayload Service::Impl::makePayload(std::string bytes, std::string media)
{
    PayloadSeed seed = payloadSeed();
    if (bytes.size() > kInlineLimit)
        seed.artifact = makeId<ArtifactId>(clock.wallMs(), rng);
    return payloadOf(seed, std::move(bytes), std::move(media));
}

PayloadSeed Service::payloadSeed(const RunId& run)
{
    PayloadSeed seed = m_impl->payloadSeed();
    seed.masker = m_impl->maskerOf(run);
    seed.artifact = makeId<ArtifactId>(m_impl->clock.wallMs(), m_impl->rng);
    return seed;
}

namespace {

// All that the source has, masked where there is a masker. What is staged is never more than that.
Result<std::string> readMasked(const Masker* masker, const PayloadSource& read, const std::string& media)
{
    std::string all;
    for (bool more = true; more;) {
        CAIRN_TRY_ASSIGN(const std::string part, read(kChunkSize));
        more = !part.empty();
        all += part;
        if (all.size() > kPayloadLimit)
            return makeError(
                ErrorKind::InvalidInput, "the payload is over the limit of " + formatBytes(kPayloadLimit));
    }
    return masker != nullptr ? masker->payloadFrom(std::move(all), media) : std::move(all);
}

// What is masked is read whole: it is in memory once, and goes into the store piece by piece.
Result<NewPayload> stageWhole(
    StoreWriter& writer, const PayloadSeed& seed, std::string bytes, std::string media)
{
    const bool apart = bytes.size() >= kChunkSize;
    std::uint32_t index = 0;
    for (std::size_t at = 0; apart && at < bytes.size(); at += kChunkSize)
        CAIRN_TRY(writer.stageChunk(seed.artifact, index++, std::string_view(bytes).substr(at, kChunkSize)));
    NewPayload payload = payloadOf(seed, std::move(bytes), std::move(media));
    payload.staged = apart;
    return payload;
}

}  // namespace

Result<NewPayload> stagePayload(
    StoreWriter& writer, const PayloadSeed& seed, const PayloadSource& read, std::string media)
{
    CAIRN_TRY_ASSIGN(std::string bytes, readMasked(seed.masker.get(), read, media));
    return stageWhole(writer, seed, std::move(bytes), std::move(media));
}

Result<NewPayload> Service::stageLarge(StoreWriter& writer, const PayloadSource& read, std::string media)
{
    return stagePayload(writer, payloadSeed(), read, std::move(media));
}

}  // namespace cairn
