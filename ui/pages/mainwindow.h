#pragma once
// The window: frame and band in the environment's colour, tabs, pages, key strip. It polls the change
// cursors, shares what changed with the pages, and opens the sheet for an act, in the store of its run. It
// owns no data. On a run's tab frame and band are those of its store; over all stores they are the strictest
// one's.

#include "ui/data/deeplink.h"
#include "ui/data/preferences.h"
#include "ui/data/storecheck.h"
#include "ui/data/stores.h"
#include "ui/dialogs/actsheet.h"
#include "ui/dialogs/bulksheet.h"
#include "ui/widgets/actiontable.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTabBar;
class QTimer;

namespace cairn::ui {

class AuditPage;
struct ThemeLook;
class Band;
class HandbookBox;
struct ExportScope;
class TaskStrip;
class KeyStrip;
struct KeyHint;
class Notifier;
class OrderSheet;
class PlanSheet;
class PlansPage;
class ReportPage;
class RunPage;
class TriagePage;

class MainWindow final : public QWidget {
    Q_OBJECT
public:
    MainWindow(Stores& stores, bool dark, QWidget* parent = nullptr);
    MainWindow(Source& source, bool dark, QWidget* parent = nullptr);  // one store
    ~MainWindow() override;

    void start();
    // Opens a run given as id, beginning of an id, or key.
    void go(const QString& text);
    RunPage* openRun(const RunRef& run);
    ReportPage* openReport();
    AuditPage* openAudit();                                                 // of the store that is looked at
    RunPage* openRun(const RunId& run) { return openRun(RunRef{0, run}); }  // of the first store
    void closeTabs();                                                       // but for the lists
    void setDark(bool dark);
    // True once everything asked for so far has been answered; for pictures.
    [[nodiscard]] bool settled() const;
    [[nodiscard]] TriagePage* triage() const { return m_triage; }
    [[nodiscard]] RunPage* currentRun() const;
    [[nodiscard]] AuditPage* currentAudit() const;
    [[nodiscard]] ReportPage* currentReport() const;
    [[nodiscard]] bool onLists() const;
    [[nodiscard]] ActSheet* sheet() const { return m_sheet; }
    [[nodiscard]] BulkSheet* bulkSheet() const { return m_bulk; }
    [[nodiscard]] PlanSheet* planSheet() const;
    [[nodiscard]] OrderSheet* orderSheet() const;
    PlansPage* openPlans();  // of the store that is looked at
    [[nodiscard]] PlansPage* currentPlans() const;
    [[nodiscard]] HandbookBox* handbook() const;                       // null: it is not open
    [[nodiscard]] const StoreFacts& facts() const { return m_facts; }  // of what the band shows
    [[nodiscard]] QString notice() const;
    [[nodiscard]] QString status() const;  // at the band's right end
    void say(const QString& text);
    void unsay();  // what was said is seen
    void setPolling(bool on);
    [[nodiscard]] ActionTable& actionTable() { return m_actions; }
    // What the dialog for another store tests with; stores that were opened are kept in this file.
    void setStoreTester(std::function<QFuture<Reply<StoreCheck>>(const StoreWish& wish)> tester);
    // What takes the password of a store's login out of the keychain; without one that is not offered.
    void setPasswordForgetter(std::function<QFuture<Reply<KeychainSaid>>(const QString& store)> forgetter);
    void useRecentFile(const QString& path);
    [[nodiscard]] const std::vector<RecentStore>& recent() const { return m_recent; }
    // Shows what a link names, in the store of that number.
    void follow(StoreIx store, const DeepLink& link);
    [[nodiscard]] QString offlineText() const;  // the banner over the pages; empty: all is well
    // Preferences are kept in this file; until it has been read, and without one, they are the usual ones.
    void usePreferencesFile(const QString& path);
    void setPreferences(const Preferences& preferences);
    [[nodiscard]] const Preferences& preferences() const { return m_preferences; }
    [[nodiscard]] Notifier* notifier() const { return m_notifier; }
    void setLettersOn(bool on);  // single keys: letters, / and :

Q_SIGNALS:
    void ready();                         // the facts of a store are known
    void cannotOpen(const QString& why);  // none can be opened
    void storeWanted(const cairn::ui::StoreWish& wish);
    void cannotGo(const QString& why);  // no such run

protected:
    void paintEvent(QPaintEvent* event) override;
    void closeEvent(QCloseEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    MainWindow(std::unique_ptr<Stores> own, Stores* stores, bool dark, QWidget* parent);
    void buildLayout();
    void buildActions();
    void addFileActions();
    void addViewActions();
    void addVerbActions();
    void addTold();
    void addRunKeys();
    // mainwindow_plans.cpp
    void addPlanActions();
    [[nodiscard]] bool takePlanLetter(QChar letter, bool shift);
    [[nodiscard]] bool takeDockLetter(QChar letter, bool shift);
    PlansPage* openPlansOf(StoreIx store);
    void openPlan(StoreIx store, const QString& key);
    void orderFromDock(PlanStep step);
    [[nodiscard]] QString stepOff(PlanStep step) const;
    void orderPlan(PlanStep step);
    void stagePlan(Verb verb);
    void stageSituation(const VerbLine& verb, StoreIx store);
    void openPlanSheet(StoreIx store, PlanRequest request);
    void planEnded(const ActResult& result);
    // mainwindow_moves.cpp
    void addMoveActions();
    void addListActions();
    void noteVisit();
    void walk(bool back);
    void newTab();
    void whatIf();
    void compareMarked();
    void askVersion();
    void setReadOnly(bool on);
    [[nodiscard]] QString readOnlyText() const;  // empty: it is not
    void buildMenus();
    void goTo(QChar letter);
    void switchZone();
    void showPalette();
    void askPreferences();
    void connectNotifier();
    void connectSignals();
    void connectStores();
    void showBand();
    void storeOpened(StoreIx store);
    void storeFailed(StoreIx store, const Failure& failure);
    void storeHeard(StoreIx store);
    void storeChanged(StoreIx store);
    void applyChanges(const ChangeSet& changes);
    void tick();
    void trouble(const QString& what);
    int addPage(QWidget* page, const QString& title, Glyph glyph);
    void writeTabs();
    void writeKeys();
    static void addRunHints(const QString& place, std::vector<KeyHint>& hints);  // of a run's page
    void closeTab(int index);
    void closeCurrent();
    void showTab(int index);
    void takeLetter(QChar letter, bool shift);
    struct VerbLines {
        const VerbLine* on = nullptr;
        const VerbLine* off = nullptr;
    };
    [[nodiscard]] VerbLines linesFor(Verb verb) const;
    [[nodiscard]] QString verbOff(Verb verb) const;
    void stage(Verb verb);
    void stageAbandon();
    void stageMarked(Verb verb, bool abandon);
    void stageLine(const VerbLine& verb, const RunRef& run);
    void openSheet(const VerbLine& verb, const RunRef& run, bool previewOnly);
    [[nodiscard]] QString actsOff(StoreIx store) const;  // why none is possible; empty: they are
    void actEnded(const ActResult& result, const RunRef& run);
    void focusNext(bool backwards);
    void refresh();
    void copyId();
    void copyLink();
    void copySaid();
    void noteRecent(StoreIx store);
    void showOffline();
    void exportLog(AuditPage& audit);
    void openExport(StoreIx store, std::vector<ExportScope> scopes);
    [[nodiscard]] ThemeLook look() const;  // by the preferences, and the shade that is shown
    void exportDot();
    void exportRuns();
    void showKeys();
    void showHandbook(const QString& page);
    void showHandbookHere();
    [[nodiscard]] QString handbookHere() const;
    void helpOn(QDialog& sheet, Verb verb);  // F1 inside a sheet: the page of its verb
    void showVersions();
    void showAbout();
    void askStore();
    [[nodiscard]] QString deafText() const;
    [[nodiscard]] QString standbyText() const;
    [[nodiscard]] RunRef currentRunRef() const;
    [[nodiscard]] const WhyView& currentWhy() const;

    std::unique_ptr<Stores> m_own;
    Stores& m_stores;
    StoreFacts m_facts;
    std::vector<QString> m_said;  // trouble of each store that was said
    std::function<QFuture<Reply<StoreCheck>>(const StoreWish&)> m_tester;
    std::function<QFuture<Reply<KeychainSaid>>(const QString&)> m_forgetter;
    PreferencesFile m_preferencesFile;
    QString m_preferencesPath;
    Preferences m_preferences;
    bool m_closing = false;   // it was said what goes on
    bool m_usesTray = false;  // tests and pictures leave the desktop alone
    Notifier* m_notifier;
    RecentFile m_recentFile;
    QString m_recentPath;
    std::vector<RecentStore> m_recent;
    QLabel* m_offline;
    ActionTable m_actions;
    bool m_goPending = false;  // g was typed: the next letter is a place
    bool m_begun = false;
    Band* m_band;
    QTabBar* m_tabs;
    QStackedWidget* m_pages;
    TriagePage* m_triage;
    TaskStrip* m_tasks;
    KeyStrip* m_keys;
    QLabel* m_notice;
    QString m_lastSaid;  // and when: to be copied after it has gone
    QTimer* m_poll;
    QTimer* m_tick;
    QTimer* m_noticeTimer;
    QPointer<ActSheet> m_sheet;
    QPointer<BulkSheet> m_bulk;
    QPointer<PlanSheet> m_plan;
    QPointer<OrderSheet> m_order;
    QPointer<HandbookBox> m_handbook;
    std::vector<QPointer<QWidget>> m_trail;  // pages in the order of the visits
    std::size_t m_here = 0;                  // place in it
    bool m_walking = false;                  // along the trail: that is no visit
    bool m_readOnly = false;
    QString m_going;
    int m_looking = 0;  // answers that are awaited, and open a box
    bool m_dark;
};

}  // namespace cairn::ui
