#include "ui/data/actcommand.h"

#include "core/base/shell.h"
#include "ui/data/format.h"
#include "ui/data/qtconvert.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

QString argument(const QString& text) { return u' ' + qt(shellWord(core(text))); }

QString option(const char16_t* name, const QString& value)
{
    return value.isEmpty() ? QString() : u' ' + QString::fromUtf16(name) + argument(value);
}

bool takesStep(Verb verb)
{
    switch (verb) {
    case Verb::Retry:
    case Verb::Settle:
    case Verb::Skip:
    case Verb::Record:
    case Verb::Amend:
    case Verb::Takeover: return true;
    default: return false;
    }
}

QString settleOptions(const ActRequest& request)
{
    QString text;
    switch (request.settleAs) {
    case Outcome::Happened:
        text = u" --happened"_s
            + (request.result.trimmed().isEmpty() ? u" --no-output"_s
                                                  : option(u"--output", request.result.trimmed()));
        break;
    case Outcome::NotHappened: text = u" --did-not-happen"_s; break;
    case Outcome::RepeatSameKey: text = u" --repeat-same-key"_s; break;
    case Outcome::Compensate: text = u" --compensate"_s; break;
    case Outcome::Park: text = u" --park"_s; break;
    }
    return text + option(u"--evidence", request.evidence.trimmed());
}

// "hold 10m" and "12 new effects" are two words each on the command line.
QString typedOptions(const ActRequest& request)
{
    const QString value = request.value.trimmed();
    switch (request.verb) {
    case Verb::Skip:
    case Verb::Record: return option(u"--output", value);
    case Verb::Amend: return option(u"--input", value);
    case Verb::Migrate: return option(u"--to", value);
    case Verb::Hold: return request.releases ? u" --off"_s : option(u"--until", value);
    case Verb::Assign: return argument(value.isEmpty() ? u"none"_s : value);
    case Verb::Deadline:
    case Verb::Budget:
    case Verb::Note: return value.isEmpty() ? QString() : argument(value);
    case Verb::Slow: return argument(value.section(u' ', 0, 0)) + option(u"--until", value.section(u' ', 1));
    case Verb::Fork:
        return option(u"--from", value.section(u' ', 0, 0))
            + (value.contains(u' ') ? u" --new-effects"_s : QString());
    case Verb::Settle: return settleOptions(request);
    case Verb::Cancel: return request.compensate ? QString() : u" --no-compensation"_s;
    case Verb::Redact: {
        QStringList ids;  // exactly those that were shown
        for (const PayloadId& id : request.payloads)
            ids << idText(id);
        return option(u"--payload", ids.join(u','));
    }
    default: return {};
    }
}

}  // namespace

QString commandOf(const ActRequest& request, const QString& store)
{
    QString text = u"cairn"_s + option(u"--store", store) + u' ' + qt(key(request.verb));
    if (request.verb == Verb::Slow) {
        text += argument(request.resource);
    } else {
        text += u' ' + idText(request.run);
        if (request.verb == Verb::Approve || request.verb == Verb::Reject)
            text += request.approval.isNull() ? QString() : u' ' + idText(request.approval);
        else if (takesStep(request.verb) && !request.step.isEmpty())
            text += argument(request.step);
    }
    return text + typedOptions(request) + option(u"--reason", request.reason.trimmed());
}

}  // namespace cairn::ui
