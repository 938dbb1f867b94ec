#include "ui/data/journal.h"

#include "core/base/text.h"
#include "ui/data/qtconvert.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLockFile>

#include <unistd.h>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(journal)
};

constexpr int kLockMs = 5'000;

Error failed(const QString& path, const QString& why)
{
    return makeError(ErrorKind::Io, core(Words::tr("the journal ") + path + u": "_s + why));
}

// Everything that the hash covers, and the store, which it does not need: its entry's target names it.
QByteArray lineOf(const AuditRow& row)
{
    const QJsonObject json{{u"seq"_s, QString::number(row.seq)}, {u"time"_s, QString::number(row.time)},
        {u"kind"_s, qt(row.kind)}, {u"verb"_s, int(row.verb)}, {u"actor"_s, qt(row.actor)},
        {u"uid"_s, QString::number(row.uid)}, {u"host"_s, qt(row.host)}, {u"login"_s, qt(row.login)},
        {u"run"_s, row.run.isNull() ? QString() : qt(toText(row.run))}, {u"target"_s, qt(row.target)},
        {u"command"_s, qt(toText(row.command))}, {u"reason"_s, qt(row.reason)}, {u"before"_s, qt(row.before)},
        {u"after"_s, qt(row.after)}, {u"previous"_s, hexText(row.previous)}, {u"hash"_s, hexText(row.hash)}};
    return QJsonDocument(json).toJson(QJsonDocument::Compact) + '\n';
}

// Nothing: this is no entry, or its hash is another.
std::optional<AuditRow> rowOf(const QByteArray& line)
{
    const QJsonObject json = QJsonDocument::fromJson(line).object();
    const auto text = [&json](const QString& name) { return core(json.value(name).toString()); };
    AuditRow row;
    row.seq = json.value(u"seq"_s).toString().toULongLong();
    row.time = json.value(u"time"_s).toString().toLongLong();
    row.kind = text(u"kind"_s);
    row.verb = static_cast<Verb>(json.value(u"verb"_s).toInt());
    row.actor = text(u"actor"_s);
    row.uid = json.value(u"uid"_s).toString().toUInt();
    row.host = text(u"host"_s);
    row.login = text(u"login"_s);
    row.run = parseId<RunId>(text(u"run"_s)).value_or(RunId());
    row.target = text(u"target"_s);
    row.command = parseId<CommandId>(text(u"command"_s)).value_or(CommandId());
    row.reason = text(u"reason"_s);
    row.before = text(u"before"_s);
    row.after = text(u"after"_s);
    const auto previous = parseDigest(text(u"previous"_s));
    const auto hash = parseDigest(text(u"hash"_s));
    if (row.seq == 0 || !previous || !hash)
        return std::nullopt;
    row.previous = *previous;
    row.hash = *hash;
    return auditHash(row) == row.hash ? std::optional(row) : std::nullopt;
}

}  // namespace

QString Journal::usualPath()
{
    const QString state = qEnvironmentVariable("XDG_STATE_HOME");
    return (state.isEmpty() ? QDir::homePath() + u"/.local/state"_s : state) + u"/cairn/journal.jsonl"_s;
}

Result<std::uint64_t> Journal::append(AuditRow row, const QString& store) const
{
    QDir().mkpath(QFileInfo(m_path).absolutePath());
    QLockFile lock(m_path + u".lock"_s);
    if (!lock.tryLock(kLockMs))
        return failed(m_path, Words::tr("another program holds its lock"));
    QFile file(m_path);
    if (!file.open(QIODevice::ReadWrite))
        return failed(m_path, file.errorString());
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
    QByteArray last;
    while (!file.atEnd())
        last = file.readLine();
    row.seq = 1;
    row.previous = {};
    if (!last.isEmpty()) {
        const auto before = rowOf(last);
        if (!before || !last.endsWith('\n'))
            return makeError(ErrorKind::Corrupt,
                core(Words::tr("the journal ") + m_path
                    + Words::tr(" is damaged at its end: keep it, and begin another")));
        row.seq = before->seq + 1;
        row.previous = before->hash;
    }
    row.target += " of " + core(store);
    row.hash = auditHash(row);
    if (file.write(lineOf(row)) < 0 || !file.flush() || ::fsync(file.handle()) != 0)
        return failed(m_path, file.errorString());
    return row.seq;
}

Result<std::uint64_t> Journal::firstBroken() const
{
    QFile file(m_path);
    if (!file.exists())
        return std::uint64_t{0};
    if (!file.open(QIODevice::ReadOnly))
        return failed(m_path, file.errorString());
    Digest previous;
    for (std::uint64_t seq = 1; !file.atEnd(); ++seq) {
        const auto row = rowOf(file.readLine());
        if (!row || row->seq != seq || !(row->previous == previous))
            return seq;
        previous = row->hash;
    }
    return std::uint64_t{0};
}

}  // namespace cairn::ui
