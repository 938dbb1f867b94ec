#include "ui/dialogs/infobox.h"

#include "ui/data/format.h"
#include "ui/widgets/safetext.h"

#include <QFileDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

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
    column->addWidget(m_list);
    column->addStretch(1);
    auto* close = safe::button(u"Close"_s, this);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    column->addWidget(close, 0, Qt::AlignRight);
    setMinimumWidth(460);
    fill({});
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
}

GoBox::GoBox(QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(u"Go to a run"_s);
    setModal(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->addWidget(safe::label(
        u"Run id, the beginning of it, or key; store:NAME before it where several stores have it"_s,
        {.wrap = true}, this));
    auto* edit = new QLineEdit(this);
    edit->setAccessibleName(u"Run id or key"_s);
    edit->setFont(typeface(13, false, Face::Mono));
    column->addWidget(edit);
    setMinimumWidth(420);
    connect(edit, &QLineEdit::returnPressed, this, [this, edit] {
        if (!edit->text().trimmed().isEmpty())
            Q_EMIT chosen(edit->text().trimmed());
        accept();
    });
}

OpenBox::OpenBox(QWidget* parent)
    : QDialog(parent)
{
    setWindowTitle(u"Open another store"_s);
    setModal(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->addWidget(
        safe::label(u"Path of a SQLite store, or postgresql://[user@]host[:port]/database"_s, {}, this));
    auto* edit = new QLineEdit(this);
    edit->setAccessibleName(u"Store"_s);
    edit->setFont(typeface(13, false, Face::Mono));
    column->addWidget(edit);
    auto* row = new QHBoxLayout;
    auto* browse = safe::button(u"Look for a file…"_s, this);
    auto* open = safe::button(u"Open"_s, this);
    browse->setAutoDefault(false);
    open->setProperty("primary", true);
    row->addWidget(browse);
    row->addStretch(1);
    row->addWidget(open);
    column->addLayout(row);
    setMinimumWidth(520);
    const auto take = [this, edit] {
        if (edit->text().trimmed().isEmpty())
            return;
        Q_EMIT chosen(edit->text().trimmed());
        accept();
    };
    connect(open, &QPushButton::clicked, this, take);
    connect(edit, &QLineEdit::returnPressed, this, take);
    connect(browse, &QPushButton::clicked, this, [this, edit] {
        const QString path = QFileDialog::getOpenFileName(
            this, u"Open another store"_s, {}, u"Stores (*.db *.sqlite *.cairn);;All files (*)"_s);
        if (!path.isEmpty())
            edit->setText(path);
    });
    edit->setFocus();
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

std::vector<Fact> allKeys()
{
    return {{u"/"_s, u"edit the filter"_s}, {u"Ctrl+K"_s, u"go to a run by id or key"_s},
        {u"Ctrl+O"_s, u"open another store beside this one"_s}, {u"arrows, J K"_s, u"move"_s},
        {u"Enter, Esc"_s, u"open, back"_s}, {u"E, Shift+E"_s, u"next, previous problem"_s},
        {u"F"_s, u"show only what is not finished (run)"_s}, {u"1, 3, 4"_s, u"steps, history, data (run)"_s},
        {u"Space, Shift+arrows"_s, u"mark a run, mark a range"_s},
        {u"Ctrl+A"_s, u"mark all runs that are shown"_s}, {u"Backspace"_s, u"up to the parent run (run)"_s},
        {u"A, X"_s, u"approve, reject"_s}, {u"H, Shift+H"_s, u"pause, resume"_s},
        {u"O"_s, u"set outcome of an uncertain effect"_s}, {u"R"_s, u"retry now"_s},
        {u"Delete"_s, u"cancel (stages only)"_s},
        {u"menu Run"_s, u"abandon: cancel without undoing anything"_s}, {u"C"_s, u"copy the run's id"_s},
        {u"Left, Right"_s, u"fold, unfold"_s}, {u"+ - 0"_s, u"graph: nearer, farther, fit"_s},
        {u"Ctrl+E"_s, u"export the graph as DOT text"_s},
        {u"F1, ?"_s, u"the handbook's page about this, keys"_s}, {u"F5"_s, u"refresh now"_s},
        {u"F6, Shift+F6"_s, u"next, previous panel"_s}, {u"Ctrl+W"_s, u"close this tab"_s},
        {u"Ctrl+Shift+L"_s, u"light, dark"_s}, {u"Ctrl+Enter"_s, u"execute, inside a sheet only"_s}};
}

}  // namespace cairn::ui
