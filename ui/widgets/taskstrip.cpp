#include "ui/widgets/taskstrip.h"

#include "ui/widgets/safetext.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kLookMs = 250;
}

TaskStrip::TaskStrip(QWidget* parent)
    : QWidget(parent)
    , m_lines(new QVBoxLayout(this))
{
    m_lines->setContentsMargins(14, 0, 14, 0);
    m_lines->setSpacing(0);
    m_look.setInterval(kLookMs);
    connect(&m_look, &QTimer::timeout, this, &TaskStrip::tell);
    setAccessibleName(tr("Work that goes on"));
    hide();
}

void TaskStrip::add(QObject* owner, LongTask task)
{
    remove(owner);
    auto* line = new QWidget(this);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 3, 0, 3);
    auto* text = safe::label({}, {.selectable = true}, line);
    text->setFocusPolicy(Qt::NoFocus);
    QPushButton* show = safe::button(tr("Show"), line);
    QPushButton* stop = safe::button(tr("Stop"), line);
    for (QPushButton* button : {show, stop}) {
        button->setProperty("small", true);
        button->setAccessibleDescription(task.name);
    }
    row->addWidget(text, 1);
    row->addWidget(show);
    row->addWidget(stop);
    connect(show, &QPushButton::clicked, this, task.show);
    connect(stop, &QPushButton::clicked, this, task.stop);
    connect(owner, &QObject::destroyed, this, [this, owner] { remove(owner); });
    m_lines->addWidget(line);
    m_rows.push_back({owner, std::move(task), line, text});
    tell();
    m_look.start();
    setVisible(true);
}

void TaskStrip::remove(const QObject* owner)
{
    std::erase_if(m_rows, [owner](const Row& row) {
        if (row.owner != owner)
            return false;
        row.line->hide();
        row.line->deleteLater();
        return true;
    });
    if (m_rows.empty()) {
        m_look.stop();
        hide();
    }
}

QStringList TaskStrip::names() const
{
    QStringList names;
    for (const Row& row : m_rows)
        names << row.task.name;
    return names;
}

void TaskStrip::stopAll()
{
    // Each may end at once, and go.
    const std::vector<Row> rows = m_rows;
    for (const Row& row : rows)
        row.task.stop();
}

void TaskStrip::tell()
{
    for (const Row& row : m_rows)
        safe::setText(row.text, row.task.name + u": "_s + row.task.said());
}

}  // namespace cairn::ui
