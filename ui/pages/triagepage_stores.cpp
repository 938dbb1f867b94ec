// The stores of the window on the triage page: their names in the lists, and how each is doing.
#include "ui/data/format.h"
#include "ui/models/runsmodel.h"
#include "ui/models/situationsmodel.h"
#include "ui/models/storesmodel.h"
#include "ui/pages/triagepage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/docktitle.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/safetext.h"

#include <QCoreApplication>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(triagepage_stores)
};

constexpr int kMostShown = 6;  // lines of the dock; more are scrolled to
constexpr int kLine = 22;

StoreTag tagOf(const StoreState& state)
{
    StoreTag tag;
    tag.name = state.name;
    tag.environment = state.facts.environment;
    tag.look = state.facts.environment.startsWith(u"prod"_s, Qt::CaseInsensitive) ? TagLook::Production
                                                                                  : TagLook::Other;
    tag.silent = !state.answers();
    return tag;
}

QString levelOf(const StoreFacts& facts)
{
    if (facts.closed)
        return Words::tr("moved: look only");
    if (!facts.mayAct)
        return Words::tr("look only");
    return facts.guarded ? Words::tr("guarded") : Words::tr("free");
}

StoreLine lineOf(StoreIx store, const StoreState& state)
{
    StoreLine line;
    line.store = store;
    line.tag = tagOf(state);
    const qint64 age = state.age();
    const QString old = age < 0 ? QString() : durationText(age / 1000 * 1000) + Words::tr(" old");
    line.warns = line.tag.silent && (state.opened || !state.trouble.isEmpty());
    line.state = !line.tag.silent ? levelOf(state.facts)
        : !line.warns             ? Words::tr("opening")
        : age < 0                 ? Words::tr("no answer")
                                  : Words::tr("silent, ") + old;
    QStringList parts{state.name};
    if (state.opened)
        parts << state.facts.environment << levelOf(state.facts) << state.facts.person;
    if (!state.facts.mayAct && !state.facts.whyNot.isEmpty())
        parts << state.facts.whyNot;
    if (line.tag.silent)
        parts << (state.trouble.isEmpty() ? Words::tr("it has not answered yet") : state.trouble)
              << (age < 0 ? Words::tr("nothing read yet") : Words::tr("its data is ") + old);
    if (!line.tag.silent && state.facts.standing.standby()) {
        line.warns = line.warns || state.facts.standing.late;
        line.state = state.facts.standing.text;
        parts << state.facts.standing.text;
    }
    if (!line.tag.silent && state.deaf()) {
        line.warns = true;
        line.state = Words::tr("hints not heard");
        parts << Words::tr("it is asked every second; hints are not heard") << state.deafness;
    }
    parts.removeAll(QString());
    line.text = parts.join(u", "_s);
    return line;
}

}  // namespace

void TriagePage::showStores()
{
    const std::vector<qint64> times = nows();
    m_situations->setNow(times);
    m_runs->setNow(times);
    const bool several = m_stores.several();
    m_situationsTable->setColumnAbsent(SituationsModel::Store, !several);
    m_runsTable->setColumnAbsent(RunsModel::Store, !several);
    m_storesTitle->setVisible(several);
    m_storesTable->setVisible(several);
    if (!several)
        return;
    std::vector<StoreLine> lines;
    std::vector<StoreTag> tags;
    std::size_t silent = 0;
    for (StoreIx store = 0; store < m_stores.count(); ++store) {
        lines.push_back(lineOf(store, m_stores.state(store)));
        tags.push_back(lines.back().tag);
        silent += lines.back().warns ? 1 : 0;
    }
    m_storesTable->setFixedHeight(kLine * std::min(kMostShown, static_cast<int>(lines.size())) + 2);
    m_storesTitle->setRemark(countText(lines.size()));
    m_storesTitle->setRight(silent == 0 ? QString() : tr("%1 silent").arg(countText(silent)));
    m_storeLines->setLines(std::move(lines));
    if (tags == m_tags)
        return;
    m_tags = tags;
    m_situations->setStores(tags);
    m_runs->setStores(std::move(tags));
    writeTitles();
}

// The filter says which stores are meant; choosing the same one again takes that back.
void TriagePage::storeChosen(int row)
{
    const StoreLine* line = m_storeLines->row(row);
    if (line == nullptr)
        return;
    const bool plain = std::all_of(line->tag.name.begin(), line->tag.name.end(),
        [](QChar c) { return c.isLetterOrNumber() || c == u'-' || c == u'_' || c == u'.'; });
    const QString term =
        u"store:"_s + (plain ? line->tag.name : u'"' + line->tag.name + u'"') + u" state:open"_s;
    m_filter->setFilter(m_filter->filter() == term ? QString() : term);
}

}  // namespace cairn::ui
