#include "ui/data/safetext.h"

#include "core/base/text.h"
#include "ui/data/format.h"

#include <QCoreApplication>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(safetext)
};

// The code point that begins at `at`. A surrogate that stands alone is one by itself.
char32_t codePointOf(const QString& text, qsizetype at)
{
    const QChar c = text.at(at);
    if (c.isHighSurrogate() && at + 1 < text.size() && text.at(at + 1).isLowSurrogate())
        return QChar::surrogateToUcs4(c, text.at(at + 1));
    return c.unicode();
}

bool isHidden(char32_t c)
{
    return c < 0x20 || (c >= 0x7F && c <= 0x9F) || QChar::isSurrogate(c) || isInvisible(c);
}

void appendMark(QString& out, char32_t c)
{
    if (c < 0x20)
        out += QChar(static_cast<char16_t>(0x2400 + c));  // control pictures
    else if (c == 0x7F)
        out += QChar(0x2421);
    else
        out += u"⟨U+%1⟩"_s.arg(static_cast<uint>(c), 4, 16, QChar(u'0')).toUpper();
}

}  // namespace

QString shown(const QString& text, bool multiline, qsizetype limit)
{
    QString out;
    out.reserve(std::min(text.size(), limit));
    qsizetype at = 0;
    while (at < text.size() && at < limit) {
        const char32_t c = codePointOf(text, at);
        const qsizetype size = c > 0xFFFF ? 2 : 1;
        if ((c == u'\n' || c == u'\t') && multiline)
            out += QChar(static_cast<char16_t>(c));
        else if (isHidden(c))
            appendMark(out, c);
        else
            out += QStringView(text).mid(at, size);
        at += size;
    }
    if (at < text.size())
        out += Words::tr("… (%1 more)").arg(countText(static_cast<quint64>(text.size() - at)));
    return out;
}

QString shownBytes(const QByteArray& bytes, qsizetype limit)
{
    return shown(QString::fromUtf8(bytes.left(limit)), true, limit);
}

QString tip(const QString& text)
{
    // The span makes Qt take it for rich text in any case, so that what was escaped is never shown twice
    // escaped.
    return text.isEmpty() ? QString() : u"<span>"_s + shown(text, true, 2000).toHtmlEscaped() + u"</span>"_s;
}

}  // namespace cairn::ui
