#include "ui/dialogs/exportbox.h"

#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/dialogs/sheetparts.h"
#include "ui/widgets/safetext.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QCoreApplication>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRadioButton>
#include <QTimer>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct FormatWord {
    ExportKind kind;
    const char* name;
    const char* text;
    const char* ending;
};
constexpr FormatWord kFormats[] = {
    {ExportKind::Bundle, QT_TRANSLATE_NOOP("ExportBox", "Bundle"),
        QT_TRANSLATE_NOOP("ExportBox", "everything as it is stored, to be verified and opened again"),
        "cairn.zip"},
    {ExportKind::Html, QT_TRANSLATE_NOOP("ExportBox", "Page"),
        QT_TRANSLATE_NOOP("ExportBox", "one HTML file to read and print"), "html"},
    {ExportKind::CsvHistory, QT_TRANSLATE_NOOP("ExportBox", "Events as CSV"),
        QT_TRANSLATE_NOOP("ExportBox", "one row for each entry of the histories"), "csv"},
    {ExportKind::CsvSteps, QT_TRANSLATE_NOOP("ExportBox", "Steps as CSV"),
        QT_TRANSLATE_NOOP("ExportBox", "one row for each step"), "csv"},
    {ExportKind::CsvAudit, QT_TRANSLATE_NOOP("ExportBox", "Acts as CSV"),
        QT_TRANSLATE_NOOP("ExportBox", "one row for each act of a person"), "csv"},
    {ExportKind::Otlp, QT_TRANSLATE_NOOP("ExportBox", "Traces"),
        QT_TRANSLATE_NOOP("ExportBox", "OpenTelemetry, OTLP as JSON"), "json"},
    {ExportKind::AuditLog, QT_TRANSLATE_NOOP("ExportBox", "Log"),
        QT_TRANSLATE_NOOP("ExportBox", "one line of JSON for each entry, with its hash and the one before"),
        "jsonl"},
    {ExportKind::AuditTable, QT_TRANSLATE_NOOP("ExportBox", "Table"),
        QT_TRANSLATE_NOOP("ExportBox", "one row for each entry, as CSV"), "csv"},
};

QString translated(const char* text) { return QCoreApplication::translate("ExportBox", text); }

}  // namespace

ExportBox::ExportBox(
    Source& source, const StoreFacts& facts, std::vector<ExportScope> scopes, QWidget* parent)
    : QDialog(parent)
    , m_source(source)
    , m_facts(facts)
    , m_scopes(std::move(scopes))
    , m_log(!m_scopes.empty() && m_scopes.front().log)
    , m_scope(new QButtonGroup(this))
    , m_format(new QButtonGroup(this))
    , m_tree(new QCheckBox(tr("with the runs that these started"), this))
    , m_redact(new QCheckBox(tr("without the bytes of payloads; it still verifies"), this))
    , m_path(new QLineEdit(this))
    , m_reason(new QLineEdit(this))
    , m_size(safe::label({}, {.wrap = true}, this))
    , m_state(safe::label({}, {.secondary = true, .wrap = true, .selectable = true}, this))
    , m_bar(new QProgressBar(this))
    , m_start(safe::button(tr("Export"), this))
    , m_look(new QTimer(this))
{
    setWindowTitle(tr("Export"));
    setModal(true);
    setAttribute(Qt::WA_DeleteOnClose);
    setMinimumWidth(600);
    m_look->setInterval(100);
    m_bar->setFixedHeight(6);
    m_bar->setTextVisible(false);
    m_bar->setAccessibleName(tr("Progress of the export"));
    m_bar->hide();
    m_start->setProperty("primary", true);
    m_start->setAutoDefault(false);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 14);
    column->addWidget(new SheetHead(facts, tr("Export"), this));
    for (QWidget* part : {buildScopes(), buildFormats(), buildPlace()})
        column->addWidget(part);
    connect(m_look, &QTimer::timeout, this, &ExportBox::tellProgress);
    connect(m_start, &QPushButton::clicked, this, [this] {
        if (m_writing)
            stop();
        else
            write();
    });
    enableAll();
    measure();
}

ExportBox::~ExportBox()
{
    for (const auto& progress : {m_measuring, m_writing})
        if (progress)
            progress->stop = true;
}

QWidget* ExportBox::buildScopes()
{
    auto* part = new QWidget(this);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(18, 8, 18, 0);
    column->addWidget(caption(m_log ? tr("Which entries") : tr("Which runs"), part));
    int id = 0;
    for (const ExportScope& scope : m_scopes) {
        auto* button = new QRadioButton(shown(scope.text, false, 120).replace(u'&', u"&&"_s), part);
        m_scope->addButton(button, id);
        button->setChecked(id++ == 0);
        column->addWidget(button);
    }
    column->addWidget(m_tree);
    m_tree->setVisible(!m_log);
    connect(m_scope, &QButtonGroup::idClicked, this, &ExportBox::measure);
    connect(m_tree, &QCheckBox::toggled, this, &ExportBox::measure);
    return part;
}

QWidget* ExportBox::buildFormats()
{
    auto* part = new QWidget(this);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(18, 8, 18, 0);
    column->addWidget(caption(tr("Format"), part));
    for (const FormatWord& word : kFormats) {
        if (isOfAudit(word.kind) != m_log)
            continue;
        auto* button = new QRadioButton(translated(word.name) + u": "_s + translated(word.text), part);
        m_format->addButton(button, static_cast<int>(word.kind));
        button->setChecked(word.kind == (m_log ? ExportKind::AuditLog : ExportKind::Bundle));
        column->addWidget(button);
    }
    column->addWidget(m_redact);
    m_redact->setVisible(!m_log);
    connect(m_format, &QButtonGroup::idClicked, this, &ExportBox::enableAll);
    connect(m_redact, &QCheckBox::toggled, this, &ExportBox::measure);
    return part;
}

QWidget* ExportBox::buildPlace()
{
    auto* part = new QWidget(this);
    auto* column = new QVBoxLayout(part);
    column->setContentsMargins(18, 8, 18, 0);
    column->addWidget(caption(tr("New file"), part));
    auto* row = new QHBoxLayout;
    auto* browse = safe::button(tr("Choose…"), part);
    browse->setAutoDefault(false);
    m_path->setAccessibleName(tr("New file"));
    m_path->setFont(typeface(13, false, Face::Mono));
    row->addWidget(m_path, 1);
    row->addWidget(browse);
    column->addLayout(row);
    column->addWidget(caption(m_facts.guarded ? tr("Reason, required") : tr("Reason"), part));
    m_reason->setAccessibleName(tr("Reason"));
    column->addWidget(m_reason);
    column->addWidget(m_size);
    column->addWidget(m_bar);
    column->addWidget(m_state);
    auto* foot = new QHBoxLayout;
    auto* close = safe::button(tr("Close"), part);
    m_close = close;
    close->setAutoDefault(false);
    foot->addStretch(1);
    foot->addWidget(close);
    foot->addWidget(m_start);
    column->addLayout(foot);
    connect(close, &QPushButton::clicked, this, &ExportBox::reject);
    connect(m_path, &QLineEdit::textChanged, this, &ExportBox::enableAll);
    connect(browse, &QPushButton::clicked, this, [this] {
        const QString path = QFileDialog::getSaveFileName(this, tr("Export to a new file"), m_path->text());
        if (!path.isEmpty())
            m_path->setText(path);
    });
    return part;
}

ExportKind ExportBox::kind() const { return static_cast<ExportKind>(m_format->checkedId()); }

void ExportBox::choose(ExportKind kind) { m_format->button(static_cast<int>(kind))->click(); }

ExportRequest ExportBox::request() const
{
    const int chosen = std::max(0, m_scope->checkedId());
    const ExportScope& scope = m_scopes[static_cast<std::size_t>(chosen)];
    ExportRequest request;
    request.kind = kind();
    request.runs = scope.runs;
    request.filter = scope.filter;
    request.tree = m_tree->isChecked();
    request.redact = m_redact->isChecked() && kind() == ExportKind::Bundle;
    request.path = m_path->text().trimmed();
    request.reason = m_reason->text().trimmed();
    return request;
}

void ExportBox::enableAll()
{
    safe::setOff(m_redact,
        m_writing                          ? tr("The export is being written.")
            : kind() == ExportKind::Bundle ? QString()
                                           : tr("Only a bundle can be written without its payloads."));
    safe::setOff(m_start,
        m_writing != nullptr || !m_path->text().trimmed().isEmpty() ? QString()
                                                                    : tr("Name the new file first."));
    if (m_path->text().isEmpty() && !m_writing)
        for (const FormatWord& word : kFormats)
            if (word.kind == kind())
                m_path->setPlaceholderText(
                    (m_log ? u"audit."_s : u"runs."_s) + QString::fromLatin1(word.ending));
}

void ExportBox::showState(const QString& text) { safe::setText(m_state, text); }
QString ExportBox::state() const { return m_state->text(); }

// How much it would be. What was asked before is of no use any more.
void ExportBox::measure()
{
    if (m_measuring)
        m_measuring->stop = true;
    m_measuring = std::make_shared<ExportProgress>();
    const quint64 ticket = m_tickets.next();
    safe::setText(m_size, tr("Counting, since %1.").arg(nowText()));
    whenDone(
        m_source.measureExport(request(), m_measuring), this, [this, ticket](const Reply<ExportSize>& reply) {
            if (!m_tickets.current(ticket))
                return;
            if (!reply) {
                safe::setText(m_size, reply.failure.cancelled ? QString() : told(reply.failure));
                return;
            }
            const ExportSize& size = *reply.value;
            if (m_log)
                return safe::setText(m_size, tr("%1 in all").arg(plural(size.entries, "entry", "entries")));
            safe::setText(m_size,
                tr("%1, %2; %3%4 with %5 of payloads")
                    .arg(plural(size.runs, "run", "runs"), plural(size.entries, "entry", "entries"),
                        size.estimated ? tr("about ") : QString(),
                        plural(size.payloads, "payload", "payloads"), sizeText(size.bytes)));
        });
}

void ExportBox::write()
{
    if (request().path.isEmpty())
        return showState(tr("Name the new file first."));
    m_writing = std::make_shared<ExportProgress>();
    m_start->setText(tr("Stop"));
    m_close->setText(tr("Close, and go on"));
    m_bar->setRange(0, 0);
    m_bar->show();
    m_look->start();
    showState(tr("Writing. Stop leaves nothing behind."));
    enableAll();
    whenDone(m_source.writeExport(request(), m_writing), this,
        [this](const Reply<ExportDone>& reply) { answered(reply); });
}

void ExportBox::tellProgress()
{
    if (!m_writing)
        return;
    const quint64 all = m_writing->runsInAll;
    const quint64 runs = m_writing->runs;
    if (all > 0) {
        m_bar->setRange(0, 1000);
        m_bar->setValue(static_cast<int>(runs * 1000 / all));
    }
    showState((m_log ? tr("Looked at %1 of %2, wrote %3. Stop leaves nothing behind.")
                     : tr("Wrote %1 of %2, %3. Stop leaves nothing behind."))
                  .arg(countText(runs), m_log ? plural(all, "entry", "entries") : plural(all, "run", "runs"),
                      sizeText(m_writing->bytes)));
}

void ExportBox::answered(const Reply<ExportDone>& reply)
{
    m_look->stop();
    m_bar->hide();
    m_writing.reset();
    m_close->setText(tr("Close"));
    m_start->setText(tr("Export"));
    enableAll();
    if (!reply) {
        showState(reply.failure.cancelled ? tr("Stopped; nothing was left behind.") : told(reply.failure));
        if (isHidden()) {
            Q_EMIT ended(state());
            deleteLater();
        }
        return;
    }
    const ExportDone& done = *reply.value;
    QStringList parts{
        tr("Wrote %1, %2, %3.")
            .arg(done.path, sizeText(done.size),
                m_log ? plural(done.entries, "entry", "entries") : plural(done.runs, "run", "runs"))};
    if (done.withheld > 0)
        parts << tr("%1 without bytes.").arg(plural(done.withheld, "payload", "payloads"));
    parts += done.notes;
    parts << done.recorded;
    showState(parts.join(u' '));
    Q_EMIT ended(parts.join(u' '));
    if (isHidden())
        deleteLater();
}

void ExportBox::stop()
{
    if (m_writing)
        m_writing->stop = true;
}

void ExportBox::reject()
{
    if (!m_writing)
        return QDialog::reject();
    hide();
    Q_EMIT goesOn();
}

void ExportBox::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return && event->modifiers() == Qt::ControlModifier) {
        if (!m_writing)
            write();
        return;
    }
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter)
        return;  // a bare Enter writes nothing
    QDialog::keyPressEvent(event);
}

}  // namespace cairn::ui
