#include "ui/data/actbodies.h"

#include "core/service/typed.h"
#include "ui/data/qtconvert.h"

#include <charconv>

namespace cairn::ui {

namespace {

// A null reference where nothing is typed: the rules say whether that is allowed.
PayloadRef attach(const std::string& typed, const char* media, Service& service, Submission& submission)
{
    if (typed.empty())
        return {};
    submission.payloads.push_back(service.newPayload(typed, media));
    return submission.payloads.back().ref;
}

Result<std::uint32_t> versionOf(const std::string& typed)
{
    std::uint32_t version = 0;
    const char* end = typed.data() + typed.size();
    const auto [stop, fault] = std::from_chars(typed.data(), end, version);
    if (fault != std::errc() || stop != end || version == 0)
        return makeError(ErrorKind::InvalidInput, "give the version of the workflow as a number from 1 on");
    return version;
}

}  // namespace

Result<cmd::Body> typedBody(
    const ActRequest& request, const RunState& state, Service& service, Submission& submission)
{
    const std::string step = core(request.step);
    const std::string typed = core(request.value.trimmed());
    const std::uint32_t seen = request.stepRevision;
    const bool check = request.expects;
    const auto json = [&] { return attach(typed, "application/json", service, submission); };
    switch (request.verb) {
    case Verb::Skip: return cmd::Body(cmd::SkipStep{step, json(), seen, check});
    case Verb::Record: return cmd::Body(cmd::RecordResult{step, json(), seen, check});
    case Verb::Amend: return cmd::Body(cmd::AmendInput{step, json(), seen, check});
    case Verb::Deadline: {
        CAIRN_TRY_ASSIGN(const TimeMs deadline, typedDeadline(typed, service.now()));
        return cmd::Body(cmd::SetDeadline{deadline, request.controlRevision, check});
    }
    case Verb::Budget: {
        CAIRN_TRY_ASSIGN(cmd::SetBudget body, typedBudget(typed));
        body.expectedControl = request.controlRevision;
        body.checkControl = check;
        return cmd::Body(body);
    }
    case Verb::Migrate: {
        CAIRN_TRY_ASSIGN(const std::uint32_t version, versionOf(typed));
        return cmd::Body(cmd::Migrate{version});
    }
    case Verb::Compensate: return cmd::Body(cmd::Compensate{});
    case Verb::Takeover: return cmd::Body(cmd::Takeover{step, {}, request.owner, step.empty()});
    case Verb::Hold: {
        cmd::Hold body{!state.isHeld(service.now()), kNoTime, request.annotation, check};
        if (body.held && !typed.empty()) {
            CAIRN_TRY_ASSIGN(body.until, typedInstant(typed, service.now()));
        }
        return cmd::Body(body);
    }
    case Verb::Assign: return cmd::Body(cmd::Assign{typed, request.annotation, check});
    case Verb::Note:
        if (typed.empty())
            return makeError(ErrorKind::InvalidInput, "a note needs a text");
        return cmd::Body(cmd::Note{attach(typed, "text/plain", service, submission), false, 0});
    default: return makeError(ErrorKind::InvalidInput, "the console has no such act; use the command line");
    }
}

}  // namespace cairn::ui
