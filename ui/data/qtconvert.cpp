#include "ui/data/qtconvert.h"

#include <QCoreApplication>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(qtconvert)
};

}  // namespace

QString hexText(const Digest& digest)
{
    const auto view = digest.view();
    return QString::fromLatin1(QByteArray(view.data(), static_cast<qsizetype>(view.size())).toHex());
}

QString shortHex(const Digest& digest)
{
    const QString hex = hexText(digest);
    return hex.left(6) + u'…' + hex.right(4);
}

QString withFullStop(QString sentence)
{
    static const QString kEnds = u".!?…"_s;
    if (!sentence.isEmpty() && !kEnds.contains(sentence.back()))
        sentence += u'.';
    return sentence;
}

Failure failureOf(const Error& error, bool wrote)
{
    Failure failure;
    failure.what = withFullStop(qt(error.text));
    failure.state = wrote ? Words::tr("The store is unchanged.") : QString();
    failure.cancelled = error.kind == ErrorKind::Cancelled;
    failure.ofQuestion = error.kind == ErrorKind::InvalidInput || error.kind == ErrorKind::NotFound
        || error.kind == ErrorKind::Refused;
    if (!failure.ofQuestion && !failure.cancelled) {
        failure.code = QString::fromLatin1(errorKindName(error.kind));
        if (error.native != 0)
            failure.code += u' ' + QString::number(error.native);
    }
    switch (error.kind) {
    case ErrorKind::Busy: failure.todo = Words::tr("Another writer holds the store; try again."); break;
    case ErrorKind::NotFound:
        failure.todo = Words::tr("Check the id; runs past their retention are gone.");
        break;
    case ErrorKind::SchemaMismatch:
        failure.todo = Words::tr("Use a console of the store's version, or migrate the store.");
        break;
    case ErrorKind::Corrupt:
        failure.todo = Words::tr("Run cairn store check; do not write to this store.");
        break;
    case ErrorKind::NoRight:
        failure.todo = Words::tr("Ask the owner of this store for that role, or use a login that has it.");
        break;
    case ErrorKind::Full: failure.todo = Words::tr("Free space on the disk, then try again."); break;
    case ErrorKind::Io:
    case ErrorKind::Disconnected:
        failure.todo = Words::tr("Check that the store can be reached, then press F5.");
        break;
    case ErrorKind::OutcomeUnknown:
        failure.notKnown = true;
        failure.state = Words::tr("Whether it was written is not known.");
        failure.todo = Words::tr("Look again; the history tells.");
        break;
    case ErrorKind::Conflict:
    case ErrorKind::LeaseLost: failure.todo = Words::tr("Somebody was faster: look again."); break;
    case ErrorKind::Internal:
        failure.todo = Words::tr("This is a fault of Cairn: copy this text and report it.");
        break;
    default: break;  // a question that was wrong: its text says what to do
    }
    return failure;
}

}  // namespace cairn::ui
