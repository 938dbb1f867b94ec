// What the views of a run read from a real store: the run as it was, acts, comparisons, context, parts of
// payloads.
#include "core/store/sqlite/sqlite_store.h"
#include "fixture.h"
#include "ui/data/convert.h"
#include "ui/data/format.h"
#include "ui/data/payloadindex.h"
#include "ui/data/storesession.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <numeric>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

struct Desk {
    Desk()
        : path(folder.filePath(u"runs.db"_s))
        , fixture(path.toStdString(), "dev", false)
    {
        StoreOpening opening;
        opening.url = u"sqlite:"_s + path;
        opening.name = u"runs"_s;
        opening.person = u"ines"_s;
        opening.mayAct = true;
        opening.open = [file = path.toStdString()](bool readOnly) {
            cairn::StoreOptions options;
            options.readOnly = readOnly;
            return cairn::sqlite::openStore(file, options);
        };
        session = std::make_unique<StoreSession>(std::move(opening));
    }
    QTemporaryDir folder;
    QString path;
    Fixture fixture;
    std::unique_ptr<StoreSession> session;
};

const StepLine* stepOf(const RunDetail& detail, const QString& id)
{
    for (const StepLine& step : detail.steps)
        if (step.id == id)
            return &step;
    return nullptr;
}

}  // namespace

class TestRunData : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRunIsShownAsItWas()
    {
        Desk desk;
        const cairn::RunId run = desk.fixture.start("PO-1");
        const quint64 begun = desk.fixture.state(run).version;
        desk.fixture.drive(run, "choose");
        const auto now = desk.session->run(run).result();
        QVERIFY(now && now.value->version > begun);
        QCOMPARE(stepOf(*now.value, u"reserve"_s)->glyph, Glyph::Done);
        const auto then = desk.session->runAt(run, begun).result();
        QVERIFY2(then, qPrintable(then.failure.what));
        QCOMPARE(then.value->version, begun);
        QCOMPARE(then.value->at, desk.fixture.state(run).startedAt);
        const StepLine* first = stepOf(*then.value, u"read-request"_s);
        QVERIFY(first != nullptr);
        QVERIFY(!first->finished);
        QCOMPARE(first->tries.size(), 1U);
        QCOMPARE(first->tries.front().endedAt, 0);  // under way, as far as was known then
        QCOMPARE(first->tries.front().outcome, u"under way"_s);
        const StepLine* reserve = stepOf(*then.value, u"reserve"_s);
        QVERIFY(reserve == nullptr
            || (!reserve->begun && reserve->tries.empty() && reserve->effectKey.isEmpty()));
        for (const VerbLine& verb : then.value->why.verbs) {
            QVERIFY(!verb.on);
            QCOMPARE(verb.text, u"this is how it was: go back to now to act"_s);
        }
        const auto newest = desk.session->runAt(run, now.value->version).result();
        QVERIFY(newest);
        QCOMPARE(stepOf(*newest.value, u"reserve"_s)->tries, stepOf(*now.value, u"reserve"_s)->tries);
        const auto never = desk.session->runAt(run, now.value->version + 1).result();
        QVERIFY(!never);
        QVERIFY2(never.failure.what.contains(u"has no version"_s), qPrintable(never.failure.what));
    }

    void oneStepTellsWhatMayBeDone()
    {
        Desk desk;
        const cairn::RunId run = desk.fixture.start("PO-1");
        desk.fixture.drive(run, "choose");
        const auto now = desk.session->run(run).result();
        QVERIFY(now);
        const StepLine* reserve = stepOf(*now.value, u"reserve"_s);
        QVERIFY(reserve != nullptr && reserve->glyph == Glyph::Done);
        const auto acts = desk.session->stepActs(run, reserve->ix).result();
        QVERIFY2(acts, qPrintable(acts.failure.what));
        QCOMPARE(acts.value->size(), 5U);
        // What can be done first: the run can be restarted, whatever became of the step.
        QCOMPARE(acts.value->front().verb, cairn::Verb::Fork);
        QVERIFY(acts.value->front().on);
        QVERIFY(acts.value->front().step.isEmpty());
        const VerbLine& retry = (*acts.value)[1];
        QCOMPARE(retry.verb, cairn::Verb::Retry);
        QVERIFY(!retry.on);
        QCOMPARE(retry.step, u"reserve"_s);
        QVERIFY2(retry.text.endsWith(u"it has a recorded result"_s), qPrintable(retry.text));
        const auto none = desk.session->stepActs(run, 999).result();
        QVERIFY(!none);
        QVERIFY2(none.failure.what.contains(u"has no step number 999"_s), qPrintable(none.failure.what));
    }

    void actsNameTheVersionThatTheyMade()
    {
        Desk desk;
        const cairn::RunId run = desk.fixture.start("PO-1");
        QVERIFY(desk.session->acts(run).result().value->empty());
        desk.fixture.toggle(run);
        const quint64 paused = desk.fixture.state(run).version;
        desk.fixture.toggle(run);
        const auto acts = desk.session->acts(run).result();
        QVERIFY(acts);
        QCOMPARE(acts.value->size(), 2U);
        QCOMPARE(acts.value->front().verb, u"Pause"_s);
        QCOMPARE(acts.value->front().person, u"kim"_s);
        QVERIFY(acts.value->front().applied);
        QCOMPARE(acts.value->front().version, paused);
        QCOMPARE(acts.value->back().version, paused + 1);
    }

    void versionsAndAttemptsAreCompared()
    {
        Desk desk;
        const cairn::RunId run = desk.fixture.start("PO-1");
        const quint64 begun = desk.fixture.state(run).version;
        desk.fixture.toggle(run);
        const auto compared = desk.session->compare({run, begun, {}, 0}, {run, 0, {}, 0}).result();
        QVERIFY2(compared, qPrintable(compared.failure.what));
        const auto& lines = compared.value->lines;
        const auto paused = std::find_if(
            lines.begin(), lines.end(), [](const CompareLine& line) { return line.what == u"paused"_s; });
        QVERIFY(paused != lines.end());
        QCOMPARE(paused->left, QString());
        QVERIFY2(paused->right.startsWith(u"by kim"_s), qPrintable(paused->right));
        QCOMPARE(compared.value->same, compared.value->steps);
        const auto none =
            desk.session->compare({run, 0, u"read-request"_s, 1}, {run, 0, u"read-request"_s, 2}).result();
        QVERIFY(!none);
        QVERIFY2(none.failure.what.contains(u"has no attempt 2"_s), qPrintable(none.failure.what));
        const auto same =
            desk.session->compare({run, 0, u"read-request"_s, 1}, {run, 0, u"read-request"_s, 1}).result();
        QVERIFY(same && same.value->lines.empty());
        QVERIFY(!desk.session->compare({run, 0, u"nothing"_s, 1}, {run, 0, u"nothing"_s, 1}).result());
    }

    void aRunThatStandsAloneIsRelatedToItself()
    {
        Desk desk;
        const cairn::RunId run = desk.fixture.start("PO-1");
        const auto relations = desk.session->relations(run).result();
        QVERIFY(relations);
        QCOMPARE(relations.value->size(), 1U);
        const RelationLine& self = relations.value->front();
        QCOMPARE(self.tie, Tie::Self);
        QCOMPARE(self.run, run);
        QVERIFY(self.here);
        QCOMPARE(self.workflow, u"purchase @3"_s);
    }

    void contextKeepsToItsBudget()
    {
        Desk desk;
        const cairn::RunId run = desk.fixture.start("PO-1");
        desk.fixture.drive(run, "choose");
        const auto context = desk.session->context(run, 8000).result();
        QVERIFY(context);
        QVERIFY(context.value->text.contains(u"reserve"_s));
        QCOMPARE(context.value->bytes, static_cast<quint64>(context.value->text.toUtf8().size()));
        QVERIFY(context.value->bytes <= 32'000);
    }

    void aPayloadIsReadInParts()
    {
        Desk desk;
        std::string bytes = "{\"suppliers\":[],\"text\":\"";
        for (int i = 0; bytes.size() < 5u * 1024 * 1024; ++i)
            bytes += std::to_string(i) + " ";
        bytes += "\"}";
        const cairn::RunId run = desk.fixture.withOutput(bytes);
        const auto detail = desk.session->run(run).result();
        QVERIFY(detail);
        const auto& payloads = detail.value->payloads;
        const auto large = std::find_if(payloads.begin(), payloads.end(),
            [&](const PayloadLine& line) { return line.size == bytes.size(); });
        QVERIFY(large != payloads.end());
        QByteArray all;
        int parts = 0;
        while (static_cast<quint64>(all.size()) < large->size) {
            const auto part =
                desk.session->payloadPart(run, *large, static_cast<quint64>(all.size()), kPayloadWhole)
                    .result();
            QVERIFY2(part, qPrintable(part.failure.what));
            QCOMPARE(part.value->size, large->size);
            QVERIFY(static_cast<quint64>(part.value->bytes.size()) <= kPayloadPart);
            all += part.value->bytes;
            ++parts;
        }
        QCOMPARE(parts, 2);
        QCOMPARE(all, QByteArray::fromStdString(bytes));
        const std::atomic_bool stop = false;
        const auto index = PayloadIndex::build(all, true, stop);
        QCOMPARE(index->nodes().size(), 3U);
        QCOMPARE(index->path(2), u"/text"_s);
    }
    void ofASituationAPlanTakesAll()
    {
        Desk desk;
        const cairn::RunId a = desk.fixture.driven("a");
        const cairn::RunId b = desk.fixture.driven("b");
        desk.fixture.toggle(a);
        desk.fixture.toggle(b);
        const auto overview = desk.session->overview({}).result();
        QVERIFY2(overview, qPrintable(overview.failure.what));
        const auto& all = overview.value->situations;
        const auto paused =
            std::find_if(all.begin(), all.end(), [](const SituationLine& line) { return line.count == 2; });
        QVERIFY(paused != all.end());
        const auto why = desk.session->whyOf(*paused).result();
        QVERIFY2(why, qPrintable(why.failure.what));
        const auto& verbs = why.value->verbs;
        const auto of = [&verbs](cairn::Verb verb) {
            const auto found = std::find_if(verbs.begin(), verbs.end(),
                [verb](const VerbLine& line) { return line.verb == verb && !line.abandon; });
            return found == verbs.end() ? VerbLine() : *found;
        };
        QVERIFY(of(cairn::Verb::Resume).on);
        QCOMPARE(of(cairn::Verb::Resume).situation, paused->key);
        QCOMPARE(of(cairn::Verb::Resume).name, u"Resume 2 runs"_s);
        // What one of them does not allow says why; what cannot be done to several says that.
        for (const VerbLine& line : why.value->more)
            QVERIFY(!line.on && line.situation.isEmpty());
        PlanRequest request;
        request.act.verb = cairn::Verb::Resume;
        request.filter = u"situation:"_s + paused->key;
        const auto told = desk.session->previewPlan(request).result();
        QVERIFY2(told, qPrintable(told.failure.what));
        QCOMPARE(told.value->included, 2U);
    }

    void secondsBecomeSlotsThatAPersonReads()
    {
        QVERIFY(slotsOf({}, 1000).counts.empty());
        const qint64 from = 1'000'000'000;
        const TimeSlots few = slotsOf({{"a", 0, 2}, {"a", 3, 1}}, from);
        QCOMPARE(few.width, 1000);
        QCOMPARE(few.from, from);
        QCOMPARE(few.counts, (std::vector<quint64>{2, 0, 0, 1}));
        const TimeSlots minutes = slotsOf({{"a", 0, 2}, {"a", 59, 1}, {"a", 600, 40}}, from);
        QCOMPARE(minutes.width, 60'000);
        QCOMPARE(minutes.from % 60'000, 0);
        QCOMPARE(std::accumulate(minutes.counts.begin(), minutes.counts.end(), quint64(0)), 43U);
        QVERIFY(minutes.counts.size() <= kMostSlots);
        const TimeSlots years = slotsOf({{"a", 0, 1}, {"a", 400'000'000, 1}}, from);
        QCOMPARE(years.counts.size(), kMostSlots);
        QCOMPARE(years.counts.back(), 1U);
        QCOMPARE(sharedBy({{"order", "a", 3}, {"refund", "b", 9}, {"order", "c", 1}, {"", "", 2}}),
            u"refund 9, order 4, driven 2"_s);
        cairn::SituationRow row;
        row.reason = cairn::Reason::Resource;
        row.resource = "api.acme.test";
        row.count = 12;
        row.parts = {{"order", "a", 3}, {"refund", "b", 9}};
        const SituationLine line = situationOf(row, from);
        QCOMPARE(line.where, u"2 steps · 2 workflows"_s);
        QCOMPARE(line.whereTerm, u"resource:api.acme.test"_s);
    }
};

QTEST_GUILESS_MAIN(TestRunData)
#include "tst_rundata.moc"
