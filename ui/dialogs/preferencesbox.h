#pragma once
// What a person may choose; each change holds at once.

#include "ui/data/preferences.h"

#include <QDialog>

class QVBoxLayout;

namespace cairn::ui {

class PreferencesBox final : public QDialog {
    Q_OBJECT
public:
    PreferencesBox(const Preferences& preferences, QWidget* parent);

Q_SIGNALS:
    void changed(const cairn::ui::Preferences& preferences);

private:
    void addSwitch(QVBoxLayout* column, const QString& name, const QString& text, bool Preferences::*field);
    void addShades(QVBoxLayout* column);
    void addRule(QVBoxLayout* column, std::size_t index);

    Preferences m_preferences;
};

}  // namespace cairn::ui
