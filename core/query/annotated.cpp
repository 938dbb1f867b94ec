// What stands beside a run: its hold, whose it is, and notes.

#include "core/base/text.h"
#include "core/query/query_impl.h"

namespace cairn {

namespace {

std::string since(const Actor& by, TimeMs at) { return "by " + actorName(by) + " at " + formatInstant(at); }

}  // namespace

Annotated Query::annotated(const RunState& state, TimeMs at)
{
    Annotated out;
    const HoldRecord& hold = state.hold;
    out.held = state.isHeld(at);
    if (out.held) {
        out.heldUntil = hold.until;
        out.heldBy = actorName(hold.by);
        out.heldSince = hold.at;
        out.heldReason =
            hold.reason ? m_impl->line(state.id, hold.reason).value_or("not recorded") : std::string();
        out.lines.emplace_back("held",
            since(hold.by, hold.at)
                + (hold.until == kNoTime ? ", until it is released" : ", until " + formatInstant(hold.until))
                + (out.heldReason.empty() ? "" : ": " + out.heldReason));
    }
    const AssignmentRecord& assigned = state.assigned;
    out.assigned = assigned.to;
    if (!assigned.to.empty()) {
        out.assignedBy = actorName(assigned.by);
        out.assignedAt = assigned.at;
        out.lines.emplace_back(
            "assigned", "to " + visibleLine(assigned.to) + " " + since(assigned.by, assigned.at));
    }
    for (const NoteRecord& note : state.notes) {
        if (note.withdrawn)
            continue;
        NoteTold told{note.version, note.at, actorName(note.by), note.text, note.masked, {}};
        if (!note.masked)
            told.text = m_impl->line(state.id, note.text).value_or("not recorded");
        out.lines.emplace_back("note " + std::to_string(note.version),
            since(note.by, note.at)
                + (note.masked ? ", masked: `cairn payload RUN " + toText(note.text.id) + "` prints it"
                               : ": " + told.text));
        out.notes.push_back(std::move(told));
    }
    return out;
}

}  // namespace cairn
