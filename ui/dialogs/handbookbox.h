#pragma once
// F1: the handbook, in a window of its own that stays beside the work. Left the pages, which typing in the
// search filters; right one page. Keys: Ctrl+F search, Down from there into the list, Enter opens, Alt+Left
// and Alt+Right back and forward, Alt+Home the index, Esc closes. Only pages of the handbook are ever shown.

#include <QDialog>

#include <vector>

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace cairn::ui {

class HandbookView;

class HandbookBox final : public QDialog {
    Q_OBJECT
public:
    explicit HandbookBox(QWidget* parent = nullptr);

    // A page by its name; one that is not there opens the index.
    void openPage(const QString& page, const QString& place = {});
    void back();
    void forward();
    void search(const QString& words);

    [[nodiscard]] HandbookView* view() const { return m_view; }
    [[nodiscard]] QListWidget* list() const { return m_list; }
    [[nodiscard]] QLineEdit* words() const { return m_words; }
    [[nodiscard]] QString notice() const;

private:
    struct Visit {
        QString page, place;
    };
    void buildLayout();
    void addKeys();
    void fill();
    void showVisit(const Visit& visit);
    void visited(const Visit& visit);

    QLineEdit* m_words;
    QListWidget* m_list;
    HandbookView* m_view;
    QLabel* m_notice;
    QPushButton* m_back;
    QPushButton* m_forward;
    std::vector<Visit> m_visits;
    std::size_t m_at = 0;  // of m_visits, the one that is shown
};

}  // namespace cairn::ui
