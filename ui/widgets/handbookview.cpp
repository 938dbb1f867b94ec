#include "ui/widgets/handbookview.h"

#include "ui/data/handbook.h"
#include "ui/widgets/theme.h"

#include <QScrollBar>
#include <QTextBlock>
#include <QTextDocument>

namespace cairn::ui {

using namespace Qt::StringLiterals;

HandbookView::HandbookView(QWidget* parent)
    : QTextBrowser(parent)
{
    setOpenLinks(false);
    setOpenExternalLinks(false);
    setUndoRedoEnabled(false);
    setFont(typeface(13));
    setAccessibleName(tr("Page of the handbook"));
    connect(this, &QTextBrowser::anchorClicked, this,
        [this](const QUrl& url) { follow(url.toString(QUrl::FullyEncoded)); });
}

bool HandbookView::open(const QString& page, const QString& place)
{
    const HandbookText text = handbookText(page);
    if (text.name.isEmpty())
        return false;
    if (m_page != text.name) {
        m_page = text.name;
        document()->setDefaultFont(typeface(13));
        // Without HTML: what looks like a tag in a page is text.
        QTextDocument::MarkdownFeatures features(QTextDocument::MarkdownDialectGitHub);
        features.setFlag(QTextDocument::MarkdownNoHTML);
        document()->setMarkdown(text.text, features);
        setAccessibleDescription(text.title);
    }
    showPlace(place);
    return true;
}

// The pages hold no pictures, and nothing outside is asked for one.
QVariant HandbookView::loadResource(int, const QUrl&) { return {}; }

void HandbookView::follow(const QString& link)
{
    const HandbookTarget target = handbookTarget(m_page, link);
    if (target.name.isEmpty()) {
        Q_EMIT leadsOut(link);
        return;
    }
    if (open(target.name, target.place))
        Q_EMIT opened(target.name, target.place);
}

// Headings carry no anchors in Qt's Markdown; they are found by their text.
void HandbookView::showPlace(const QString& place)
{
    m_place = place;
    QTextCursor cursor(document());
    for (QTextBlock block = document()->begin(); !place.isEmpty() && block.isValid(); block = block.next())
        if (block.blockFormat().headingLevel() > 0 && handbookAnchor(block.text()) == place) {
            cursor.setPosition(block.position());
            break;
        }
    setTextCursor(cursor);
    verticalScrollBar()->setValue(verticalScrollBar()->value() + cursorRect(cursor).top());
}

}  // namespace cairn::ui
