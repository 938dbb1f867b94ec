#include "ui/dialogs/infobox.h"

#include "ui/data/format.h"
#include "ui/widgets/safetext.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

InfoBox::InfoBox(const QString& title, std::vector<Fact> facts, bool withFilter, QWidget* parent)
    : QDialog(parent)
    , m_facts(std::move(facts))
    , m_list(new QWidget(this))
{
    setWindowTitle(title);
    setModal(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(10);
    column->addWidget(safe::label(title, {.size = 16, .bold = true}, this));
    if (withFilter) {
        auto* filter = new QLineEdit(this);
        filter->setPlaceholderText(u"type to filter"_s);
        filter->setAccessibleName(u"Filter keys"_s);
        connect(filter, &QLineEdit::textChanged, this, &InfoBox::fill);
        column->addWidget(filter);
    }
    auto* grid = new QGridLayout(m_list);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setWidget(m_list);
    column->addWidget(area, 1);
    auto* close = safe::button(u"Close"_s, this);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    column->addWidget(close, 0, Qt::AlignRight);
    setMinimumWidth(520);
    fill({});
    resize(560, std::clamp(m_list->sizeHint().height() + 130, 200, 640));
}

void InfoBox::fill(const QString& filter)
{
    auto* grid = static_cast<QGridLayout*>(m_list->layout());
    while (QLayoutItem* item = grid->takeAt(0)) {
        item->widget()->hide();
        item->widget()->deleteLater();
        delete item;
    }
    int row = 0;
    for (const Fact& fact : m_facts) {
        if (!filter.isEmpty() && !fact.name.contains(filter, Qt::CaseInsensitive)
            && !fact.value.contains(filter, Qt::CaseInsensitive))
            continue;
        grid->addWidget(safe::label(fact.name, {.bold = true}, m_list), row, 0, Qt::AlignTop);
        grid->addWidget(
            safe::label(fact.value,
                {.face = fact.mono ? Face::Mono : Face::Text, .wrap = true, .selectable = true}, m_list),
            row++, 1);
    }
    grid->setRowStretch(grid->rowCount(), 1);
}

std::vector<Fact> aboutFacts(const StoreFacts& facts)
{
    return {{u"Cairn console"_s, u"0.1.0"_s}, {u"SQLite"_s, facts.sqliteVersion},
        {u"Qt"_s, QString::fromLatin1(qVersion())}, {u"Store"_s, facts.url, true},
        {u"Environment"_s, facts.environment + (facts.guarded ? u", guarded"_s : u", free"_s)},
        {u"Schema"_s, QString::number(facts.schema)},
        {u"You"_s, facts.person + (facts.identity.isEmpty() ? QString() : u", "_s + facts.identity)},
        {u"Rights"_s, facts.mayAct ? u"may act"_s : u"look only: "_s + facts.whyNot}};
}

}  // namespace cairn::ui
