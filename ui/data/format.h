#pragma once
// Numbers, times and ids as the console writes them (one way each, everywhere). Any thread.

#include "core/base/ids.h"

#include <QString>

#include <span>

namespace cairn::ui {

// One switch for all views. UTC at first.
void setLocalTime(bool local);
[[nodiscard]] bool localTime();
[[nodiscard]] QString zoneName();

[[nodiscard]] QString durationText(qint64 ms);   // 850 ms, 12.4 s, 3 m 05 s, 1 h 04 m, 2 d 3 h
[[nodiscard]] QString instantText(qint64 ms);    // 2026-11-29 10:42:07Z
[[nodiscard]] QString nowText();                 // by this machine: since when something is waited for
[[nodiscard]] QString preciseText(qint64 ms);    // 2026-11-29 10:42:07.318Z
[[nodiscard]] QString bothZonesText(qint64 ms);  // the exact instant, as preciseText() and in the other zone
[[nodiscard]] QString dayText(qint64 day);       // 2026-11-29: of UTC, counted since 1970-01-01
[[nodiscard]] QString clockText(qint64 ms, qint64 now);  // 10:42:07 on now's day, else 11-28 10:42
[[nodiscard]] QString countText(quint64 n);              // 1 204
[[nodiscard]] QString sizeText(quint64 bytes);           // 214 B, 84.1 KiB
[[nodiscard]] QString moneyText(qint64 micros, const QString& currency);  // 1 249.90 EUR
[[nodiscard]] QString tokensText(qint64 n);                               // 212.4 k

[[nodiscard]] QString idText(const UuidBytes& id);   // in full
[[nodiscard]] QString shortId(const UuidBytes& id);  // first 6 … last 6
template<typename Tag> [[nodiscard]] QString shortId(const Id<Tag>& id) { return shortId(id.bytes); }
template<typename Tag> [[nodiscard]] QString idText(const Id<Tag>& id) { return idText(id.bytes); }
[[nodiscard]] QString initialsText(const QString& person);  // "KL"; "?" where there are none
// "1 run", "2 runs", or the form that a translation has for this number. Nouns stand in a table in
// format.cpp.
[[nodiscard]] std::span<const char* const> countedNouns();  // that table
[[nodiscard]] QString plural(quint64 n, const char* one, const char* many);

}  // namespace cairn::ui
