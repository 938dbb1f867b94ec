#pragma once
// What a person has chosen for this program, in a file of JSON text. Reading and writing goes on a thread of
// its own.

#include "ui/data/source.h"

#include <array>

namespace cairn::ui {

enum class Shade : quint8 { System, Light, Dark };
enum class RuleKind : quint8 {
    NewSituation,
    CountOver,
    OldestOver,
    ExpiresWithin,
    SecondPerson,
    PlanReturned
};

inline constexpr std::size_t kFamilies = static_cast<std::size_t>(Family::Count);
[[nodiscard]] QString keyOf(Family family);  // "person": in the file

// When to be told of a situation, or of a plan.
struct NotifyRule {
    RuleKind kind = RuleKind::NewSituation;
    qint64 limit = 0;  // runs, or ms
    bool on = true;
    bool operator==(const NotifyRule&) const = default;
};

struct Preferences {
    Shade shade = Shade::System;
    bool contrast = false;                     // higher than usual
    std::array<QString, kFamilies> colours{};  // of the families, #rrggbb; empty: the theme's
    bool localTime = false;
    bool letters = true;    // single keys
    QString bound{};        // single keys that are others than at first: "h=z, z=h"
    bool dense = false;     // rows of 22 px
    QStringList reasons{};  // that are kept to be used again
    bool tray = true;       // a shape in the tray with the number of runs that a person must see to
    std::vector<NotifyRule> rules{{RuleKind::NewSituation, 0, true}, {RuleKind::CountOver, 100, true},
        {RuleKind::OldestOver, 4 * 3'600'000, false}, {RuleKind::ExpiresWithin, 3'600'000, true},
        {RuleKind::SecondPerson, 0, true}, {RuleKind::PlanReturned, 0, true}};
    bool operator==(const Preferences&) const = default;
};
[[nodiscard]] QByteArray preferencesText(const Preferences& preferences);
// What is not there, or not understood, stays as it is by default.
[[nodiscard]] Preferences readPreferences(const QByteArray& text);

class PreferencesFile {
public:
    PreferencesFile();
    ~PreferencesFile();
    QFuture<Reply<Preferences>> load(const QString& path);
    QFuture<Reply<bool>> save(const QString& path, const Preferences& preferences);

private:
    struct Thread;
    std::unique_ptr<Thread> m_thread;
};

// --- what is to be told

struct Notice {
    StoreIx store = 0;
    QString situation;  // key; of a plan: that of its entry
    RuleKind kind = RuleKind::NewSituation;
    QString title;
    QString text;
    [[nodiscard]] bool ofPlan() const { return kind >= RuleKind::SecondPerson; }
};
// One notice for each situation and rule until what it is about is over. The first look tells nothing of
// what is new: everything is.
class NoticeBook {
public:
    std::vector<Notice> look(StoreIx store, const std::vector<NotifyRule>& rules, const Overview& overview);

private:
    struct Told {
        StoreIx store = 0;
        QString situation;
        RuleKind kind = RuleKind::NewSituation;
        bool operator==(const Told&) const = default;
    };
    std::vector<Told> m_told;
    std::vector<StoreIx> m_looked;
};
[[nodiscard]] quint64 personMust(const Overview& overview);

}  // namespace cairn::ui
