// payload: the bytes of one, with what the workflow hides hidden, or revealed, which is on record first.

#include "app/cairn/cli.h"
#include "core/base/counted.h"
#include "core/base/text.h"

#include <CLI/CLI.hpp>

#include <unistd.h>

namespace cairn::cli {

namespace {

struct PayloadArguments {
    std::string run;
    std::string id;
    bool reveal = false;
};

int printBytes(Session& s, StoreReader& from, const RunId& run, const PayloadId& id, std::uint64_t size)
{
    const bool terminal = ::isatty(STDOUT_FILENO) != 0;
    for (std::uint64_t offset = 0; offset < size;) {
        auto bytes = from.payload(run, id, offset, kChunkSize);
        if (!bytes)
            return s.fail(bytes.error());
        if (bytes->empty())
            break;
        offset += bytes->size();
        const std::string safe = terminal ? visible(*bytes) : *bytes;
        std::fwrite(safe.data(), 1, safe.size(), stdout);
    }
    return kDone;
}

// Who reads it is on record before a byte is printed; what cannot be recorded is not printed.
int reveal(Session& s, const RunId& run, const PayloadId& id, const Revealable& what)
{
    const Status may = mayReveal(s.store(), s.login(), what.role);
    if (s.options.preview)
        return printPreview(s, may,
            (what.fields ? counted(*what.fields, "hidden field") : std::string("whatever is hidden"))
                + " of payload " + toText(id) + " would be printed, and the audit would say so");
    if (!may) {
        s.recordRefusal(Verb::Reveal, "payload " + toText(id), may.error());
        return s.fail(may.error());
    }
    if (!s.reasonGiven(Verb::Reveal))
        return s.exitCode;
    AuditRow who = s.personAct();
    who.login = s.login();
    const auto recorded =
        s.stored().appendAudit(revealAct(std::move(who), run, id, what, s.service().now(), s.rng));
    if (!recorded)
        return s.fail(exitOf(recorded.error()),
            "nothing is revealed, since it cannot be recorded: " + recorded.error().text);
    const auto info = s.stored().payloadInfo(run, id);
    if (!info)
        return s.fail(info.error());
    return printBytes(s, s.stored(), run, id, info->ref.size);
}

int payload(Session& s, const PayloadArguments& a)
{
    if (a.reveal && !s.options.preview ? !s.openWriter() : !s.openReader())
        return s.exitCode;
    const auto run = s.target(a.run);
    if (!run)
        return s.exitCode;
    const auto id = parseId<PayloadId>(a.id);
    if (!id)
        return s.fail(
            kUsage, "\"" + visibleLine(a.id) + "\" is not a payload id; `cairn show --json` lists them");
    if (a.reveal) {
        const auto what = s.store().revealable(*run, *id);
        if (!what)
            return s.fail(what.error());
        if (what->fields != 0)
            return reveal(s, *run, *id, *what);
    }
    const auto shown = s.store().shown(*run, *id);
    if (!shown)
        return s.fail(shown.error());
    if (s.options.preview)
        return printPreview(s, Status(), "nothing is hidden in it: it would be printed");
    const int code = printBytes(s, s.store(), *run, *id, shown->size);
    if (shown->hidden > 0)
        s.note(counted(shown->hidden, "hidden field") + "; --reveal prints "
            + (shown->hidden == 1 ? std::string("it") : std::string("them")) + ", which the audit then says");
    return code;
}

}  // namespace

void addPayloadVerb(Verbs v)
{
    Session& s = v.session;
    auto arguments = std::make_shared<PayloadArguments>();
    auto* cmd = v.app.add_subcommand("payload", "The bytes of a payload, as stored but for hidden fields");
    cmd->add_option("RUN", arguments->run, "id, unique beginning of an id, or key")->required();
    cmd->add_option("PAYLOAD", arguments->id, "payload id, from show --json")->required();
    cmd->add_flag("--reveal", arguments->reveal, "with what the workflow hides; the audit says who read it");
    addCommon(cmd, s);
    cmd->callback(
        [arguments, &s, &chosen = v.chosen] { chosen = [arguments, &s] { return payload(s, *arguments); }; });
}

}  // namespace cairn::cli
