#pragma once
// The top row: environment word with a lock, store, menus, safety, person, clock, zone, age of the data. Its
// colour is also the frame's, so that production is never mistaken for anything else.

#include "ui/data/values.h"

#include <QWidget>

class QMenuBar;

namespace cairn::ui {

class Band final : public QWidget {
    Q_OBJECT
public:
    explicit Band(QWidget* parent = nullptr);

    // `word` and `level` take the place of the facts' own where they stand for several stores.
    void setFacts(const StoreFacts& facts, const QString& word = {}, const QString& level = {});
    // Store time, how old what is shown is, and whether that is amiss.
    void setClock(qint64 now, const QString& status, bool amiss);
    [[nodiscard]] QMenuBar* menus() const { return m_menus; }
    [[nodiscard]] QColor ground() const;
    [[nodiscard]] QColor edge() const;
    void retheme();

Q_SIGNALS:
    void zoneClicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] QColor ink() const;
    [[nodiscard]] bool production() const;
    [[nodiscard]] QString environmentWord() const;
    [[nodiscard]] QString safetyText() const;
    void placeMenus();

    StoreFacts m_facts;
    QMenuBar* m_menus;
    qint64 m_now = 0;
    QString m_word;
    QString m_level;
    QString m_status;
    bool m_amiss = false;
    QRectF m_zone;
};

}  // namespace cairn::ui
