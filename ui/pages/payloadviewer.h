#pragma once
// One payload: size and type first, then its beginning, then, once read and indexed in the background, all of
// it as tree, text, table or bytes. A map of its bytes says where in it one is, and where the matches are. An
// image is drawn by an explicit act only. Nothing can be edited here, and what is left out, redacted or not
// for one's role says so. Ctrl+F finds, F3 goes on, Ctrl+L goes to a byte or a path, Alt+1 to Alt+9 open the
// tree to that level, Ctrl+PageDown is the next way to show it, C copies the path, Shift+C the value exactly
// as stored. What the workflow hides is hidden here, until it is revealed for as long as this value is shown.

#include "ui/data/background.h"
#include "ui/models/payloadmodels.h"

#include <QImage>
#include <QWidget>

#include <array>

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;
class QTemporaryDir;

namespace cairn::ui {

class ByteMap;
class DataTable;
class HiddenBar;
class PanelNote;
class PayloadValue;

class PayloadViewer final : public QWidget {
    Q_OBJECT
public:
    enum Mode { Tree, Text, Table, Hex, Image, ModeCount };

    PayloadViewer(Source& source, const RunId& run, QWidget* parent = nullptr);
    ~PayloadViewer() override;

    void open(const PayloadLine& payload);
    void save(const QString& path);  // whole
    void setMode(Mode mode);         // one that is not possible changes nothing
    void find(const QString& text);
    void findNext(bool backwards);
    void drawImage();
    void goTo(quint64 offset);             // byte
    bool goToPlace(const QString& place);  // a byte, or a path (RFC 6901); false: there is none
    void askPlace();
    void openTo(int level);  // of the tree
    void openOutside();      // a copy, by the program that the desktop has for its type
    void reveal(const QString& reason);
    void hideAgain();
    void copyPath() const;
    void copyValue() const;
    [[nodiscard]] Mode mode() const;
    [[nodiscard]] bool possible(Mode mode) const;
    [[nodiscard]] const PayloadLine& shownLine() const { return m_shown; }
    [[nodiscard]] const PayloadIndexPtr& index() const { return m_index; }
    [[nodiscard]] bool whole() const { return m_whole; }  // all of it is read and indexed
    [[nodiscard]] const Matches& matches() const { return m_matches; }
    [[nodiscard]] QString path() const;  // of the value that is chosen
    [[nodiscard]] QString stateText() const;
    [[nodiscard]] QString findText() const;
    [[nodiscard]] QString headText() const;
    [[nodiscard]] QPlainTextEdit* value() const;
    [[nodiscard]] PayloadValue* valuePanel() const { return m_value; }
    [[nodiscard]] ByteMap* map() const { return m_map; }
    [[nodiscard]] DataTable* table(Mode mode) const { return m_tables[static_cast<std::size_t>(mode)]; }
    [[nodiscard]] QLineEdit* findBox() const { return m_find; }
    [[nodiscard]] QComboBox* findScope() const { return m_scope; }
    [[nodiscard]] HiddenBar* hiddenBar() const { return m_hiddenBar; }
    [[nodiscard]] std::vector<QWidget*> stops() const;

Q_SIGNALS:
    void letterTyped(QChar letter, bool shift);
    void failed(const QString& what);
    void said(const QString& text);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    void read(const PayloadLine& payload);
    void buildLayout();
    [[nodiscard]] QWidget* buildHead();
    [[nodiscard]] QWidget* buildTools();
    void connectSignals();
    void showHead(const PayloadText& payload);
    void showFailure(const Failure& failure);
    void readPart(quint64 ticket);
    void indexAll(quint64 ticket);
    void checkHash(quint64 ticket);
    void take(PayloadIndexPtr index, bool whole);
    void showValue(quint32 node);
    void fillMap();
    void showPlace();
    void writeFound();
    void writeModes();
    void say(const QString& state);

    Source& m_source;
    RunId m_run;
    PayloadLine m_shown;
    quint64 m_size = 0;    // of what is shown: not the stored size where something is hidden
    quint64 m_hidden = 0;  // fields
    QString m_recorded;    // where it is on record that they were revealed; empty: they were not
    QByteArray m_bytes;
    QByteArray m_salt;
    QString m_hash;
    QString m_headText;  // without what became of the check
    PayloadIndexPtr m_index;
    Matches m_matches;
    std::size_t m_match = 0;
    quint32 m_node = 0;
    bool m_whole = false;
    bool m_redacted = false;
    StopFlag m_stop = makeStopFlag();
    StopFlag m_stopFind = makeStopFlag();
    Tickets m_tickets;
    Tickets m_finds;
    JsonTreeModel* m_tree;
    TextRowsModel* m_rows;
    JsonTableModel* m_items;
    HexRowsModel* m_hex;
    std::array<DataTable*, 4> m_tables{};
    std::array<QPushButton*, ModeCount> m_buttons{};
    QStackedWidget* m_views;
    PanelNote* m_note;
    QLabel* m_image;
    QLabel* m_head;
    QLabel* m_state;
    QLabel* m_found;
    QLineEdit* m_find;
    QComboBox* m_scope;
    HiddenBar* m_hiddenBar;
    ByteMap* m_map;
    PayloadValue* m_value;
    QPushButton* m_save;
    QPushButton* m_outside;
    QPushButton* m_copyPath;
    std::unique_ptr<QTemporaryDir> m_outsideFiles;  // copies that other programs have open; gone with this
};

}  // namespace cairn::ui
