#pragma once
// The text that a widget paints, without its pixels: what stands in a picture of it. Text that was cut or
// hidden is not there, and text in a pixmap that was painted before is not seen.

#include <QPaintDevice>
#include <QPaintEngine>
#include <QString>
#include <QWidget>

namespace cairn::ui::test {

class TextEngine final : public QPaintEngine {
public:
    explicit TextEngine(QString& out)
        : QPaintEngine(QPaintEngine::AllFeatures)
        , m_out(out)
    {
    }
    bool begin(QPaintDevice*) override { return true; }
    bool end() override { return true; }
    void updateState(const QPaintEngineState&) override { }
    void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override { }
    void drawImage(const QRectF&, const QImage&, const QRectF&, Qt::ImageConversionFlags) override { }
    void drawPath(const QPainterPath&) override { }
    void drawPolygon(const QPointF*, int, PolygonDrawMode) override { }
    // One line of text may come in parts, and a word that is broken in two lines.
    void drawTextItem(const QPointF&, const QTextItem& item) override
    {
        for (const QChar c : item.text())
            if (!c.isSpace())
                m_out += c;
    }
    [[nodiscard]] Type type() const override { return User; }

private:
    QString& m_out;
};

class TextDevice final : public QPaintDevice {
public:
    explicit TextDevice(QSize size)
        : m_size(size)
        , m_engine(m_text)
    {
    }
    [[nodiscard]] QPaintEngine* paintEngine() const override { return &m_engine; }
    [[nodiscard]] const QString& text() const { return m_text; }

protected:
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override
    {
        switch (metric) {
        case PdmWidth: return m_size.width();
        case PdmHeight: return m_size.height();
        case PdmWidthMM: return m_size.width() * 254 / 960;
        case PdmHeightMM: return m_size.height() * 254 / 960;
        case PdmNumColors: return INT_MAX;
        case PdmDepth: return 32;
        case PdmDpiX:
        case PdmDpiY:
        case PdmPhysicalDpiX:
        case PdmPhysicalDpiY: return 96;
        case PdmDevicePixelRatio: return 1;
        case PdmDevicePixelRatioScaled: return static_cast<int>(devicePixelRatioFScale());
        default: return 0;
        }
    }

private:
    QSize m_size;
    QString m_text;
    mutable TextEngine m_engine;
};

// Without blanks and line ends.
inline QString drawnText(QWidget& widget)
{
    TextDevice device(widget.size());
    widget.render(&device);
    return device.text();
}

}  // namespace cairn::ui::test
