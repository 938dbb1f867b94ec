#pragma once
// Shows pages of the handbook, and nothing else: it is given the name of a page, never a text, so that no run
// data can get into it. It loads nothing: no file, no picture, no address; a link that leads out of the
// handbook is told and not followed. Window's thread.

#include <QString>
#include <QTextBrowser>

namespace cairn::ui {

class HandbookView final : public QTextBrowser {
    Q_OBJECT
public:
    explicit HandbookView(QWidget* parent = nullptr);

    // False, and nothing changes, where there is no such page.
    bool open(const QString& page, const QString& place = {});
    [[nodiscard]] QString page() const { return m_page; }
    [[nodiscard]] QString place() const { return m_place; }

    [[nodiscard]] QVariant loadResource(int type, const QUrl& name) override;

Q_SIGNALS:
    void opened(const QString& page, const QString& place);  // by a link
    void leadsOut(const QString& link);

private:
    void follow(const QString& link);
    void showPlace(const QString& place);

    QString m_page;
    QString m_place;
};

}  // namespace cairn::ui
