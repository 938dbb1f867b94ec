// audit reviews, audit review: acts by break-glass, and who has looked at them since.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "core/base/text.h"
#include "core/model/vocabulary.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace cairn::cli {

namespace {

void printReview(Session& s, const Review& r)
{
    if (s.options.json) {
        s.json(dump(Json{{"command", toText(r.command)}, {"run", toText(r.run)}, {"verb", key(r.verb)},
            {"target", jsonText(r.target)}, {"login", jsonText(r.login)}, {"reason", jsonText(r.reason)},
            {"address", r.address.empty() ? Json() : Json(jsonText(r.address))}, {"backend", r.backend},
            {"opened", jsonTime(r.openedAt)}, {"open", r.open()},
            {"closed_by", r.open() ? Json() : Json(jsonText(r.closedBy))}, {"closed", jsonTime(r.closedAt)},
            {"note", r.open() ? Json() : Json(jsonText(r.note))}}));
        return;
    }
    s.line(toText(r.command) + "  " + formatInstant(r.openedAt) + "  " + r.login + "  "
        + std::string(key(r.verb)) + "  " + toText(r.run) + (r.target.empty() ? "" : " " + r.target) + "  \""
        + r.reason + "\"  "
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
        if (review.login == s.rights().login)
            return makeError(
                ErrorKind::NoRight, "who broke the glass cannot review it: somebody else has to");
        return {};
    }
    return makeError(ErrorKind::NotFound,
        "no act by break-glass has this id; `cairn audit reviews` lists those that are open");
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
    if (const Status closed = s.store().closeReview(*act, s.options.reason); !closed)
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
