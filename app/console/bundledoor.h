#pragma once
// A bundle, opened like a store: it is proved, made a store of its own in a folder that only this user can
// read, and looked at there. The folder goes with the last who has it open.

#include "app/common/open_store.h"

#include <QString>

namespace cairn::console {

// By its first bytes: a zip file. What is in it is proved when it is opened.
[[nodiscard]] bool isBundle(const QString& path);

// Opens it; the first call proves and unpacks it, which takes a while for a large one. Any thread, one at a
// time. Corrupt: what is wrong with the bundle. `person`: who looks, for the new store's audit.
[[nodiscard]] std::function<Result<std::unique_ptr<StoreWriter>>(bool readOnly)> bundleDoor(
    const QString& path, const QString& person);

}  // namespace cairn::console
