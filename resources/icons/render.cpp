// render SVG SIZE FILE: draws one of our icons as a PNG of SIZE x SIZE pixels, for hicolor's folders. Runs
// while Cairn is built; needs no display.

#include <QFile>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>

#include <cstdio>

int main(int argc, char** argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: render SVG SIZE FILE\n");
        return 2;
    }
    const int size = QByteArray(argv[2]).toInt();
    QSvgRenderer drawing(QFile::decodeName(argv[1]));
    if (!drawing.isValid() || size < 8 || size > 1024) {
        std::fprintf(stderr, "render: %s is no drawing, or %s no size from 8 to 1024\n", argv[1], argv[2]);
        return 1;
    }
    QImage image(size, size, QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    painter.setRenderHint(QPainter::Antialiasing);
    drawing.render(&painter);
    painter.end();
    if (!image.save(QFile::decodeName(argv[3]), "PNG")) {
        std::fprintf(stderr, "render: %s could not be written\n", argv[3]);
        return 1;
    }
    return 0;
}
