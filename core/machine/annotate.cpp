// Annotations: hold, assign, note. They stand beside the run, also beside one that is finished, and no rule
// of the engine reads them: a held run runs on. Plans and retention do, through RunState::isHeld().

#include "core/base/text.h"
#include "core/machine/decider.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::size_t kMostNameBytes = 200;

Examined stale(std::string_view what)
{
    return refuse(RejectCode::Stale,
        std::string(what) + " has changed since it was shown; nothing was done: look again");
}

Examined examineHold(const RunState& s, const cmd::Hold& c, const Command& command, TimeMs now)
{
    if (c.check && c.expected != s.hold.version)
        return stale("the hold of this run");
    if (!c.held)
        return s.isHeld(now) ? Examined{} : NoChange{"the run is not held", kNoStep};
    if (c.until != kNoTime && c.until <= now)
        return refuse(RejectCode::InvalidInput,
            "the hold would have ended at " + formatInstant(c.until)
                + " already: give a later time, or none");
    if (command.reasonLength == 0)
        return refuse(RejectCode::ReasonMissing,
            "a hold needs a reason, for whoever finds the run left out of a plan: give --reason");
    if (s.isHeld(now) && s.hold.until == c.until)
        return NoChange{"the run is held already, since " + formatInstant(s.hold.at), kNoStep};
    return {};
}

Examined examineAssign(const RunState& s, const cmd::Assign& c)
{
    if (c.check && c.expected != s.assigned.version)
        return stale("who this run is assigned to");
    if (c.to.size() > kMostNameBytes || trimmed(c.to) != c.to || visibleLine(c.to) != c.to)
        return refuse(RejectCode::InvalidInput,
            "a run is assigned to one person by name: up to " + std::to_string(kMostNameBytes)
                + " bytes of plain text without blanks around it");
    if (c.to == s.assigned.to)
        return NoChange{c.to.empty() ? std::string("the run is assigned to nobody")
                                     : "the run is assigned to " + c.to + " already",
            kNoStep};
    return {};
}

Examined examineNote(const RunState& s, const cmd::Note& c)
{
    if (c.withdraw == 0 && !c.text)
        return refuse(RejectCode::InvalidInput, "a note needs a text");
    if (c.withdraw == 0)
        return {};
    if (c.text || c.masked)
        return refuse(RejectCode::InvalidInput, "a note is either added or withdrawn, not both");
    const auto note = std::find_if(s.notes.begin(), s.notes.end(),
        [&](const NoteRecord& record) { return record.version == c.withdraw; });
    if (note == s.notes.end())
        return refuse(RejectCode::NotFound,
            "the entry of version " + std::to_string(c.withdraw) + " added no note to this run");
    return note->withdrawn ? Examined(NoChange{"the note was withdrawn already", kNoStep}) : Examined{};
}

}  // namespace

bool isAnnotation(const cmd::Body& body) noexcept
{
    return std::holds_alternative<cmd::Hold>(body) || std::holds_alternative<cmd::Assign>(body)
        || std::holds_alternative<cmd::Note>(body);
}

Examined examineAnnotation(const RunState& state, const Command& command, TimeMs now)
{
    if (const auto* hold = std::get_if<cmd::Hold>(&command.body))
        return examineHold(state, *hold, command, now);
    if (const auto* assign = std::get_if<cmd::Assign>(&command.body))
        return examineAssign(state, *assign);
    return examineNote(state, std::get<cmd::Note>(command.body));
}

bool Decider::Impl::own(const cmd::Hold& c)
{
    emit(HoldChanged{c.held, c.held ? c.until : kNoTime});
    return true;
}

bool Decider::Impl::own(const cmd::Assign& c)
{
    emit(RunAssigned{{c.to.empty() ? ActorKind::System : ActorKind::Person, c.to}});
    return true;
}

bool Decider::Impl::own(const cmd::Note& c)
{
    if (c.withdraw != 0)
        emit(NoteWithdrawn{c.withdraw});
    else
        emit(NoteAdded{c.text, c.masked});
    return true;
}

}  // namespace cairn
