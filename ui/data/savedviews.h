#pragma once
// Views that somebody has saved: a name, a filter and the columns that are left out, in a file of JSON text
// that can be given to others. Reading and writing goes on a thread of its own; answers come as futures.

#include "ui/data/source.h"

#include <memory>

namespace cairn::ui {

struct SavedView {
    QString name;
    QString filter;
    QStringList hidden;  // names of columns
    bool operator==(const SavedView&) const = default;
};

// Pure. What is wrong is said with its place: "views[2].filter is missing".
[[nodiscard]] QByteArray viewsText(const std::vector<SavedView>& views);
[[nodiscard]] Reply<std::vector<SavedView>> readViews(const QByteArray& text);

// Views that come from elsewhere beside those that are here: the same one is not taken twice, another one of
// the same name gets a number.
[[nodiscard]] std::vector<SavedView> joined(std::vector<SavedView> have, const std::vector<SavedView>& more);

class ViewsFile {
public:
    ViewsFile();
    ~ViewsFile();  // waits for what is being written

    // A file that is not there: no views.
    QFuture<Reply<std::vector<SavedView>>> load(const QString& path);
    QFuture<Reply<bool>> save(const QString& path, const std::vector<SavedView>& views);

private:
    struct Thread;
    std::unique_ptr<Thread> m_thread;
};

}  // namespace cairn::ui
