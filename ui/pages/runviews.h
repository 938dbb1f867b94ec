#pragma once
// Smaller views of one run: what people did, what it is related to, what an agent would be given.

#include "ui/data/source.h"

#include <QWidget>

class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace cairn::ui {

class ActsModel;
class DataTable;
class DockTitle;
class PanelNote;
class RelationsModel;

// Operators' acts with this run, refused ones too. Enter goes to the version that an act made, D shows what
// it changed.
class ActsView final : public QWidget {
    Q_OBJECT
public:
    explicit ActsView(QWidget* parent = nullptr);
    void setActs(const std::vector<ActLine>& acts);
    bool takeLetter(QChar letter);
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] QString remark() const;

Q_SIGNALS:
    void versionWanted(quint64 version);
    void compareWanted(quint64 before, quint64 after);
    void letterTyped(QChar letter, bool shift);

private:
    ActsModel* m_model;
    DataTable* m_table;
    DockTitle* m_title;
    PanelNote* m_note;
};

// Ancestors, the run, its children; a child's children once it is opened (Right). Enter opens the run. As it
// is now, whatever version is shown elsewhere.
class RelationsView final : public QWidget {
    Q_OBJECT
public:
    RelationsView(Source& source, const RunId& run, QWidget* parent = nullptr);
    void load();
    void select(const QString& step);  // the run that stands behind a step, if one does
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] RelationsModel* model() const { return m_model; }

Q_SIGNALS:
    void runChosen(const cairn::RunId& run);
    void letterTyped(QChar letter, bool shift);
    void failed(const QString& what);

private:
    void open(int row, bool open);

    Source& m_source;
    RunId m_run;
    RelationsModel* m_model;
    DataTable* m_table;
    DockTitle* m_title;
    PanelNote* m_note;
    Tickets m_tickets;
    bool m_read = false;
    QString m_wanted;  // step to be selected once its run is there
};

// What an agent that resumes the run now would read, within a budget of tokens.
class ContextView final : public QWidget {
    Q_OBJECT
public:
    ContextView(Source& source, const RunId& run, QWidget* parent = nullptr);
    void load();
    [[nodiscard]] QPlainTextEdit* text() const { return m_text; }
    [[nodiscard]] QSpinBox* budget() const { return m_budget; }
    [[nodiscard]] QString remark() const;

Q_SIGNALS:
    void said(const QString& text);
    void failed(const QString& what);

private:
    Source& m_source;
    RunId m_run;
    QPlainTextEdit* m_text;
    QSpinBox* m_budget;
    QPushButton* m_copy;
    DockTitle* m_title;
    PanelNote* m_note;
    Tickets m_tickets;
};

}  // namespace cairn::ui
