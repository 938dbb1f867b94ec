#pragma once
// Links to a place in a store: cairn://open?store=sqlite:/path/x.db&run=ID, or &filter=…, or &page=audit. A
// link opens and shows; it never acts, and holds no password.

#include "ui/data/source.h"

namespace cairn::ui {

struct DeepLink {
    QString store;  // its address
    QString run;    // id, beginning of one, or key
    QString filter;
    QString page;  // "audit"; empty: the lists, or the run
    bool operator==(const DeepLink&) const = default;
};

[[nodiscard]] bool isDeepLink(const QString& text);
// Refused with what is wrong: another scheme, no store, a store of an unknown kind, a password, an unknown
// name or page.
[[nodiscard]] Reply<DeepLink> parseDeepLink(const QString& text);
[[nodiscard]] QString linkText(const DeepLink& link);

}  // namespace cairn::ui
