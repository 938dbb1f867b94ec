#pragma once
// The seam between the engine's rules and what it sets going. An executor runs attempts; it never touches the
// store. All calls and all answers are made on the engine's thread.

#include "core/engine/spool.h"
#include "core/model/definition.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace cairn {

// One attempt to be executed. It was committed before (for a writing tool: the intent) and holds all that is
// needed.
struct StartOrder {
    RunId run;
    std::string step;  // id
    AttemptId attempt;
    std::uint32_t number = 1;
    Purpose purpose = Purpose::Do;
    std::string tool;
    ReplaySafety safety = ReplaySafety::ReadOnly;
    std::string executor;  // "command", "http" or "builtin"
    std::string settings;  // raw JSON object; of the look-up where purpose is LookUp
    std::string secret;    // reference: env:NAME or file:/path
    std::string workflowFolder;
    std::string input;      // the bytes as recorded
    std::string effectKey;  // empty for read-only tools
    SpanMs timeout = 0;  // from now on; 0: none. The engine ends the attempt itself; this is the last resort
    UuidBytes trace{};
    std::uint64_t span = 0;
};

struct AttemptResult {
    enum class Kind : std::uint8_t { Completed, Failed, LookedUp };
    AttemptId attempt;
    Kind kind = Kind::Failed;
    std::shared_ptr<Spool> output;  // Completed; LookedUp with verdict Happened. Null: JSON null
    std::string media;              // empty: found by looking at the bytes
    // Failed
    FailureClass failure = FailureClass::Retryable;
    EffectKnowledge effect = EffectKnowledge::NoEffect;
    std::string error;       // for people; visible characters, clipped
    SpanMs retryAfter = -1;  // -1: the server named none
    bool timedOut = false;
    bool cancelled = false;
    // LookedUp
    EffectKnowledge verdict = EffectKnowledge::Unknown;
    std::string evidence;
    std::vector<Usage> used;
};

class Executor {
public:
    using Finished = std::function<void(AttemptResult)>;
    virtual ~Executor() = default;
    // Where answers go. May be called from inside start() and cancel().
    virtual void onFinished(Finished finished) = 0;
    virtual void start(StartOrder order) = 0;
    // Asks to stop; the answer still comes, with `cancelled` where the attempt was stopped. Unknown ids are
    // ignored.
    virtual void cancel(const AttemptId& attempt) = 0;
    // Stops at once, without an answer: the attempt is no longer this engine's.
    virtual void abandon(const AttemptId& attempt) = 0;
    // Until when attempts may be at work, by the monotonic clock; told again at each renewal of the engine's
    // lease. After that nothing is sent any more, and tools outside are stopped, also while the engine's
    // thread is blocked or its process stopped: another engine may have taken the runs over. 0: at once.
    virtual void leaseEnds(SpanMs) { }
    // Does what is due; gives the milliseconds until it wants to be called again.
    [[nodiscard]] virtual SpanMs tick() { return kIdle; }
    static constexpr SpanMs kIdle = 3'600'000;
};

// --- shared by executors
// ---------------------------------------------------------------------------------------------

inline constexpr std::size_t kErrorTextLimit = 8 * 1024;
inline constexpr std::uint64_t kPayloadBytes = 256ULL * 1024 * 1024;  // largest output of a tool
inline constexpr std::uint64_t kLookUpBytes = 1024 * 1024;  // largest answer of a look-up: it is read

// What is known about the effect of an attempt that was stopped or broke off while its tool was at work.
[[nodiscard]] EffectKnowledge knowledgeWhenBroken(const StartOrder& order) noexcept;
// What is known where the tool, or nobody, certainly did nothing.
[[nodiscard]] EffectKnowledge knowledgeWhenNotDone(const StartOrder& order) noexcept;
[[nodiscard]] AttemptResult failedResult(
    const StartOrder& order, FailureClass failure, EffectKnowledge effect, std::string error);
// A media type as somebody outside names it ("text/html; charset=x"), without its parameters. Empty where it
// is none: then it is found by looking at the bytes.
[[nodiscard]] std::string mediaType(std::string_view said);
// Reads a look-up's answer {"happened": true|false|null, "output": ..., "evidence": ...}. Anything else: the
// verdict is Unknown and the evidence says what was found.
[[nodiscard]] AttemptResult lookUpResult(const StartOrder& order, std::string_view answer);
// The same of what was spooled. One over kLookUpBytes is not read on the engine's thread: the verdict is
// Unknown.
[[nodiscard]] AttemptResult lookUpResult(const StartOrder& order, Spool& answer);

}  // namespace cairn
