#pragma once
// Short reference windows: the keys of this place (filtered by typing), and what this program is.

#include "ui/data/values.h"

#include <QDialog>

namespace cairn::ui {

class InfoBox final : public QDialog {
    Q_OBJECT
public:
    InfoBox(const QString& title, std::vector<Fact> facts, bool withFilter, QWidget* parent);

private:
    void fill(const QString& filter);

    std::vector<Fact> m_facts;
    QWidget* m_list;
};

[[nodiscard]] std::vector<Fact> aboutFacts(const StoreFacts& facts);

}  // namespace cairn::ui
