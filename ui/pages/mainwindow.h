#pragma once
// The window: frame and band in the environment's colour, tabs, pages, key strip. It polls the change cursor,
// shares what changed with the pages, and opens the sheet for an act. It owns no data.

#include "ui/data/source.h"
#include "ui/dialogs/actsheet.h"
#include "ui/dialogs/bulksheet.h"

#include <QPointer>
#include <QWidget>

class QLabel;
class QLineEdit;
class QStackedWidget;
class QTabBar;
class QTimer;

namespace cairn::ui {

class Band;
class KeyStrip;
class RunPage;
class TriagePage;

class MainWindow final : public QWidget {
    Q_OBJECT
public:
    MainWindow(Source& source, bool dark, QWidget* parent = nullptr);
    ~MainWindow() override;

    void start();
    // Opens a run given as id, beginning of an id, or key.
    void go(const QString& text);
    RunPage* openRun(const RunId& run);
    void setDark(bool dark);
    // True once everything asked for so far has been answered; for pictures.
    [[nodiscard]] bool settled() const;
    [[nodiscard]] TriagePage* triage() const { return m_triage; }
    [[nodiscard]] RunPage* currentRun() const;
    [[nodiscard]] ActSheet* sheet() const { return m_sheet; }
    [[nodiscard]] BulkSheet* bulkSheet() const { return m_bulk; }
    [[nodiscard]] const StoreFacts& facts() const { return m_facts; }
    [[nodiscard]] QString notice() const;
    void setPolling(bool on);

Q_SIGNALS:
    void ready();  // the store's facts are known
    void cannotOpen(const QString& why);
    void cannotGo(const QString& why);  // no such run

protected:
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void buildLayout();
    void buildMenus();
    void connectSignals();
    void showFacts(const StoreFacts& facts);
    void poll();
    void applyChanges(const ChangeSet& changes);
    void tick();
    void heard(qint64 at);
    void trouble(const QString& what);
    void say(const QString& text);
    void writeTabs();
    void writeKeys();
    void closeTab(int index);
    void closeCurrent();
    void showTab(int index);
    void takeLetter(QChar letter, bool shift);
    void stage(Verb verb);
    void stageAbandon();
    void stageMarked(Verb verb, bool abandon);
    void stageLine(const VerbLine& verb, const RunId& run);
    void actEnded(const ActResult& result, const RunId& run);
    void focusNext(bool backwards);
    void refresh();
    void copyId();
    void exportDot();
    void askGo();
    void showKeys();
    void showAbout();
    [[nodiscard]] RunId currentRunId() const;
    [[nodiscard]] const WhyView& currentWhy() const;

    Source& m_source;
    StoreFacts m_facts;
    Band* m_band;
    QTabBar* m_tabs;
    QStackedWidget* m_pages;
    TriagePage* m_triage;
    KeyStrip* m_keys;
    QLabel* m_notice;
    QTimer* m_poll;
    QTimer* m_tick;
    QTimer* m_noticeTimer;
    QPointer<ActSheet> m_sheet;
    QPointer<BulkSheet> m_bulk;
    QString m_going;
    QString m_trouble;
    quint64 m_cursor = 0;
    qint64 m_storeNow = 0;   // store time at m_heard
    qint64 m_heard = 0;      // monotonic, of the last answer
    bool m_polling = false;  // a poll is under way
    bool m_dark;
};

}  // namespace cairn::ui
