#include "ui/data/qtconvert.h"

namespace cairn::ui {

using namespace Qt::StringLiterals;

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

Failure failureOf(const Error& error, bool wrote)
{
    Failure failure;
    failure.what = qt(error.text);
    failure.state = wrote ? u"The store is unchanged."_s : QString();
    failure.cancelled = error.kind == ErrorKind::Cancelled;
    failure.ofQuestion = error.kind == ErrorKind::InvalidInput || error.kind == ErrorKind::NotFound
        || error.kind == ErrorKind::Refused;
    switch (error.kind) {
    case ErrorKind::Busy: failure.todo = u"Another writer holds the store; try again."_s; break;
    case ErrorKind::NotFound: failure.todo = u"Check the id; runs past their retention are gone."_s; break;
    case ErrorKind::SchemaMismatch:
        failure.todo = u"Use a console of the store's version, or migrate the store."_s;
        break;
    case ErrorKind::Corrupt: failure.todo = u"Run cairn store check; do not write to this store."_s; break;
    case ErrorKind::NoRight:
        failure.todo = u"Ask the owner of this store for that role, or use a login that has it."_s;
        break;
    case ErrorKind::Full: failure.todo = u"Free space on the disk, then try again."_s; break;
    case ErrorKind::Io:
    case ErrorKind::Disconnected:
        failure.todo = u"Check that the file can be reached, then press F5."_s;
        break;
    case ErrorKind::OutcomeUnknown:
        failure.notKnown = true;
        failure.state = u"Whether it was written is not known."_s;
        failure.todo = u"Look again; the history tells."_s;
        break;
    default: break;
    }
    return failure;
}

}  // namespace cairn::ui
