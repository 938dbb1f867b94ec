// situations --store URL [--folder DIR] [--pictures DIR]: the five situations of an operator's first minute,
// played to their end by key presses in the console's own window, on a store that the drill makes and engines
// serve meanwhile. A line for each key says what was seen. Exit code 0: all five reached their end, on the
// screen and in the store.
#include "app/console/opening.h"
#include "situations_desk.h"
#include "situations_scene.h"
#include "ui/dialogs/actsheet.h"
#include "ui/dialogs/plansheet.h"
#include "ui/pages/planspage.h"
#include "ui/pages/runpage.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/whypanel.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QDialog>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdio>
#include <tuple>

using namespace cairn;
using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int kRefunds = 7;
constexpr int kScans = 14;
constexpr int kOrders = 18;
constexpr int kPrices = 300;
constexpr int kStoreMs = 120'000;  // that the engines may take

class Situations {
public:
    Situations(MainWindow& window, Scene& scene, const QString& pictures)
        : m_window(window)
        , m_lists(*window.triage())
        , m_scene(scene)
        , m_desk(window, pictures)
    {
    }

    [[nodiscard]] Status approval();
    [[nodiscard]] Status uncertainPayment();
    [[nodiscard]] Status workerLost();
    [[nodiscard]] Status rejectedInput();
    [[nodiscard]] Status throttled();

private:
    [[nodiscard]] Status refresh();
    // The first run of the situation that is selected.
    [[nodiscard]] Status firstRun();
    [[nodiscard]] Status look(const QString& wanted);
    [[nodiscard]] Status movedMeanwhile();
    [[nodiscard]] Status askVersions();
    [[nodiscard]] Status amendOne();
    [[nodiscard]] Status migrateOne();
    [[nodiscard]] Status cancelOthers();
    [[nodiscard]] Status slowDown();
    [[nodiscard]] Status pauseAll();
    [[nodiscard]] Status resumeInSteps();
    [[nodiscard]] Status off(const QString& name, int key, const QString& said);
    [[nodiscard]] Status inStore(const QString& wanted, const Holds& holds);
    [[nodiscard]] Status ended(const RunId& run, Activity as);
    [[nodiscard]] Status audited(const RunId& run, Verb verb, const QString& reason);
    [[nodiscard]] quint64 membersOf(const QString& where) const;

    MainWindow& m_window;
    TriagePage& m_lists;
    Scene& m_scene;
    Operator m_desk;
};

// --- what the situations share

Status Situations::refresh()
{
    return m_desk.press(
        u"F5"_s, Qt::Key_F5, u"everything has been read again"_s, [this] { return m_window.settled(); },
        [this] { return u"%1 runs wait or move"_s.arg(m_desk.shown()); });
}

// Runs in the situations whose row says so.
quint64 Situations::membersOf(const QString& where) const
{
    quint64 runs = 0;
    for (const SituationLine& line : m_lists.overview().situations)
        if ((line.wait + u' ' + line.what + u' ' + line.where).contains(where, Qt::CaseInsensitive))
            runs += line.count;
    return runs;
}

Status Situations::look(const QString& wanted)
{
    return m_desk.see(
        u"why this run waits: "_s + wanted,
        [this, wanted] {
            return m_window.settled() && !m_lists.run().isNull() && m_lists.why().run == m_lists.run().run
                && m_desk.why().contains(wanted);
        },
        [this] { return m_desk.why(); });
}

Status Situations::firstRun()
{
    CAIRN_TRY(m_desk.press(u"Enter"_s, Qt::Key_Return, u"the runs have the keyboard"_s,
        [this] { return m_lists.place() == u"Runs"_s && m_window.settled(); }, {}));
    return m_desk.press(
        u"Down"_s, Qt::Key_Down, u"one run is selected"_s,
        [this] { return !m_lists.run().isNull() && m_lists.why().run == m_lists.run().run; },
        [this] { return m_desk.why(); });
}

// A letter that can do nothing here says why.
Status Situations::off(const QString& name, int key, const QString& said)
{
    CAIRN_TRY(m_desk.press(
        name, key, said, [this, said] { return m_desk.notice().contains(said); },
        [this] { return m_desk.notice(); }));
    return m_desk.check(m_window.sheet() == nullptr, u"a sheet is open for what is off"_s);
}

Status Situations::inStore(const QString& wanted, const Holds& holds)
{
    if (!QTest::qWaitFor(holds, kStoreMs))
        return makeError(ErrorKind::Refused, "in the store, waited for: " + wanted.toStdString());
    std::printf("  %-14s %s\n", "(store)", qUtf8Printable(wanted));
    std::fflush(stdout);
    return {};
}

Status Situations::ended(const RunId& run, Activity as)
{
    return inStore(u"run %1 is %2"_s.arg(QString::fromStdString(toText(run)).left(8),
                       QString::fromUtf8(key(as).data(), static_cast<qsizetype>(key(as).size()))),
        [&] {
            const auto row = m_scene.row(run);
            return row && row->activity == as;
        });
}

// The act is in the audit once, in the name of who sits here: on a server that is the login of the database.
Status Situations::audited(const RunId& run, Verb verb, const QString& reason)
{
    const auto acts = m_scene.acts(run, verb, reason.toStdString());
    const std::string person = m_window.facts().person.toStdString();
    if (acts.size() == 1 && (acts.front().actor == person || acts.front().login == person))
        return inStore(
            u"audit entry %1: %2, \"%3\""_s.arg(acts.front().seq).arg(m_window.facts().person, reason),
            [] { return true; });
    return makeError(ErrorKind::Refused,
        "the audit has the act " + std::to_string(acts.size()) + " times, or in another name: "
            + (acts.empty() ? std::string() : acts.front().actor + ", " + acts.front().login));
}

// --- (i) stuck on an approval

Status Situations::approval()
{
    CAIRN_TRY(m_scene.askForRefunds(kRefunds));
    CAIRN_TRY(refresh());
    CAIRN_TRY(
        m_desk.see(u"the row of the refunds"_s, [this] { return membersOf(u"refund @1"_s) == kRefunds; }));
    CAIRN_TRY(m_desk.toAttention(u"Approval"_s));
    CAIRN_TRY(m_desk.toSituation(u"refund @1"_s));
    CAIRN_TRY(firstRun());
    CAIRN_TRY(look(u"finance"_s));
    CAIRN_TRY(m_desk.picture(u"situation-approval"_s));
    const RunId run = m_lists.run().run;
    CAIRN_TRY(m_desk.press(
        u"Enter"_s, Qt::Key_Return, u"the run's page"_s,
        [this] { return m_window.currentRun() != nullptr && m_window.currentRun()->loaded(); },
        [this] { return m_window.currentRun()->detail().title; }));
    CAIRN_TRY(m_desk.press(
        u"4"_s, Qt::Key_4, u"the data that the decision rests on"_s,
        [this] { return m_window.settled() && !m_window.currentRun()->detail().payloads.empty(); },
        [this] { return m_window.currentRun()->detail().payloads.front().title; }));
    CAIRN_TRY(m_desk.press(
        u"Esc"_s, Qt::Key_Escape, u"back in the lists"_s, [this] { return m_window.onLists(); }, {}));
    CAIRN_TRY(look(u"finance"_s));
    CAIRN_TRY(m_desk.check(m_lists.run().run == run, u"the run that was selected is another one"_s));
    CAIRN_TRY(m_desk.sheet(u"A"_s, Qt::Key_A));
    CAIRN_TRY(m_desk.check(
        m_window.sheet()->preview().sentence.contains(u"EUR"_s), u"the sheet does not name the amount"_s));
    CAIRN_TRY(m_desk.picture(u"sheet-approve"_s));
    const QString reason = u"the goods came back on Monday"_s;
    CAIRN_TRY(m_desk.execute(reason, u"Approved for refund"_s));
    CAIRN_TRY(ended(run, Activity::Completed));
    CAIRN_TRY(audited(run, Verb::Approve, reason));
    CAIRN_TRY(m_desk.check(m_scene.effects("refund") == 1, u"the provider did not pay once"_s));
    return movedMeanwhile();
}

// Somebody else was faster: what was looked at is no more so, and nothing is sent.
Status Situations::movedMeanwhile()
{
    CAIRN_TRY(m_desk.toSituation(u"refund @1"_s));
    CAIRN_TRY(firstRun());
    const RunId run = m_lists.run().run;
    CAIRN_TRY(m_desk.sheet(u"X"_s, Qt::Key_X));
    CAIRN_TRY(m_scene.elsewhere({"approve", toText(run), "--reason", "agreed at the other desk"}));
    CAIRN_TRY(ended(run, Activity::Completed));
    CAIRN_TRY(m_desk.tabTo(m_window.sheet()->reason(), u"the reason"_s));
    const QString reason = u"the goods never came back"_s;
    CAIRN_TRY(m_desk.type(reason));
    CAIRN_TRY(m_desk.press(
        u"Ctrl+Enter"_s, Qt::Key_Return, Qt::ControlModifier, u"it is refused"_s,
        [this] { return m_window.sheet() != nullptr && m_window.sheet()->notice().startsWith(u"Refused"_s); },
        [this] { return m_window.sheet()->notice() + u' ' + m_window.sheet()->state(); }));
    CAIRN_TRY(m_desk.press(u"Esc"_s, Qt::Key_Escape, u"the sheet is closed"_s,
        [this] { return m_window.sheet() == nullptr; }, {}));
    CAIRN_TRY(m_desk.check(
        m_scene.acts(run, Verb::Reject, reason.toStdString()).empty(), u"the refused act was carried out"_s));
    // The next one is rejected in earnest.
    CAIRN_TRY(refresh());
    CAIRN_TRY(m_desk.toSituation(u"refund @1"_s));
    CAIRN_TRY(firstRun());
    const RunId rejected = m_lists.run().run;
    CAIRN_TRY(m_desk.check(rejected != run, u"the run that went on is still in the list"_s));
    CAIRN_TRY(m_desk.sheet(u"X"_s, Qt::Key_X));
    CAIRN_TRY(m_desk.execute(reason, u"Rejected for refund"_s));
    CAIRN_TRY(inStore(u"the rejected run asks no more"_s, [&] {
        const auto row = m_scene.row(rejected);
        return row && row->reason != Reason::Approval;
    }));
    CAIRN_TRY(audited(rejected, Verb::Reject, reason));
    return m_desk.check(m_scene.effects("refund") == 2, u"the provider paid what was rejected"_s);
}

// --- (ii) a payment of which nobody knows whether it happened

Status Situations::uncertainPayment()
{
    CAIRN_TRY(m_scene.loseTheAnswer());
    CAIRN_TRY(m_desk.filter(u"wait:outcome_unknown"_s));
    CAIRN_TRY(
        m_desk.see(u"the payment is in the lists"_s, [this] { return membersOf(u"charge-card"_s) == 1; }));
    CAIRN_TRY(m_desk.check(m_lists.overview().situations.front().pinned, u"it is not above everything"_s));
    CAIRN_TRY(m_desk.toSituation(u"charge-card"_s));
    CAIRN_TRY(look(u"charge-card"_s));
    const RunId run = m_lists.run().run;
    CAIRN_TRY(off(u"R"_s, Qt::Key_R, u"Retry now is off"_s));
    CAIRN_TRY(m_desk.sheet(u"O"_s, Qt::Key_O));
    const ActPreview& preview = m_window.sheet()->preview();
    CAIRN_TRY(m_desk.check(preview.outcomes.size() == kOutcomes && preview.outcomes.front().allowed,
        u"the five outcomes are not offered"_s));
    CAIRN_TRY(m_desk.tabTo(m_window.sheet()->result(), u"the result to record"_s));
    CAIRN_TRY(m_desk.type(uR"({"reference":"RCPT-77"})"_s));
    CAIRN_TRY(m_desk.tabTo(m_window.sheet()->evidence(), u"how that was found out"_s));
    CAIRN_TRY(m_desk.type(u"one line in the provider's ledger"_s));
    CAIRN_TRY(m_desk.see(
        u"the preview of what is typed"_s,
        [this] {
            return m_window.sheet()->preview().request.result.contains(u"RCPT-77"_s)
                && m_window.sheet()->preview().request.evidence.contains(u"ledger"_s);
        },
        [this] { return m_window.sheet()->preview().willHappen.join(u"; "_s); }));
    CAIRN_TRY(m_desk.picture(u"sheet-set-outcome"_s));
    const QString reason = u"seen in the provider's ledger"_s;
    CAIRN_TRY(m_desk.execute(reason, u"The outcome of charge-card is recorded"_s));
    CAIRN_TRY(ended(run, Activity::Completed));
    CAIRN_TRY(audited(run, Verb::Settle, reason));
    return m_desk.check(
        m_scene.effects("charge-card") == 1, u"the provider has not been paid exactly once"_s);
}

// --- (iii) a worker died

Status Situations::workerLost()
{
    CAIRN_TRY(m_scene.loseTheWorker(kScans));
    CAIRN_TRY(m_desk.filter(u"def:scan"_s));
    CAIRN_TRY(refresh());
    CAIRN_TRY(m_desk.see(
        u"the lost worker is in the lists"_s, [this] { return membersOf(u"worker lost"_s) == kScans; }));
    CAIRN_TRY(m_desk.toSituation(u"worker lost"_s));
    CAIRN_TRY(firstRun());
    CAIRN_TRY(look(u"w-18"_s));
    CAIRN_TRY(m_desk.picture(u"situation-worker-lost"_s));
    const RunId run = m_lists.run().run;
    CAIRN_TRY(off(u"R"_s, Qt::Key_R, u"Retry now is off"_s));
    CAIRN_TRY(m_desk.sheet(u"T"_s, Qt::Key_T));
    CAIRN_TRY(m_desk.check(m_window.sheet()->value()->text() == m_window.facts().person,
        u"the case is not taken by who sits here"_s));
    const QString reason = u"another worker is being started"_s;
    CAIRN_TRY(m_desk.execute(reason, u"Done."_s));
    CAIRN_TRY(audited(run, Verb::Assign, reason));
    CAIRN_TRY(m_scene.startAnotherWorker());
    CAIRN_TRY(inStore(u"all %1 were taken over, and completed"_s.arg(kScans),
        [this] { return m_scene.count("def:scan state:completed") == kScans; }));
    CAIRN_TRY(refresh());
    return m_desk.see(
        u"the situation is over"_s, [this] { return m_window.settled() && membersOf(u"worker lost"_s) == 0; },
        [this] { return m_lists.whyPanel()->why().sentence + u" worker lost: 0"_s; });
}

// --- (iv) an input that is rejected

Status Situations::rejectedInput()
{
    CAIRN_TRY(m_scene.sendWrongOrders(kOrders));
    CAIRN_TRY(m_desk.filter(u"def:order"_s));
    CAIRN_TRY(m_desk.see(u"one row of all orders"_s, [this] { return membersOf(u"order @1"_s) == kOrders; }));
    CAIRN_TRY(m_desk.toSituation(u"order @1"_s));
    CAIRN_TRY(m_desk.check(m_lists.whyPanel()->why().sentence.contains(u"/items/0/sku"_s),
        u"why does not name the place in the input"_s));
    CAIRN_TRY(m_desk.picture(u"situation-mismatch"_s));
    CAIRN_TRY(firstRun());
    CAIRN_TRY(askVersions());
    CAIRN_TRY(amendOne());
    CAIRN_TRY(migrateOne());
    return cancelOthers();
}

// Read only: which version would take the run, before one chooses.
Status Situations::askVersions()
{
    const auto box = [this] { return m_window.findChild<QDialog*>(u"versions"_s); };
    const auto told = [box] {
        QStringList lines;
        for (const QLabel* label : box()->findChildren<QLabel*>())
            lines << label->text();
        return lines.join(u' ');
    };
    CAIRN_TRY(m_desk.press(
        u"V"_s, Qt::Key_V, u"what the versions say"_s, [&] { return box() != nullptr && box()->isVisible(); },
        told));
    CAIRN_TRY(m_desk.check(told().contains(u"order @2"_s) && told().contains(u"would take it"_s),
        u"no version would take the run"_s));
    return m_desk.press(u"Esc"_s, Qt::Key_Escape, u"it is closed"_s, [&] { return box() == nullptr; }, {});
}

Status Situations::amendOne()
{
    const RunId run = m_lists.run().run;
    CAIRN_TRY(m_desk.palette(
        u"amend input"_s, u"the sheet for the new input"_s, [this] { return m_window.sheet() != nullptr; },
        [this] { return m_window.sheet()->state(); }));
    CAIRN_TRY(m_desk.tabTo(m_window.sheet()->value(), u"the new input"_s));
    CAIRN_TRY(m_desk.type(uR"({"items":[{"sku":"A-4711"}]})"_s));
    const QString reason = u"the supplier's number got its letter"_s;
    CAIRN_TRY(m_desk.execute(reason, u"Done."_s));
    CAIRN_TRY(ended(run, Activity::Completed));
    return audited(run, Verb::Amend, reason);
}

// To the version that takes it, and once more there.
Status Situations::migrateOne()
{
    CAIRN_TRY(m_desk.toSituation(u"order @1"_s));
    CAIRN_TRY(firstRun());
    const RunId run = m_lists.run().run;
    CAIRN_TRY(m_desk.palette(
        u"run: migrate"_s, u"the sheet for the version"_s, [this] { return m_window.sheet() != nullptr; },
        [this] { return m_window.sheet()->state(); }));
    CAIRN_TRY(m_desk.tabTo(m_window.sheet()->value(), u"the version"_s));
    CAIRN_TRY(m_desk.type(u"2"_s));
    const QString reason = u"version 2 takes numbers"_s;
    CAIRN_TRY(m_desk.execute(reason, u"Done."_s));
    CAIRN_TRY(audited(run, Verb::Migrate, reason));
    CAIRN_TRY(m_desk.toSituation(u"order @2"_s));
    CAIRN_TRY(look(u"validate"_s));
    CAIRN_TRY(m_desk.check(m_lists.run().run == run, u"another run than the migrated one is selected"_s));
    CAIRN_TRY(m_desk.sheet(u"R"_s, Qt::Key_R));
    CAIRN_TRY(m_desk.execute(u"once more, by the version that takes it"_s, u"is tried again"_s));
    return ended(run, Activity::Completed);
}

// Back to the caller: what is marked, as one plan.
Status Situations::cancelOthers()
{
    const quint64 others = kOrders - 2;
    CAIRN_TRY(m_desk.see(u"the others"_s, [&] { return membersOf(u"order @1"_s) == others; }));
    CAIRN_TRY(m_desk.toSituation(u"order @1"_s));
    CAIRN_TRY(firstRun());
    CAIRN_TRY(m_desk.press(
        u"Ctrl+A"_s, Qt::Key_A, Qt::ControlModifier, u"all of them are marked"_s,
        [&] { return m_lists.marked().size() == others; }, [&] { return u"%1 marked"_s.arg(others); }));
    CAIRN_TRY(m_desk.planSheet(u"cancel as a plan"_s));
    CAIRN_TRY(
        m_desk.check(m_window.planSheet()->forecast().included == others, u"the plan is about others"_s));
    const QString reason = u"sent back to the caller, who corrects the numbers"_s;
    CAIRN_TRY(m_desk.execute(reason, u"Plan "_s));
    return inStore(
        u"%1 orders went back: %2 = 1 amended, 1 migrated, %1 cancelled"_s.arg(others).arg(kOrders), [&] {
            return m_scene.count("def:order state:cancelled") == others
                && m_scene.count("def:order state:completed") == kOrders - others;
        });
}

// --- (v) 300 runs, and a supplier that has had enough

Status Situations::throttled()
{
    CAIRN_TRY(m_scene.throttle(kPrices));
    CAIRN_TRY(m_desk.filter(u"def:price"_s));
    CAIRN_TRY(refresh());
    CAIRN_TRY(m_desk.see(
        u"one row of all that wait, whether they were told so or wait with the others"_s,
        [this] { return membersOf(u"price @1"_s) == kPrices && m_lists.overview().situations.size() == 1; },
        [this] {
            return u"%1 situations of %2 runs"_s.arg(m_lists.overview().situations.size())
                .arg(m_desk.shown());
        }));
    CAIRN_TRY(m_desk.toSituation(u"price @1"_s));
    CAIRN_TRY(m_desk.check(
        m_lists.whyPanel()->why().sentence.contains(u"supplier-api"_s), u"why does not name the resource"_s));
    CAIRN_TRY(m_desk.picture(u"situation-throttled"_s));
    CAIRN_TRY(slowDown());
    CAIRN_TRY(pauseAll());
    m_scene.providerIsWell();
    CAIRN_TRY(resumeInSteps());
    CAIRN_TRY(inStore(u"all %1 prices are there"_s.arg(kPrices),
        [this] { return m_scene.count("def:price state:completed") == kPrices; }));
    return inStore(
        u"the provider was asked once for each"_s, [this] { return m_scene.effects("price") == kPrices; });
}

Status Situations::slowDown()
{
    CAIRN_TRY(firstRun());
    CAIRN_TRY(look(u"supplier-api"_s));
    CAIRN_TRY(m_desk.sheet(u"P"_s, Qt::Key_P));
    CAIRN_TRY(m_desk.tabTo(m_window.sheet()->value(), u"the rate"_s));
    CAIRN_TRY(m_desk.type(u"30/s"_s));
    CAIRN_TRY(m_desk.see(
        u"the preview of that rate"_s,
        [this] {
            return m_window.sheet()->preview().willHappen.join(u' ').contains(u"at most 30 a second"_s);
        },
        [this] { return m_window.sheet()->preview().willHappen.join(u"; "_s); }));
    const QString reason = u"the supplier asks for fewer calls"_s;
    CAIRN_TRY(m_desk.execute(reason, u"supplier-api is slowed down"_s));
    return inStore(u"the audit has it, in nobody's run"_s,
        [&] { return m_scene.actsInAll(Verb::Slow, reason.toStdString()) == 1; });
}

Status Situations::pauseAll()
{
    CAIRN_TRY(m_desk.filter(u"def:price"_s));
    CAIRN_TRY(m_desk.planSheet(u"pause as a plan"_s));
    CAIRN_TRY(m_desk.check(
        m_window.planSheet()->forecast().included == kPrices, u"the plan is not about all 300"_s));
    CAIRN_TRY(m_desk.execute(u"until the supplier is well again"_s, u"Plan "_s));
    return inStore(u"all %1 are paused"_s.arg(kPrices),
        [this] { return m_scene.count("def:price wait:paused") == kPrices; });
}

// Five first, then at a rate, and an end to it if more than a fifth comes back.
Status Situations::resumeInSteps()
{
    CAIRN_TRY(m_desk.filter(u"def:price"_s));
    CAIRN_TRY(m_desk.planSheet(u"resume as a plan"_s));
    const PlanSheet* sheet = m_window.planSheet();
    const std::tuple<const QWidget*, QString, QString> pace[] = {
        {sheet->rate(), u"runs a minute"_s, u"1800"_s}, {sheet->canary(), u"first only"_s, u"5"_s},
        {sheet->stopOver(), u"stop over %"_s, u"20"_s}};
    for (const auto& [box, name, number] : pace) {
        CAIRN_TRY(m_desk.tabTo(box, name));
        CAIRN_TRY(m_desk.typeOver(number));
    }
    CAIRN_TRY(m_desk.see(
        u"the preview of that pace"_s,
        [this] { return m_window.planSheet()->forecast().load.contains(u"stops if more than 20"_s); },
        [this] { return m_window.planSheet()->forecast().load; }));
    CAIRN_TRY(m_desk.picture(u"sheet-plan-pace"_s));
    CAIRN_TRY(m_desk.execute(u"the supplier is well again"_s, u"Plan "_s));
    CAIRN_TRY(m_desk.place(
        u"P"_s, Qt::Key_P, u"the plans"_s,
        [this] { return m_window.currentPlans() != nullptr && m_window.currentPlans()->entry() != nullptr; },
        [this] { return m_window.currentPlans()->entry()->what; }));
    CAIRN_TRY(inStore(
        u"nobody is paused any more"_s, [this] { return m_scene.count("def:price wait:paused") == 0; }));
    CAIRN_TRY(inStore(u"all %1 went on to their end"_s.arg(kPrices),
        [this] { return m_scene.count("def:price state:completed") == kPrices; }));
    CAIRN_TRY(m_desk.press(
        u"F5"_s, Qt::Key_F5, u"the plan tells what became of each"_s,
        [this] {
            quint64 moved = 0;
            for (const cairn::ui::Fact& fate : m_window.currentPlans()->view().fates)
                if (fate.name == u"moved"_s || fate.name == u"finished"_s)
                    moved += fate.value.toULongLong();
            return moved == kPrices;
        },
        [this] {
            QStringList parts;
            for (const cairn::ui::Fact& fate : m_window.currentPlans()->view().fates)
                parts << fate.value + u' ' + fate.name.toLower();
            return u"%1 = "_s.arg(kPrices) + parts.join(u" + "_s);
        }));
    CAIRN_TRY(m_desk.picture(u"plan-followed"_s));
    return m_desk.press(
        u"Esc"_s, Qt::Key_Escape, u"back in the lists"_s, [this] { return m_window.onLists(); }, {});
}

// --- the program

int play(MainWindow& window, Scene& scene, const QString& pictures)
{
    Situations all(window, scene, pictures);
    const std::pair<const char*, Status (Situations::*)()> each[] = {
        {"(i) stuck on an approval", &Situations::approval},
        {"(ii) a payment whose outcome nobody knows", &Situations::uncertainPayment},
        {"(iii) a worker died", &Situations::workerLost},
        {"(iv) an input is rejected", &Situations::rejectedInput},
        {"(v) 300 runs are throttled", &Situations::throttled}};
    for (const auto& [name, situation] : each) {
        std::printf("%s\n", name);
        if (const Status done = (all.*situation)(); !done) {
            std::printf("FAIL  %s: %s\n", name, done.error().text.c_str());
            return 1;
        }
        std::printf("ok    %s\n", name);
        std::fflush(stdout);
    }
    return 0;
}

int failed(const std::string& text)
{
    std::fprintf(stderr, "situations: %s\n", text.c_str());
    return 1;
}

}  // namespace

int main(int argc, char** argv)
{
    QApplication app(argc, argv);
    QCommandLineParser parser;
    parser.addHelpOption();
    parser.addOptions(
        {{u"store"_s, u"A store that is not there yet; left out: a file that is thrown away."_s, u"URL"_s},
            {u"folder"_s, u"Where logs and the provider's ledger go; it is empty."_s, u"DIR"_s},
            {u"pictures"_s, u"Write pictures of what is seen on the way."_s, u"DIR"_s}});
    parser.process(app);
    const QTemporaryDir scratch;
    const QString url = parser.isSet(u"store"_s) ? parser.value(u"store"_s)
                                                 : u"sqlite:"_s + scratch.filePath(u"payments-eu.db"_s);
    const QString folder =
        parser.isSet(u"folder"_s) ? parser.value(u"folder"_s) : scratch.filePath(u"live"_s);
    const QString pictures = parser.value(u"pictures"_s);
    if (!QDir().mkpath(folder) || (!pictures.isEmpty() && !QDir().mkpath(pictures)))
        return failed("the folders for logs and pictures cannot be made");
    std::printf("making the store by cairn drill --situations, and starting a provider and an engine\n");
    std::fflush(stdout);
    Scene scene(url, folder);
    if (const Status ready = scene.open(); !ready)
        return failed(ready.error().text);
    console::HowOpened how;
    how.act = true;
    DesktopKeychain keychain;
    console::OpenStores opened(how, true, keychain);
    if (const QString wrong = opened.add(console::urlOf(url)); !wrong.isEmpty())
        return failed(wrong.toStdString());
    applyTheme(app, false);
    MainWindow window(opened.stores, false);
    window.resize(1280, 720);
    QSignalSpy ready(&window, &MainWindow::ready);
    window.show();
    window.start();
    if (ready.isEmpty() && !ready.wait(kStoreMs))
        return failed("the store did not answer");
    window.activateWindow();
    static_cast<void>(QTest::qWaitForWindowActive(&window));
    const int code = play(window, scene, pictures);
    std::printf(
        code == 0 ? "all five situations were played to their end\n" : "NOT AS IT SHOULD BE (above)\n");
    scene.close();
    return code;
}
