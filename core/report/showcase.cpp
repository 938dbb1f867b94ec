#include "core/report/showcase.h"

#include "core/machine/policy.h"
#include "core/report/showcase_room.h"
#include "core/report/showcase_workflows.h"
#include "core/service/agreement.h"

namespace cairn {

namespace {

using showcase::kAlways;
using showcase::Play;
using showcase::Room;

constexpr SpanMs kSecond = 1'000;
constexpr SpanMs kMinute = 60'000;
constexpr SpanMs kHour = 3'600'000;
// All but one: nobody has come to serve "invoice".
const std::vector<std::string> kServed{"sanction-list", "due-diligence", "purchase", "order-intake", "refund",
    "catalogue", "price-one", "price-sync", "rates", "approve-purchase", "ledger-close", "follow-up",
    "parcel", "checkout"};
constexpr unsigned kInes = 1, kKim = 2, kJonas = 3, kTom = 4;

std::string order(const char* letters, unsigned number)
{
    return std::string(letters) + std::to_string(number);
}
std::string orderInput(const std::string& name, const std::string& amount)
{
    return "{'order':'" + name + "','amount':'" + amount + "'}";
}

class Day {
public:
    explicit Day(ShowcaseOptions options)
        : m_room(std::move(options), 7 * kHour + 40 * kMinute)
    {
    }
    Result<ShowcaseReport> play();

private:
    using Scene = void (Day::*)();
    void setUp();
    void morning();
    void purchase();
    void noteThePurchase();
    void longWaits();
    void ledger();
    void uncertain();
    void repairs();
    void throttled();
    void last();
    void policy(const std::string& text, const std::string& reason);

    RunId begin(const char* workflow, const std::string& key, const std::string& amount = "1249.90")
    {
        ++m_report.started;
        return m_room.start(workflow, key, orderInput(key, amount));
    }
    Play failing(FailureClass failure, const std::string& error, unsigned times = kAlways) const
    {
        Play play;
        play.fails = times;
        play.failure = failure;
        play.error = error;
        return play;
    }

    Room m_room;
    ShowcaseReport m_report;
    RunId m_checkout;
    std::vector<RunId> m_paused;
};

void Day::policy(const std::string& text, const std::string& reason)
{
    if (!m_room.status())
        return;
    Agreements agreements(m_room.person(kInes));
    const auto present = agreements.policy();
    static_cast<void>(agreements.setPolicy({showcase::json(text), present ? present->version : 0, reason,
        showcase::somebody(kInes).name, false, {}}));
}

void Day::setUp()
{
    for (const std::string& text : showcase::workflows())
        m_room.add(text);
    policy("{'schema':'urn:cairn:policy:1','rules':[{'verbs':['compensate'],'people':2,'expires':'2h'},"
           "{'verbs':['cancel'],'runs':2,'people':2,'expires':'4h'}]}",
        "giving money back takes two people");
    Play quick;
    quick.takes = 180;
    for (const char* name : {"price", "validate", "charge", "release", "refund", "import", "list", "rate",
             "order", "post", "mail", "ocr", "file"})
        m_room.play(name, quick);
}

// What a quiet day is made of: runs that end well, a few that are cancelled or fail.
void Day::morning()
{
    m_room.engine("w-01");
    for (unsigned i = 0; i < 90; ++i)
        begin("order-intake", order("A-", 57'900 + i), "88.00");
    for (unsigned i = 0; i < 40; ++i)
        begin("refund", order("R-", 100 + i), "31.20");
    std::vector<RunId> season;
    for (unsigned i = 0; i < 12; ++i) {
        season.push_back(begin("catalogue", order("season ", i + 1)));
        m_room.play(season.back(), "import", failing(FailureClass::Rejected, "wrong season file"));
    }
    m_room.pass(30 * kSecond);
    for (std::size_t i = 0; i < season.size(); ++i)
        static_cast<void>(m_room.must(kTom, season[i], cmd::Cancel{}, "wrong season file"));
    m_room.pass(20 * kSecond);
    m_room.stop();
    m_room.until(7 * kHour + 33 * kMinute);
}

// Thirty steps by five agents: what the pictures of a run are about.
void Day::purchase()
{
    m_room.engine("w-04");
    const RunId run = m_report.purchase = m_room.start("purchase", "PR-2026-1187",
        "{'order':'PR-2026-1187','amount':'4860.00','what':'24 task chairs','site':'Lyon','for':'L. "
        "Martin'}");
    ++m_report.started;
    const auto plays = [&](const char* step, SpanMs takes, const std::string& output, std::int64_t tokens = 0,
                           std::int64_t cost = 0) {
        Play play;
        play.takes = takes;
        play.output = showcase::json(output);
        if (tokens > 0)
            play.used = {{"tokens", tokens}, {"EUR", cost}};
        m_room.play(run, step, play);
    };
    plays(
        "read-request", 12'100, "{'need':'24 task chairs','site':'Lyon','by':'2026-12-14'}", 8'200, 130'000);
    plays("classify-need", 38'400, "{'class':'furniture','rule':'over 2 000 EUR: finance-lead'}", 21'700,
        340'000);
    plays("check-budget", 2'400, "{'cost_centre':'4410','left':'16100.00'}");
    std::string names;
    for (int i = 1; i <= 12; ++i)
        names += std::string(i > 1 ? "," : "") + "'supplier-" + std::to_string(i) + "'";
    plays("plan-search", 71'000, "{'suppliers':[" + names + "]}", 46'300, 720'000);
    for (int i = 0; i < 12; ++i)
        plays(("search-suppliers#" + std::to_string(i)).c_str(), 24'000 + 9'700 * (i % 5),
            "{'offers':" + std::to_string(200 + 17 * i) + "}");
    Play closed = failing(FailureClass::Retryable, "portal closed for maintenance until 18:00");
    closed.takes = 21'000;
    m_room.play(run, "search-suppliers#7", closed);
    Play slow = failing(FailureClass::Retryable, "read timed out after 30 s", 1);
    slow.takes = 30'000;
    slow.output = showcase::json("{'offers':311}");
    m_room.play(run, "search-suppliers#3", slow);
    plays("collect-offers", 9'000, showcase::offers(20'500'000));
    plays("rank-quotes", 41'300, "{'first':'Northfield Seating','total':'4860.00','of':10}", 61'900, 980'000);
    Play sanctions = failing(FailureClass::Retryable, "HTTP 502 from sanctions.acme.test", 1);
    sanctions.takes = 23'000;
    sanctions.output = showcase::json("{'hits':0}");
    m_room.play(run, "check-sanctions", sanctions);
    plays("negotiate-price", 222'000, "{'was':'5112.00','now':'4860.00'}", 58'400, 910'000);
    plays("draft-order", 43'000, "{'lines':1,'total':'4860.00'}", 15'900, 240'000);
    Play reserve = failing(FailureClass::Retryable, "no answer within 30 s", 1);
    reserve.takes = 30'000;
    reserve.timedOut = true;
    reserve.effect = EffectKnowledge::Unknown;
    reserve.output = showcase::json("{'reservation':'rsv_90417','left':'11240.00','until':'2026-12-13'}");
    m_room.play(run, "reserve-budget", reserve);
    plays("review-order", 156'000, "{'ok':true}");
    m_room.pass(5 * kMinute);
    static_cast<void>(m_room.act(kKim, run, cmd::SkipStep{"search-suppliers#7", {}}, "portal closed"));
    m_room.pass(12 * kMinute);
    m_room.stop();
}

// What people left on it since.
void Day::noteThePurchase()
{
    const RunId& run = m_report.purchase;
    static_cast<void>(
        m_room.must(kJonas, run, cmd::Assign{showcase::somebody(kInes).name}, "she knows the budget"));
    cmd::Note note;
    note.text = m_room.attach("Budget meeting ends at 11:00, the answer comes after it.", "text/plain");
    static_cast<void>(m_room.must(kJonas, run, note, "so that nobody asks twice"));
    static_cast<void>(
        m_room.act(kTom, run, cmd::RetryStep{"reserve-budget"}, "the customer is on the phone"));
    static_cast<void>(
        m_room.must(kJonas, run, cmd::SetDeadline{m_room.now() + 72 * kHour}, "the move is on 14 December"));
}

// Approvals, timers, events, child runs: waits of hours.
void Day::longWaits()
{
    m_room.until(3 * kHour + 20 * kMinute);
    m_room.engine("w-04");
    static const char* const kAmounts[] = {"2180.00", "7400.00", "3120.50", "2999.00", "12800.00", "2450.00"};
    for (unsigned i = 0; i < 6; ++i)
        begin("approve-purchase", order("PO-", 3'311 + i), kAmounts[i]);
    for (unsigned i = 0; i < 160; ++i)
        begin("follow-up", order("case ", 8'100 + i));
    for (unsigned i = 0; i < 25; ++i)
        begin("parcel", order("parcel ", 4'711 + i));
    m_room.pass(20 * kSecond);
    m_room.stop();
    noteThePurchase();
}

void Day::ledger()
{
    m_room.until(2 * kHour + 8 * kMinute);
    m_room.engine("w-11");
    for (unsigned i = 0; i < 5; ++i) {
        m_paused.push_back(begin("ledger-close", "2026-" + std::to_string(7 + i)));
        Play slow;
        slow.takes = 90 * kSecond;
        m_room.play(m_paused.back(), "post-batch", slow);
    }
    m_room.pass(5 * kSecond);
    for (const RunId& run : m_paused)
        static_cast<void>(m_room.must(kKim, run, cmd::SetPaused{true, 0, false}, "month-end freeze"));
    m_room.pass(2 * kMinute);
    m_room.until(72 * kMinute);
    for (unsigned i = 0; i < 2; ++i) {
        const RunId run = begin("ledger-close", order("correction ", i + 1));
        m_room.play(run, "post-batch", failing(FailureClass::Retryable, "ledger.acme.test: host not found"));
    }
    m_room.pass(40 * kSecond);
    m_room.until(41 * kMinute);
    for (unsigned i = 0; i < 18; ++i) {
        const RunId run = begin("order-intake", order("A-", 58'100 + i), "64.10");
        m_room.play(run, "validate", failing(FailureClass::Rejected, "/items/0/sku: number, want string"));
    }
    m_room.pass(20 * kSecond);
    m_room.stop();
}

// A charge whose answer was lost, and what was tried about it; a workflow that no engine serves.
void Day::uncertain()
{
    m_room.until(26 * kMinute);
    begin("invoice", "scan 2026-11-0417");
    m_room.engine("w-09", {"order-intake", "refund"});
    m_checkout = begin("order-intake", "A-58213", "249.90");
    Play lost = failing(FailureClass::Retryable, "connection reset after the request was sent");
    lost.takes = 30 * kSecond;
    lost.effect = EffectKnowledge::Unknown;
    m_room.play(m_checkout, "charge-card", lost);
    m_room.pass(2 * kMinute);
    static_cast<void>(
        m_room.act(kTom, m_checkout, cmd::RetryStep{"charge-card"}, "customer is on the phone"));
    m_room.pass(kMinute);
    m_room.stop();
}

// Acts of people with their outcomes: settled, forked, moved to the next version, given back alone.
void Day::repairs()
{
    m_room.engine("w-10", kServed);
    const RunId settled = begin("order-intake", "A-58190", "19.99");
    Play lost = failing(FailureClass::Retryable, "connection reset after the request was sent");
    lost.effect = EffectKnowledge::Unknown;
    m_room.play(settled, "charge-card", lost);
    m_room.pass(90 * kSecond);
    cmd::Settle settle;
    settle.step = "charge-card";
    settle.as = cmd::SettleAs::Happened;
    settle.output = m_room.attach(R"({"status":"captured","amount":"19.99"})", "application/json");
    settle.evidence = m_room.attach("statement line 4417, 10:42", "text/plain");
    static_cast<void>(
        m_room.act(kInes, settled, settle, "the provider's ledger shows it, captured at 10:42"));
    m_room.pass(20 * kSecond);
    static_cast<void>(m_room.act(
        kTom, settled, cmd::Compensate{}, "the customer returned it, nobody else can be reached", true));
    static_cast<void>(
        m_room.act(kKim, m_paused.front(), cmd::SetPaused{false, 0, false}, "the books are closed"));
    m_room.pass(20 * kSecond);
    static_cast<void>(
        m_room.act(kKim, m_paused.front(), cmd::SetPaused{true, 0, false}, "opened again by mistake"));
    m_room.stop();
}

// A host that says no: what calls it waits together.
void Day::throttled()
{
    m_room.until(22 * kMinute);
    m_room.engine("w-12", kServed);
    Play refused = failing(FailureClass::RateLimited, "HTTP 429 Too Many Requests");
    refused.takes = 60;
    refused.retryAfter = 40 * kMinute;
    m_room.play("price", refused);
    for (unsigned i = 0; i < 171; ++i)
        begin("order-intake", order("A-", 58'300 + i), i % 7 == 0 ? "88.00" : "1249.90");
    for (unsigned i = 0; i < 62; ++i)
        begin("refund", order("R-", 700 + i), "312.45");
    for (unsigned i = 0; i < 19; ++i)
        begin("catalogue", order("item ", 9'000 + i));
    for (unsigned i = 0; i < 48; ++i)
        begin("price-sync", order("list ", 1 + i));
    m_room.pass(40 * kSecond);
    m_room.until(8 * kMinute + 40 * kSecond);
    m_room.play("rate", failing(FailureClass::Retryable, "HTTP 503 from fx.acme.test"));
    for (unsigned i = 0; i < 61; ++i)
        begin("rates", order("pair ", 1 + i));
    m_room.pass(20 * kSecond);
    m_room.stop();
}

// The last minutes: an engine at work, which then is heard no more, and runs that nobody has taken.
void Day::last()
{
    m_room.until(3 * kMinute);
    m_room.engine("w-17", kServed);
    Play at;
    at.never = true;
    m_room.play("capture", at);
    for (unsigned i = 0; i < 102; ++i)
        begin("checkout", order("B-", 100 + i), "19.99");
    m_room.pass(75 * kSecond);
    m_room.kill();
    for (unsigned i = 0; i < 46; ++i)
        begin("catalogue", order("late ", 1 + i));
    m_room.until(0);
}

Result<ShowcaseReport> Day::play()
{
    struct Part {
        const char* what;
        Scene scene;
    };
    static constexpr Part kParts[] = {{"workflows and rules", &Day::setUp},
        {"a quiet morning", &Day::morning}, {"a purchase by five agents", &Day::purchase},
        {"approvals, timers and events", &Day::longWaits},
        {"a paused ledger, and rows that do not fit", &Day::ledger},
        {"a charge that nobody knows of", &Day::uncertain}, {"what people repaired", &Day::repairs},
        {"a host that says no", &Day::throttled}, {"an engine that is heard no more", &Day::last}};
    for (const Part& part : kParts) {
        m_room.say(part.what);
        (this->*part.scene)();
        if (!m_room.status())
            return m_room.status().error();
    }
    m_room.end();
    if (!m_room.status())
        return m_room.status().error();
    return m_report;
}

}  // namespace

Result<ShowcaseReport> makeShowcase(ShowcaseOptions options) { return Day(std::move(options)).play(); }

}  // namespace cairn
