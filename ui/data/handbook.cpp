#include "ui/data/handbook.h"

#include "core/handbook/handbook.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(handbook)
};

QString textOf(std::string_view view)
{
    return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size()));
}

// The window shows no pictures: what one tells in words stands in its place.
QString withoutPictures(QString text)
{
    static const QRegularExpression picture(u"!\\[([^\\]\\n]*)\\]\\([^)\\s]+\\)"_s);
    return text.replace(picture, Words::tr("*Picture: \\1*"));
}

QString nameOr(const HandbookPage* page) { return page != nullptr ? textOf(page->name) : handbookIndex(); }

}  // namespace

HandbookText handbookText(const QString& name)
{
    const HandbookPage* page = handbookPage(name.toStdString());
    return page != nullptr
        ? HandbookText{textOf(page->name), textOf(page->title), withoutPictures(textOf(page->text))}
        : HandbookText{};
}

QString handbookNameOf(Reason reason) { return nameOr(handbookPage(reason)); }
QString handbookNameOf(Verb verb) { return nameOr(handbookPage(verb)); }
QString handbookIndex() { return u"README"_s; }

HandbookTarget handbookTarget(const QString& from, const QString& link)
{
    const HandbookPage* page = handbookPage(from.toStdString());
    const auto place = page != nullptr ? handbookLink(*page, link.toStdString()) : std::nullopt;
    return place ? HandbookTarget{textOf(place->page->name), QString::fromStdString(place->place)}
                 : HandbookTarget{};
}

QString handbookAnchor(const QString& heading)
{
    return QString::fromStdString(headingAnchor(heading.toStdString()));
}

std::vector<HandbookLine> searchedHandbook(const QString& words)
{
    std::vector<HandbookLine> lines;
    if (words.trimmed().isEmpty()) {
        for (const HandbookPage& page : handbookPages())
            lines.push_back({textOf(page.name), textOf(page.title), {}, {}});
        return lines;
    }
    for (const HandbookHit& hit : searchHandbook(words.toStdString()))
        lines.push_back({textOf(hit.page->name), textOf(hit.page->title), QString::fromStdString(hit.place),
            QString::fromStdString(hit.line)});
    return lines;
}

}  // namespace cairn::ui
