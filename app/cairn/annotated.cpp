#include "app/cairn/annotated.h"

#include "app/cairn/cli.h"

namespace cairn::cli {

void addAnnotated(Json& json, const Annotated& annotated)
{
    json["hold"] = !annotated.held
        ? Json()
        : Json{{"until", jsonTime(annotated.heldUntil)}, {"by", jsonText(annotated.heldBy)},
            {"since", jsonTime(annotated.heldSince)}, {"reason", jsonOptional(annotated.heldReason)}};
    json["assignment"] = annotated.assigned.empty()
        ? Json()
        : Json{{"to", jsonText(annotated.assigned)}, {"by", jsonText(annotated.assignedBy)},
            {"since", jsonTime(annotated.assignedAt)}};
    Json notes = Json::array();
    for (const NoteTold& note : annotated.notes)
        notes.push_back({{"note", note.version}, {"time", jsonTime(note.at)}, {"by", jsonText(note.by)},
            {"masked", note.masked}, {"text", note.masked ? Json() : jsonText(note.text)},
            {"payload",
                {{"id", toText(note.payload.id)}, {"size", note.payload.size},
                    {"media", note.payload.media}}}});
    json["notes"] = notes;
}

void printAnnotated(Session& session, const Annotated& annotated)
{
    for (const auto& [name, value] : annotated.lines)
        session.line("  " + pad(name, 16) + " " + value);
}

}  // namespace cairn::cli
