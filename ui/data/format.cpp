#include "ui/data/format.h"

#include <QDateTime>
#include <QTimeZone>

#include <atomic>
#include <cstdlib>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

std::atomic<bool> g_local{false};
constexpr QChar kThin = QChar(0x2009);  // between thousands

QDateTime at(qint64 ms)
{
    return g_local.load() ? QDateTime::fromMSecsSinceEpoch(ms) : QDateTime::fromMSecsSinceEpoch(ms, Qt::UTC);
}

QString offsetText(const QDateTime& time)
{
    if (!g_local.load())
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
        text = u"%1 ms"_s.arg(ms);
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

QString preciseText(qint64 ms)
{
    const QDateTime time = at(ms);
    return ms == 0 ? u"–"_s : time.toString(u"yyyy-MM-dd HH:mm:ss.zzz"_s) + offsetText(time);
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
        return QString::number(kib, 'f', 1) + u" KiB"_s;
    return QString::number(kib / 1024.0, 'f', 1) + u" MiB"_s;
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

QString plural(quint64 n, const QString& one, const QString& many)
{
    return countText(n) + u' ' + (n == 1 ? one : many);
}

}  // namespace cairn::ui
