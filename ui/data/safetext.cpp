#include "ui/data/safetext.h"

#include "ui/data/format.h"

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

// Zero-width, bidirectional and other characters that change what is read without being seen.
bool isInvisible(char16_t c)
{
    return c == 0x00AD || c == 0x034F || c == 0x061C || c == 0x180E || (c >= 0x200B && c <= 0x200F)
        || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF
        || (c >= 0xFFF9 && c <= 0xFFFB);
}

void appendMark(QString& out, char16_t c)
{
    if (c < 0x20)
        out += QChar(static_cast<char16_t>(0x2400 + c));  // control pictures
    else if (c == 0x7F)
        out += QChar(0x2421);
    else
        out += u"⟨U+%1⟩"_s.arg(c, 4, 16, QChar(u'0')).toUpper();
}

}  // namespace

QString shown(const QString& text, bool multiline, qsizetype limit)
{
    QString out;
    const qsizetype count = std::min(text.size(), limit);
    out.reserve(count);
    for (qsizetype i = 0; i < count; ++i) {
        const char16_t c = text.at(i).unicode();
        const bool breaks = c == u'\n' || c == u'\t';
        if (breaks && multiline)
            out += QChar(c);
        else if (c < 0x20 || (c >= 0x7F && c <= 0x9F) || isInvisible(c))
            appendMark(out, c);
        else
            out += QChar(c);
    }
    if (text.size() > limit)
        out += u"… (%1 more)"_s.arg(countText(static_cast<quint64>(text.size() - limit)));
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
