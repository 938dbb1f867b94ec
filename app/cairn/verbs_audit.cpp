// audit list|verify|head|checkpoint|anchor|key, and the look at what this client remembers.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/common/open_store.h"
#include "core/audit/anchor.h"
#include "core/audit/known_heads.h"
#include "core/audit/second_person.h"
#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/service/staged.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <unistd.h>

namespace cairn::cli {

namespace {

using audit::Found;
using audit::KnownHeads;

Json jsonAudit(const AuditRow& row, const audit::SecondPerson& second)
{
    return {{"seq", row.seq}, {"time", jsonTime(row.time)}, {"kind", row.kind}, {"verb", key(row.verb)},
        {"actor", jsonText(row.actor)}, {"login", jsonOptional(row.login)}, {"uid", row.uid},
        {"host", jsonOptional(row.host)}, {"run", row.run.isNull() ? Json() : Json(toText(row.run))},
        {"target", jsonOptional(row.target)}, {"reason", jsonOptional(row.reason)},
        {"before", jsonText(row.before)}, {"after", jsonText(row.after)}, {"hash", hex(row.hash)},
        {"second", jsonOptional(std::string(audit::key(second.kind)))},
        {"second_login", jsonOptional(second.login)}};
}

// Of an act on the store as a whole its line says what it was done to: where a moved store is, for instance.
std::string auditLine(const AuditRow& row, const audit::SecondPerson& second)
{
    std::string line = std::to_string(row.seq) + "  " + formatInstant(row.time) + "  " + row.actor + " ("
        + (row.login.empty() ? "uid " + std::to_string(row.uid) : row.login) + ")  " + row.kind + " "
        + std::string(key(row.verb)) + "  " + (row.run.isNull() ? std::string{} : toText(row.run)) + " "
        + row.target + (row.reason.empty() ? std::string{} : "  \"" + row.reason + "\"");
    if (row.run.isNull())
        for (const std::string* state : {&row.before, &row.after})
            if (!state->empty() && *state != "{}")
                line += (state == &row.before ? "  before " : "  after ") + *state;
    if (second.kind != audit::Second::None)
        line += "  second person: " + label(second);
    return line;
}

constexpr std::size_t kMostReviews = 1'000;

// Loud as long as it is so: an act by break-glass that nobody else has looked at.
int noteReviews(Session& s)
{
    const auto open = s.store().reviews(false, kMostReviews);
    if (!open)
        return s.fail(open.error());
    if (!open->empty())
        s.note((open->size() == kMostReviews ? "at least " : "") + std::to_string(open->size())
            + (open->size() == 1 ? " act" : " acts")
            + " by break-glass that nobody else has looked at: `cairn audit reviews`");
    return kDone;
}

int auditList(Session& s, std::uint64_t after, std::size_t limit)
{
    if (!s.openReader())
        return s.exitCode;
    audit::SecondPeople seconds(s.store());
    std::size_t shown = 0;
    while (shown < limit) {
        auto rows = s.store().audit(after, std::min<std::size_t>(limit - shown, 500));
        if (!rows)
            return s.fail(rows.error());
        if (rows->empty())
            break;
        for (const auto& row : *rows) {
            const auto second = seconds.of(row);
            if (!second)
                return s.fail(second.error());
            s.answer(dump(jsonAudit(row, *second)), auditLine(row, *second));
        }
        shown += rows->size();
        after = rows->back().seq;
    }
    const auto rest = s.store().audit(after, 1);
    if (!rest)
        return s.fail(rest.error());
    if (!rest->empty())
        s.note("there is more: raise --limit, or go on with --after " + std::to_string(after));
    return noteReviews(s);
}

// A head as `audit head` prints it, "12 7bc5...", or its hash alone. Nothing: "0 000...", of an empty audit.
Result<std::optional<audit::KnownHead>> parseHead(const std::string& text)
{
    const std::string_view all = trimmed(text);
    const auto blank = all.find(' ');
    const std::string_view number =
        blank == std::string_view::npos ? std::string_view() : all.substr(0, blank);
    const auto hash = parseDigest(blank == std::string_view::npos ? all : trimmed(all.substr(blank)));
    audit::KnownHead head{"the head you kept", 0, {}};
    const auto [stop, fault] = std::from_chars(number.data(), number.data() + number.size(), head.seq);
    const bool counted = number.empty() || (fault == std::errc() && stop == number.data() + number.size());
    if (!hash || !counted)
        return makeError(ErrorKind::InvalidInput,
            "--head takes what `cairn audit head` printed: a number and 64 hexadecimal digits, or the digits "
            "alone");
    if (!number.empty() && head.seq == 0)
        return std::optional<audit::KnownHead>();
    head.hash = *hash;
    return std::optional(std::move(head));
}

// A file of anchors, or a store that keeps some.
Result<std::vector<CheckpointRow>> anchorsAt(const std::string& place, const UuidBytes& store)
{
    if (place.find(':') == std::string::npos || place.starts_with("/") || place.starts_with("."))
        return audit::readAnchors(place);
    StoreOptions reading;
    reading.readOnly = true;
    CAIRN_TRY_ASSIGN(const auto other, openStoreUrl(place, reading));
    return audit::readAnchors(*other, store);
}

struct VerifyArguments {
    std::string head;
    std::vector<std::string> keys;
    std::string anchor;
    bool trustAnew = false;
};

struct Asking {
    audit::Questions questions;
    audit::Evidence evidence;
    std::vector<Found> found;  // before the store was read at all
    TimeMs outside = kNoTime;  // of the newest that is kept outside of the store, where its time is known
};

// A store that is being moved, or was: its successor has the same id and goes on, this one does not.
bool isClosed(const Session& s) { return fenceOf(s.info().minWriter).has_value(); }

Result<Asking> ask(Session& s, const VerifyArguments& arguments, const KnownHeads& heads)
{
    Asking asking;
    for (const std::string& text : arguments.keys) {
        CAIRN_TRY_ASSIGN(const PublicKey key, readPublicKey(text));
        asking.questions.keys.push_back(key);
    }
    asking.evidence.publicKey = !asking.questions.keys.empty();
    if (!arguments.head.empty()) {
        CAIRN_TRY_ASSIGN(auto head, parseHead(arguments.head));
        if (head)
            asking.questions.heads.push_back(*std::move(head));
        asking.evidence.anchor = true;
    }
    if (!s.openReader())
        return makeError(ErrorKind::Cancelled, {});
    if (!arguments.anchor.empty()) {
        CAIRN_TRY_ASSIGN(const auto rows, anchorsAt(arguments.anchor, s.info().id));
        asking.found = audit::askAnchors(rows, s.info().id, arguments.anchor, asking.questions);
        if (asking.questions.checkpoints.empty() && asking.found.empty())
            return makeError(ErrorKind::Refused,
                "in " + arguments.anchor + " there is no anchor of this store, " + uuidText(s.info().id));
        asking.evidence.anchor = true;
        for (const CheckpointRow& row : rows)
            if (row.store == s.info().id && (asking.outside == kNoTime || row.time > asking.outside))
                asking.outside = row.time;
    }
    if (heads.path().empty() || isClosed(s) || arguments.trustAnew)
        return asking;
    CAIRN_TRY_ASSIGN(const auto seen, heads.find(s.info().id));
    if (seen) {
        audit::askRemembered(*seen, asking.questions);
        if (asking.outside == kNoTime || seen->at > asking.outside)
            asking.outside = seen->at;
    }
    asking.evidence.remembered = seen.has_value();
    return asking;
}

int printDamage(Session& s, const std::vector<Found>& found)
{
    for (const Found& one : found)
        s.answer(dump(Json{{"chain", one.chain}, {"number", one.number}, {"damage", word(one.kind)},
                     {"problem", jsonText(one.text)}}),
            std::string(word(one.kind)) + "  " + one.text);
    const Found& first = found.front();
    return s.fail(kRefused, "HISTORY IS DAMAGED (" + std::string(word(first.kind)) + "): " + first.text);
}

void rememberEnd(Session& s, KnownHeads& heads, const audit::Report& report)
{
    if (heads.path().empty() || isClosed(s))
        return;
    const audit::Remembered now{
        report.entries, report.head, report.checkpoints, report.newestHash, s.service().now()};
    if (const Status kept = heads.remember(s.info().id, now); !kept)
        s.note("what was verified is not remembered: " + kept.error().text);
}

int printWhole(Session& s, const audit::Report& report, audit::Evidence evidence, TimeMs outside, SpanMs took)
{
    const std::uint64_t all = report.entries + report.histories.entries;
    const std::uint64_t rate = took > 0 ? all * 1000 / static_cast<std::uint64_t>(took) : 0;
    evidence.checkpoints = report.checkpoints;
    const auto lines = audit::detects(evidence);
    if (s.options.json) {
        Json json{{"entries", report.entries}, {"head", hex(report.head)}, {"clean", true},
            {"history_entries", report.histories.entries}, {"runs", report.histories.runs},
            {"checkpoints", report.checkpoints}, {"checkpoint_time", jsonTime(report.newest.time)},
            {"uncovered", report.histories.uncovered}, {"remembered", evidence.remembered}, {"took_ms", took},
            {"entries_per_second", took > 0 ? Json(rate) : Json()}, {"doubt_since", jsonTime(outside)},
            {"detects", lines}};
        s.json(dump(json));
        return kDone;
    }
    s.line(counted(report.entries, "entry", "entries") + ", unbroken; head " + hex(report.head));
    s.line(counted(report.histories.entries, "entry", "entries") + " of "
        + counted(report.histories.runs, "run") + ", unbroken");
    s.line(report.checkpoints == 0 ? std::string("no checkpoint")
                                   : counted(report.checkpoints, "checkpoint") + ", the newest of "
                + formatInstant(report.newest.time) + "; " + counted(report.histories.uncovered, "run")
                + " went on since");
    if (took > 0)
        s.line("in " + formatSpan(took) + ", " + formatCount(static_cast<std::int64_t>(rate))
            + " entries a second");
    s.line(outside == kNoTime ? std::string("window of doubt: all of it; nothing that is kept outside of the "
                                            "store at a known time was there to compare with")
                              : "window of doubt: since " + formatInstant(outside)
                + ", the time of the newest that is kept outside of the store");
    for (const std::string& line : lines)
        s.line("  " + line);
    return kDone;
}

int auditVerify(Session& s, const VerifyArguments& arguments)
{
    KnownHeads heads(KnownHeads::usualPath());
    auto asking = ask(s, arguments, heads);
    if (!asking)
        return s.exitCode != kDone ? s.exitCode : s.fail(asking.error());
    const auto began = std::chrono::steady_clock::now();
    auto report = audit::verifyAudit(s.store(), asking->questions);
    if (!report)
        return s.fail(report.error());
    std::vector<Found> found = std::move(asking->found);
    found.insert(found.end(), report->found.begin(), report->found.end());
    if (!found.empty())
        return printDamage(s, found);
    rememberEnd(s, heads, *report);
    const auto took =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
    return printWhole(s, *report, asking->evidence, asking->outside, took.count());
}

int auditHead(Session& s)
{
    if (!s.openReader())
        return s.exitCode;
    const auto end = s.store().auditEnd();
    if (!end)
        return s.fail(end.error());
    s.answer(dump(Json{{"entries", end->seq}, {"head", hex(end->hash)}}),
        std::to_string(end->seq) + " " + hex(end->hash));
    return kDone;
}

// --- keys and checkpoints

int keyNew(Session& s, const std::string& path)
{
    const auto key = makeKey(path);
    if (!key)
        return s.fail(key.error());
    s.answer(dump(Json{{"file", path}, {"key", publicKeyText(*key)}}), publicKeyText(*key));
    s.note("the secret key is in " + path
        + "; keep it where nobody who can write the store can read it, and "
          "give the line above to whoever verifies");
    return kDone;
}

int keyShow(Session& s, const std::string& path)
{
    const auto key = readPublicKey(path);
    if (!key)
        return s.fail(key.error());
    s.answer(dump(Json{{"file", path}, {"key", publicKeyText(*key)}}), publicKeyText(*key));
    return kDone;
}

Status recordSigning(Session& s)
{
    AuditRow row = s.personAct();
    row.login = s.login();
    row.time = s.service().now();
    row.kind = "applied";
    row.verb = Verb::SignCheckpoint;
    row.target = "store";
    row.command = makeId<CommandId>(s.clock.wallMs(), s.rng);
    row.before = row.after = "{}";
    CAIRN_TRY(s.store().appendAudit(std::move(row)));
    return {};
}

int checkpoint(Session& s, const std::string& keyFile)
{
    const auto key = readKey(keyFile);
    if (!key)
        return s.fail(key.error());
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    if (s.options.preview)
        return printPreview(s, {},
            "where all histories stand now is signed with " + publicKeyText(key->publicKey())
                + " and kept as a checkpoint");
    // Before it, so that it is covered.
    if (!s.reasonGiven(Verb::SignCheckpoint))
        return s.exitCode;
    if (const Status recorded = recordSigning(s); !recorded)
        return s.fail(recorded.error());
    const auto made = audit::makeCheckpoint(s.store(), *key, s.login());
    if (!made)
        return made.error().kind == ErrorKind::Corrupt ? s.fail(kRefused, made.error().text)
                                                       : s.fail(made.error());
    const CheckpointRow& row = made->newest;
    s.answer(dump(Json{{"checkpoint", row.number}, {"entries", row.auditSeq}, {"head", hex(row.auditHead)},
                 {"runs", made->runs}, {"hash", hex(audit::checkpointHash(row))},
                 {"key", publicKeyText(row.key)}}),
        "checkpoint " + std::to_string(row.number) + ": the audit up to entry " + std::to_string(row.auditSeq)
            + ", and " + counted(made->runs, "run") + " that went on");
    return kDone;
}

// --- anchors

Status anchorInto(Session& s, const std::string& place, const CheckpointRow& row)
{
    if (place.find(':') == std::string::npos || place.starts_with("/") || place.starts_with("."))
        return audit::appendAnchor(place, row);
    CAIRN_TRY_ASSIGN(const auto other, openStoreUrl(place, {}));
    CAIRN_TRY_ASSIGN(const StoreInfo info, other->info());
    if (info.id == s.info().id)
        return makeError(ErrorKind::Refused, "a store is no anchor of itself: name another one, or a file");
    AuditRow act = s.personAct();
    CAIRN_TRY_ASSIGN(act.time, other->now());
    CAIRN_TRY_ASSIGN(const StoreRights rights, other->rights());
    act.login = loginOf(rights, ::getuid());
    return audit::appendAnchor(*other, std::move(act), row);
}

int anchor(Session& s, const std::string& place)
{
    if (!s.openReader())
        return s.exitCode;
    const auto newest = s.store().newestCheckpoint();
    if (!newest)
        return s.fail(newest.error());
    if (!*newest)
        return s.fail(kRefused,
            "there is no checkpoint yet, so no signed head to keep: make one with `cairn audit checkpoint`");
    const CheckpointRow& row = **newest;
    if (!audit::signatureHolds(row))
        return s.fail(kRefused, "the newest checkpoint's signature does not fit: see `cairn audit verify`");
    if (s.options.preview)
        return printPreview(s, {},
            "checkpoint " + std::to_string(row.number) + " of " + formatInstant(row.time) + " is added to "
                + place);
    if (const Status kept = anchorInto(s, place, row); !kept)
        return s.fail(kept.error());
    s.answer(audit::anchorJson(row),
        "checkpoint " + std::to_string(row.number) + " of " + formatInstant(row.time) + " is kept in "
            + place);
    return kDone;
}

void addReading(Verbs v, CLI::App& group)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto after = std::make_shared<std::uint64_t>(0);
    auto limit = std::make_shared<std::size_t>(100'000);
    auto* list = group.add_subcommand("list", "Acts, oldest first, refused ones too");
    list->add_option("--after", *after, "only entries after this number");
    list->add_option("--limit", *limit, "entries at most");
    list->callback([=, &s, &chosen] { chosen = [=, &s] { return auditList(s, *after, *limit); }; });

    auto arguments = std::make_shared<VerifyArguments>();
    auto* verify = group.add_subcommand("verify",
        "Checks both chains and all checkpoints, and that they extend what this client verified before");
    verify->add_option(
        "--head", arguments->head, "what `audit head` printed earlier: number and hash, or the hash alone");
    verify->add_option(
        "--public", arguments->keys, "public key, or its file: checkpoints are signed with it");
    verify->add_option(
        "--anchor", arguments->anchor, "a file of anchors, or the URL of a store that has some");
    verify->add_flag("--trust-anew", arguments->trustAnew,
        "does not compare with what this client verified before, and remembers what is there now");
    verify->callback([=, &s, &chosen] { chosen = [=, &s] { return auditVerify(s, *arguments); }; });
    group.add_subcommand("head", "Number and hash of the newest entry; keep it outside the store")
        ->callback([&s, &chosen] { chosen = [&s] { return auditHead(s); }; });
}

void addSigning(Verbs v, CLI::App& group)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto* keys = group.add_subcommand("key", "Keys that sign checkpoints");
    keys->require_subcommand(1);
    auto file = std::make_shared<std::string>();
    auto* fresh = keys->add_subcommand("new", "Makes a key in a new file, and prints its public part");
    fresh->add_option("FILE", *file, "must not exist; only its owner may read it")->required();
    fresh->callback([=, &s, &chosen] { chosen = [=, &s] { return keyNew(s, *file); }; });
    auto* show = keys->add_subcommand("show", "Prints the public part of a key");
    show->add_option("FILE", *file, "of the key")->required();
    show->callback([=, &s, &chosen] { chosen = [=, &s] { return keyShow(s, *file); }; });

    auto signing = std::make_shared<std::string>();
    auto* sign =
        group.add_subcommand("checkpoint", "Signs where all histories stand, and keeps that in the store");
    sign->add_option("--key", *signing, "file of the key, as `audit key new` made it")->required();
    addCommon(sign, s);
    sign->callback([=, &s, &chosen] { chosen = [=, &s] { return checkpoint(s, *signing); }; });

    auto place = std::make_shared<std::string>();
    auto* keep = group.add_subcommand("anchor", "Keeps the newest checkpoint outside of the store");
    keep->add_option("--to", *place, "a file, to which a line is added, or the URL of another store")
        ->required();
    addCommon(keep, s);
    keep->callback([=, &s, &chosen] { chosen = [=, &s] { return anchor(s, *place); }; });
}

}  // namespace

std::optional<VerifyProblem> headProblem(Session& s)
{
    KnownHeads heads(KnownHeads::usualPath());
    if (heads.path().empty() || isClosed(s))
        return std::nullopt;
    const auto answer = audit::checkKnownHead(s.store(), heads);
    if (!answer) {
        s.note("whether history extends what this client verified before was not looked at: "
            + answer.error().text);
        return std::nullopt;
    }
    if (!answer->found)
        return std::nullopt;
    return VerifyProblem{
        answer->found->chain, "HISTORY DOES NOT EXTEND WHAT WAS VERIFIED BEFORE: " + answer->found->text};
}

void addAuditVerbs(Verbs v)
{
    auto* group = v.app.add_subcommand("audit", "What people did, and that nobody has changed it since");
    group->require_subcommand(1);
    addReading(v, *group);
    addSigning(v, *group);
    addReviewVerbs(v, *group);
}

}  // namespace cairn::cli
