#include "ui/dialogs/infobox.h"

#include "ui/data/format.h"
#include "ui/widgets/safetext.h"

#include <QCoreApplication>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(infobox)
};

}  // namespace

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
        filter->setPlaceholderText(tr("type to filter"));
        filter->setAccessibleName(tr("Filter keys"));
        connect(filter, &QLineEdit::textChanged, this, &InfoBox::fill);
        column->addWidget(filter);
    }
    auto* grid = new QGridLayout(m_list);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(16);
    grid->setVerticalSpacing(3);
    grid->setColumnStretch(1, 1);
    auto* area = new QScrollArea(this);
    area->setAccessibleName(title);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setWidget(m_list);
    column->addWidget(area, 1);
    auto* close = safe::button(tr("Close"), this);
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
    return {{Words::tr("Cairn console"), u"0.1.0"_s}, {u"SQLite"_s, facts.sqliteVersion},
        {Words::tr("Qt"), QString::fromLatin1(qVersion())}, {Words::tr("Store"), facts.url, true},
        {Words::tr("Environment"),
            facts.environment + (facts.guarded ? Words::tr(", guarded") : Words::tr(", free"))},
        {Words::tr("Schema"), QString::number(facts.schema)},
        {Words::tr("Yo"), facts.person + (facts.identity.isEmpty() ? QString() : u", "_s + facts.identity)},
        {Words::tr("Rights"), facts.mayAct ? Words::tr("may act") : Words::tr("look only: ") + facts.whyNot}};
}

}  // namespace cairn::ui
