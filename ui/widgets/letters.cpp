#include "ui/widgets/letters.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(letters)
};

Letters::Bound g_bound;

bool isFree(QChar letter) { return letter >= u'a' && letter <= u'z' && letter != u'j' && letter != u'k'; }

}  // namespace

std::optional<Letters::Bound> Letters::parse(const QString& text, QString& wrong)
{
    Bound bound;
    static const QRegularExpression kBetween(u"[\\s,]+"_s);
    const QStringList parts = text.toLower().split(kBetween, Qt::SkipEmptyParts);
    for (const QString& part : parts) {
        if (part.size() != 3 || part[1] != u'=' || !isFree(part[0]) || !isFree(part[2])) {
            wrong = Words::tr("\"%1\" is not understood: write h=z, with letters other than J and K")
                        .arg(part.left(20));
            return std::nullopt;
        }
        if (!bound.emplace(part[0], part[2]).second) {
            wrong = Words::tr("%1 is bound twice").arg(part[0].toUpper());
            return std::nullopt;
        }
    }
    std::erase_if(bound, [](const auto& one) { return one.first == one.second; });
    for (const auto& [letter, key] : bound) {
        const auto sameKey = std::count_if(
            bound.begin(), bound.end(), [wanted = key](const auto& one) { return one.second == wanted; });
        if (sameKey > 1) {
            wrong = Words::tr("%1 would do two things").arg(key.toUpper());
            return std::nullopt;
        }
        if (!bound.contains(key)) {
            wrong = Words::tr("%1 has an act of its own: bind that too, as in %2=%3")
                        .arg(key.toUpper(), QString(key), QString(letter));
            return std::nullopt;
        }
    }
    return bound;
}

QString Letters::text(const Bound& bound)
{
    QStringList parts;
    for (const auto& [letter, key] : bound)
        parts << QString(letter) + u'=' + key;
    return parts.join(u", "_s);
}

void Letters::bind(Bound bound) { g_bound = std::move(bound); }

QChar Letters::typed(int key)
{
    if (key == Qt::Key_Delete)
        return QChar(0x7F);
    const QChar letter = QChar(static_cast<char16_t>(key)).toLower();
    const auto found = std::find_if(
        g_bound.begin(), g_bound.end(), [letter](const auto& one) { return one.second == letter; });
    return found == g_bound.end() ? letter : found->first;
}

QString Letters::shown(const QString& key)
{
    const QString shift = Words::tr("Shift+");
    const QString before = key.startsWith(shift) ? shift : QString();
    if (key.size() != before.size() + 1)
        return key;
    const auto found = g_bound.find(key.back().toLower());
    return found == g_bound.end() ? key : before + found->second.toUpper();
}

}  // namespace cairn::ui
