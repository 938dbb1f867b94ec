#include "ui/data/format.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QTimeZone>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <limits>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(format)
};

// All that is counted, by its English plural, so that a translation can give each its forms.
constexpr std::array kNouns{
    QT_TRANSLATE_N_NOOP("plural", "acts"),
    QT_TRANSLATE_N_NOOP("plural", "characters"),
    QT_TRANSLATE_N_NOOP("plural", "checkpoints"),
    QT_TRANSLATE_N_NOOP("plural", "children"),
    QT_TRANSLATE_N_NOOP("plural", "differences"),
    QT_TRANSLATE_N_NOOP("plural", "entries"),
    QT_TRANSLATE_N_NOOP("plural", "fields"),
    QT_TRANSLATE_N_NOOP("plural", "items"),
    QT_TRANSLATE_N_NOOP("plural", "lines"),
    QT_TRANSLATE_N_NOOP("plural", "matches"),
    QT_TRANSLATE_N_NOOP("plural", "members"),
    QT_TRANSLATE_N_NOOP("plural", "payloads"),
    QT_TRANSLATE_N_NOOP("plural", "plans"),
    QT_TRANSLATE_N_NOOP("plural", "rows"),
    QT_TRANSLATE_N_NOOP("plural", "runs"),
    QT_TRANSLATE_N_NOOP("plural", "steps"),
    QT_TRANSLATE_N_NOOP("plural", "values"),
    QT_TRANSLATE_N_NOOP("plural", "views"),
    QT_TRANSLATE_N_NOOP("plural", "workflows"),
    QT_TRANSLATE_N_NOOP("plural", "columns hidden"),
    QT_TRANSLATE_N_NOOP("plural", "fields are hidden"),
    QT_TRANSLATE_N_NOOP("plural", "hidden fields are"),
    QT_TRANSLATE_N_NOOP("plural", "marked runs"),
    QT_TRANSLATE_N_NOOP("plural", "payloads are"),
    QT_TRANSLATE_N_NOOP("plural", "proposed acts"),
    QT_TRANSLATE_N_NOOP("plural", "runs are"),
    QT_TRANSLATE_N_NOOP("plural", "steps have not begun"),
    QT_TRANSLATE_N_NOOP("plural", "unfinished runs"),
};

std::atomic<bool> g_local{false};
constexpr QChar kThin = QChar(0x2009);  // between thousands

QDateTime at(qint64 ms, bool local)
{
    return local ? QDateTime::fromMSecsSinceEpoch(ms) : QDateTime::fromMSecsSinceEpoch(ms, Qt::UTC);
}
QDateTime at(qint64 ms) { return at(ms, g_local.load()); }

QString offsetText(const QDateTime& time)
{
    if (time.timeSpec() == Qt::UTC)
        return u"Z"_s;
    const int minutes = time.offsetFromUtc() / 60;
    return u"%1%2:%3"_s.arg(QChar::fromLatin1(minutes < 0 ? '-' : '+'))
        .arg(std::abs(minutes) / 60, 2, 10, QChar(u'0'))
        .arg(std::abs(minutes) % 60, 2, 10, QChar(u'0'));
}

}  // namespace

void setLocalTime(bool local) { g_local.store(local); }
bool localTime() { return g_local.load(); }

QString zoneName() { return g_local.load() ? QDateTime::currentDateTime().timeZoneAbbreviation() : u"UTC"_s; }

QString durationText(qint64 ms)
{
    const bool negative = ms < 0;
    ms = negative ? -ms : ms;
    const qint64 s = ms / 1000;
    QString text;
    if (ms < 1000)
        text = Words::tr("%1 ms").arg(ms);
    else if (s < 60)
        text = u"%1.%2 s"_s.arg(s).arg(ms % 1000 / 100);
    else if (s < 3600)
        text = u"%1 m %2 s"_s.arg(s / 60).arg(s % 60, 2, 10, QChar(u'0'));
    else if (s < 86'400)
        text = u"%1 h %2 m"_s.arg(s / 3600).arg(s % 3600 / 60, 2, 10, QChar(u'0'));
    else
        text = u"%1 d %2 h"_s.arg(s / 86'400).arg(s % 86'400 / 3600);
    return negative ? QChar(0x2212) + text : text;
}

QString instantText(qint64 ms)
{
    const QDateTime time = at(ms);
    return ms == 0 ? u"–"_s : time.toString(u"yyyy-MM-dd HH:mm:ss"_s) + offsetText(time);
}

QString dayText(qint64 day) { return QDate(1970, 1, 1).addDays(day).toString(Qt::ISODate); }

QString nowText() { return instantText(QDateTime::currentMSecsSinceEpoch()); }

QString preciseText(qint64 ms)
{
    const QDateTime time = at(ms);
    return ms == 0 ? u"–"_s : time.toString(u"yyyy-MM-dd HH:mm:ss.zzz"_s) + offsetText(time);
}

QString bothZonesText(qint64 ms)
{
    if (ms == 0)
        return u"–"_s;
    const QDateTime other = at(ms, !g_local.load());
    return preciseText(ms) + u" · "_s + other.toString(u"yyyy-MM-dd HH:mm:ss.zzz"_s) + offsetText(other);
}

QString clockText(qint64 ms, qint64 now)
{
    if (ms == 0)
        return u"–"_s;
    const QDateTime time = at(ms);
    return time.toString(time.date() == at(now).date() ? u"HH:mm:ss"_s : u"MM-dd HH:mm"_s);
}

QString countText(quint64 n)
{
    QString digits = QString::number(n);
    for (qsizetype i = digits.size() - 3; i > 0; i -= 3)
        digits.insert(i, kThin);
    return digits;
}

QString sizeText(quint64 bytes)
{
    if (bytes < 1024)
        return u"%1 B"_s.arg(bytes);
    const double kib = static_cast<double>(bytes) / 1024.0;
    if (kib < 1024.0)
        return QString::number(kib, 'f', 1) + Words::tr(" KiB");
    return QString::number(kib / 1024.0, 'f', 1) + Words::tr(" MiB");
}

QString moneyText(qint64 micros, const QString& currency)
{
    if (currency.isEmpty())
        return {};
    const bool negative = micros < 0;
    const quint64 whole = (negative ? 0 - static_cast<quint64>(micros) : static_cast<quint64>(micros));
    QString decimals = QString::number(whole % 1'000'000).rightJustified(6, u'0');
    while (decimals.size() > 2 && decimals.endsWith(u'0'))
        decimals.chop(1);
    const QString text = countText(whole / 1'000'000) + u'.' + decimals + u' ' + currency;
    return negative ? QChar(0x2212) + text : text;
}

QString tokensText(qint64 n)
{
    if (n < 1000)
        return QString::number(n);
    return QString::number(static_cast<double>(n) / 1000.0, 'f', 1) + u" k"_s;
}

QString idText(const UuidBytes& id) { return QString::fromStdString(uuidText(id)); }

QString shortId(const UuidBytes& id)
{
    const QString hex = idText(id).remove(u'-');
    return hex.left(6) + u'…' + hex.right(6);
}

QString initialsText(const QString& person)
{
    QString initials;
    for (const QString& part : person.split(u' ', Qt::SkipEmptyParts))
        if (initials.size() < 2 && part.at(0).isLetterOrNumber())
            initials += part.at(0).toUpper();
    return initials.isEmpty() ? u"?"_s : initials;
}

std::span<const char* const> countedNouns() { return kNouns; }

QString plural(quint64 n, const char* one, const char* many)
{
    // A translation has a form for each number of its language; without one these are the two of English.
    constexpr quint64 kMost = std::numeric_limits<int>::max();
    const QString source = QString::fromLatin1(many);
    const QString form =
        QCoreApplication::translate("plural", many, nullptr, static_cast<int>(std::min(n, kMost)));
    return countText(n) + u' ' + (form != source ? form : n == 1 ? QString::fromLatin1(one) : source);
}

}  // namespace cairn::ui
