#include "ui/data/savedviews.h"

#include "ui/data/jobs.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSaveFile>

#include <algorithm>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(savedviews)
};

const QString kSchema = u"urn:cairn:views:1"_s;
constexpr qint64 kLargest = 1024 * 1024;
constexpr qsizetype kMostViews = 200;
constexpr qsizetype kLongest = 2000;

Reply<std::vector<SavedView>> wrong(const QString& what)
{
    return {std::nullopt,
        {Words::tr("This is no file of views: ") + what, Words::tr("Nothing was changed."),
            Words::tr("Take a file that \"Save views to a file\" has written."), false, false, true}};
}

struct FileWorld {
    [[nodiscard]] static Status open() { return {}; }
};

Error fileError(const QString& path, const QString& why)
{
    return makeError(ErrorKind::Io, core(path + u": "_s + why));
}

Result<std::vector<SavedView>> readFile(const QString& path)
{
    QFile file(path);
    if (!file.exists())
        return std::vector<SavedView>();
    if (!file.open(QIODevice::ReadOnly))
        return fileError(path, file.errorString());
    if (file.size() > kLargest)
        return fileError(path, Words::tr("it is larger than 1 MiB, so no file of views"));
    Reply<std::vector<SavedView>> reply = readViews(file.readAll());
    if (!reply)
        return makeError(ErrorKind::InvalidInput, core(path + u": "_s + reply.failure.what));
    return std::move(*reply.value);
}

Result<bool> writeFile(const QString& path, const std::vector<SavedView>& views)
{
    QDir().mkpath(QFileInfo(path).absolutePath());
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(viewsText(views)) < 0 || !file.commit())
        return fileError(path, file.errorString());
    return true;
}

}  // namespace

QByteArray viewsText(const std::vector<SavedView>& views)
{
    QJsonArray list;
    for (const SavedView& view : views) {
        QJsonObject one{{u"name"_s, view.name}, {u"filter"_s, view.filter}};
        if (!view.hidden.isEmpty())
            one.insert(u"hidden_columns"_s, QJsonArray::fromStringList(view.hidden));
        list.append(one);
    }
    return QJsonDocument(QJsonObject{{u"schema"_s, kSchema}, {u"views"_s, list}}).toJson();
}

Reply<std::vector<SavedView>> readViews(const QByteArray& text)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (error.error != QJsonParseError::NoError)
        return wrong(Words::tr("at byte %1: %2.").arg(error.offset).arg(error.errorString()));
    if (document.object().value(u"schema"_s).toString() != kSchema)
        return wrong(Words::tr("\"schema\" is not %1.").arg(kSchema));
    const QJsonValue list = document.object().value(u"views"_s);
    if (!list.isArray() || list.toArray().size() > kMostViews)
        return wrong(Words::tr("\"views\" is no list of at most %1.").arg(kMostViews));
    std::vector<SavedView> views;
    for (const QJsonValue value : list.toArray()) {
        const QString where = u"views[%1]"_s.arg(views.size());
        const QJsonObject one = value.toObject();
        for (const QString& name : {u"name"_s, u"filter"_s})
            if (!one.value(name).isString() || one.value(name).toString().size() > kLongest)
                return wrong(
                    Words::tr("%1.%2 is no text of at most %3 characters.").arg(where, name).arg(kLongest));
        SavedView view{one.value(u"name"_s).toString().trimmed(), one.value(u"filter"_s).toString(), {}};
        if (view.name.isEmpty())
            return wrong(where + Words::tr(".name is empty."));
        for (const QJsonValue column : one.value(u"hidden_columns"_s).toArray())
            view.hidden << column.toString();
        views.push_back(std::move(view));
    }
    return {std::move(views), {}};
}

std::vector<SavedView> joined(std::vector<SavedView> have, const std::vector<SavedView>& more)
{
    for (SavedView view : more) {
        if (std::find(have.begin(), have.end(), view) != have.end())
            continue;
        const QString name = view.name;
        const auto taken = [&have](const QString& text) {
            return std::any_of(have.begin(), have.end(), [&](const SavedView& v) { return v.name == text; });
        };
        for (int n = 2; taken(view.name); ++n)
            view.name = u"%1 (%2)"_s.arg(name).arg(n);
        have.push_back(std::move(view));
    }
    return have;
}

struct ViewsFile::Thread {
    Jobs<FileWorld> jobs;
};

ViewsFile::ViewsFile()
    : m_thread(std::make_unique<Thread>())
{
}
ViewsFile::~ViewsFile() = default;

QFuture<Reply<std::vector<SavedView>>> ViewsFile::load(const QString& path)
{
    return m_thread->jobs.ask<std::vector<SavedView>>(-1, [path](FileWorld&) { return readFile(path); });
}

QFuture<Reply<bool>> ViewsFile::save(const QString& path, const std::vector<SavedView>& views)
{
    return m_thread->jobs.ask<bool>(-1, [path, views](FileWorld&) { return writeFile(path, views); });
}

}  // namespace cairn::ui
