// Versions: what may go on under which definition, and a decision's plan.
#include "core/model/migrate.h"
#include "core/definition/plan.h"
#include "tests/support/cairn_qtest.h"

using namespace cairn;

namespace {

StepDef toolStep(const char* name, std::vector<std::string> after = {})
{
    StepDef step;
    step.name = name;
    step.tool = "t";
    step.after = std::move(after);
    return step;
}

Definition target()
{
    Definition d;
    d.ref = {"buy", 5, sha256("five"), 4};
    ToolDef tool;
    tool.name = "t";
    tool.safety = ReplaySafety::Repeatable;
    d.tools.push_back(tool);
    d.steps = {toolStep("ask"), toolStep("pay", {"ask"})};
    d.migrations.push_back({3, 3, {{"quote", "ask"}}});
    return d;
}

RecordedStep recorded(const char* name, StepState state = StepState::Complete)
{
    return {name, StepKind::Tool, "t", state};
}

}  // namespace

class TstMigrate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void sameVersionNeedsNothing();
    void equalSchemasAreCompatible();
    void registeredMigrationRenames();
    void saysWhyNot();
    void newStepsMustNotComeBeforeOldOnes();
    void resumesOnlyUnderTheSameBytes();
    void readsPlans();
    void refusesPlans_data();
    void refusesPlans();
};

void TstMigrate::sameVersionNeedsNothing()
{
    const Definition d = target();
    const MigrationAnswer answer = checkMigration(d.ref, {recorded("gone")}, d);
    QVERIFY(answer.fit == Fit::Same && answer.problems.empty());
}

void TstMigrate::equalSchemasAreCompatible()
{
    const MigrationAnswer answer = checkMigration({"buy", 4, sha256("four"), 4}, {recorded("ask")}, target());
    QVERIFY(answer.fit == Fit::Compatible && answer.problems.empty() && answer.renamedSteps.empty());
}

void TstMigrate::registeredMigrationRenames()
{
    const MigrationAnswer answer = checkMigration(
        {"buy", 3, sha256("three"), 3}, {recorded("quote"), recorded("pay", StepState::Pending)}, target());
    QVERIFY(answer.fit == Fit::Migrated);
    QCOMPARE(answer.text(), std::string());
    QVERIFY((answer.renamedSteps == std::vector<std::pair<std::string, std::string>>{{"quote", "ask"}}));
}

void TstMigrate::saysWhyNot()
{
    const Definition d = target();
    MigrationAnswer answer = checkMigration({"buy", 2, sha256("two"), 3}, {recorded("ask")}, d);
    QVERIFY(answer.fit == Fit::Incompatible);
    QCOMPARE(answer.text(), std::string("written by state schema 3, this version reads 4, no step 3 to 4"));
    answer = checkMigration({"sell", 5, sha256("x"), 4}, {}, d);
    QCOMPARE(answer.text(), std::string(R"(written by workflow "sell", this is "buy")"));
    RecordedStep timer = recorded("pay");
    timer.kind = StepKind::Timer;
    timer.tool.clear();
    RecordedStep other = recorded("ask");
    other.tool = "u";
    answer = checkMigration({"buy", 4, sha256("four"), 4}, {recorded("quote"), timer, other}, d);
    QVERIFY(answer.fit == Fit::Incompatible);
    QCOMPARE(answer.problems,
        (std::vector<std::string>{
            R"(step "quote" is recorded, and buy version 5 has no such step and no rename)",
            R"(step "pay" is recorded as timer, and is tool in buy version 5)",
            R"(step "ask" is recorded with tool "u", and has "t" in buy version 5)"}));
}

void TstMigrate::newStepsMustNotComeBeforeOldOnes()
{
    Definition d = target();
    d.steps.push_back(toolStep("check"));
    d.steps[1].after.push_back("check");
    const WorkflowRef written{"buy", 4, sha256("four"), 4};
    QCOMPARE(checkMigration(written, {recorded("ask"), recorded("pay", StepState::Running)}, d).text(),
        std::string(R"(step "pay" has begun, and in buy version 5 the new step "check" comes before it)"));
    QVERIFY(checkMigration(written, {recorded("ask"), recorded("pay", StepState::Ready)}, d).fit
        == Fit::Compatible);
}

void TstMigrate::resumesOnlyUnderTheSameBytes()
{
    const Definition d = target();
    QVERIFY(checkResume(d.ref, d).fit == Fit::Same);
    WorkflowRef written = d.ref;
    written.digest = sha256("other");
    QCOMPARE(checkResume(written, d).text(),
        "buy version 5 is here with other content (sha256 " + hex(d.ref.digest).substr(0, 12)
            + ", written by " + hex(written.digest).substr(0, 12) + "): add it under a new version");
    written = d.ref;
    written.version = 4;
    QCOMPARE(checkResume(written, d).text(), std::string("written by buy version 4, here is buy version 5"));
}

void TstMigrate::readsPlans()
{
    Definition d = target();
    d.steps[1].onDemand = true;
    d.steps[1].agent = "clerk";
    const auto plan = readPlan(d, "think",
        R"({"why":"x","steps":[{"name":"pay"},{"id":"pay-2","name":"pay","after":["pay","ask"]}]})");
    QVERIFY(plan);
    QCOMPARE(plan->size(), std::size_t(2));
    QCOMPARE((*plan)[0].id, std::string("pay"));
    QCOMPARE((*plan)[0].after, std::vector<std::string>{"think"});
    QVERIFY((*plan)[0].kind == StepKind::Tool && (*plan)[0].safety == ReplaySafety::Repeatable);
    QCOMPARE((*plan)[0].tool + ' ' + (*plan)[0].agent, std::string("t clerk"));
    QCOMPARE((*plan)[1].id, std::string("pay-2"));
    QCOMPARE((*plan)[1].after, (std::vector<std::string>{"pay", "ask"}));
    QVERIFY(readPlan(d, "think", R"({"choice":1})")->empty());
    QVERIFY(readPlan(d, "think", "[1]")->empty());
}

void TstMigrate::refusesPlans_data()
{
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char* output, const char* expected) {
        QTest::newRow(output) << QByteArray(output) << QByteArray(expected);
    };
    row(R"({"steps":{}})", "the plan's \"steps\": expected a list, found an object");
    row(R"({"steps":[1]})", "the plan's step 1 expected an object, found a number");
    row(R"({"steps":[{"name":"ask"}]})",
        R"(the plan's step 1 names "ask", which is no step "on_demand" of buy)");
    row(R"({"steps":[{"name":"pay"},{"name":"pay"}]})",
        R"(the plan's step 2 has the id "pay" of an earlier one)");
    row(R"({"steps":[{"name":"pay","id":"a/b"}]})",
        R"(the plan's step 1 has the id "a/b": an id has at most 200 bytes and no '/' or '#')");
    row(R"({"steps":[{"name":"pay","id":"a\nb"}]})",
        R"(the plan's step 1 has the id "a\nb": an id is text of one line without control, directional or )"
        "zero-width characters");
    row(R"({"steps":[{"name":"pay","id":"a\u202eb"}]})",
        R"(the plan's step 1 has the id "a\u{202e}b": an id is text of one line without control, directional or )"
        "zero-width characters");
    row(R"({"steps":[{"name":"pay","tool":"t"}]})", R"(the plan's step 1 has the unknown field "tool")");
    row(R"({"steps":[{"name":"pay","after":"ask"}]})", "the plan's step 1 expected a list, found text");
}

void TstMigrate::refusesPlans()
{
    QFETCH(QByteArray, output);
    QFETCH(QByteArray, expected);
    Definition d = target();
    d.steps[1].onDemand = true;
    const auto plan = readPlan(d, "think", output.toStdString());
    QVERIFY(!plan);
    QCOMPARE(QByteArray::fromStdString(plan.error().text), expected);
}

QTEST_APPLESS_MAIN(TstMigrate)
#include "tst_migrate.moc"
