#include "ui/data/words.h"

#include <QCoreApplication>

#include <array>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct GlyphRow {
    Family family;
    const char16_t* name;
};
constexpr std::array<GlyphRow, static_cast<std::size_t>(Glyph::Count)> kGlyphs{{
    {Family::Rest, u""},
    {Family::Moving, u"executing, under way"},
    {Family::Moving, u"queued, the machine will"},
    {Family::Moving, u"timer, the machine will"},
    {Family::Moving, u"back-off, the machine will"},
    {Family::Moving, u"limit, the machine will"},
    {Family::Moving, u"child run, follows the child"},
    {Family::Moving, u"external event, an outside party must"},
    {Family::Moving, u"worker lost, the machine will"},
    {Family::Person, u"approval, a person must decide"},
    {Family::Person, u"approval, a person must decide soon"},
    {Family::Uncertain, u"uncertain effect, people must find out"},
    {Family::Nobody, u"failed, nobody can until repaired"},
    {Family::Nobody, u"mismatch, nobody can until repaired"},
    {Family::Nobody, u"no eligible worker, nobody can until repaired"},
    {Family::Good, u"completed"},
    {Family::Good, u"completed, with something skipped"},
    {Family::Rest, u"paused, a person must resume"},
    {Family::Rest, u"cancelled"},
    {Family::Rest, u"skipped"},
    {Family::Rest, u"not started"},
}};

}  // namespace

Family familyOf(Glyph glyph) { return kGlyphs[static_cast<std::size_t>(glyph)].family; }
QString glyphName(Glyph glyph) { return QString::fromUtf16(kGlyphs[static_cast<std::size_t>(glyph)].name); }

Glyph glyphOf(Reason reason)
{
    switch (reason) {
    case Reason::OutcomeUnknown: return Glyph::Uncertain;
    case Reason::Worker: return Glyph::NoWorker;
    case Reason::EffectKeyConflict:
    case Reason::Incompatible: return Glyph::Mismatch;
    case Reason::AttemptsExhausted:
    case Reason::FailedChild:
    case Reason::Credential: return Glyph::Failed;
    case Reason::Approval:
    case Reason::Budget:
    case Reason::Deadline: return Glyph::Approval;
    case Reason::Paused: return Glyph::Paused;
    case Reason::Retry: return Glyph::Backoff;
    case Reason::EffectInFlight:
    case Reason::Resource:
    case Reason::Capacity: return Glyph::Limit;
    case Reason::Timer: return Glyph::Timer;
    case Reason::Signal: return Glyph::Event;
    case Reason::Child: return Glyph::Child;
    case Reason::Lease: return Glyph::Lost;
    case Reason::Dependency: return Glyph::Queued;
    case Reason::None: break;
    }
    return Glyph::Queued;
}

Glyph glyphOf(Activity activity, Reason reason)
{
    switch (activity) {
    case Activity::Completed: return Glyph::Done;
    case Activity::Failed: return Glyph::Failed;
    case Activity::Cancelled:
    case Activity::Compensated: return Glyph::Cancelled;
    case Activity::Cancelling:
    case Activity::Compensating:
        return reason != Reason::None && word(reason).attention <= Attention::Person ? glyphOf(reason)
                                                                                     : Glyph::Running;
    // The shape says the same as the word: a pause, or something that runs meanwhile, hides no uncertain
    // effect.
    case Activity::Paused: return reason == Reason::None ? Glyph::Paused : glyphOf(reason);
    case Activity::Executing: return reason == Reason::None ? Glyph::Running : glyphOf(reason);
    case Activity::Retrying: return Glyph::Backoff;
    case Activity::Queued: return reason == Reason::None ? Glyph::Queued : glyphOf(reason);
    case Activity::Waiting:
    case Activity::Blocked: return glyphOf(reason);
    }
    return Glyph::Pending;
}

Glyph glyphOf(StepState state, Reason reason)
{
    switch (state) {
    case StepState::Pending: return Glyph::Pending;
    case StepState::Ready: return Glyph::Queued;
    case StepState::Running: return Glyph::Running;
    case StepState::Waiting: return glyphOf(reason);
    case StepState::Unknown: return Glyph::Uncertain;
    case StepState::Complete: return Glyph::Done;
    case StepState::Failed: return reason == Reason::Incompatible ? Glyph::Mismatch : Glyph::Failed;
    case StepState::Skipped: return Glyph::Skipped;
    case StepState::Cancelled: return Glyph::Cancelled;
    }
    return Glyph::Pending;
}

QString moverText(Attention attention)
{
    switch (attention) {
    case Attention::UnknownEffect: return u"people must find out"_s;
    case Attention::Repair: return u"nobody can yet"_s;
    case Attention::Person: return u"a person must"_s;
    case Attention::Machine: return u"the machine will"_s;
    case Attention::None: break;
    }
    return u"finished"_s;
}

QString letterOf(Verb verb)
{
    switch (verb) {
    case Verb::Approve: return u"A"_s;
    case Verb::Reject: return u"X"_s;
    case Verb::Pause: return u"H"_s;
    case Verb::Resume: return u"⇧H"_s;
    case Verb::Cancel: return u"Del"_s;
    case Verb::Retry: return u"R"_s;
    case Verb::Settle: return u"O"_s;
    case Verb::Slow: return u"P"_s;
    default: return {};
    }
}

QString verbName(Verb verb)
{
    switch (verb) {
    case Verb::Approve: return u"Approve"_s;
    case Verb::Reject: return u"Reject"_s;
    case Verb::Pause: return u"Pause"_s;
    case Verb::Resume: return u"Resume"_s;
    case Verb::Cancel: return u"Cancel"_s;
    case Verb::Retry: return u"Retry now"_s;
    case Verb::Settle: return u"Set outcome"_s;
    default: break;
    }
    const std::string_view name = label(verb);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString valueName(Verb verb)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("Acts", text); };
    switch (verb) {
    case Verb::Hold: return tr("Until: a span from now (2h) or an instant; empty: until it is released");
    case Verb::Assign: return tr("Who looks after it; empty: nobody");
    case Verb::Note: return tr("The note");
    case Verb::Skip: return tr("What later steps read instead of its result (JSON); may be empty");
    case Verb::Record: return tr("The result (JSON)");
    case Verb::Amend: return tr("The new input (JSON)");
    case Verb::Deadline: return tr("The deadline: a span from now (2h), an instant, or none");
    case Verb::Budget: return tr("The limit (25.00 EUR, 200000 tokens)");
    case Verb::Migrate: return tr("Version of its workflow");
    case Verb::Slow: return tr("The rate of all calls (20/s, 600/m), hold and how long (hold 10m), or none");
    default: return {};
    }
}

bool needsValue(Verb verb)
{
    switch (verb) {
    case Verb::Note:
    case Verb::Record:
    case Verb::Amend:
    case Verb::Deadline:
    case Verb::Budget:
    case Verb::Migrate:
    case Verb::Slow: return true;
    default: return false;
    }
}

}  // namespace cairn::ui
