#pragma once
// One run: the sentence, what one may do, and its views: steps, history, data.

#include "ui/data/source.h"

#include <QElapsedTimer>
#include <QWidget>

class QLabel;
class QHBoxLayout;
class QStackedWidget;
class QTimer;

namespace cairn::ui {

class DataView;
class HistoryView;
class Sentence;
class StepsView;
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
    // 1 steps, 3 history, 4 data: the numbers of the keyboard map.
    void showView(int number);
    bool takeLetter(QChar letter, bool shift);  // true: it was ours
    [[nodiscard]] RunRef run() const { return {m_store, m_run}; }
    [[nodiscard]] StoreIx store() const { return m_store; }
    [[nodiscard]] const RunDetail& detail() const { return m_detail; }
    [[nodiscard]] QString place() const;
    [[nodiscard]] StepsView* steps() const { return m_steps; }
    [[nodiscard]] HistoryView* history() const { return m_history; }
    [[nodiscard]] DataView* data() const { return m_data; }
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
    [[nodiscard]] std::vector<QWidget*> stops() const;
    void fillButtons();

    Source& m_source;
    StoreIx m_store;
    RunId m_run;
    RunDetail m_detail;
    Tickets m_tickets;
    QLabel* m_glyph;
    Sentence* m_sentence;
    QLabel* m_ends;
    QLabel* m_meta;
    QHBoxLayout* m_buttons = nullptr;
    ViewTabs* m_tabs;
    QStackedWidget* m_views;
    StepsView* m_steps;
    HistoryView* m_history;
    DataView* m_data;
    std::vector<VerbLine> m_buttonVerbs;
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
