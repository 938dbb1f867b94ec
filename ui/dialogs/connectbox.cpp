#include "ui/dialogs/connectbox.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/sheetparts.h"
#include "ui/widgets/choicelist.h"
#include "ui/widgets/safetext.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

ConnectBox::ConnectBox(std::vector<RecentStore> recent, Tester tester, Forgetter forgetter, QWidget* parent)
    : QDialog(parent)
    , m_recent(std::move(recent))
    , m_tester(std::move(tester))
    , m_forgetter(std::move(forgetter))
    , m_address(new QLineEdit(this))
    , m_acts(new QCheckBox(
          tr("Allow acts there. Otherwise it is opened read-only: nothing can be changed."), this))
    , m_login(new QWidget(this))
    , m_password(new QLineEdit(m_login))
    , m_keep(new QCheckBox(tr("Keep it in this desktop's keychain"), m_login))
    , m_forget(safe::button(tr("Forget the kept password"), m_login))
    , m_test(safe::button(tr("Test"), this))
    , m_steps(new QVBoxLayout)
{
    setWindowTitle(tr("Open another store"));
    setModal(true);
    setAttribute(Qt::WA_DeleteOnClose);
    setMinimumWidth(600);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(8);
    column->addWidget(safe::label(
        tr("Path of a SQLite store, or postgresql://[user@]host[:port]/database"), {.wrap = true}, this));
    m_address->setAccessibleName(tr("Store"));
    m_address->setFont(typeface(13, false, Face::Mono));
    column->addWidget(m_address);
    buildPassword(column);
    column->addWidget(m_acts);
    buildRecent(column);
    column->addLayout(m_steps);
    auto* row = new QHBoxLayout;
    auto* browse = safe::button(tr("Look for a file…"), this);
    auto* open = safe::button(tr("Open"), this);
    for (QPushButton* button : {browse, m_test})
        button->setAutoDefault(false);
    open->setProperty("primary", true);
    row->addWidget(browse);
    row->addWidget(m_test);
    row->addStretch(1);
    row->addWidget(open);
    column->addLayout(row);
    connect(open, &QPushButton::clicked, this, &ConnectBox::take);
    connect(m_test, &QPushButton::clicked, this, &ConnectBox::test);
    connect(m_address, &QLineEdit::textChanged, this, &ConnectBox::clearSteps);
    connect(browse, &QPushButton::clicked, this, [this] {
        const QString path = QFileDialog::getOpenFileName(
            this, tr("Open another store"), {}, tr("Stores (*.db *.sqlite *.cairn);;All files (*)"));
        if (!path.isEmpty())
            m_address->setText(path);
    });
    m_address->setFocus();
}

// Seen for a server only. A file, ~/.pgpass or a service file, needs none of it.
void ConnectBox::buildPassword(QVBoxLayout* column)
{
    auto* rows = new QVBoxLayout(m_login);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->addWidget(
        safe::label(tr("Password, where neither ~/.pgpass, a service file nor the keychain has it"),
            {.wrap = true}, m_login));
    m_password->setEchoMode(QLineEdit::Password);
    m_password->setAccessibleName(tr("Password"));
    rows->addWidget(m_password);
    auto* row = new QHBoxLayout;
    row->addWidget(m_keep);
    row->addStretch(1);
    row->addWidget(m_forget);
    rows->addLayout(row);
    column->addWidget(m_login);
    m_forget->setAutoDefault(false);
    m_forget->setVisible(m_forgetter != nullptr);
    connect(m_forget, &QPushButton::clicked, this, &ConnectBox::forget);
    connect(m_address, &QLineEdit::textChanged, this, &ConnectBox::showPassword);
    connect(m_password, &QLineEdit::textChanged, this, &ConnectBox::showPassword);
    connect(m_password, &QLineEdit::textChanged, this, &ConnectBox::clearSteps);
    showPassword();
}

void ConnectBox::showPassword()
{
    const QString store = m_address->text().trimmed();
    const bool server = store.startsWith(u"postgresql://"_s) || store.startsWith(u"postgres://"_s);
    m_login->setVisible(server);
    safe::setOff(m_keep, m_password->text().isEmpty() ? tr("Type a password first.") : QString());
}

// What was typed for a server does not go along when the address is a file's after all.
StoreWish ConnectBox::wish() const
{
    const bool login = !m_login->isHidden();
    const QString password = login ? m_password->text() : QString();
    return {m_address->text().trimmed(), m_acts->isChecked(), password,
        !password.isEmpty() && m_keep->isChecked()};
}

void ConnectBox::forget()
{
    clearSteps();
    const quint64 ticket = m_tickets.next();
    whenDone(m_forgetter(wish().store), this, [this, ticket](const Reply<KeychainSaid>& reply) {
        if (!m_tickets.current(ticket))
            return;
        clearSteps();
        if (!reply)
            return addStep(Glyph::Failed, told(reply.failure));
        switch (reply.value->kind) {
        case KeychainSaid::Kind::Done:
            return addStep(Glyph::Done, tr("The keychain has no password of this login any more."));
        case KeychainSaid::Kind::Nothing:
            return addStep(Glyph::Done, tr("The keychain held no password of this login."));
        case KeychainSaid::Kind::Absent:
        case KeychainSaid::Kind::Refused: return addStep(Glyph::Failed, reply.value->text);
        }
    });
}

void ConnectBox::buildRecent(QVBoxLayout* column)
{
    if (m_recent.empty())
        return;
    column->addWidget(caption(tr("Opened before"), this));
    auto* list = new ChoiceList(tr("Opened before"), this);
    std::vector<FilterChoice> rows;
    for (const RecentStore& store : m_recent)
        rows.push_back({store.url + (store.environment.isEmpty() ? QString() : u"  ·  "_s + store.environment)
                + (store.act ? tr("  ·  acts") : tr("  ·  look only")),
            -1});
    list->setChoices(std::move(rows));
    list->setFocusPolicy(Qt::StrongFocus);
    list->setFixedHeight(list->wantedHeight());
    list->show();
    column->addWidget(list);
    connect(list, &DataTable::currentMoved, this, [this](const QModelIndex& index) {
        if (!index.isValid())
            return;
        const RecentStore& store = m_recent[static_cast<std::size_t>(index.row())];
        const QString written = m_address->text().trimmed();
        const bool theirs = std::any_of(m_recent.begin(), m_recent.end(),
            [&written](const RecentStore& one) { return one.url == written; });
        if (!written.isEmpty() && !theirs)
            return;  // what somebody has typed stays
        m_address->setText(store.url);
        m_acts->setChecked(store.act);
    });
    connect(list, &DataTable::opened, this, &ConnectBox::take);
}

void ConnectBox::clearSteps()
{
    m_tickets.next();
    m_result.clear();
    emptyLayout(m_steps);
}

void ConnectBox::addStep(Glyph glyph, const QString& text)
{
    auto* line = new QWidget(this);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    row->addWidget(glyphLabel(glyph, 14, line), 0, Qt::AlignTop);
    row->addWidget(safe::label(text, {.wrap = true, .selectable = true}, line), 1);
    m_steps->addWidget(line);
    m_result += (m_result.isEmpty() ? QString() : QString(u'\n')) + text;
}

void ConnectBox::test()
{
    clearSteps();
    const StoreWish wanted = wish();
    if (wanted.store.isEmpty() || !m_tester)
        return addStep(Glyph::Failed, tr("Name a store first."));
    addStep(Glyph::Running, tr("Testing, since %1.").arg(nowText()));
    const quint64 ticket = m_tickets.next();
    whenDone(m_tester(wanted), this, [this, ticket](const Reply<StoreCheck>& reply) {
        if (!m_tickets.current(ticket))
            return;
        clearSteps();
        if (reply)
            showCheck(*reply.value);
        else
            addStep(Glyph::Failed, told(reply.failure));
    });
}

void ConnectBox::showCheck(const StoreCheck& check)
{
    for (const CheckStep& step : check.steps)
        addStep(step.ok ? Glyph::Done : Glyph::Failed, step.text);
    if (!check.todo.isEmpty())
        addStep(Glyph::Pending, check.todo);
}

void ConnectBox::take()
{
    const StoreWish wanted = wish();
    if (wanted.store.isEmpty())
        return;
    m_password->clear();
    Q_EMIT chosen(wanted);
    accept();
}

}  // namespace cairn::ui
