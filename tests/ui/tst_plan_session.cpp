// Plans and proposed acts through the console's source on a real store: previews write nothing, what is
// staged is what was looked at, and nobody confirms his own act.
#include "core/service/agreement.h"
#include "core/store/sqlite/sqlite_store.h"
#include "fixture.h"
#include "ui/data/storesession.h"

#include <QCryptographicHash>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

const std::string kTwo = R"({"schema":"urn:cairn:policy:1","rules":[
  {"verbs":["resume"],"people":2,"role":"ops","expires":"1h"}],
  "roles":{"ops":["uid 1","uid 2"],"finance":["uid 3"]}})";

struct Desk {
    explicit Desk(bool guarded = false)
        : path(folder.filePath(u"runs.db"_s))
        , fixture(path.toStdString(), guarded ? "prod" : "dev", guarded)
        , ann(person(1))
    {
    }
    [[nodiscard]] std::unique_ptr<StoreSession> person(std::uint32_t uid, bool mayAct = true) const
    {
        StoreOpening opening;
        opening.url = u"sqlite:"_s + path;
        opening.name = u"runs"_s;
        opening.person = u"person %1"_s.arg(uid);
        opening.uid = uid;
        opening.host = u"desk"_s;
        opening.mayAct = mayAct;
        opening.whyNot = u"look only in this test"_s;
        opening.open = [file = path.toStdString()](bool readOnly) {
            cairn::StoreOptions options;
            options.readOnly = readOnly;
            return cairn::sqlite::openStore(file, options);
        };
        return std::make_unique<StoreSession>(std::move(opening));
    }
    // By a process of that person, without the console.
    template<typename Does> void as(std::uint32_t uid, const Does& does) const
    {
        auto store = cairn::sqlite::openStore(path.toStdString(), {});
        if (!store)
            qFatal("%s", store.error().text.c_str());
        const auto queue = cairn::makeInlineQueue(**store);
        cairn::SystemClock clock;
        cairn::SystemRng rng;
        cairn::ServiceConfig config;
        config.login = "uid " + std::to_string(uid);
        cairn::Service service(**store, *queue, clock, rng, config);
        const cairn::Outcome done = does(**store, cairn::Agreements(service));
        if (done.kind != cairn::Outcome::Kind::Committed)
            qFatal("%s%s", done.rejection.text.c_str(), done.error.text.c_str());
    }
    void setPolicy() const
    {
        as(1, [](cairn::StoreWriter&, cairn::Agreements agreements) {
            return agreements.setPolicy({kTwo, 0, "two people resume", "ann", false});
        });
    }
    // Confirmed, and the process ended before it carried the act out.
    void confirmOnly(const cairn::CommandId& id) const
    {
        as(2, [&](cairn::StoreWriter& store, cairn::Agreements agreements) {
            const auto act = store.stagedAct(id);
            if (!act || !*act)
                qFatal("the act is not there");
            return agreements.decideAct(
                {id, (*act)->digest, cairn::StagedState::Waiting, "looked at it and agree", "bob"});
        });
    }
    [[nodiscard]] QByteArray bytes() const
    {
        QByteArray all;
        for (const QString& name : {path, path + u"-wal"_s}) {
            QFile file(name);
            if (file.open(QIODevice::ReadOnly))
                all += file.readAll();
        }
        return QCryptographicHash::hash(all, QCryptographicHash::Sha256);
    }
    // Looked after for no time: what has to be done is done at once.
    [[nodiscard]] static PlanRequest planOf(cairn::Verb verb, std::vector<cairn::RunId> runs)
    {
        PlanRequest request;
        request.act.verb = verb;
        request.runs = std::move(runs);
        request.pace.verifyMinutes = 0;
        return request;
    }

    QTemporaryDir folder;
    QString path;
    Fixture fixture;
    std::unique_ptr<StoreSession> ann;
};

QString offOf(const PlanView& view, PlanStep step)
{
    for (const PlanOffer& offer : view.offers)
        if (offer.step == step)
            return offer.whyOff;
    return u"not told"_s;
}

QString countsOf(const std::vector<Fact>& counts)
{
    QStringList parts;
    for (const Fact& count : counts)
        parts << count.name + u' ' + count.value;
    return parts.join(u", "_s);
}

// What the audit's list says of each entry, newest first: outcome, on what, second person.
QStringList auditOf(Desk& desk)
{
    QStringList lines;
    const auto slice = desk.ann->audit({}).result();
    if (!slice.value)
        return {slice.failure.what};
    for (const AuditLine& line : slice.value->lines)
        lines << line.outcome + (line.why.isEmpty() ? QString() : u": "_s + line.why) + u" | "_s
                + line.target.section(u", plan "_s, 0, 0) + u" | "_s + line.second;
    return lines;
}

// What two people have to do; ann proposes it.
void proposeToResume(Desk& desk, const cairn::RunId& a)
{
    ActRequest request;
    request.verb = cairn::Verb::Resume;
    request.run = a;
    const auto preview = desk.ann->preview(request).result();
    QVERIFY2(preview.value.has_value(), qPrintable(preview.failure.what));
    QVERIFY2(preview.value->second.startsWith(u"2 people, the second with the role ops"_s),
        qPrintable(preview.value->second));
    request = preview.value->request;
    request.reason = u"the books are closed"_s;
    const auto proposed = desk.ann->execute(request).result();
    QVERIFY2(proposed.value.has_value(), qPrintable(proposed.failure.what));
    QVERIFY2(proposed.value->text.startsWith(u"Proposed, not done yet: 1 of 2, waiting for role ops"_s),
        qPrintable(proposed.value->text));
}

}  // namespace

class TestPlanSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatWasLookedAtIsStagedAndDone()
    {
        Desk desk;
        Fixture& fixture = desk.fixture;
        const cairn::RunId a = fixture.driven("a");
        const cairn::RunId b = fixture.driven("b");
        const cairn::RunId c = fixture.driven("c");
        fixture.toggle(c);  // paused already
        // Opens the connections.
        static_cast<void>(desk.ann->previewPlan(Desk::planOf(cairn::Verb::Pause, {a})).result());
        const QByteArray before = desk.bytes();
        const auto seen = desk.ann->previewPlan(Desk::planOf(cairn::Verb::Pause, {a, b, c})).result();
        QVERIFY2(seen.value.has_value(), qPrintable(seen.failure.what));
        QCOMPARE(desk.bytes(), before);  // nothing was written
        QVERIFY2(seen.value->possible, qPrintable(seen.value->refusal));
        QCOMPARE(seen.value->sentence, u"Pause: 2 of 3 runs, 1 left out."_s);
        QCOMPARE(seen.value->leftOut.front(),
            u"not there 0, already as asked 1, already moved 0, in a state that does not allow it 0, "
            "no right 0, under another plan 0, held 0, an effect may happen twice 0, removed by retention 0"_s);
        QCOMPARE(seen.value->needs, QString());
        QVERIFY(seen.value->command.contains(u" plan stage pause"_s));
        const auto staged = desk.ann->stagePlan(seen.value->digest, u"month-end freeze"_s).result();
        QVERIFY2(staged.value.has_value(), qPrintable(staged.failure.what));
        QCOMPARE(staged.value->end, ActEnd::Done);
        const auto open = desk.ann->plans(false).result();
        QVERIFY(open.value && open.value->entries.empty());
        const auto all = desk.ann->plans(true).result();
        QVERIFY(all.value.has_value());
        QCOMPARE(all.value->entries.size(), 1U);
        const PlanEntry entry = all.value->entries.front();
        QCOMPARE(entry.what, u"Pause of 3 runs"_s);
        QCOMPARE(entry.reason, u"month-end freeze"_s);
        const auto view = desk.ann->plan(entry, 10).result();
        QVERIFY2(view.value.has_value(), qPrintable(view.failure.what));
        QCOMPARE(countsOf(view.value->outcomes), u"open 0, done 2, skipped 1, stale 0, failed 0"_s);
        QCOMPARE(view.value->items.size(), 3U);
        QCOMPARE(view.value->items[2].run, c);  // what is left out stands behind the others
        QCOMPARE(view.value->items[2].why.isEmpty(), false);
        QVERIFY2(
            auditOf(desk).contains(u"staged | Pause of 3 runs | "_s), qPrintable(auditOf(desk).join(u'\n')));
        const auto told = desk.ann->audit({}).result();
        for (const AuditLine& line : told.value.value_or(AuditSlice{}).lines)
            QVERIFY2(
                (line.glyph == Glyph::Approval) == (line.outcome == u"staged"_s), qPrintable(line.outcome));
        // It was staged once; the same digest stages nothing more.
        const auto again = desk.ann->stagePlan(seen.value->digest, u"month-end freeze"_s).result();
        QVERIFY(again.value.has_value());
        QCOMPARE(again.value->end, ActEnd::Stale);
        QCOMPARE(again.value->text, u"this is not the plan that was looked at last: look again."_s);
    }

    void aGuardedStoreAsksForAReason()
    {
        Desk desk(true);
        const cairn::RunId a = desk.fixture.driven("a");
        const auto seen = desk.ann->previewPlan(Desk::planOf(cairn::Verb::Pause, {a})).result();
        QVERIFY2(seen.value.has_value(), qPrintable(seen.failure.what));
        QCOMPARE(seen.value->reasonMinimum, 10);
        QCOMPARE(seen.value->reasonLacks, u"this plan needs a reason of at least 10 characters"_s);
        const auto staged = desk.ann->stagePlan(seen.value->digest, u"short"_s).result();
        QVERIFY(staged.value.has_value());
        QCOMPARE(staged.value->end, ActEnd::Refused);
        QVERIFY(staged.value->text.startsWith(seen.value->reasonLacks));
        QVERIFY(desk.ann->plans(true).result().value->entries.empty());
        // The runs themselves are looked at as if there were one.
        const auto again = desk.ann->previewPlan(Desk::planOf(cairn::Verb::Pause, {a})).result();
        QVERIFY(again.value.has_value());
        QCOMPARE(again.value->included, 1);
        const auto done = desk.ann->stagePlan(again.value->digest, u"month-end freeze"_s).result();
        QVERIFY2(done.value.has_value(), qPrintable(done.failure.what));
        QCOMPARE(done.value->end, ActEnd::Done);
    }

    // One with a pace is an engine's: until one takes it all its runs are open, and it says how long they
    // take.
    void howFarAPlanIsIsTold()
    {
        Desk desk;
        const cairn::RunId a = desk.fixture.driven("a");
        const cairn::RunId b = desk.fixture.driven("b");
        const cairn::RunId c = desk.fixture.driven("c");
        desk.fixture.toggle(c);  // paused already
        PlanRequest request = Desk::planOf(cairn::Verb::Pause, {a, b, c});
        request.pace.rate = 60;
        const auto seen = desk.ann->previewPlan(request).result();
        QVERIFY2(seen.value.has_value(), qPrintable(seen.failure.what));
        const auto staged = desk.ann->stagePlan(seen.value->digest, u"month-end freeze"_s).result();
        QVERIFY2(staged.value.has_value(), qPrintable(staged.failure.what));
        const auto open = desk.ann->plans(false).result();
        QVERIFY2(open.value.has_value(), qPrintable(open.failure.what));
        QCOMPARE(open.value->entries.size(), 1U);
        const PlanEntry entry = open.value->entries.front();
        QCOMPARE(entry.share, (PlanShare{2, 0, 0, 1}));
        QCOMPARE(entry.standing, u"runs; 2 open, about 1.0 s left"_s);
        // Whoever pauses it sees that it stands still.
        const auto paused = desk.ann->order({entry, PlanStep::Pause, {}, u"not before noon"_s}).result();
        QVERIFY2(paused.value.has_value(), qPrintable(paused.failure.what));
        const PlanEntry after = desk.ann->plans(false).result().value->entries.front();
        QVERIFY2(after.standing.endsWith(u"; 2 open, until somebody continues or aborts it"_s),
            qPrintable(after.standing));
    }

    void aStoreForLookingTakesNoPlan()
    {
        Desk desk;
        const cairn::RunId a = desk.fixture.driven("a");
        const auto looking = desk.person(1, false);
        const auto seen = looking->previewPlan(Desk::planOf(cairn::Verb::Pause, {a})).result();
        QVERIFY2(seen.value.has_value(), qPrintable(seen.failure.what));
        QVERIFY(!seen.value->possible);
        QCOMPARE(seen.value->refusal, u"look only in this test"_s);
        const auto staged = looking->stagePlan(seen.value->digest, u"month-end freeze"_s).result();
        QVERIFY(!staged.value.has_value());
        QVERIFY(staged.failure.what.contains(u"look only in this test"_s));
    }

    void aFilterIsFrozenAsRuns()
    {
        Desk desk;
        Fixture& fixture = desk.fixture;
        fixture.driven("a");
        fixture.driven("b");
        PlanRequest request = Desk::planOf(cairn::Verb::Pause, {});
        request.filter = u"state:open"_s;
        const auto seen = desk.ann->previewPlan(request).result();
        QVERIFY2(seen.value.has_value(), qPrintable(seen.failure.what));
        QCOMPARE(seen.value->sentence, u"Pause: 2 of 2 runs, 0 left out."_s);
        QVERIFY(seen.value->command.contains(u"--where"_s));
        request.pace.stopOver = 101;
        QVERIFY(
            desk.ann->previewPlan(request).result().failure.what.contains(u"percentages, from 0 to 100"_s));
        request.pace = {0, 2, 0, 0, 0, 0, false};
        QVERIFY(desk.ann->previewPlan(request).result().failure.what.contains(u"a ramp needs the rate"_s));
        request.pace.rampFrom = 0;
        request.filter = u"nofield:x"_s;
        QVERIFY(!desk.ann->previewPlan(request).result().value.has_value());
    }

    void aSecondPersonConfirmsAnAct()
    {
        Desk desk;
        Fixture& fixture = desk.fixture;
        const cairn::RunId a = fixture.driven("a");
        fixture.toggle(a);
        desk.setPolicy();
        proposeToResume(desk, a);
        if (QTest::currentTestFailed())
            return;
        QVERIFY2(auditOf(desk).front().startsWith(u"proposed | "_s)
                && auditOf(desk).front().endsWith(u" | waits for somebody else"_s),
            qPrintable(auditOf(desk).join(u'\n')));
        const auto bob = desk.person(2);
        const auto overview = bob->overview({}).result();
        QVERIFY(overview.value.has_value());
        QCOMPARE(overview.value->attention.back().group, kSecondPerson);
        QCOMPARE(overview.value->attention.back().count, 1U);
        const auto waiting = bob->plans(false).result();
        QVERIFY(waiting.value && waiting.value->entries.size() == 1);
        const PlanEntry entry = waiting.value->entries.front();
        QVERIFY(entry.proposal && entry.waits);
        QCOMPARE(entry.person, u"uid 1"_s);
        QCOMPARE(entry.run, a);
        const auto why = bob->why(a).result();
        QVERIFY(why.value.has_value());
        QCOMPARE(why.value->evidence.back().name, u"Proposed"_s);
        QVERIFY2(why.value->evidence.back().value.startsWith(
                     u"Resume by uid 1: 1 of 2, waiting for role ops, expires "_s),
            qPrintable(why.value->evidence.back().value));
        const auto own = desk.ann->plan(entry, 10).result();
        QVERIFY2(own.value.has_value(), qPrintable(own.failure.what));
        QCOMPARE(offOf(*own.value, PlanStep::Confirm),
            u"who proposed an act cannot confirm it: somebody else has to"_s);
        QCOMPARE(offOf(*own.value, PlanStep::Withdraw), QString());
        const auto his = bob->plan(entry, 10).result();
        QVERIFY(his.value.has_value());
        QCOMPARE(offOf(*his.value, PlanStep::Confirm), QString());
        QCOMPARE(offOf(*his.value, PlanStep::Withdraw),
            u"only its author, uid 1, withdraws an act; anybody else rejects it"_s);
        const auto shown = bob->previewEntry(entry).result();
        QVERIFY2(shown.value.has_value(), qPrintable(shown.failure.what));
        QVERIFY2(shown.value->possible, qPrintable(shown.value->refusal));
        QCOMPARE(shown.value->digest.size(), 64);
        PlanOrderRequest order{entry, PlanStep::Confirm, QString(64, u'0'), u"looked at it and agree"_s};
        const auto other = bob->order(order).result();
        QVERIFY(other.value.has_value());
        QCOMPARE(other.value->end, ActEnd::Stale);  // another act than was shown
        order.digest = shown.value->digest;
        const auto done = bob->order(order).result();
        QVERIFY2(done.value.has_value(), qPrintable(done.failure.what));
        QCOMPARE(done.value->text, u"Confirmed and done."_s);
        QCOMPARE(done.value->end, ActEnd::Done);
        QVERIFY(bob->plans(false).result().value->entries.empty());
        const QStringList audit = auditOf(desk);
        QCOMPARE(audit.filter(QRegularExpression(u"^proposed .* uid 2$"_s)).size(), 1);
        QCOMPARE(audit.filter(QRegularExpression(u"^applied .* uid 2$"_s)).size(), 1);
    }

    void whoBrokeTheGlassStandsAloneInTheAudit()
    {
        Desk desk;
        const cairn::RunId a = desk.fixture.driven("a");
        desk.fixture.toggle(a);
        desk.setPolicy();
        desk.as(1, [&](cairn::StoreWriter& store, cairn::Agreements) {
            const auto queue = cairn::makeInlineQueue(store);
            cairn::SystemClock clock;
            cairn::SystemRng rng;
            cairn::ServiceConfig config;
            config.login = "uid 1";
            cairn::Service service(store, *queue, clock, rng, config);
            cairn::Submission refused;
            refused.run = a;
            refused.command.actor = {cairn::ActorKind::Person, "ann"};
            refused.command.body = cairn::cmd::RetryStep{"nosuch", 0, false};
            refused.reason = "is it there?";
            static_cast<void>(service.submitAndWait(std::move(refused)));
            cairn::Submission alone;
            alone.run = a;
            alone.command.actor = {cairn::ActorKind::Person, "ann"};
            alone.command.body = cairn::cmd::SetPaused{false, 0, false};
            alone.reason = "nobody else can be reached now";
            alone.breakGlass = true;
            return service.submitAndWait(std::move(alone));
        });
        QVERIFY2(auditOf(desk).join(u'\n').contains(u"refused: there is no step \"nosuch\""_s),
            qPrintable(auditOf(desk).join(u'\n')));
        QVERIFY2(auditOf(desk).front().endsWith(u"| NOBODY: by break-glass, REVIEW OPEN"_s),
            qPrintable(auditOf(desk).join(u'\n')));
    }

    void whatWaitsToBeCarriedOutIsWithdrawn()
    {
        Desk desk;
        Fixture& fixture = desk.fixture;
        const cairn::RunId a = fixture.driven("a");
        fixture.toggle(a);
        desk.setPolicy();
        ActRequest request;
        request.verb = cairn::Verb::Resume;
        request.run = a;
        const auto preview = desk.ann->preview(request).result();
        QVERIFY2(preview.value.has_value(), qPrintable(preview.failure.what));
        request = preview.value->request;
        request.reason = u"the books are closed"_s;
        const auto proposed = desk.ann->execute(request).result();
        QVERIFY2(proposed.value.has_value(), qPrintable(proposed.failure.what));
        const auto listed = desk.ann->plans(false).result();
        QVERIFY(listed.value && listed.value->entries.size() == 1);
        desk.confirmOnly(listed.value->entries.front().act);
        const auto waiting = desk.ann->plans(false).result();
        QVERIFY(waiting.value && waiting.value->entries.size() == 1);
        const PlanEntry entry = waiting.value->entries.front();
        QVERIFY(entry.proposal && !entry.waits);
        QVERIFY2(entry.standing.startsWith(u"confirmed by uid 2"_s), qPrintable(entry.standing));
        const auto view = desk.ann->plan(entry, 10).result();
        QVERIFY2(view.value.has_value(), qPrintable(view.failure.what));
        QCOMPARE(offOf(*view.value, PlanStep::Withdraw), QString());
        QVERIFY(!offOf(*view.value, PlanStep::Confirm).isEmpty());
        const auto withdrawn =
            desk.ann->order({entry, PlanStep::Withdraw, {}, u"the wrong run, sorry"_s}).result();
        QVERIFY2(withdrawn.value.has_value(), qPrintable(withdrawn.failure.what));
        QCOMPARE(withdrawn.value->end, ActEnd::Done);
        QVERIFY2(withdrawn.value->text.startsWith(u"The act is withdrawn by uid 1"_s),
            qPrintable(withdrawn.value->text));
        QVERIFY(desk.ann->plans(false).result().value->entries.empty());
        QVERIFY(fixture.state(a).paused());
        // Once.
        const auto again =
            desk.ann->order({entry, PlanStep::Withdraw, {}, u"the wrong run, sorry"_s}).result();
        QVERIFY(again.value.has_value());
        QCOMPARE(again.value->end, ActEnd::Stale);
    }

    void whatIsTypedIsReadOrRefused()
    {
        Desk desk;
        const cairn::RunId a = desk.fixture.driven("a");
        const auto said = [&](cairn::Verb verb, const QString& typed) {
            ActRequest request;
            request.verb = verb;
            request.run = a;
            request.value = typed;
            return desk.ann->preview(request).result();
        };
        QVERIFY(said(cairn::Verb::Note, u"  "_s).failure.what.contains(u"a note needs a text"_s));
        QVERIFY(
            said(cairn::Verb::Deadline, u"soon"_s)
                .failure.what.contains(u"\"soon\" is no time: give an instant (2026-12-01T18:00:00Z) or a "
                                       u"span from now (2h), or none"_s));
        QVERIFY(said(cairn::Verb::Budget, u"25.00"_s).failure.what.contains(u"\"25.00\" is no limit"_s));
        QVERIFY(said(cairn::Verb::Migrate, u"x"_s)
                    .failure.what.contains(u"give the version of the workflow as a number from 1 on"_s));
        const auto hold = said(cairn::Verb::Hold, u"2h"_s);
        QVERIFY2(hold.value.has_value(), qPrintable(hold.failure.what));
        QVERIFY2(hold.value->possible, qPrintable(hold.value->refusal));
        QVERIFY(hold.value->reasonRequired);
        QCOMPARE(hold.value->reasonMinimum, 1);  // in every store
    }

    void aCaseIsTakenOnceAsItWasSeen()
    {
        Desk desk;
        ActRequest request;
        request.verb = cairn::Verb::Assign;
        request.run = desk.fixture.driven("a");
        request.value = u"ann"_s;
        const auto seen = desk.ann->preview(request).result();
        QVERIFY2(seen.value.has_value(), qPrintable(seen.failure.what));
        QVERIFY2(seen.value->possible, qPrintable(seen.value->refusal));
        request = seen.value->request;
        request.expects = true;
        request.reason = u"mine"_s;
        const auto taken = desk.ann->execute(request).result();
        QVERIFY2(taken.value.has_value(), qPrintable(taken.failure.what));
        QCOMPARE(taken.value->end, ActEnd::Done);
        request.value = u"bob"_s;  // with what was seen before it was taken
        const auto late = desk.person(2)->execute(request).result();
        QVERIFY2(late.value.has_value(), qPrintable(late.failure.what));
        QCOMPARE(late.value->end, ActEnd::Stale);
        const auto noted = [&] {
            ActRequest note;
            note.verb = cairn::Verb::Note;
            note.run = request.run;
            note.value = u"called the supplier"_s;
            note.reason = u"for the record"_s;
            return desk.ann->execute(note).result();
        }();
        QVERIFY2(noted.value.has_value(), qPrintable(noted.failure.what));
        QCOMPARE(noted.value->end, ActEnd::Done);
    }

    void whatIsSeldomDoneStandsInTheMenu()
    {
        Desk desk;
        const cairn::RunId a = desk.fixture.driven("a");
        const auto why = desk.ann->why(a).result();
        QVERIFY2(why.value.has_value(), qPrintable(why.failure.what));
        const auto lineOf = [&](cairn::Verb verb) {
            for (const VerbLine& line : why.value->more)
                if (line.verb == verb)
                    return line;
            return VerbLine();
        };
        for (const cairn::Verb verb : {cairn::Verb::Hold, cairn::Verb::Assign, cairn::Verb::Note})
            QVERIFY(lineOf(verb).on);
        QVERIFY(!lineOf(cairn::Verb::Skip).on);
        QCOMPARE(lineOf(cairn::Verb::Skip).text, u"no step of this run waits for it"_s);
        QVERIFY(lineOf(cairn::Verb::Slow).text.contains(u"`cairn slow`"_s));
    }

    void aThrottledResourceIsSlowedFromItsRun()
    {
        Desk desk;
        Fixture& fixture = desk.fixture;
        const cairn::RunId run = fixture.start("PO-1");
        fixture.drive(run);
        fixture.approve(run);
        fixture.drive(run, "pay");
        fixture.fail(run, "pay", cairn::FailureClass::RateLimited, cairn::EffectKnowledge::NoEffect,
            "HTTP 429 from bank.acme.test");
        const auto why = desk.ann->why(run).result();
        QVERIFY2(why.value.has_value(), qPrintable(why.failure.what));
        ActRequest request;
        for (const VerbLine& line : why.value->verbs)
            if (line.verb == cairn::Verb::Slow && line.on) {
                QCOMPARE(line.letter, u"P"_s);
                request.resource = line.resource;
            }
        QCOMPARE(
            request.resource, u"bank"_s);  // among what is done first: the run waits because of its calls
        request.verb = cairn::Verb::Slow;
        request.run = run;
        request.value = u"20/s"_s;
        const QByteArray before = desk.bytes();
        const auto seen = desk.ann->preview(request).result();
        QVERIFY2(seen.value.has_value(), qPrintable(seen.failure.what));
        QVERIFY2(seen.value->possible, qPrintable(seen.value->refusal));
        QCOMPARE(seen.value->willHappen.front(),
            u"calls to bank begin at most 20 a second, by all engines (as many as there are now)"_s);
        QCOMPARE(desk.bytes(), before);
        request.value = u"soon"_s;
        const auto wrong = desk.ann->preview(request).result();
        QVERIFY2(wrong.failure.what.contains(u"\"soon\" is no rate"_s), qPrintable(wrong.failure.what));
    }

    void itsVersionsSayWhetherTheyWouldTakeTheRun()
    {
        Desk desk;
        const auto told = desk.ann->versions(desk.fixture.start("PO-1")).result();
        QVERIFY2(told.value.has_value(), qPrintable(told.failure.what));
        QCOMPARE(told.value->size(), 1U);
        QCOMPARE(told.value->front().name, u"purchase @3"_s);
        QCOMPARE(told.value->front().value, u"the run follows this one"_s);
        const auto driven = desk.ann->versions(desk.fixture.driven("a")).result();
        QVERIFY2(driven.failure.what.contains(u"it follows no workflow"_s), qPrintable(driven.failure.what));
    }

    void aPlanWaitsForItsSecondPerson()
    {
        Desk desk;
        Fixture& fixture = desk.fixture;
        const cairn::RunId a = fixture.driven("a");
        fixture.toggle(a);
        desk.setPolicy();
        const auto seen = desk.ann->previewPlan(Desk::planOf(cairn::Verb::Resume, {a})).result();
        QVERIFY2(seen.value.has_value(), qPrintable(seen.failure.what));
        QVERIFY(!seen.value->needs.isEmpty());
        const auto staged = desk.ann->stagePlan(seen.value->digest, u"the books are closed"_s).result();
        QVERIFY2(staged.value.has_value(), qPrintable(staged.failure.what));
        QVERIFY2(
            staged.value->text.contains(u"waits for its start; 1 of 2, waiting for role ops, expires "_s),
            qPrintable(staged.value->text));
        const PlanEntry entry = desk.ann->plans(false).result().value->entries.front();
        QVERIFY(entry.waits && !entry.proposal);
        const auto own = desk.ann->plan(entry, 10).result();
        QVERIFY2(own.value.has_value(), qPrintable(own.failure.what));
        QVERIFY(offOf(*own.value, PlanStep::Start).contains(u"needs a second person of the role ops"_s));
        QCOMPARE(offOf(*own.value, PlanStep::Confirm),
            u"who proposed an act cannot confirm it: somebody else has to"_s);
        const auto eve = desk.person(3);
        QVERIFY(offOf(*eve->plan(entry, 10).result().value, PlanStep::Confirm)
                    .contains(u"lacks the role \"ops\""_s));
        const auto bob = desk.person(2);
        const auto shown = bob->previewEntry(entry).result();
        QVERIFY2(shown.value.has_value(), qPrintable(shown.failure.what));
        const auto confirmed =
            bob->order({entry, PlanStep::Confirm, shown.value->digest, u"looked at it and agree"_s}).result();
        QVERIFY2(confirmed.value.has_value(), qPrintable(confirmed.failure.what));
        QCOMPARE(confirmed.value->end, ActEnd::Done);
        const auto started =
            desk.ann->order({entry, PlanStep::Start, shown.value->digest, u"both agree"_s}).result();
        QVERIFY2(started.value.has_value(), qPrintable(started.failure.what));
        QCOMPARE(started.value->end, ActEnd::Done);
        const auto view = desk.ann->plan(entry, 10).result();
        QVERIFY(view.value.has_value());
        QCOMPARE(countsOf(view.value->outcomes), u"open 0, done 1, skipped 0, stale 0, failed 0"_s);
    }
};

QTEST_APPLESS_MAIN(TestPlanSession)
#include "tst_plan_session.moc"
