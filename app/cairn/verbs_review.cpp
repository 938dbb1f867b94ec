// audit reviews, audit review: acts by break-glass, and who has looked at them since.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"
#include "core/model/vocabulary.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>

namespace cairn::cli {

namespace {

void printReview(Session& s, const Review& r)
{
    if (s.options.json) {
        s.json(dump(Json{{"command", toText(r.command)},
            {"run", r.run.isNull() ? Json() : Json(toText(r.run))}, {"verb", key(r.verb)},
            {"target", jsonText(r.target)}, {"login", jsonText(r.login)}, {"reason", jsonText(r.reason)},
            {"address", r.address.empty() ? Json() : Json(jsonText(r.address))}, {"backend", r.backend},
            {"opened", jsonTime(r.openedAt)}, {"open", r.open()},
            {"closed_by", r.open() ? Json() : Json(jsonText(r.closedBy))}, {"closed", jsonTime(r.closedAt)},
            {"note", r.open() ? Json() : Json(jsonText(r.note))}}));
        return;
    }
    s.line(toText(r.command) + "  " + formatInstant(r.openedAt) + "  " + r.login + "  "
        + std::string(key(r.verb)) + (r.run.isNull() ? std::string() : "  " + toText(r.run))
        + (r.target.empty() ? "" : " " + r.target) + "  \"" + r.reason + "\"  "
        + (r.open() ? std::string("OPEN") : "seen by " + r.closedBy + ": \"" + r.note + "\""));
}

int reviews(Session& s, bool all, std::size_t limit)
{
    if (!s.openReader())
        return s.exitCode;
    const auto found = s.store().reviews(all, limit);
    if (!found)
        return s.fail(found.error());
    for (const Review& review : *found)
        printReview(s, review);
    if (found->size() == limit)
        s.note("there may be more; raise --limit");
    return kDone;
}

// What the database would say is asked first where it can be known without writing.
Status mayClose(Session& s, const CommandId& act)
{
    constexpr std::size_t kLooked = 100'000;
    CAIRN_TRY_ASSIGN(const auto found, s.store().reviews(true, kLooked));
    for (const Review& review : found) {
        if (review.command != act)
            continue;
        if (!review.open())
            return makeError(ErrorKind::Conflict, review.closedBy + " has closed this review already");
        if (review.login == s.login())
            return makeError(
                ErrorKind::NoRight, "who broke the glass cannot review it: somebody else has to");
        return {};
    }
    return makeError(ErrorKind::NotFound,
        "no act by break-glass has this id; `cairn audit reviews` lists those that are open");
}

// A store with logins knows who closes it; elsewhere the entry in the audit says so.
Status close(Session& s, const CommandId& act)
{
    if (!s.rights().login.empty())
        return s.store().closeReview(act, s.service().masked(s.options.reason));
    CAIRN_TRY_ASSIGN(const auto found, s.store().reviews(false, 100'000));
    const auto at =
        std::find_if(found.begin(), found.end(), [&](const Review& review) { return review.command == act; });
    if (at == found.end())
        return makeError(ErrorKind::Conflict, "somebody has closed this review already");
    Review closed = *at;
    closed.closedBy = s.login();
    closed.note = s.service().masked(s.options.reason);
    closed.closedAt = s.service().now();
    AuditRow row = s.personAct();
    row.login = s.login();
    row.time = closed.closedAt;
    row.kind = "reviewed";
    row.verb = closed.verb;
    row.run = closed.run;
    row.target = closed.target;
    row.command = makeId<CommandId>(s.clock.wallMs(), s.rng);
    row.before = "{\"act\":\"" + toText(act) + "\",\"login\":" + jsonQuote(closed.login) + "}";
    auto change = std::make_shared<StoreChange>();
    change->review = std::move(closed);
    row.with = std::move(change);
    CAIRN_TRY(s.store().appendAudit(std::move(row)));
    return {};
}

int review(Session& s, const std::string& named)
{
    const auto act = parseId<CommandId>(named);
    if (!act)
        return s.fail(kUsage,
            "\"" + visibleLine(named) + "\" is not the id of an act; `cairn audit reviews` lists them");
    // A person who reviews has no right to commit: the store opens for writing all the same.
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    const auto least = reasonMinimum(Safety::Guarded);
    if (reasonLength(s.options.reason) < least)
        return s.fail(kUsage,
            "a review says what was found: give --reason with at least " + std::to_string(least)
                + " characters");
    const Status may = mayClose(s, *act);
    if (s.options.preview)
        return printPreview(s, may, "the review of " + toText(*act) + " would be closed, in your name");
    if (!may)
        return s.fail(may.error());
    if (const Status closed = close(s, *act); !closed)
        return s.fail(closed.error());
    s.answer(dump(Json{{"command", toText(*act)}, {"closed", true}}),
        "the review of " + toText(*act) + " is closed");
    return kDone;
}

}  // namespace

void addReviewVerbs(Verbs v, CLI::App& group)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    {
        auto all = std::make_shared<bool>(false);
        auto limit = std::make_shared<std::size_t>(1'000);
        auto* cmd = group.add_subcommand("reviews", "Acts by break-glass that nobody else has looked at");
        cmd->add_flag("--all", *all, "those that were looked at too");
        cmd->add_option("--limit", *limit, "acts at most");
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return reviews(s, *all, *limit); }; });
    }
    auto act = std::make_shared<std::string>();
    auto* cmd = group.add_subcommand(
        "review", "Closes the review of an act by break-glass; --reason says what was found");
    cmd->add_option("ACT", *act, "its id, as `audit reviews` prints it")->required();
    addCommon(cmd, s);
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return review(s, *act); }; });
}

}  // namespace cairn::cli
