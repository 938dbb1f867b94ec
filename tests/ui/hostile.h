#pragma once
// Text that tries to be more than text, and watches for whether it came to be: opened, or hidden.

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QFile>
#include <QImage>
#include <QLabel>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QTemporaryDir>
#include <QWidget>

#include <sys/inotify.h>
#include <unistd.h>

namespace cairn::ui::test {

using namespace Qt::StringLiterals;

// A picture that hostile text names, and a count of how often anybody opened it.
class Canary {
public:
    Canary()
        : m_path(m_folder.filePath(u"canary.png"_s))
        , m_watch(inotify_init1(IN_NONBLOCK))
    {
        QImage image(4, 4, QImage::Format_RGB32);
        image.fill(Qt::red);
        image.save(m_path);
        inotify_add_watch(m_watch, QFile::encodeName(m_path).constData(), IN_OPEN);
    }
    ~Canary() { close(m_watch); }
    [[nodiscard]] QString text() const
    {
        return u"<img src=\"%1\"><b>bold</b> <a href=\"file://%1\">x</a> a < b > c"_s.arg(m_path);
    }
    [[nodiscard]] int opened() const
    {
        int count = 0;
        alignas(inotify_event) char buffer[4096];
        for (ssize_t got = read(m_watch, buffer, sizeof buffer); got > 0;
             got = read(m_watch, buffer, sizeof buffer))
            for (ssize_t at = 0; at < got;) {
                const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
                ++count;
                at += static_cast<ssize_t>(sizeof(inotify_event) + event->len);
            }
        return count;
    }

private:
    QTemporaryDir m_folder;
    QString m_path;
    int m_watch;
};

// Takes down every text that is painted on it, by whatever way.
class Recorder final : public QPaintDevice {
public:
    explicit Recorder(QSize size)
        : m_size(size)
    {
    }
    [[nodiscard]] QPaintEngine* paintEngine() const override { return &m_engine; }
    [[nodiscard]] const QStringList& texts() const { return m_engine.texts; }

protected:
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override
    {
        switch (metric) {
        case PdmWidth: return m_size.width();
        case PdmHeight: return m_size.height();
        case PdmWidthMM: return m_size.width() * 254 / 960;
        case PdmHeightMM: return m_size.height() * 254 / 960;
        case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
        case PdmNumColors: return 0;
        case PdmDepth: return 32;
        case PdmDevicePixelRatio: return 1;
        default: return 96;
        }
    }

private:
    class Engine final : public QPaintEngine {
    public:
        Engine()
            : QPaintEngine(AllFeatures)
        {
        }
        bool begin(QPaintDevice*) override { return true; }
        bool end() override { return true; }
        void updateState(const QPaintEngineState&) override { }
        void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override { }
        void drawPolygon(const QPointF*, int, PolygonDrawMode) override { }
        void drawTextItem(const QPointF&, const QTextItem& item) override { texts << item.text(); }
        [[nodiscard]] Type type() const override { return User; }
        QStringList texts;
    };

    QSize m_size;
    mutable Engine m_engine;
};

inline QString codePoint(char32_t c) { return QString::fromUcs4(&c, 1); }

// One of each kind that shows nothing.
inline QStringList hiddenParts()
{
    return {QString(QChar(0x200B)), QString(QChar(0x202E)), QString(QChar(0x115F)), QString(QChar(0x3164)),
        QString(QChar(0xFFA0)), codePoint(0xE0061)};
}

// What is painted, said to assistive programs, or told in tips, and holds what is hidden.
inline QStringList hiddenIn(QWidget& window)
{
    Recorder recorder(window.size());
    window.render(&recorder);
    QStringList texts = recorder.texts();
    if (texts.isEmpty())
        return {u"nothing was painted"_s};
    for (const QWidget* widget : window.findChildren<QWidget*>())
        texts << widget->accessibleName() << widget->accessibleDescription() << widget->toolTip();
    for (const QLabel* label : window.findChildren<QLabel*>())
        texts << label->text();
    for (const QAbstractButton* button : window.findChildren<QAbstractButton*>())
        texts << button->text();
    for (const QAction* action : window.findChildren<QAction*>())
        texts << action->text();
    QStringList found;
    for (const QString& text : texts)
        for (const QString& part : hiddenParts())
            if (text.contains(part))
                found << u"U+"_s + QString::number(part.toUcs4().front(), 16) + u": "_s + text;
    found.removeDuplicates();
    return found;
}

inline void paintAll(QWidget& widget)
{
    for (int i = 0; i < 5; ++i)
        QApplication::processEvents();
    static_cast<void>(widget.grab());
}

}  // namespace cairn::ui::test
