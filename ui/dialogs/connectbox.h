#pragma once
// Ctrl+O: another store beside those that are open: its address, or one of those opened before; whether acts
// are wanted, or looking only, which is what a new one gets; and a test that says step by step what is wrong.

#include "ui/data/storecheck.h"

#include <QDialog>

class QCheckBox;
class QLineEdit;
class QPushButton;
class QVBoxLayout;

namespace cairn::ui {

class ConnectBox final : public QDialog {
    Q_OBJECT
public:
    using Tester = std::function<QFuture<Reply<StoreCheck>>(const QString& store)>;
    ConnectBox(std::vector<RecentStore> recent, Tester tester, QWidget* parent);

    [[nodiscard]] QLineEdit* address() const { return m_address; }
    [[nodiscard]] QCheckBox* acts() const { return m_acts; }
    [[nodiscard]] QPushButton* testButton() const { return m_test; }
    [[nodiscard]] QString resultText() const { return m_result; }

Q_SIGNALS:
    void chosen(const QString& store, bool act);

private:
    void buildRecent(QVBoxLayout* column);
    void test();
    void showCheck(const StoreCheck& check);
    void clearSteps();
    void addStep(Glyph glyph, const QString& text);
    void take();

    std::vector<RecentStore> m_recent;
    Tester m_tester;
    QLineEdit* m_address;
    QCheckBox* m_acts;
    QPushButton* m_test;
    QVBoxLayout* m_steps;
    QString m_result;
    Tickets m_tickets;
};

}  // namespace cairn::ui
