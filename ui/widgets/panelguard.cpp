#include "ui/widgets/panelguard.h"

#include "ui/data/safetext.h"
#include "ui/widgets/panelnote.h"

#include <QCoreApplication>
#include <QWidget>

namespace cairn::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(panelguard)
};

constexpr const char* kPanel = "cairn-panel";  // the property that holds its name
const QString kNote = QStringLiteral("panel-fault");

QWidget* panelOf(QObject* inside)
{
    for (QObject* at = inside; at != nullptr; at = at->parent())
        if (at->isWidgetType() && at->property(kPanel).isValid())
            return static_cast<QWidget*>(at);
    return nullptr;
}

void cover(QWidget* panel, const QString& why)
{
    auto* note = panel->findChild<PanelNote*>(kNote, Qt::FindDirectChildrenOnly);
    if (note == nullptr) {
        note = new PanelNote({}, panel);
        note->setObjectName(kNote);
        QObject::connect(note, &PanelNote::againWanted, note, [note, panel] {
            note->end();
            panel->update();
        });
    }
    note->fail(why);
}

}  // namespace

void setPanel(QWidget* panel, const QString& name) { panel->setProperty(kPanel, name); }

bool panelFailed(QObject* inside, const char* what)
{
    QWidget* panel = panelOf(inside);
    if (panel == nullptr)
        return false;
    const QString why =
        Words::tr("%1 cannot be shown: %2. Everything else goes on. The store is not concerned; "
                  "\"Try again\" draws it anew.")
            .arg(panel->property(kPanel).toString(), shown(QString::fromUtf8(what), true, 400));
    // Not at once: it may be painting just now.
    QMetaObject::invokeMethod(
        panel, [panel, why] { cover(panel, why); }, Qt::QueuedConnection);
    return true;
}

bool GuardedApplication::notify(QObject* receiver, QEvent* event)
{
    try {
        return QApplication::notify(receiver, event);
    } catch (const std::exception& fault) {
        if (!panelFailed(receiver, fault.what()))
            throw;
    }
    return true;
}

}  // namespace cairn::ui
