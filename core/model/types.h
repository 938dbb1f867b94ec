#pragma once
// Plain values that facts, commands and state share. Each has a static `each` that names its fields once: the
// binary codec, the JSON view and comparisons are all made from it (core/model/codec.h).

#include "core/base/clock.h"
#include "core/base/digest.h"
#include "core/base/ids.h"
#include "core/model/vocabulary.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace cairn {

// A step's position in its run, in the order of StepAdded facts. Stable for ever; ids are for people and
// callers.
using StepIx = std::uint32_t;
inline constexpr StepIx kNoStep = std::numeric_limits<StepIx>::max();

// (tool, effect key) hashed under the store's ledger salt: what entries carry; the key's text lives in the
// ledger row.
using EffectId = Digest;

// A payload as entries and state see it: never its bytes. A null id means "none".
struct PayloadRef {
    PayloadId id;
    Digest hash;             // SHA-256(salt || SHA-256(bytes))
    std::uint64_t size = 0;  // bytes
    std::string media;       // media type, for example application/json

    [[nodiscard]] bool isNull() const noexcept { return id.isNull(); }
    explicit operator bool() const noexcept { return !isNull(); }
    friend bool operator==(const PayloadRef&, const PayloadRef&) = default;
    template<class Self, class V> static void each(Self& s, V&& v)
    {
        v("id", s.id);
        v("hash", s.hash);
        v("size", s.size);
        v("media", s.media);
    }
};

// Millionths of a currency unit. Never added across currencies. An empty currency means "no amount".
struct Money {
    std::int64_t micros = 0;
    std::string currency;  // ISO 4217 code

    friend bool operator==(const Money&, const Money&) = default;
    template<class Self, class V> static void each(Self& s, V&& v)
    {
        v("micros", s.micros);
        v("currency", s.currency);
    }
};

struct Actor {
    ActorKind kind = ActorKind::System;
    std::string id;       // person's or worker's name (for persons as claimed), session id, or sending run
    std::string login{};  // who the host or the database says it is: "uid 1000"; empty: nobody vouches for
                          // it. Since format 2.

    friend bool operator==(const Actor&, const Actor&) = default;
    template<class Self, class V> static void each(Self& s, V&& v)
    {
        v("kind", s.kind);
        v("id", s.id);
        v.since(2, "login", s.login);
    }
};

// One line of a budget; unit is "tokens", or a currency code with amounts in millionths.
struct BudgetLine {
    std::string unit;
    std::int64_t limit = 0;
    std::int64_t used = 0;
    std::int64_t reserved = 0;

    friend bool operator==(const BudgetLine&, const BudgetLine&) = default;
    template<class Self, class V> static void each(Self& s, V&& v)
    {
        v("unit", s.unit);
        v("limit", s.limit);
        v("used", s.used);
        v("reserved", s.reserved);
    }
};

// What an attempt used, or may use at worst.
// More than one call may say that it used (10^9 of a currency, in micros), and less than nothing, is no
// report.
inline constexpr std::int64_t kMostUsed = 1'000'000'000'000'000;
[[nodiscard]] constexpr bool isReportable(std::int64_t amount) noexcept
{
    return amount >= 0 && amount <= kMostUsed;
}

struct Usage {
    std::string unit;
    std::int64_t amount = 0;

    friend bool operator==(const Usage&, const Usage&) = default;
    template<class Self, class V> static void each(Self& s, V&& v)
    {
        v("unit", s.unit);
        v("amount", s.amount);
    }
};

struct ParentRef {
    RunId run;
    StepIx step = kNoStep;
    std::uint32_t index = 0;

    friend bool operator==(const ParentRef&, const ParentRef&) = default;
    template<class Self, class V> static void each(Self& s, V&& v)
    {
        v("run", s.run);
        v("step", s.step);
        v("index", s.index);
    }
};

// Control as it flows down a tree. `revision` orders messages from one parent.
struct Control {
    bool paused = false;
    bool cancelled = false;
    bool compensate = false;  // cancel compensates where the workflow says so
    TimeMs deadline = kNoTime;
    std::uint64_t revision = 0;

    friend bool operator==(const Control&, const Control&) = default;
    template<class Self, class V> static void each(Self& s, V&& v)
    {
        v("paused", s.paused);
        v("cancelled", s.cancelled);
        v("compensate", s.compensate);
        v("deadline", s.deadline);
        v("revision", s.revision);
    }
};

struct WorkflowRef {
    std::string name;
    std::uint32_t version = 0;
    Digest digest;  // SHA-256 of the definition's bytes
    std::uint32_t stateSchema = 1;

    friend bool operator==(const WorkflowRef&, const WorkflowRef&) = default;
    template<class Self, class V> static void each(Self& s, V&& v)
    {
        v("name", s.name);
        v("version", s.version);
        v("digest", s.digest);
        v("state_schema", s.stateSchema);
    }
};

}  // namespace cairn
