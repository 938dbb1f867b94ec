#pragma once
// Ctrl+O: another store beside those that are open: its address, or one of those opened before; whether acts
// are wanted, or looking only, which is what a new one gets; and a test that says step by step what is wrong.
// For a login at a server a password, which may be kept in the desktop's keychain, and forgotten there.

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
    using Tester = std::function<QFuture<Reply<StoreCheck>>(const StoreWish& wish)>;
    using Forgetter = std::function<QFuture<Reply<KeychainSaid>>(const QString& store)>;
    ConnectBox(std::vector<RecentStore> recent, Tester tester, Forgetter forgetter, QWidget* parent);

    [[nodiscard]] QLineEdit* address() const { return m_address; }
    [[nodiscard]] QCheckBox* acts() const { return m_acts; }
    [[nodiscard]] QLineEdit* password() const { return m_password; }
    [[nodiscard]] QCheckBox* keep() const { return m_keep; }
    [[nodiscard]] QPushButton* forgetButton() const { return m_forget; }
    [[nodiscard]] QPushButton* testButton() const { return m_test; }
    [[nodiscard]] QString resultText() const { return m_result; }

Q_SIGNALS:
    void chosen(const cairn::ui::StoreWish& wish);

private:
    void buildRecent(QVBoxLayout* column);
    void buildPassword(QVBoxLayout* column);
    void showPassword();
    [[nodiscard]] StoreWish wish() const;
    void forget();
    void test();
    void showCheck(const StoreCheck& check);
    void clearSteps();
    void addStep(Glyph glyph, const QString& text);
    void take();

    std::vector<RecentStore> m_recent;
    Tester m_tester;
    Forgetter m_forgetter;
    QLineEdit* m_address;
    QCheckBox* m_acts;
    QWidget* m_login;  // what follows
    QLineEdit* m_password;
    QCheckBox* m_keep;
    QPushButton* m_forget;
    QPushButton* m_test;
    QVBoxLayout* m_steps;
    QString m_result;
    Tickets m_tickets;
};

}  // namespace cairn::ui
