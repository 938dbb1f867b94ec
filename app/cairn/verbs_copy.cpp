// store copy: moves a whole store to another place.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/common/open_store.h"
#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/service/copy_store.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>

namespace cairn::cli {

namespace {

constexpr std::chrono::seconds kTellEvery{3};

struct CopyArguments {
    std::string to;
    std::string verify = "all";
    bool abandon = false;
    bool roles = false;
};

volatile std::sig_atomic_t g_stopped = 0;
void stopCopying(int) { g_stopped = 1; }

// Between two groups; a second one ends the program at once, which does no harm either.
void stopOnSignals()
{
    struct sigaction action = {};
    action.sa_handler = stopCopying;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

StoreDoor doorTo(const std::string& url, std::string name)
{
    return {std::move(name), [url](const StoreOptions& options) { return openStoreUrl(url, options); },
        [url](const InitOptions& options) { return initStoreUrl(url, options); }};
}

class Teller {
public:
    explicit Teller(Session& session)
        : m_session(session)
    {
    }
    void operator()(const CopyProgress& progress)
    {
        const auto now = std::chrono::steady_clock::now();
        if (now < m_next)
            return;
        m_next = now + kTellEvery;
        m_session.note(progress.doing + " " + formatCount(static_cast<std::int64_t>(progress.runs)) + " of "
            + counted(progress.runsInAll, "run") + ", "
            + formatCount(static_cast<std::int64_t>(progress.entries)) + " entries" + ", "
            + formatBytes(progress.bytes) + " of payloads");
    }

private:
    Session& m_session;
    std::chrono::steady_clock::time_point m_next = std::chrono::steady_clock::now() + kTellEvery;
};

std::int64_t perSecond(const CopyReport& report)
{
    return report.already || report.took <= 0 ? 0
                                              : static_cast<std::int64_t>(report.runs) * 1000 / report.took;
}

int answerCopy(Session& s, const CopyRequest& request, const CopyReport& report)
{
    for (const std::string& note : report.notes)
        s.note(note);
    const std::string line = report.already
        ? "was moved to " + request.to.name + " before; " + counted(report.runs, "run") + " live there"
        : "moved to " + request.to.name + ": " + counted(report.runs, "run") + " with "
            + formatCount(static_cast<std::int64_t>(report.entries)) + " entries, "
            + formatCount(static_cast<std::int64_t>(report.audit)) + " audit entries; "
            + (report.removed == 0 ? std::string()
                                   : counted(report.removed, "tombstone") + " of removed runs; ")
            + (report.redacted == 0 ? std::string()
                                    : counted(report.redacted, "payload") + " that had been redacted; ")
            + counted(report.verified, "run") + " folded again; " + formatSpan(report.took)
            + (report.took > 0 ? ", " + formatCount(perSecond(report)) + " runs/s" : "");
    s.answer(
        dump(Json{{"from", jsonText(request.fromName)}, {"to", jsonText(request.to.name)},
            {"already", report.already}, {"runs", report.runs}, {"entries", report.entries},
            {"audit_entries", report.audit}, {"acts", report.acts}, {"reviews", report.reviews},
            {"plans", report.plans}, {"removed", report.removed}, {"redacted", report.redacted},
            {"verified", report.verified}, {"took_ms", report.took}, {"runs_per_second", perSecond(report)}}),
        line);
    return kDone;
}

int answerAbandon(Session& s, const CopyRequest& request, const CopyReport& report)
{
    for (const std::string& note : report.notes)
        s.note(note);
    s.answer(dump(Json{{"from", jsonText(request.fromName)}, {"to", jsonText(request.to.name)},
                 {"abandoned", true}, {"runs", report.runs}}),
        "the move was given up: engines may use this store again, and the copy never opens");
    return kDone;
}

// The store can be reached; what is in it is found wanting.
int broken(Session& s, const Error& error)
{
    return error.kind == ErrorKind::Corrupt ? s.fail(kRefused, error.text) : s.fail(error);
}

int previewOf(Session& s, const StoreDoor& to, const CopyArguments& arguments)
{
    const auto what =
        arguments.abandon ? previewAbandon(s.store(), to) : previewCopy(s.store(), to, arguments.roles);
    const int code = printPreview(s, what ? Status() : Status(what.error()), what ? *what : std::string());
    return !what && what.error().kind == ErrorKind::Corrupt ? kRefused : code;
}

int copy(Session& s, const CopyArguments& arguments)
{
    const auto toName = storeName(arguments.to);
    if (!toName)
        return s.fail(toName.error());
    if (!(s.options.preview ? s.openReader() : s.openWriter()))
        return s.exitCode;
    const auto fromName = storeName(s.options.store);
    if (!fromName)
        return s.fail(fromName.error());
    const StoreDoor to = doorTo(arguments.to, *toName);
    if (s.options.preview)
        return previewOf(s, to, arguments);
    if (!s.reasonGiven(Verb::CopyStore))
        return s.exitCode;
    stopOnSignals();
    Teller teller(s);
    const CopyRequest request{s.store(), *fromName, to, s.rng, s.personAct(), arguments.verify == "all",
        arguments.roles, [] { return g_stopped != 0; },
        [&](const CopyProgress& progress) { teller(progress); }};
    const auto report = arguments.abandon ? abandonCopy(request) : copyStore(request);
    if (!report)
        return broken(s, report.error());
    return arguments.abandon ? answerAbandon(s, request, *report) : answerCopy(s, request, *report);
}

}  // namespace

void addCopyVerb(Verbs v, CLI::App& storeGroup)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    auto arguments = std::make_shared<CopyArguments>();
    auto* cmd = storeGroup.add_subcommand(
        "copy", "Moves the whole store to another place; killed anywhere, the same command goes on");
    cmd->add_option("TO", arguments->to,
           "where it lives afterwards; nothing may be there, or a store with roles that holds nothing")
        ->required();
    cmd->add_option("--verify", arguments->verify, "which runs are folded again in the new place")
        ->check(CLI::IsMember({"all", "sample"}));
    cmd->add_flag("--roles", arguments->roles,
        "PostgreSQL: the new place has roles, as `store init --roles` makes them, also where the old one has "
        "none");
    cmd->add_flag("--abandon", arguments->abandon, "gives a move up that has not ended");
    addCommon(cmd, s);
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return copy(s, *arguments); }; });
}

}  // namespace cairn::cli
