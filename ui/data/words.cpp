#include "ui/data/words.h"

#include <QCoreApplication>

#include <array>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(words)
};

struct GlyphRow {
    Family family;
    const char* name;
};
constexpr std::array<GlyphRow, static_cast<std::size_t>(Glyph::Count)> kGlyphs{{
    {Family::Rest, nullptr},
    {Family::Moving, QT_TRANSLATE_NOOP("words", "executing, under way")},
    {Family::Moving, QT_TRANSLATE_NOOP("words", "queued, the machine will")},
    {Family::Moving, QT_TRANSLATE_NOOP("words", "timer, the machine will")},
    {Family::Moving, QT_TRANSLATE_NOOP("words", "back-off, the machine will")},
    {Family::Moving, QT_TRANSLATE_NOOP("words", "limit, the machine will")},
    {Family::Moving, QT_TRANSLATE_NOOP("words", "child run, follows the child")},
    {Family::Moving, QT_TRANSLATE_NOOP("words", "external event, an outside party must")},
    {Family::Moving, QT_TRANSLATE_NOOP("words", "worker lost, the machine will")},
    {Family::Person, QT_TRANSLATE_NOOP("words", "approval, a person must decide")},
    {Family::Person, QT_TRANSLATE_NOOP("words", "approval, a person must decide soon")},
    {Family::Uncertain, QT_TRANSLATE_NOOP("words", "uncertain effect, people must find out")},
    {Family::Nobody, QT_TRANSLATE_NOOP("words", "failed, nobody can until repaired")},
    {Family::Nobody, QT_TRANSLATE_NOOP("words", "mismatch, nobody can until repaired")},
    {Family::Nobody, QT_TRANSLATE_NOOP("words", "no eligible worker, nobody can until repaired")},
    {Family::Good, QT_TRANSLATE_NOOP("words", "completed")},
    {Family::Good, QT_TRANSLATE_NOOP("words", "completed, with something skipped")},
    {Family::Rest, QT_TRANSLATE_NOOP("words", "paused, a person must resume")},
    {Family::Rest, QT_TRANSLATE_NOOP("words", "cancelled")},
    {Family::Rest, QT_TRANSLATE_NOOP("words", "skipped")},
    {Family::Rest, QT_TRANSLATE_NOOP("words", "not started")},
}};

}  // namespace

Family familyOf(Glyph glyph) { return kGlyphs[static_cast<std::size_t>(glyph)].family; }
QString glyphName(Glyph glyph)
{
    const char* name = kGlyphs[static_cast<std::size_t>(glyph)].name;
    return name == nullptr ? QString() : Words::tr(name);
}

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
    case Attention::UnknownEffect: return Words::tr("people must find out");
    case Attention::Repair: return Words::tr("nobody can yet");
    case Attention::Person: return Words::tr("a person must");
    case Attention::Machine: return Words::tr("the machine will");
    case Attention::None: break;
    }
    return Words::tr("finished");
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
    case Verb::Fork: return u"M"_s;
    case Verb::Assign: return u"T"_s;
    case Verb::Note: return u"N"_s;
    default: return {};
    }
}

namespace {

// Null: the vocabulary's own label is shown.
const char* sourceName(Verb verb)
{
    switch (verb) {
    case Verb::Approve: return QT_TRANSLATE_NOOP("words", "Approve");
    case Verb::Reject: return QT_TRANSLATE_NOOP("words", "Reject");
    case Verb::Pause: return QT_TRANSLATE_NOOP("words", "Pause");
    case Verb::Resume: return QT_TRANSLATE_NOOP("words", "Resume");
    case Verb::Cancel: return QT_TRANSLATE_NOOP("words", "Cancel");
    case Verb::Retry: return QT_TRANSLATE_NOOP("words", "Retry now");
    case Verb::Settle: return QT_TRANSLATE_NOOP("words", "Set outcome");
    default: return nullptr;
    }
}

QString labelOf(Verb verb)
{
    const std::string_view name = label(verb);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

}  // namespace

QString verbName(Verb verb)
{
    const char* name = sourceName(verb);
    return name == nullptr ? labelOf(verb) : Words::tr(name);
}

QString verbSlug(Verb verb)
{
    const char* name = sourceName(verb);
    const QString words = name == nullptr ? labelOf(verb) : QString::fromLatin1(name);
    return words.toLower().replace(u' ', u'-');
}

QString StoreTag::spoken() const
{
    return name + (environment.isEmpty() ? QString() : u", "_s + environment)
        + (silent ? Words::tr(", does not answer") : QString());
}

QString spokenCell(const QString& text) { return text.trimmed().isEmpty() ? Words::tr("empty") : text; }

QString childRunWord() { return Words::tr("Child run"); }

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
    case Verb::Slow:
        return tr("The rate (20/s, 600/m), hold with a span or an instant (hold 10m), or none: as the "
                  "workflows say");
    case Verb::Fork:
        return tr("From which version; with \"new effects\" after it, what was done is done again");
    case Verb::Redact:
        return tr("What: all, step:NAME, a kind (input, output, error, note …), or ids of payloads");
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
    case Verb::Slow:
    case Verb::Fork:
    case Verb::Redact: return true;
    default: return false;
    }
}

// The question that an operator has before any act.
QString repeatText(const StepLine& step)
{
    if (step.finished && step.glyph == Glyph::Done)
        return Words::tr(
            "If this is run again: suppressed. The recorded result is returned; nothing is called.");
    if (step.glyph == Glyph::Uncertain)
        return Words::tr("Whether its effect happened is not known. It is not run again by itself.");
    if (step.safety.startsWith(u"read"_s, Qt::CaseInsensitive))
        return Words::tr("If this is run again: it only reads.");
    if (step.safety.startsWith(u"repeatable"_s, Qt::CaseInsensitive))
        return Words::tr("If this is run again: same key, same effect; the receiver acts once.");
    if (step.safety.startsWith(u"irreversible"_s, Qt::CaseInsensitive))
        return Words::tr("If this is run again after an unclear end: a person decides first.");
    return {};
}

}  // namespace cairn::ui
