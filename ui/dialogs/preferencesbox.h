#pragma once
// What a person may choose; each change holds at once.

#include "ui/data/preferences.h"

#include <QDialog>

class QLabel;
class QPushButton;
class QVBoxLayout;

namespace cairn::ui {

class PreferencesBox final : public QDialog {
    Q_OBJECT
public:
    PreferencesBox(const Preferences& preferences, QWidget* parent);

    // As if it had been chosen in the dialog for it: not taken where it could not be seen.
    void takeColour(std::size_t family, const QColor& colour);

Q_SIGNALS:
    void changed(const cairn::ui::Preferences& preferences);

private:
    void addSwitch(QVBoxLayout* column, const QString& name, const QString& text, bool Preferences::*field);
    void addShades(QVBoxLayout* column);
    void addBound(QVBoxLayout* column);
    void addFamilies(QVBoxLayout* column);
    void paintFamilies();
    void askColour(std::size_t family);
    void addRule(QVBoxLayout* column, std::size_t index);

    Preferences m_preferences;
    std::array<QPushButton*, kFamilies> m_families{};
    QLabel* m_colourSaid = nullptr;
    QString m_wrong;  // in what the file has of bound letters
};

}  // namespace cairn::ui
