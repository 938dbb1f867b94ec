#pragma once
// Ctrl+K, or a colon: everything that can be done here, by a few letters of its name; and a run by id or key.
// What cannot be done now is shown with the reason.

#include <QDialog>

#include <functional>
#include <vector>

class QLineEdit;
class QStandardItemModel;

namespace cairn::ui {

class DataTable;

struct PaletteEntry {
    QString title;
    QString remark;  // its keys, or why it is off
    bool on = true;
    std::function<void()> run;
};

class Palette final : public QDialog {
    Q_OBJECT
public:
    // `more` gives entries for what is written: a run to go to, for instance.
    using More = std::function<std::vector<PaletteEntry>(const QString& text)>;
    Palette(std::vector<PaletteEntry> entries, More more, QWidget* parent);

    [[nodiscard]] QLineEdit* edit() const { return m_edit; }
    [[nodiscard]] DataTable* table() const { return m_table; }
    [[nodiscard]] const std::vector<PaletteEntry>& matches() const { return m_matches; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fill(const QString& text);
    void take(int row);

    std::vector<PaletteEntry> m_entries;
    std::vector<PaletteEntry> m_matches;
    More m_more;
    QLineEdit* m_edit;
    DataTable* m_table;
    QStandardItemModel* m_rows;
};

// Whether each word of `wanted` begins a word of `title`, or stands within it: 2, 1; 0: neither.
[[nodiscard]] int fits(const QString& title, const QString& wanted);

}  // namespace cairn::ui
