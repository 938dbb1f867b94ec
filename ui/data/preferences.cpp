#include "ui/data/preferences.h"

#include "ui/data/format.h"
#include "ui/data/jobs.h"
#include "ui/data/qtconvert.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSaveFile>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(preferences)
};

struct NoWorld {
    [[nodiscard]] static Status open() { return {}; }
};

QString keyOf(Shade shade)
{
    return shade == Shade::Light ? u"light"_s : shade == Shade::Dark ? u"dark"_s : u"system"_s;
}

QString keyOf(RuleKind kind)
{
    switch (kind) {
    case RuleKind::NewSituation: return u"new"_s;
    case RuleKind::CountOver: return u"count_over"_s;
    case RuleKind::OldestOver: return u"oldest_over_ms"_s;
    case RuleKind::SecondPerson: return u"second_person"_s;
    case RuleKind::PlanReturned: return u"plan_returned"_s;
    case RuleKind::ExpiresWithin: break;
    }
    return u"expires_within_ms"_s;
}

bool applies(const NotifyRule& rule, const SituationLine& line, qint64 now)
{
    switch (rule.kind) {
    case RuleKind::NewSituation: return true;
    case RuleKind::CountOver: return static_cast<qint64>(line.count) > rule.limit;
    case RuleKind::OldestOver: return line.oldest != 0 && now - line.oldest > rule.limit;
    case RuleKind::ExpiresWithin:
        return (line.glyph == Glyph::Approval || line.glyph == Glyph::Expiring) && line.next > now
            && line.next - now < rule.limit;
    case RuleKind::SecondPerson:
    case RuleKind::PlanReturned: break;
    }
    return false;
}

QString titleOf(RuleKind kind, const SituationLine& line, qint64 now)
{
    switch (kind) {
    case RuleKind::NewSituation: return Words::tr("New: %1").arg(line.wait);
    case RuleKind::CountOver: return Words::tr("%1: %2 runs").arg(line.wait, countText(line.count));
    case RuleKind::OldestOver: return Words::tr("%1 for %2").arg(line.wait, durationText(now - line.oldest));
    default: break;
    }
    return Words::tr("%1 expires in %2").arg(line.wait, durationText(line.next - now));
}

}  // namespace

QString keyOf(Family family)
{
    static constexpr std::array<const char*, kFamilies> kKeys{
        "machine", "person", "uncertain", "repair", "done", "rest"};
    return QString::fromLatin1(kKeys[static_cast<std::size_t>(family)]);
}

QByteArray preferencesText(const Preferences& preferences)
{
    QJsonObject colours;
    for (std::size_t i = 0; i < kFamilies; ++i)
        if (!preferences.colours[i].isEmpty())
            colours.insert(keyOf(static_cast<Family>(i)), preferences.colours[i]);
    QJsonArray rules;
    for (const NotifyRule& rule : preferences.rules)
        rules.append(
            QJsonObject{{u"when"_s, keyOf(rule.kind)}, {u"limit"_s, rule.limit}, {u"on"_s, rule.on}});
    return QJsonDocument(
        QJsonObject{{u"theme"_s, keyOf(preferences.shade)}, {u"local_time"_s, preferences.localTime},
            {u"contrast"_s, preferences.contrast}, {u"colours"_s, colours},
            {u"reasons"_s, QJsonArray::fromStringList(preferences.reasons)},
            {u"single_keys"_s, preferences.letters}, {u"bound_keys"_s, preferences.bound},
            {u"dense"_s, preferences.dense}, {u"tray"_s, preferences.tray}, {u"notify"_s, rules}})
        .toJson();
}

Preferences readPreferences(const QByteArray& text)
{
    Preferences out;
    const QJsonObject json = QJsonDocument::fromJson(text).object();
    for (const Shade shade : {Shade::Light, Shade::Dark})
        if (json.value(u"theme"_s).toString() == keyOf(shade))
            out.shade = shade;
    out.contrast = json.value(u"contrast"_s).toBool(out.contrast);
    static const QRegularExpression kColour(u"^#[0-9a-fA-F]{6}$"_s);
    const QJsonObject colours = json.value(u"colours"_s).toObject();
    for (std::size_t i = 0; i < kFamilies; ++i)
        if (const QString one = colours.value(keyOf(static_cast<Family>(i))).toString();
            kColour.match(one).hasMatch())
            out.colours[i] = one.toLower();
    for (const QJsonValue one : json.value(u"reasons"_s).toArray())
        if (const QString reason = one.toString().trimmed(); !reason.isEmpty())
            out.reasons << reason;
    out.localTime = json.value(u"local_time"_s).toBool(out.localTime);
    out.letters = json.value(u"single_keys"_s).toBool(out.letters);
    out.bound = json.value(u"bound_keys"_s).toString();
    out.dense = json.value(u"dense"_s).toBool(out.dense);
    out.tray = json.value(u"tray"_s).toBool(out.tray);
    for (const QJsonValue value : json.value(u"notify"_s).toArray())
        for (NotifyRule& rule : out.rules)
            if (value.toObject().value(u"when"_s).toString() == keyOf(rule.kind)) {
                rule.limit = std::max<qint64>(0, value.toObject().value(u"limit"_s).toInteger(rule.limit));
                rule.on = value.toObject().value(u"on"_s).toBool(rule.on);
            }
    return out;
}

struct PreferencesFile::Thread {
    Jobs<NoWorld> jobs;
};
PreferencesFile::PreferencesFile()
    : m_thread(std::make_unique<Thread>())
{
}
PreferencesFile::~PreferencesFile() = default;

QFuture<Reply<Preferences>> PreferencesFile::load(const QString& path)
{
    return m_thread->jobs.ask<Preferences>(-1, [path](NoWorld&) -> Result<Preferences> {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? readPreferences(file.read(256 * 1024)) : Preferences();
    });
}

QFuture<Reply<bool>> PreferencesFile::save(const QString& path, const Preferences& preferences)
{
    return m_thread->jobs.ask<bool>(-1, [path, preferences](NoWorld&) -> Result<bool> {
        QDir().mkpath(QFileInfo(path).absolutePath());
        QSaveFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(preferencesText(preferences)) < 0
            || !file.commit())
            return makeError(ErrorKind::Io, core(path + u": "_s + file.errorString()));
        return true;
    });
}

std::vector<Notice> NoticeBook::look(
    StoreIx store, const std::vector<NotifyRule>& rules, const Overview& overview)
{
    const bool first = std::find(m_looked.begin(), m_looked.end(), store) == m_looked.end();
    if (first)
        m_looked.push_back(store);
    std::vector<Told> holds;
    std::vector<Notice> notices;
    for (const SituationLine& line : overview.situations)
        for (const NotifyRule& rule : rules) {
            if (!applies(rule, line, overview.at))
                continue;
            const Told told{store, line.key, rule.kind};
            holds.push_back(told);
            const bool known = std::find(m_told.begin(), m_told.end(), told) != m_told.end();
            if (rule.on && !known && !(first && rule.kind == RuleKind::NewSituation))
                notices.push_back({store, line.key, rule.kind, titleOf(rule.kind, line, overview.at),
                    line.what + u" · "_s + line.where});
        }
    for (const PlanNote& plan : overview.plans)
        for (const NotifyRule& rule : rules) {
            const bool waits = rule.kind == RuleKind::SecondPerson && plan.waits;
            const bool returned = rule.kind == RuleKind::PlanReturned && plan.again > 0;
            if (!waits && !returned)
                continue;
            const Told told{store, plan.key, rule.kind};
            holds.push_back(told);
            if (rule.on && std::find(m_told.begin(), m_told.end(), told) == m_told.end())
                notices.push_back({store, plan.key, rule.kind,
                    waits ? Words::tr("A second person must look: %1").arg(plan.what)
                          : Words::tr("%1 back again: %2")
                                .arg(plural(plan.again, "run is", "runs are"), plan.what),
                    plan.standing});
        }
    std::erase_if(m_told, [store](const Told& told) { return told.store == store; });
    m_told.insert(m_told.end(), holds.begin(), holds.end());
    return notices;
}

quint64 personMust(const Overview& overview)
{
    quint64 sum = 0;
    for (const AttentionLine& line : overview.attention)
        if (line.head && line.group == u"person"_s)
            sum += line.count;
    return sum;
}

}  // namespace cairn::ui
