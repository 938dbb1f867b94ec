#pragma once
// Single-letter keys may be bound anew: which key does what another one does at first. One table for the
// whole program, so that what is typed, what key caps show and what the map of keys says cannot differ.
// Window's thread.

#include <QChar>
#include <QString>

#include <map>
#include <optional>

namespace cairn::ui {

class Letters {
public:
    using Bound = std::map<QChar, QChar>;  // the letter that it is at first, and the one that does it now

    // "h=z, p=o"; nullopt: `wrong` says what is wrong. A letter that is taken by another has to be bound as
    // well: no two acts have one key. J and K move in lists, and stay.
    [[nodiscard]] static std::optional<Bound> parse(const QString& text, QString& wrong);
    [[nodiscard]] static QString text(const Bound& bound);

    static void bind(Bound bound);
    // Of a key of Qt: the letter, or other single key, that it stands for; null: it does nothing.
    [[nodiscard]] static QChar typed(int key);
    // Of what a key cap says, "H" or "Shift+H": what is pressed for it now.
    [[nodiscard]] static QString shown(const QString& key);
};

}  // namespace cairn::ui
