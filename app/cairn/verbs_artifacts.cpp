// store artifacts: where large payloads lie.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/common/open_store.h"
#include "core/base/counted.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/service/sessions.h"
#include "core/store/checks.h"

#include <CLI/CLI.hpp>

#include <unordered_set>

namespace cairn::cli {

namespace {

constexpr std::size_t kPage = 500;

struct ArtifactArguments {
    std::string place;
    bool freshFolder = false;
    bool copied = false;
    bool sweep = false;
    std::string older = "24h";
};

std::string placeText(const ArtifactPlace& place)
{
    return place.url.empty() ? "in the store" : place.url + ", folder " + place.folder;
}

int show(Session& s)
{
    if (!s.openReader())
        return s.exitCode;
    const auto totals = s.store().chunkTotals();
    if (!totals)
        return s.fail(totals.error());
    const ArtifactPlace& place = s.info().artifacts;
    if (s.options.json) {
        s.json(dump(Json{{"bucket", place.url.empty() ? Json() : Json(place.url)},
            {"folder", place.url.empty() ? Json() : Json(place.folder)}, {"writes_to_bucket", place.writes},
            {"chunks_in_store", totals->here}, {"bytes_in_store", totals->hereBytes},
            {"chunks_in_bucket", totals->elsewhere}, {"bytes_in_bucket", totals->elsewhereBytes}}));
        return kDone;
    }
    s.line("new artifacts go into " + (place.writes ? place.url : std::string("the store")));
    s.line("in the store   " + counted(totals->here, "chunk") + ", " + formatBytes(totals->hereBytes));
    if (!place.url.empty())
        s.line("in the bucket  " + counted(totals->elsewhere, "chunk") + ", "
            + formatBytes(totals->elsewhereBytes) + "; " + placeText(place));
    return kDone;
}

// Every chunk that lies in the bucket, a page at a time.
Status eachElsewhere(StoreReader& store, const std::function<Status(const ChunkRow&)>& each)
{
    ArtifactId artifact;
    std::uint32_t index = 0;
    for (;;) {
        CAIRN_TRY_ASSIGN(const auto rows, store.chunksElsewhere(artifact, index, kPage));
        for (const ChunkRow& row : rows)
            CAIRN_TRY(each(row));
        if (rows.empty())
            return {};
        artifact = rows.back().artifact;
        index = rows.back().index;
    }
}

// --- naming a place
// ----------------------------------------------------------------------------------------------------

// That each object is at the new place as well, with the bytes that it has to have.
Status checkCopied(StoreReader& store, ObjectStore& objects)
{
    return eachElsewhere(store, [&](const ChunkRow& row) -> Status {
        CAIRN_TRY_ASSIGN(const std::string bytes, objects.get(row.stored, row.size));
        if (chunkDigest(row.artifact, row.index, bytes) == row.digest)
            return {};
        return makeError(ErrorKind::Refused, objects.shown(row.stored) + " has other bytes than were stored");
    });
}

Status checkNoEngine(Session& s)
{
    CAIRN_TRY_ASSIGN(const HeardSessions sessions, hearSessions(s.store(), s.service().now()));
    const auto heard = sessions.heard();
    return heard.empty() ? Status()
                         : engineHasPlace(heard.front().name, heard.front().host, heard.front().pid);
}

Result<ArtifactChange> changeOf(Session& s, const ArtifactArguments& arguments)
{
    ArtifactChange change;
    change.freshFolder = arguments.freshFolder;
    change.writes = arguments.place.empty() ? s.info().artifacts.writes : arguments.place != "store";
    if (change.writes && !arguments.place.empty()) {
        CAIRN_TRY_ASSIGN(change.url, bucketUrl(arguments.place));
    }
    if (arguments.copied && change.url.empty())
        return makeError(ErrorKind::InvalidInput, "--copied goes with the URL of the new bucket");
    return change;
}

// What can be seen before it is done; with `writing` an object is stored in the bucket and removed again.
Result<ArtifactPlace> tryChange(Session& s, ArtifactChange& change, bool copied, bool writing)
{
    if (const auto fence = fenceOf(s.info().minWriter))
        return fenceError(*fence);
    CAIRN_TRY(checkNoEngine(s));
    CAIRN_TRY_ASSIGN(const ChunkTotals totals, s.store().chunkTotals());
    change.copied = copied;
    CAIRN_TRY_ASSIGN(ArtifactPlace place, changedPlace(change, s.info().artifacts, totals, s.rng));
    if (!change.writes)
        return place;
    CAIRN_TRY_ASSIGN(const auto objects, openBucket(place.url));
    CAIRN_TRY(tryOutBucket(*objects, writing));
    if (copied)
        CAIRN_TRY(checkCopied(s.store(), *objects));
    return place;
}

std::string changeText(const ArtifactPlace& place)
{
    return "new artifacts go into " + (place.writes ? place.url : std::string("the store"))
        + "; those that are there stay where they are";
}

AuditRow auditOf(Session& s, const ArtifactPlace& before, const ArtifactPlace& after)
{
    const auto json = [](const ArtifactPlace& place) {
        return "{\"bucket\":" + jsonQuote(place.url) + ",\"folder\":" + jsonQuote(place.folder)
            + ",\"writes_to_bucket\":" + (place.writes ? "true" : "false") + "}";
    };
    AuditRow row = s.personAct();
    row.login = s.login();
    row.time = s.service().now();
    row.kind = "applied";
    row.verb = Verb::PlaceArtifacts;
    row.target = "store";
    row.command = makeId<CommandId>(s.clock.wallMs(), s.rng);
    row.before = json(before);
    row.after = json(after);
    return row;
}

int change(Session& s, const ArtifactArguments& arguments)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    auto wanted = changeOf(s, arguments);
    if (!wanted)
        return s.fail(wanted.error());
    const auto place = tryChange(s, *wanted, arguments.copied, !s.options.preview);
    if (s.options.preview)
        return printPreview(
            s, place ? Status() : Status(place.error()), place ? changeText(*place) : std::string());
    if (!place)
        return s.fail(place.error());
    wanted->folder = place->folder;
    wanted->audit = auditOf(s, s.info().artifacts, *place);
    if (auto done = s.store().changeArtifacts(*wanted); !done) {
        s.recordRefusal(Verb::PlaceArtifacts, "store", done.error());
        return s.fail(done.error());
    }
    s.answer(
        dump(Json{{"bucket", place->url}, {"folder", place->folder}, {"writes_to_bucket", place->writes}}),
        changeText(*place));
    return kDone;
}

// --- sweeping
// ----------------------------------------------------------------------------------------------------------

struct Swept {
    std::uint64_t objects = 0;  // that no chunk names, old enough
    std::uint64_t bytes = 0;
    std::uint64_t young = 0;  // that no chunk names yet
    std::vector<std::string> names;
};

Result<Swept> lookForOrphans(Session& s, ObjectStore& objects, SpanMs older)
{
    // What is listed first and named later is younger than `older`.
    const TimeMs now = s.clock.wallMs();
    const std::string folder = s.info().artifacts.folder + "/";
    std::vector<ObjectStore::Listed> listed;
    for (;;) {
        CAIRN_TRY_ASSIGN(
            auto page, objects.list(folder, listed.empty() ? std::string() : listed.back().name));
        if (page.empty())
            break;
        listed.insert(listed.end(), page.begin(), page.end());
    }
    std::unordered_set<std::string> named;
    CAIRN_TRY(eachElsewhere(s.store(), [&](const ChunkRow& row) -> Status {
        named.insert(row.stored);
        return {};
    }));
    Swept swept;
    for (const auto& object : listed) {
        if (named.contains(object.name))
            continue;
        if (now - object.storedAt < older) {
            ++swept.young;
            continue;
        }
        ++swept.objects;
        swept.bytes += object.size;
        swept.names.push_back(object.name);
    }
    return swept;
}

Result<Swept> findOrphans(Session& s, const std::string& older, std::unique_ptr<ObjectStore>& objects)
{
    CAIRN_TRY_ASSIGN(const SpanMs span, parseSpan(older));
    if (span < kYoungestOrphan)
        return makeError(ErrorKind::InvalidInput,
            "--older is at least 1h: what was stored just now may be named in a moment");
    if (const auto fence = fenceOf(s.info().minWriter))
        return fenceError(*fence);
    if (!s.rights().commits)
        return makeError(ErrorKind::NoRight,
            "the login \"" + s.rights().login + "\" may not sweep; it needs the role cairn_engine");
    if (s.info().artifacts.url.empty())
        return makeError(
            ErrorKind::Refused, "artifacts of this store lie in the store; there is nothing to sweep");
    CAIRN_TRY_ASSIGN(objects, openBucket(s.info().artifacts.url));
    return lookForOrphans(s, *objects, span);
}

std::string sweptText(const Swept& swept)
{
    return counted(swept.objects, "object") + " that no chunk names, " + formatBytes(swept.bytes)
        + (swept.young == 0 ? "" : " (" + counted(swept.young, "younger one") + " left)");
}

int sweep(Session& s, const ArtifactArguments& arguments)
{
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    std::unique_ptr<ObjectStore> objects;
    const auto swept = findOrphans(s, arguments.older, objects);
    if (s.options.preview)
        return printPreview(s, swept ? Status() : Status(swept.error()),
            swept ? sweptText(*swept) + ": removed" : std::string());
    if (!swept)
        return s.fail(swept.error());
    // First the record: who removes a thing is known although the removing is cut off.
    if (!s.record(Verb::PlaceArtifacts, "bucket", "{\"objects\":" + std::to_string(swept->objects) + "}",
            "{\"swept\":true,\"folder\":" + jsonQuote(s.info().artifacts.folder) + "}"))
        return s.exitCode;
    for (const std::string& name : swept->names)
        if (auto removed = objects->remove(name); !removed)
            return s.fail(removed.error());
    s.answer(dump(Json{{"swept", swept->objects}, {"bytes", swept->bytes}, {"younger", swept->young}}),
        "removed " + sweptText(*swept));
    return kDone;
}

int artifacts(Session& s, const ArtifactArguments& arguments)
{
    const bool changes = !arguments.place.empty() || arguments.freshFolder || arguments.copied;
    if (!changes && !arguments.sweep)
        return show(s);
    if (changes && arguments.sweep)
        return s.fail(kUsage, "--sweep stands alone");
    if (!s.options.preview && (s.openWriter(), s.exitCode != kDone))
        return s.exitCode;
    if (!s.options.preview && !s.reasonGiven(Verb::PlaceArtifacts))
        return s.exitCode;
    return arguments.sweep ? sweep(s, arguments) : change(s, arguments);
}

}  // namespace

void addArtifactsVerb(Verbs v, CLI::App& storeGroup)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto arguments = std::make_shared<ArtifactArguments>();
    auto* cmd = storeGroup.add_subcommand(
        "artifacts", "Says where large payloads lie, or has new ones put into a bucket");
    cmd->add_option(
        "PLACE", arguments->place, std::string("where new ones go: ") + kBucketUrls + ", or the word store");
    cmd->add_flag("--fresh-folder", arguments->freshFolder,
        "new ones go into a folder of their own: for a store that was restored from a copy");
    cmd->add_flag("--copied", arguments->copied,
        "the objects were copied to PLACE: looks at each, and reads them there from now on");
    cmd->add_flag("--sweep", arguments->sweep, "removes objects that no payload names");
    cmd->add_option("--older", arguments->older, "with --sweep: only objects as old as that; 24h");
    addCommon(cmd, s);
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return artifacts(s, *arguments); }; });
}

}  // namespace cairn::cli
