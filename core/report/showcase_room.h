#pragma once
// Where the showcase plays: the product's engine and service on a real store whose clock is moved (a store
// with a test clock), tools that answer as they are told to, and people, each with a login. One thread.
// Internal to the showcase.

#include "core/engine/engine_core.h"
#include "core/report/showcase.h"
#include "core/store/store.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace cairn::showcase {

// Written with ' for ", which JSON never needs here.
[[nodiscard]] std::string json(std::string text);

// How a call of a tool goes.
struct Play {
    SpanMs takes = 400;
    std::string output = "{}";
    std::vector<Usage> used{};
    unsigned fails = 0;  // so many calls of a run's step do, the others are done; kAlways: all
    FailureClass failure = FailureClass::Retryable;
    EffectKnowledge effect = EffectKnowledge::NotHappened;
    std::string error{};
    SpanMs retryAfter = -1;
    bool timedOut = false;
    bool never = false;  // no answer comes
};
inline constexpr unsigned kAlways = 1'000'000;

// The host's clock, moved by the offset that the store has.
class MovedClock final : public Clock {
public:
    explicit MovedClock(SpanMs offset)
        : m_offset(offset)
    {
    }
    [[nodiscard]] TimeMs wallMs() const override { return m_host.wallMs() + m_offset; }
    [[nodiscard]] SpanMs monotonicMs() const override { return m_host.monotonicMs() + kFarPast + m_offset; }
    void move(SpanMs span) { m_offset += span; }
    [[nodiscard]] SpanMs offset() const { return m_offset; }

private:
    static constexpr SpanMs kFarPast = 30LL * 86'400'000;  // so that it is never negative
    SystemClock m_host;
    SpanMs m_offset;
};

class Tools;

class Room {
public:
    // The store is new, and has a test clock; `before`: how long before now it begins.
    Room(ShowcaseOptions options, SpanMs before);
    ~Room();
    Room(const Room&) = delete;
    Room& operator=(const Room&) = delete;

    // The first thing that went wrong; everything after it does nothing.
    [[nodiscard]] const Status& status() const { return m_status; }
    void say(const std::string& text) const { m_options.progress(text); }

    void add(const std::string& workflow);
    RunId start(const std::string& workflow, const std::string& key, const std::string& input);
    // For a step of a run, in place of what the tool does.
    void play(const RunId& run, const std::string& step, Play play);
    void play(const std::string& tool, Play play);

    // An engine that serves all workflows but those named; it works while time passes.
    void engine(const std::string& name, std::vector<std::string> serves = {});
    void stop();  // lets it end what it has begun
    void kill();
    void pass(SpanMs span);
    // Nobody works meanwhile.
    void jump(SpanMs span);
    // To the instant that is so long before the end.
    void until(SpanMs before);

    // What a person does; the login is that of the number. Gives the outcome, which may be a refusal.
    Outcome act(
        unsigned person, const RunId& run, cmd::Body body, const std::string& reason, bool glass = false);
    Outcome must(unsigned person, const RunId& run, cmd::Body body, const std::string& reason);
    [[nodiscard]] PayloadRef attach(std::string bytes, const char* media);  // goes with the next act
    [[nodiscard]] Service& person(unsigned number);
    [[nodiscard]] StoreWriter& store() { return *m_store; }
    [[nodiscard]] RunState state(const RunId& run);
    [[nodiscard]] TimeMs now() const { return m_clock.wallMs(); }
    void end();  // the clock is the host's again

private:
    struct Person;
    struct Engine;
    void note(const Status& status);
    void setClock();

    ShowcaseOptions m_options;
    Status m_status;
    MovedClock m_clock;
    SeededRng m_rng;
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<Tools> m_tools;
    std::map<unsigned, std::unique_ptr<Person>> m_people;
    std::unique_ptr<Engine> m_engine;
    std::vector<NewPayload> m_payloads;
    unsigned m_engines = 0;
};

// The people of the showcase, by number; names are as claimed.
struct Somebody {
    const char* name;
    const char* login;
};
[[nodiscard]] const Somebody& somebody(unsigned number);

}  // namespace cairn::showcase
