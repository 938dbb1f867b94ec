#pragma once
// What the console knows of a store, and how it tells the runs of one from those of another. See values.h.

#include "core/base/ids.h"

#include <QString>

#include <functional>

namespace cairn::ui {

// How a store is named in a row: on the ground of its environment, production with a lock.
enum class TagLook : quint8 { None, Other, Production };
struct StoreTag {
    QString name;
    QString environment;  // in words
    TagLook look = TagLook::Other;
    bool silent = false;                   // it does not answer
    [[nodiscard]] QString spoken() const;  // words.cpp
    bool operator==(const StoreTag&) const = default;
};

using StoreIx = quint32;  // position among the stores of a window; it stays as long as the window does

// A run of one store. The same id may stand in several of them (a copy, a backup that was opened beside it),
// and is another run in each.
struct RunRef {
    StoreIx store = 0;
    RunId run;
    [[nodiscard]] bool isNull() const { return run.isNull(); }
    bool operator==(const RunRef&) const = default;
};

// Where a row stands in its store's list; opaque to everything but ui/data.
struct PageMark {
    qint64 a = 0;
    qint64 b = 0;
    RunId run;
    bool operator==(const PageMark&) const = default;
};

// A store that is read from a standby: what is shown may be older than what its primary has.
struct Standing {
    QString text;       // "Standby, 3 s behind"; empty: it is no standby
    bool late = false;  // by more than a few seconds, or nobody knows
    [[nodiscard]] bool standby() const { return !text.isEmpty(); }
    bool operator==(const Standing&) const = default;
};

struct StoreFacts {
    QString name;  // of the file
    QString url;
    QString environment;  // dev, test, prod
    QString person;       // who acts from here
    QString identity;     // how well the store knows that person
    QString sqliteVersion;
    bool guarded = false;
    bool testClock = false;
    bool mayAct = false;
    QString whyNot;  // where one may not act
    quint32 schema = 0;
    qint64 now = 0;
    quint64 cursor = 0;
    bool closed = false;  // being moved to another place, or moved: what is shown stands still
    QString rewritten;    // what this client verified before, and is not there any more; empty: all is
    Standing standing{};
};

// Whether hints of other processes reach this one. Without them the store is still asked once a second.
enum class Hearing : quint8 {
    None,  // this kind of store has no hints
    Beginning,
    Listening,
    Deaf,  // the link is gone, or dead without a sign; it is made anew by itself
};

// How a store takes part in an answer about several.
enum class Share : quint8 {
    Whole,    // it has answered
    Old,      // it does not answer: what it said before is shown
    Missing,  // nothing is known of it
};
struct StoreShare {
    StoreIx store = 0;
    Share share = Share::Whole;
    qint64 age = 0;  // ms since its data was read; old data only
    bool operator==(const StoreShare&) const = default;
};

}  // namespace cairn::ui

template<> struct std::hash<cairn::ui::RunRef> {
    std::size_t operator()(const cairn::ui::RunRef& ref) const noexcept
    {
        return std::hash<cairn::RunId>()(ref.run) ^ (std::size_t{ref.store} * 0x9E3779B97F4A7C15ULL);
    }
};
