// What a preview says as data, and that it leaves no byte in the store.

#include "tests/service/preview_rig.h"
#include "tests/store/sqlite_fixture.h"

#include <QtTest/QtTest>

#include <fstream>
#include <sstream>

using namespace cairn;
using namespace cairn::testing;

namespace {

// The file and its log, as they are on the disk.
std::string bytesOf(const std::string& path)
{
    std::ostringstream all;
    for (const char* suffix : {"", "-wal"})
        all << std::ifstream(path + suffix, std::ios::binary).rdbuf() << '|';
    return all.str();
}

bool has(const std::vector<std::string>& lines, const std::string& part)
{
    return std::any_of(lines.begin(), lines.end(),
        [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace

class TestServicePreviews : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<Folder>();
        m_folder->init();
        m_rig = std::make_unique<PreviewRig>(m_folder->open());
    }
    void cleanup()
    {
        m_rig.reset();
        m_folder.reset();
    }
    void noPreviewWritesAByte();
    void whatRunsNextIsToldWithItsCost();
    void whatDoesNotRunIsToldWithItsReason();
    void effectsThatStayAreTold();
    void timesThatPassAreTold();
    void aConsentThatIsVoidIsTold();
    void aMigrationTellsWhichConsentIsVoid();
    void everyVerbSaysHowItIsUndone();

private:
    std::unique_ptr<Folder> m_folder;
    std::unique_ptr<PreviewRig> m_rig;
};

void TestServicePreviews::noPreviewWritesAByte()
{
    PreviewRig& rig = *m_rig;
    const RunId asks = rig.asking(), stands = rig.stuck(), done = rig.paid();
    const auto acts = rig.acts(asks, stands, done);
    const auto audit = rig.store->audit(0, 100);
    CAIRN_VERIFY_OK(audit);
    const std::string before = bytesOf(m_folder->path);
    std::map<Verb, int> allowed;
    for (const Submission& act : acts) {
        const auto preview = rig.person->preview(act);
        CAIRN_VERIFY_OK(preview);
        if (const auto* entry = std::get_if<Entry>(&preview->decision))
            ++allowed[entry->verb];
        QVERIFY2(bytesOf(m_folder->path) == before, std::string(key(verbOf(act.command.body))).c_str());
    }
    const auto after = rig.store->audit(0, 100);
    CAIRN_VERIFY_OK(after);
    QCOMPARE(after->size(), audit->size());
    // The previews were of something: these verbs would have been carried out on one of the runs.
    for (const Verb verb : {Verb::Approve, Verb::Reject, Verb::Pause, Verb::Cancel, Verb::Retry, Verb::Skip,
             Verb::Record, Verb::Amend, Verb::Deadline, Verb::Budget, Verb::Fork, Verb::Signal, Verb::Start})
        QVERIFY2(allowed[verb] > 0, std::string(key(verb)).c_str());
    // And an act of the same kind does change the bytes: the comparison can fail.
    rig.must(rig.person->submitAndWait(World::act(asks, cmd::SetPaused{true, 0, false}, PreviewRig::kWhy)));
    QVERIFY(bytesOf(m_folder->path) != before);
}

void TestServicePreviews::whatRunsNextIsToldWithItsCost()
{
    const RunId run = m_rig->stuck();
    const auto preview = m_rig->preview(run, cmd::RetryStep{"ask", 0, false});
    CAIRN_VERIFY_OK(preview);
    const auto state = m_rig->person->load(run);
    CAIRN_VERIFY_OK(state);
    QCOMPARE(preview->parts.next.size(), std::size_t(1));
    const PreviewStep& next = preview->parts.next.front();
    QCOMPARE(next.step, std::string("ask"));
    QCOMPARE(next.tool, std::string("plan"));
    QCOMPARE(next.attempt, std::uint32_t(2));
    QCOMPARE(next.workflow, std::string("mixed"));
    QCOMPARE(next.version, std::uint32_t(1));
    QVERIFY(next.input == state->find("ask")->input);
    QCOMPARE(next.timeout, SpanMs{300'000});
    QCOMPARE(preview->parts.cost.size(), std::size_t(1));
    const PreviewCost& cost = preview->parts.cost.front();
    QCOMPARE(cost.unit, std::string("EUR"));
    QCOMPARE(cost.worst, std::int64_t(800'000));
    QVERIFY(cost.line);
    QCOMPARE(cost.line->limit, std::int64_t(10'000'000));
    QVERIFY(cost.fits());
    QVERIFY2(has(preview->parts.leftOut, "2 steps after these"), "what follows is not in the cost");
    // A budget that is too small for the worst case is told as such.
    PreviewCost little = cost;
    little.line->used = little.line->limit - little.line->reserved - little.worst + 1;
    QVERIFY(!little.fits());
}

void TestServicePreviews::whatDoesNotRunIsToldWithItsReason()
{
    const RunId run = m_rig->stuck();
    m_rig->must(
        m_rig->person->submitAndWait(World::act(run, cmd::SetPaused{true, 0, false}, PreviewRig::kWhy)));
    const auto preview = m_rig->preview(run, cmd::RetryStep{"ask", 0, false});
    CAIRN_VERIFY_OK(preview);
    QVERIFY(std::holds_alternative<Entry>(preview->decision));
    QVERIFY(preview->parts.next.empty());
    QVERIFY(preview->parts.cost.empty());
    QVERIFY(has(
        preview->parts.leftOut, "1 step could run and does not: the run is paused; Resume lets it go on"));
}

void TestServicePreviews::effectsThatStayAreTold()
{
    const RunId run = m_rig->paid();
    const auto preview = m_rig->preview(run, cmd::Cancel{false});
    CAIRN_VERIFY_OK(preview);
    QVERIFY(has(preview->willNotRepeat, "step \"pay\""));
    QVERIFY(has(preview->parts.leftOut,
        "the effect of step \"pay\" stays as it is: compensation is not part of this"));
}

void TestServicePreviews::timesThatPassAreTold()
{
    const RunId asks = m_rig->asking();
    const auto paused = m_rig->preview(asks, cmd::SetPaused{true, 0, false});
    CAIRN_VERIFY_OK(paused);
    QVERIFY(has(paused->alsoChanges, "the approval for step \"pay\" expires at"));
    const RunId stands = m_rig->stuck();
    m_rig->must(m_rig->person->submitAndWait(
        World::act(stands, cmd::SetDeadline{m_rig->clock.wallMs() + 60'000, 0, false}, PreviewRig::kWhy)));
    const auto retried = m_rig->preview(stands, cmd::RetryStep{"ask", 0, false});
    CAIRN_VERIFY_OK(retried);
    QVERIFY(has(retried->alsoChanges, "may pass while step \"ask\" runs: a try may take 5 m 00 s"));
}

void TestServicePreviews::aConsentThatIsVoidIsTold()
{
    const RunId run = m_rig->asking();
    m_rig->must(m_rig->person->submitAndWait(
        World::act(run, cmd::Decide{m_rig->approvalOf(run), true, {}}, PreviewRig::kWhy)));
    const auto preview = m_rig->person->preview(
        m_rig->withJson(run, cmd::AmendInput{"pay", {}, 0, false}, &cmd::AmendInput::input));
    CAIRN_VERIFY_OK(preview);
    QVERIFY(std::holds_alternative<Entry>(preview->decision));
    QVERIFY(has(preview->alsoChanges, "the approval for step \"pay\" is void"));
    // It was given, and the step ends without it.
    const std::string unused = "the approval given for step \"pay\" is not used";
    const auto cancelled = m_rig->preview(run, cmd::Cancel{true});
    CAIRN_VERIFY_OK(cancelled);
    QVERIFY(std::holds_alternative<Entry>(cancelled->decision));
    QVERIFY(has(cancelled->alsoChanges, unused));
    const auto paused = m_rig->preview(run, cmd::SetPaused{true, 0, false});
    CAIRN_VERIFY_OK(paused);
    QVERIFY(!has(paused->alsoChanges, unused));
}

// What another version would do is not what was allowed, or asked.
void TestServicePreviews::aMigrationTellsWhichConsentIsVoid()
{
    const RunId asked = m_rig->asking(), allowed = m_rig->asking();
    m_rig->must(m_rig->person->submitAndWait(
        World::act(allowed, cmd::Decide{m_rig->approvalOf(allowed), true, {}}, PreviewRig::kWhy)));
    const auto row = m_rig->store->workflow("mixed", 1);
    CAIRN_VERIFY_OK(row);
    const auto version = [&](int number, const std::string& from, const std::string& to) {
        std::string text = (*row)->text;
        const auto put = [&text](const std::string& what, const std::string& with) {
            const std::size_t at = text.find(what);
            if (at == std::string::npos)
                qFatal("the workflow has no %s", what.c_str());
            text.replace(at, what.size(), with);
        };
        put("\"version\":1", "\"version\":" + std::to_string(number));
        put(from, to);
        m_rig->add(text);
    };
    version(2, "\"attempts\":5", "\"attempts\":6");  // tried more often: the same is done
    version(3, "\"effect_key\":\"pay/", "\"effect_key\":\"paid/");
    for (const RunId& run : {asked, allowed})
        for (const std::uint32_t to : {2U, 3U}) {
            const auto preview = m_rig->preview(run, cmd::Migrate{to, 0});
            CAIRN_VERIFY_OK(preview);
            QVERIFY(std::holds_alternative<Entry>(preview->decision));
            QCOMPARE(has(preview->alsoChanges,
                         "the approval for step \"pay\" is void, since version 3 would do something else"),
                to == 3U);
        }
}

void TestServicePreviews::everyVerbSaysHowItIsUndone()
{
    for (const Word& word : words<Verb>()) {
        const PreviewUndo undo = undoOf(static_cast<Verb>(word.value));
        QVERIFY2(!undo.text.empty(), std::string(word.key).c_str());
        QVERIFY2(!undo.possible || undo.by, std::string(word.key).c_str());
    }
    const auto paused = m_rig->preview(m_rig->asking(), cmd::SetPaused{true, 0, false});
    CAIRN_VERIFY_OK(paused);
    QVERIFY(paused->undo.possible);
    QVERIFY(paused->undo.by == Verb::Resume);
}

QTEST_APPLESS_MAIN(TestServicePreviews)
#include "tst_service_previews.moc"
