#pragma once
// The audit of one store: who did what, when, why and with which outcome; whether the log is whole; and what
// this installation can and cannot detect. A bar above the list has how many entries each day has, and
// narrows to one. Reading it is not logged as acting. A refresh keeps the entry that is selected.

#include "ui/data/auditvalues.h"
#include "ui/data/stores.h"

#include <QWidget>

#include <map>

class QHBoxLayout;
class QLabel;
class QProgressBar;
class QPushButton;
class QTimer;

namespace cairn::ui {

class AuditModel;
class DataTable;
class DayBar;
class DockTitle;
class PanelNote;
class FilterBox;

class AuditPage final : public QWidget {
    Q_OBJECT
public:
    AuditPage(Stores& stores, StoreIx store, QWidget* parent = nullptr);
    ~AuditPage() override;  // stops a check that is under way

    void load();    // the list, from the newest on
    void verify();  // again; while one is under way it is stopped instead
    [[nodiscard]] StoreIx store() const { return m_store; }
    [[nodiscard]] bool settled() const { return m_open == 0 && !m_counting && !checking(); }
    [[nodiscard]] bool checking() const { return m_progress != nullptr; }
    [[nodiscard]] RunRef run() const;  // of the selected entry; null: it is about none
    [[nodiscard]] QString place() const;
    [[nodiscard]] QString verdictText() const;
    void focusNext(bool backwards);
    void focusFilter();
    [[nodiscard]] FilterBox* filterBox() const { return m_filter; }
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] DayBar* days() const { return m_days; }

Q_SIGNALS:
    void openRun(const cairn::ui::RunRef& run);
    void letterTyped(QChar letter, bool shift);
    void exportWanted();
    void failed(const QString& what);
    void said(const QString& text);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    [[nodiscard]] QWidget* buildVerdict();
    void connectSignals();
    [[nodiscard]] QWidget* buildStrip();
    [[nodiscard]] QWidget* buildFilter();
    void copyHead();
    void copyEntry();
    void loadPage();
    void showSlice(const AuditSlice& slice);
    void showEntry();
    void filterFromCell(const QModelIndex& index, QChar how);
    void completeFilter(const FilterQuestion& question);
    // auditpage_days.cpp
    void countDays();
    void showDays();
    void narrowTo(qint64 first, qint64 last);
    void listDayOf(int row);
    [[nodiscard]] QString stripText() const;
    [[nodiscard]] AuditRequest request() const;
    // auditpage.cpp
    void tellProgress();
    void showVerdict(const Reply<AuditVerdict>& reply);
    // `damage` always in sight; `limits`, what a check can and cannot detect here, when it is asked for.
    void setVerdict(Glyph glyph, const QString& sentence, const QString& detail, const QStringList& damage,
        const QStringList& limits);

    Stores& m_stores;
    StoreIx m_store;
    AuditModel* m_model;
    DataTable* m_table;
    FilterBox* m_filter;
    DayBar* m_days;
    DockTitle* m_title;
    PanelNote* m_note;
    QLabel* m_strip;
    QPushButton* m_further;
    QLabel* m_glyph;
    QLabel* m_sentence;
    QLabel* m_detail;
    QLabel* m_damage;
    QLabel* m_detects;
    QPushButton* m_limits;
    QProgressBar* m_bar;
    QPushButton* m_verify;
    QPushButton* m_copyHead;
    QPushButton* m_export;
    QString m_head;  // as `cairn audit head` prints it; empty: not found whole yet
    QWidget* m_facts;
    QHBoxLayout* m_factRow;
    QTimer* m_look;
    Tickets m_tickets;
    AuditSlice m_last;  // without its lines
    std::shared_ptr<CheckProgress> m_progress;
    std::map<qint64, AuditDayCount> m_dayCounts;
    quint64 m_counted = 0;    // entries of which the days are known
    bool m_counting = false;  // one question at a time
    quint64 m_entry = 0;      // that is shown below
    bool m_read = false;      // once at least
    int m_open = 0;
};

}  // namespace cairn::ui
