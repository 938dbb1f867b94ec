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

    void setFacts(const StoreFacts& facts);
    // Store time, age of what is shown in milliseconds (-1: nothing yet), and what is wrong with the
    // connection.
    void setClock(qint64 now, qint64 age, const QString& trouble);
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
    qint64 m_age = -1;
    QString m_trouble;
    QRectF m_zone;
};

}  // namespace cairn::ui
