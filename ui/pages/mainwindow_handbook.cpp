// F1: the page of the handbook that applies here.

#include "ui/data/handbook.h"
#include "ui/dialogs/handbookbox.h"
#include "ui/pages/mainwindow.h"

#include <QApplication>
#include <QShortcut>

namespace cairn::ui {

HandbookBox* MainWindow::handbook() const { return m_handbook; }

// Of what is selected or open: why it waits. Where nothing waits: the index.
QString MainWindow::handbookHere() const { return handbookNameOf(currentWhy().reason); }

// A sheet keeps all windows but its own children from being used, so from there the handbook is its child.
void MainWindow::showHandbook(const QString& page)
{
    QWidget* sheet = QApplication::activeModalWidget();
    QWidget* parent = sheet != nullptr ? sheet : this;
    if (m_handbook != nullptr && m_handbook->parentWidget() != parent)
        delete m_handbook;
    if (m_handbook == nullptr) {
        m_handbook = new HandbookBox(parent);
        m_handbook->setAttribute(Qt::WA_DeleteOnClose);
    }
    m_handbook->openPage(page);
    m_handbook->show();
    m_handbook->raise();
    m_handbook->activateWindow();
}

void MainWindow::showHandbookHere() { showHandbook(handbookHere()); }

void MainWindow::helpOn(QDialog& sheet, Verb verb)
{
    auto* key = new QShortcut(QKeySequence(Qt::Key_F1), &sheet);
    connect(key, &QShortcut::activated, this, [this, verb] { showHandbook(handbookNameOf(verb)); });
}

}  // namespace cairn::ui
