#include "ui/data/deeplink.h"

#include <QCoreApplication>
#include <QUrl>
#include <QUrlQuery>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(deeplink)
};

constexpr qsizetype kLongest = 4096;

Reply<DeepLink> wrong(const QString& what)
{
    return {std::nullopt,
        {Words::tr("This is no link of Cairn: ") + what, Words::tr("Nothing was opened."),
            Words::tr("Links look like cairn://open?store=sqlite:/path/store.db&run=ID."), false, false,
            true}};
}

}  // namespace

bool isDeepLink(const QString& text) { return text.startsWith(u"cairn:"_s, Qt::CaseInsensitive); }

Reply<DeepLink> parseDeepLink(const QString& text)
{
    if (text.size() > kLongest)
        return wrong(Words::tr("it is longer than %1 characters.").arg(kLongest));
    const QUrl url(text, QUrl::StrictMode);
    if (!url.isValid() || url.scheme() != u"cairn"_s || url.host() != u"open"_s)
        return wrong(Words::tr("it does not begin with cairn://open?"));
    DeepLink link;
    const auto items = QUrlQuery(url).queryItems(QUrl::FullyDecoded);
    for (const auto& [name, value] : items) {
        QString* into = name == u"store"_s ? &link.store
            : name == u"run"_s             ? &link.run
            : name == u"filter"_s          ? &link.filter
            : name == u"page"_s            ? &link.page
                                           : nullptr;
        if (into == nullptr)
            return wrong(Words::tr("it has the unknown name \"%1\".").arg(name));
        if (!into->isEmpty())
            return wrong(Words::tr("it has %1 twice.").arg(name));
        *into = value;
    }
    if (!link.store.startsWith(u"sqlite:"_s) && !link.store.startsWith(u"postgresql:"_s))
        return wrong(Words::tr("store= must name a sqlite: or postgresql: store."));
    if (!QUrl(link.store).password().isEmpty() || link.store.contains(u"password="_s))
        return wrong(Words::tr("a password does not belong into a link."));
    if (!link.page.isEmpty() && link.page != u"audit"_s)
        return wrong(Words::tr("there is no page \"%1\"; there is audit.").arg(link.page));
    return {link, {}};
}

QString linkText(const DeepLink& link)
{
    QString text = u"cairn://open?store="_s + QString::fromLatin1(QUrl::toPercentEncoding(link.store, "/:@"));
    const std::pair<QString, QString> others[] = {
        {u"run"_s, link.run}, {u"filter"_s, link.filter}, {u"page"_s, link.page}};
    for (const auto& [name, value] : others)
        if (!value.isEmpty())
            text += u'&' + name + u'=' + QString::fromLatin1(QUrl::toPercentEncoding(value));
    return text;
}

}  // namespace cairn::ui
