#pragma once
// One run: the sentence, what one may do, and its views, which share one selection and one version: all show
// the run as it is, or as it was at the version that the bar below them stands at.

#include "ui/data/source.h"

#include <QElapsedTimer>
#include <QWidget>

class QLabel;
class QHBoxLayout;
class QStackedWidget;
class QTimer;

namespace cairn::ui {

class ActsView;
class CompareView;
class ContextView;
class DataView;
class HistoryView;
class PanelNote;
class RelationsView;
class RevisionBar;
class Sentence;
class StepsView;
class TimelineView;
class ViewTabs;

class RunPage final : public QWidget {
    Q_OBJECT
public:
    // The source is that of the run's store.
    RunPage(Source& source, const RunRef& run, QWidget* parent = nullptr);

    // Reads the run. While one read is under way, or a large run was read just now, it is put off, not piled
    // up.
    void load();
    void setNow(qint64 now);
    // Why no act is possible now, whatever was read; empty: as it was read.
    void setOff(const QString& why);
    void focusNext(bool backwards);
    void focusView();
    // 1 steps, 2 timeline, 3 history, 4 data, 5 relations, 6 acts, 7 compare, 8 context: the keyboard map.
    void showView(int number);
    // By name: "steps", "timeline", ... (also the end of each view's object name). False: there is none such.
    bool showNamed(const QString& name);
    [[nodiscard]] static QStringList viewNames();
    // The run as it was at this version; the newest: as it is.
    void travelTo(quint64 version);
    [[nodiscard]] bool atNow() const { return m_version == 0; }
    bool takeLetter(QChar letter, bool shift);  // true: it was ours
    [[nodiscard]] RunRef run() const { return {m_store, m_run}; }
    [[nodiscard]] StoreIx store() const { return m_store; }
    // As shown: of an earlier version no act is possible.
    [[nodiscard]] const RunDetail& detail() const { return m_detail; }
    [[nodiscard]] const RunDetail& newest() const { return m_newest; }  // whatever version is shown
    [[nodiscard]] QString place() const;
    [[nodiscard]] QString payloadShown() const;  // its id, while the data are looked at; empty: none
    [[nodiscard]] StepsView* steps() const { return m_steps; }
    [[nodiscard]] HistoryView* history() const { return m_history; }
    [[nodiscard]] DataView* data() const { return m_data; }
    [[nodiscard]] TimelineView* timeline() const { return m_timeline; }
    [[nodiscard]] RelationsView* relations() const { return m_relations; }
    [[nodiscard]] ActsView* acts() const { return m_acts; }
    [[nodiscard]] CompareView* comparison() const { return m_compare; }
    [[nodiscard]] ContextView* context() const { return m_context; }
    [[nodiscard]] RevisionBar* revisions() const { return m_revisions; }
    [[nodiscard]] bool loaded() const { return m_loaded; }

Q_SIGNALS:
    void changed();  // title or shape
    void verbChosen(const cairn::ui::VerbLine& verb, const cairn::ui::RunRef& run);
    void letterTyped(QChar letter, bool shift);
    void failed(const QString& what);
    void said(const QString& text);
    void runChosen(const cairn::ui::RunRef& run);  // child or parent, of the same store

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildLayout();
    [[nodiscard]] QWidget* buildHead();
    void connectSignals();
    void read();
    void answered(const Reply<RunDetail>& reply);
    void showDetail(const RunDetail& detail);
    void showEnds();
    void writeTabs();
    void selectStep(quint32 step);
    void openStep();
    void follow(int number);
    [[nodiscard]] int currentView() const;
    [[nodiscard]] std::vector<QWidget*> viewStops() const;
    // runpage_acts.cpp
    void readStepActs();
    void showStepActs();
    // runpage_travel.cpp
    void connectTravel();
    void backToNow();
    void loadActs();
    void compareAttempts();
    [[nodiscard]] QString versionText() const;
    [[nodiscard]] std::vector<QWidget*> stops() const;
    void fillButtons();

    Source& m_source;
    StoreIx m_store;
    RunId m_run;
    RunDetail m_detail;     // as shown
    RunDetail m_newest;     // as last read
    quint64 m_version = 0;  // that is shown; 0: the newest
    quint64 m_actsOf = 0;   // newest version when the acts were read last
    std::vector<ActLine> m_actLines;
    Tickets m_travels;
    QLabel* m_glyph;
    Sentence* m_sentence;
    QLabel* m_ends;
    QLabel* m_meta;
    QHBoxLayout* m_buttons = nullptr;
    ViewTabs* m_tabs;
    QStackedWidget* m_views;
    PanelNote* m_note;  // over all of them, until the run has been read
    StepsView* m_steps;
    HistoryView* m_history;
    DataView* m_data;
    TimelineView* m_timeline;
    RelationsView* m_relations;
    ActsView* m_acts;
    CompareView* m_compare;
    ContextView* m_context;
    RevisionBar* m_revisions;
    std::vector<VerbLine> m_buttonVerbs;
    struct StepActs {
        quint32 step = kNone;
        quint64 version = 0;  // of the run
        std::vector<VerbLine> verbs{};
        QString failure{};
    };
    StepActs m_stepActs;        // as last read
    bool m_askingActs = false;  // one question at a time
    QString m_off;
    QTimer* m_later;
    QElapsedTimer m_asked;  // since the last read was asked for
    qint64 m_took = 0;      // ms until it was shown
    bool m_reading = false;
    bool m_again = false;  // asked for meanwhile
    bool m_loaded = false;
};

// The row that switches views, with the key of each.
class ViewTabs final : public QWidget {
    Q_OBJECT
public:
    explicit ViewTabs(QWidget* parent = nullptr);
    void setTabs(const QStringList& keys, const QStringList& names);
    void setCurrent(int index);
    void setRight(const QString& text);

Q_SIGNALS:
    void chosen(int index);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    QStringList m_keys;
    QStringList m_names;
    QString m_right;
    QList<QRectF> m_areas;
    int m_current = 0;
};

}  // namespace cairn::ui
