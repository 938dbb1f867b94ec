#pragma once
// Between core's types and Qt's. QString begins here, and nowhere lower.

#include "core/base/digest.h"
#include "core/base/result.h"
#include "ui/data/source.h"

#include <QString>

#include <string>
#include <string_view>

namespace cairn::ui {

[[nodiscard]] inline QString qt(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
[[nodiscard]] inline std::string core(const QString& text) { return text.toStdString(); }
[[nodiscard]] QString hexText(const Digest& digest);
[[nodiscard]] QString shortHex(const Digest& digest);  // 9f31c2…07aa

// The core's texts end without one; beside other sentences they need it. An empty text stays empty.
[[nodiscard]] QString withFullStop(QString sentence);

// An error of the core as the three lines that people read: what failed, the store's state, what to do.
[[nodiscard]] Failure failureOf(const Error& error, bool wrote = false);

}  // namespace cairn::ui
