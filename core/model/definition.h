#pragma once
// A workflow definition as values, parsed and checked (core/definition makes it from JSON). Immutable once
// made. Templates, conditions and executor settings stay raw JSON slices: the definition layer renders them.

#include "core/base/secrets.h"
#include "core/model/types.h"

namespace cairn {

// Exponential back-off with full jitter: delay n is uniform in [0, min(maxDelay, firstDelay * factor^(n-1))].
struct RetryPolicy {
    std::uint32_t maxAttempts = 5;  // handled failures before attempts_exhausted
    std::uint32_t maxLost = 3;      // lost owners before attempts_exhausted; counted apart
    SpanMs firstDelay = 5'000;
    std::uint32_t factorPermille = 3'000;
    SpanMs maxDelay = 300'000;
    // The step's time-out as a whole: its tries and the waits between them. What it waits for others does not
    // count: a resource's back-off, a permit, a person, a lost engine. 0: no limit.
    SpanMs maxTotal = 3'600'000;
    friend bool operator==(const RetryPolicy&, const RetryPolicy&) = default;
};

struct UsageAt {
    std::string unit;  // "tokens" or a currency code
    std::string at;    // JSON Pointer into the output: a number, or a decimal as text
    friend bool operator==(const UsageAt&, const UsageAt&) = default;
};

struct ToolDef {
    std::string name;
    std::uint32_t contract = 1;  // contract version
    Digest contractDigest;       // of all that decides what a call does (core/definition/contract.h)
    ReplaySafety safety = ReplaySafety::ReadOnly;
    std::string executor;     // "command", "http", "worker", "builtin"
    std::string settings;     // raw JSON object for the executor
    std::string effectKey;    // template with ${...}; empty: origin run/step
    std::string resource;     // what it calls; empty: none
    std::string lookUp;       // raw JSON executor settings of the look-up; empty: there is none
    bool checkFirst = false;  // look up before the first attempt
    SpanMs keysKept = 0;      // how long the provider remembers a key; 0: for ever where repeatable, else not
    std::string secret;       // reference, never a value
    std::string amountAt;     // JSON Pointer into the rendered input, empty: no amount
    std::string currencyAt;   // likewise, or a literal code in `currency`
    std::string currency;
    std::vector<Usage> worstCase;  // reserved at intent
    std::vector<UsageAt> usage;    // where the output says what the call used; else the worst case counts
    RetryPolicy retry;
    SpanMs timeout = 300'000;          // per attempt
    SpanMs heartbeatTimeout = 30'000;  // outside workers
    std::string undoTool;              // compensation: tool and input template
    std::string undoInput;
    std::string page;  // of the provider, where a person looks an effect up: a URL with {key}; empty: none
    std::string model;  // model and prompt-template version that a decision's tool uses, for the record
    std::string prompt;
};

struct ApprovalPolicy {
    std::string role;
    SpanMs expiresAfter = 86'400'000;  // expiry is never consent
    std::uint8_t needed = 1;
    friend bool operator==(const ApprovalPolicy&, const ApprovalPolicy&) = default;
};

struct ForEach {
    std::string step;  // whose output holds the array; "input" for the run's input
    std::string at;    // JSON Pointer to the array
    bool allowFailures = false;
    std::uint32_t maxItems = 10'000;
};

struct StepDef {
    std::string name;
    StepKind kind = StepKind::Tool;
    std::string title;
    std::string tool;  // Tool and Decision
    std::string agent;
    std::vector<std::string> after;
    std::string condition;  // raw JSON; empty: always
    bool runsAfterSkip = false;
    std::string input;                       // raw JSON template; empty: null
    std::optional<ApprovalPolicy> approval;  // Approval steps, and tools that ask first
    std::optional<ForEach> forEach;          // the step stands for one member per item
    std::string signal;                      // Signal: name
    SpanMs wait = 0;                         // Timer: span; Signal: time-out, 0 = none
    std::string until;                  // Timer: raw JSON template giving an RFC 3339 instant; empty: `wait`
    std::string local;                  // Timer: raw JSON template giving a local time in `zone`
    std::string cron;                   // Timer: the next match of this rule in `zone`
    std::string zone;                   // name in the time zone database
    std::string workflow;               // Run: the child's workflow
    std::uint32_t workflowVersion = 0;  // 0: the newest here
    std::vector<BudgetLine> allotment;  // Run: moved from this run's budget
    std::optional<RetryPolicy> retry;   // overrides the tool's
    SpanMs timeout = 0;                 // overrides the tool's; 0 = not
    bool addsSteps = false;             // a decision whose output may add steps ("steps" array)
    bool onDemand = false;              // not added at the start: only a decision's plan adds it
};

struct AttributeDef {
    std::string name;
    std::string type;  // "text", "integer", "money", "time"
    std::string at;    // JSON Pointer into the run's input
};

// How much of a resource all runs together may use. 0: not limited in that way.
struct LimitDef {
    std::string resource;
    std::uint32_t slots = 0;  // calls under way at one time
    std::uint32_t rate = 0;   // starts in each `per`
    SpanMs per = 0;
};

struct MigrationDef {
    std::uint32_t fromVersion = 0;  // workflow version that may be moved to this one
    std::uint32_t fromStateSchema = 0;
    std::vector<std::pair<std::string, std::string>> renamedSteps;  // old name -> new name
};

struct RetentionPolicy {
    std::uint32_t keepDays = 90;
    std::uint32_t redactDays = 0;  // 0: never
    std::uint32_t keysDays = 0;    // 0: keys and effects stay known for ever
};

// What is stored and not shown: whoever wants to read it reveals it, which is on record.
struct HiddenDef {
    SecretList fields{};
    std::string role{};  // whoever reveals needs it; empty: no role
};

struct Definition {
    WorkflowRef ref;
    std::string title;
    std::vector<StepDef> steps;
    std::vector<ToolDef> tools;
    std::vector<std::string> agents;
    std::vector<BudgetLine> budget;
    SpanMs deadline = 0;  // from the start; 0 = none
    std::vector<AttributeDef> attributes;
    std::vector<LimitDef> limits;
    std::vector<MigrationDef> migrations;
    RetentionPolicy retention;
    SecretList neverStore;  // masked in everything of its runs, beside what the store masks
    HiddenDef hidden;
    bool compensateOnCancel = false;
    bool compensateOnFailure = false;
    bool closeOnFailure = false;  // a failed step closes the run as failed; otherwise it waits for a repair
    std::string output;           // raw JSON template of the run's output
    std::string text;             // the definition's bytes as added

    [[nodiscard]] const StepDef* step(std::string_view name) const noexcept;
    // The same, looked for at `guess` first: a run's steps keep the order of its definition, unless some are
    // added later, and a search for each step of a long run costs more than the decision on it.
    [[nodiscard]] const StepDef* step(std::string_view name, std::size_t guess) const noexcept;
    [[nodiscard]] const ToolDef* tool(std::string_view name) const noexcept;
};

}  // namespace cairn
