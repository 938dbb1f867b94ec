#include "ui/widgets/actiontable.h"

#include "ui/widgets/letters.h"

#include <QCoreApplication>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(actiontable)
};

QString tr(const char* text) { return QCoreApplication::translate("ActionTable", text); }

QString letterText(const WindowAction& action)
{
    if (action.letter.isNull())
        return {};
    const QString key = action.letter == QChar(0x7F) ? tr("Delete") : QString(action.letter.toUpper());
    return action.shift ? Words::tr("Shift+") + Letters::shown(key) : Letters::shown(key);
}

}  // namespace

QString placeText(ActPlace place)
{
    switch (place) {
    case ActPlace::Lists: return tr("lists");
    case ActPlace::Run: return tr("run");
    case ActPlace::Sheet: return tr("sheet");
    case ActPlace::Audit: return tr("audit");
    case ActPlace::Plans: return tr("plans");
    case ActPlace::Anywhere: break;
    }
    return tr("everywhere");
}

void ActionTable::add(WindowAction action) { m_all.push_back(std::move(action)); }

const WindowAction* ActionTable::find(const QString& id) const
{
    const auto found =
        std::find_if(m_all.begin(), m_all.end(), [&id](const WindowAction& a) { return a.id == id; });
    return found == m_all.end() ? nullptr : &*found;
}

const WindowAction* ActionTable::byLetter(QChar letter, bool shift) const
{
    if (!m_letters)
        return nullptr;
    const auto found = std::find_if(m_all.begin(), m_all.end(), [&](const WindowAction& a) {
        return a.run && a.letter == letter && (a.shift == shift || !letter.isLetter());
    });
    return found == m_all.end() ? nullptr : &*found;
}

QString ActionTable::keysOf(const WindowAction& action) const
{
    QStringList keys{action.keysText};
    if (m_letters)
        keys << letterText(action);
    keys << action.keys.toString(QKeySequence::NativeText);
    keys.removeAll(QString());
    return keys.join(u", "_s);
}

std::vector<Fact> ActionTable::map(ActPlace place) const
{
    std::vector<Fact> facts;
    const auto addFrom = [&](ActPlace from) {
        for (const WindowAction& action : m_all)
            if (const QString keys = keysOf(action); action.place == from && !keys.isEmpty())
                facts.push_back(
                    {keys, from == place ? action.title : action.title + u" ("_s + placeText(from) + u')'});
    };
    addFrom(place);
    for (const ActPlace other : {ActPlace::Anywhere, ActPlace::Lists, ActPlace::Run, ActPlace::Audit,
             ActPlace::Plans, ActPlace::Sheet})
        if (other != place)
            addFrom(other);
    return facts;
}

}  // namespace cairn::ui
