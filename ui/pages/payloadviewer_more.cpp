// What is done with a payload beside looking at it: revealing, going to a place in it, copies, images, files.
#include "ui/data/format.h"
#include "ui/data/safetext.h"
#include "ui/data/words.h"
#include "ui/dialogs/namebox.h"
#include "ui/models/payloadmodels.h"
#include "ui/pages/hiddenbar.h"
#include "ui/pages/payloadviewer.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/safetext.h"

#include <QApplication>
#include <QBuffer>
#include <QClipboard>
#include <QDesktopServices>
#include <QDir>
#include <QImageReader>
#include <QLabel>
#include <QLineEdit>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QUrl>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

// Formats whose readers take nothing but these bytes.
QImage decoded(const QByteArray& bytes)
{
    QBuffer buffer;
    buffer.setData(bytes);
    buffer.open(QIODevice::ReadOnly);
    QImageReader reader(&buffer);
    reader.setDecideFormatFromContent(true);
    static const QList<QByteArray> kKnown{"png", "jpeg", "jpg", "gif", "bmp", "webp"};
    return kKnown.contains(reader.format()) ? reader.read() : QImage();
}

// By which the desktop chooses a program. A page or a script that a run left is opened as text, by no program
// that would run it; what nobody knows is bytes.
QString endingOf(const QString& media)
{
    static const std::pair<QString, QString> kEndings[] = {{u"json"_s, u".json"_s},
        {u"image/png"_s, u".png"_s}, {u"image/jpeg"_s, u".jpg"_s}, {u"image/gif"_s, u".gif"_s},
        {u"image/webp"_s, u".webp"_s}, {u"image/bmp"_s, u".bmp"_s}, {u"application/pdf"_s, u".pdf"_s},
        {u"text/csv"_s, u".csv"_s}, {u"text/"_s, u".txt"_s}};
    for (const auto& [part, ending] : kEndings)
        if (media.contains(part, Qt::CaseInsensitive))
            return ending;
    return u".bin"_s;
}

}  // namespace

// --- what is hidden

void PayloadViewer::reveal(const QString& reason)
{
    const PayloadLine line = m_shown;
    whenDone(m_source.reveal(m_run, line, reason), this, [this, line](const Reply<QString>& reply) {
        if (m_shown != line)
            return;  // another is shown by now; what was recorded stays so
        if (!reply)
            return m_hiddenBar->sayFailure(told(reply.failure));
        m_recorded = *reply.value;
        PayloadLine plain = line;
        plain.plain = true;
        read(plain);
    });
}

void PayloadViewer::hideAgain()
{
    m_recorded.clear();
    PayloadLine line = m_shown;
    line.plain = false;
    read(line);
}

// --- places

bool PayloadViewer::goToPlace(const QString& place)
{
    if (m_index == nullptr)
        return false;
    bool number = false;
    if (const quint64 offset = place.toULongLong(&number); number) {
        if (offset >= static_cast<quint64>(m_index->bytes().size()))
            return false;
        goTo(offset);
        return true;
    }
    const auto node = m_index->nodeOf(place);
    if (!node)
        return false;
    goTo(m_index->nodes()[*node].begin);
    return true;
}

void PayloadViewer::askPlace()
{
    if (m_index == nullptr)
        return;
    auto* box = new NameBox(tr("Go to"),
        possible(Tree) ? tr("A byte, such as 1200, or the path of a value, such as /items/0/sku")
                       : tr("A byte, such as 1200"),
        this);
    box->setObjectName(u"go-to"_s);
    connect(box, &NameBox::chosen, this, [this](const QString& place) {
        if (!goToPlace(place))
            say(tr("There is no %1 in this value.").arg(shown(place, false, 200)));
    });
    box->open();
}

void PayloadViewer::openTo(int level)
{
    if (!possible(Tree))
        return;
    setMode(Tree);
    const quint32 here = m_node;
    const bool all = m_tree->openTo(level);
    m_tables[Tree]->setCurrentIndex(m_tree->index(m_tree->reveal(here), 0));
    if (!all)
        say(tr("Opened up to %1: more is folded.").arg(plural(JsonTreeModel::kMostOpened, "row", "rows")));
}

// --- copying, drawing, saving

void PayloadViewer::copyPath() const
{
    if (possible(Tree))
        QApplication::clipboard()->setText(path());
}

// The bytes of the value, not what the panel shows of them.
void PayloadViewer::copyValue() const
{
    if (possible(Tree))
        QApplication::clipboard()->setText(QString::fromUtf8(m_index->raw(m_node)));
    else if (m_index != nullptr && mode() == Text && m_tables[Text]->currentRow() >= 0)
        QApplication::clipboard()->setText(QString::fromUtf8(m_rows->bytesOf(m_tables[Text]->currentRow())));
}

void PayloadViewer::drawImage()
{
    if (!possible(Image))
        return;
    const quint64 ticket = m_tickets.next();
    whenDone(inBackground<QImage>([bytes = m_bytes] { return decoded(bytes); }), this,
        [this, ticket](const Reply<QImage>& reply) {
            if (!m_tickets.current(ticket))
                return;
            const QImage& image = *reply.value;
            if (image.isNull())
                return say(tr("These bytes are no image that is drawn here (PNG, JPEG, GIF, BMP, WebP)."));
            m_image->setPixmap(QPixmap::fromImage(image.scaled(
                image.size().boundedTo(m_views->size()), Qt::KeepAspectRatio, Qt::SmoothTransformation)));
            say(tr("image, %1 × %2").arg(image.width()).arg(image.height()));
            m_views->setCurrentIndex(Image);
            writeModes();
        });
}

void PayloadViewer::save(const QString& path)
{
    whenDone(m_source.savePayload(m_run, m_shown, path), this, [this](const Reply<quint64>& reply) {
        if (reply)
            Q_EMIT said(m_hidden == 0 || m_shown.plain
                    ? tr("Saved %1, exactly as stored.").arg(sizeText(*reply.value))
                    : tr("Saved %1, with %2 hidden.")
                          .arg(sizeText(*reply.value), plural(m_hidden, "field", "fields")));
        else
            Q_EMIT failed(told(reply.failure));
    });
}

// A copy of what is shown: the store itself is never given to another program.
void PayloadViewer::openOutside()
{
    // Readable by this user alone.
    if (!m_outsideFiles)
        m_outsideFiles = std::make_unique<QTemporaryDir>(QDir::temp().filePath(u"cairn-value-XXXXXX"_s));
    if (!m_outsideFiles->isValid())
        return Q_EMIT failed(
            tr("No folder for the copy could be made: %1").arg(m_outsideFiles->errorString()));
    const QString path = m_outsideFiles->filePath(idText(m_shown.id) + endingOf(m_shown.media));
    whenDone(m_source.savePayload(m_run, m_shown, path), this, [this, path](const Reply<quint64>& reply) {
        if (!reply)
            return Q_EMIT failed(told(reply.failure));
        if (QDesktopServices::openUrl(QUrl::fromLocalFile(path)))
            Q_EMIT said(tr("A copy is open outside; it is deleted when this page is closed."));
        else
            Q_EMIT failed(tr("This desktop has no program for it. Save the whole value instead."));
    });
}

}  // namespace cairn::ui
