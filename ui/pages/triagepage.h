#pragma once
// Triage: who moves next (left), situations and runs (centre), why (right). Everything arrives from the
// source; refresh never moves selection or scroll, new rows are announced.

#include "ui/data/savedviews.h"
#include "ui/data/stores.h"

#include <QWidget>

#include <array>
#include <map>

class QActionGroup;
class QLabel;
class QSplitter;
class QTimer;
class QVBoxLayout;

namespace cairn::ui {

class AttentionModel;
class Announcer;
class DataTable;
class DockTitle;
class FilterBox;
class PanelNote;
class PlansModel;
class GroupsModel;
class RunsModel;
class SituationsModel;
class StoresModel;
class ViewsModel;
class WhyPanel;

class TriagePage final : public QWidget {
    Q_OBJECT
public:
    explicit TriagePage(Stores& stores, QWidget* parent = nullptr);

    void load();                           // first read
    void refresh();                        // F5: counts, situations and the runs on screen
    void merge(const ChangeSet& changes);  // live
    void tick();                           // time has passed
    void again();                          // what was read may be out of date, or incomplete
    void showStores();                     // another store, another state of one
    void focusFilter();
    void focusNext(bool backwards);  // F6
    void focusRuns();
    // The run that an act would concern; null: none, or a situation of several. `why` is about that run, or
    // of nothing while that is being read.
    [[nodiscard]] RunRef run() const;
    [[nodiscard]] const WhyView& why() const;
    [[nodiscard]] std::vector<RunLine> marked() const;  // runs that an act on several would concern
    void clearMarks();
    // Ctrl+Shift+A: all that the list has, on screen or not; as many as may be marked at once.
    void markMatching();
    // Letters of the lists: next and previous run that needs somebody, what is not finished, the order.
    // False: none of them.
    bool takeLetter(QChar letter, bool shift);
    void setNewestFirst(bool newest);
    [[nodiscard]] bool newestFirst() const { return m_newest; }
    // The upper table: "situation" (its own key, told with what is waited for), a field of the filter whose
    // values are the groups, or empty: none, and the runs have all the room.
    void setGrouping(const QString& field);
    [[nodiscard]] const QString& grouping() const { return m_grouping; }
    [[nodiscard]] static QStringList groupingFields();
    void setRowSize(int height);          // of the two tables in the centre
    [[nodiscard]] QString place() const;  // where the keyboard is: situations, runs, …

    // The panels at the sides can be put away; reset brings all back as it was at first, columns too.
    enum class Panel : quint8 { Attention = 0, Why = 2 };
    [[nodiscard]] bool panelShown(Panel panel) const;
    void setPanelShown(Panel panel, bool shown);
    void resetLayout();

    // Saved views are kept in this file; without one they last as long as the window.
    void useViewsFile(const QString& path);
    // Filter and columns as they were when these stores were last looked at: taken up where nothing is asked
    // for by then, said, and kept as they change. `key` stands for the stores.
    void useLastFile(const QString& path, const QString& key);
    [[nodiscard]] bool keepsLast() const { return !m_lastPath.isEmpty(); }
    void showView(const SavedView& view);
    void addView(const QString& name);  // of the present filter and columns
    void readViewsFrom(const QString& path);
    void writeViewsTo(const QString& path, bool tell = true);
    [[nodiscard]] std::vector<SavedView> views() const;
    [[nodiscard]] DataTable* viewsTable() const { return m_viewsTable; }

    [[nodiscard]] Announcer* announcer() const { return m_announcer; }
    [[nodiscard]] DataTable* runsTable() const { return m_runsTable; }
    [[nodiscard]] DataTable* situationsTable() const { return m_situationsTable; }
    [[nodiscard]] QString planKey() const;  // of the one that is current in the dock; empty: none
    [[nodiscard]] DataTable* plansTable() const { return m_plansTable; }
    [[nodiscard]] DataTable* groupsTable() const { return m_groupsTable; }
    [[nodiscard]] GroupsModel* groupsModel() const { return m_groups; }
    [[nodiscard]] DataTable* attentionTable() const { return m_attentionTable; }
    [[nodiscard]] FilterBox* filterBox() const { return m_filter; }
    [[nodiscard]] WhyPanel* whyPanel() const { return m_why; }
    [[nodiscard]] RunsModel* runsModel() const { return m_runs; }
    [[nodiscard]] const Overview& overview() const { return m_overview; }
    [[nodiscard]] DataTable* storesTable() const { return m_storesTable; }
    [[nodiscard]] const std::vector<StoreShare>& shares() const { return m_listShares; }
    [[nodiscard]] bool settled() const { return m_open == 0 && m_asides == 0; }

Q_SIGNALS:
    void lastKept();
    void openRun(const cairn::ui::RunRef& run);
    void verbChosen(const cairn::ui::VerbLine& verb, const cairn::ui::RunRef& run);
    void letterTyped(QChar letter, bool shift);
    void whyChanged();  // other verbs may be possible now
    void failed(const QString& what);
    void said(const QString& text);
    void plansWanted();  // what waits for a second person was chosen
    void planWanted(cairn::ui::StoreIx store, const QString& key);  // one of the dock
    void planStepWanted(cairn::ui::PlanStep step);                  // for the one that is current there

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    void buildLayout();
    [[nodiscard]] QWidget* buildAttention();
    [[nodiscard]] QWidget* buildCentre();
    void connectSignals();
    void connectTables();
    void connectMarks();
    void buildColumnsMenu();
    // triagepage_groups.cpp
    void buildGroups();
    void loadGroups();
    // triagepage_plans.cpp
    void buildPlans(QVBoxLayout* column);
    void loadPlans();
    void openPlan(int row);
    void showPlans();
    void groupMoved();
    void dropGroup();
    void writeGroups();
    [[nodiscard]] QString listFilter() const;  // of the list of runs: with the term of the group
    void nextProblem(bool backwards);
    void toggleUnfinished();
    void connectFilter();
    void filterFromCell(const QModelIndex& index, QChar how);
    void explainNothing();
    [[nodiscard]] QString termsText() const;
    [[nodiscard]] const FilterTerm* loosest() const;  // without which most would match; null: none
    bool relax();
    void buildViews(QVBoxLayout* column);
    void setViews(const std::vector<SavedView>& views);
    void keepViews(const std::vector<SavedView>& views);
    [[nodiscard]] SavedView viewNow(const QString& name) const;
    void keepLast();
    void countViews();
    void saveView();
    void removeView();
    void showRuns(const RunSlice& slice);
    void settleRuns();
    void catchUp();
    void fitAttention();
    [[nodiscard]] QString stripText(quint64 total) const;
    void storeChosen(int row);
    [[nodiscard]] std::vector<qint64> nows() const;
    [[nodiscard]] qint64 now() const;  // of the first store that tells it
    [[nodiscard]] bool readsFromTop() const;
    void loadOverview();
    void showOverview(const Overview& overview);
    void loadRuns();
    void loadPage();
    void loadLines(const std::vector<RunRef>& runs);
    void loadWhy();
    void showWhy(const Reply<WhyView>& reply);
    void showVerbs();  // those of a store that keeps silent are off
    [[nodiscard]] QString nothingText() const;
    void keepSituation();
    [[nodiscard]] const SituationLine* situation() const;  // null: none is selected, or it is over
    void situationMoved();
    void runMoved();
    void writeTitles();
    void noteFailure(const Failure& failure);
    template<typename T, typename F>
    void follow(QFuture<Reply<T>> future, Tickets& tickets, F then, bool* dirty = nullptr);

    Stores& m_stores;
    AttentionModel* m_attention;
    SituationsModel* m_situations;
    RunsModel* m_runs;
    GroupsModel* m_groups;
    StoresModel* m_storeLines;
    ViewsModel* m_views;
    DataTable* m_viewsTable;
    DockTitle* m_viewsTitle;
    Announcer* m_announcer = nullptr;
    QString m_lastPath;  // empty: not read yet, or not kept
    QString m_lastKey;
    std::vector<SavedView> m_last;  // of other stores too, the newest first
    QTimer* m_lastTimer = nullptr;
    ViewsFile m_viewsFile;
    QString m_viewsPath;
    bool m_viewsRead = false;  // nothing is written over what has not been read
    DataTable* m_attentionTable;
    DataTable* m_situationsTable;
    DataTable* m_groupsTable;
    DataTable* m_runsTable;
    DataTable* m_storesTable;
    DockTitle* m_attentionTitle;
    DockTitle* m_situationsTitle;
    DockTitle* m_runsTitle;
    DockTitle* m_storesTitle;
    PlansModel* m_plans;
    DataTable* m_plansTable;
    DockTitle* m_plansTitle;
    std::map<StoreIx, std::vector<PlanEntry>> m_plansOf;
    Tickets m_planTickets;
    QLabel* m_strip = nullptr;
    FilterBox* m_filter;
    WhyPanel* m_why;
    std::array<PanelNote*, 3> m_notes{};  // over attention, situations and runs, until they have been read
    QSplitter* m_tables = nullptr;
    QSplitter* m_split = nullptr;
    bool m_sized = false;
    Tickets m_overviewTickets, m_runsTickets, m_pageTickets, m_whyTickets;
    Tickets m_helpTickets, m_termTickets, m_viewTickets, m_groupTickets, m_markTickets;
    QActionGroup* m_groupings = nullptr;
    QString m_grouping;        // field; set by buildGroups()
    QString m_group;           // term of the group that is selected; empty: all runs
    bool m_groupsCut = false;  // there are more than are shown
    bool m_newest = false;
    qint64 m_viewsAt = 0;             // monotonic: when saved views were counted
    std::vector<FilterTerm> m_terms;  // what each has removed, where nothing matches
    QString m_termsOf;                // that filter
    Overview m_overview;
    std::vector<StoreShare> m_listShares;  // stores that are missing in the list, or old there
    std::vector<StoreTag> m_tags;
    StoreIx m_situationOf = 0;
    QString m_situation;  // key; empty: all runs
    RunRef m_run;
    bool m_whyOfRun = false;        // a run of the situation is selected, not all of it
    QString m_whySubject;           // what the panel tells of: a run or a situation
    std::optional<WhyView> m_told;  // what it was told of it
    bool m_dirty = false;           // something has changed since the counts were read
    bool m_listDirty = false;       // …since the list was
    bool m_listed = false;          // the list has been read, once at least
    qint64 m_filterAt = 0;          // ms of the wall: since when a new filter is waited for; 0: none is
    qint64 m_listAt = 0;            // store time of the list
    qint64 m_whyAt = 0;             // monotonic: when the sentence was asked for
    qint64 m_overviewAt = 0;        // …and when counts were answered
    quint64 m_fresh = 0;            // runs that came since the list was read
    int m_open = 0;                 // requests about lists under way
    int m_asides = 0;               // …and about a run: a store that keeps silent on one holds up no list
    bool m_quiet = false;           // selection is set by us, not by the person
};

}  // namespace cairn::ui
