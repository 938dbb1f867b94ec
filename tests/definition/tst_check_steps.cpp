// What is said about the steps of a definition: every mistake with line, column and words.
#include "core/definition/parse.h"
#include "tests/support/cairn_qtest.h"

#include <string>

using namespace cairn;

namespace {

// The text of a definition: a first line, `extra` in line 2, `tools` in line 3, and steps from line 5 on.
struct Row {
    const char* name;
    const char* extra;
    const char* tools;
    const char* steps;
    const char* said;  // all diagnostics, one to a line
};

constexpr const char* kNothing = "";
constexpr const char* kLook =
    R"~("look":{"safety":"read_only","executor":"builtin","settings":{"function":"echo"}})~";

constexpr Row kRows[] = {
    {"no steps", kNothing, kLook, R"~()~",
        "3:17: warning: tool \"look\" is not used by any step\n"
        "4:9: error: a workflow needs at least one step\n"},
    {"step without a name", kNothing, kLook, R"~({"tool":"look"})~", "5:1: error: a step needs \"name\"\n"},
    {"two steps of one name", kNothing, kLook,
        R"~({"name":"a","tool":"look"},)~"
        "\n"
        R"~({"name":"a","tool":"look"})~",
        "6:9: error: two steps are named \"a\", the first in line 5\n"},
    {"a word of templates", kNothing, kLook, R"~({"name":"item","tool":"look"})~",
        "5:9: error: \"item\" is a word of templates and cannot name a step\n"},
    {"bad name", kNothing, kLook, R"~({"name":"a/b","tool":"look"})~",
        "5:9: error: \"a/b\" is no name: a name is made of letters, digits, '-', '_' and '.'\n"},
    {"unknown kind", kNothing, R"~()~", R"~({"name":"a","kind":"timers"})~",
        "5:20: error: \"kind\" must be one of \"tool\", \"decision\", \"approval\", \"timer\", "
        "\"signal\", \"run\", found \"timers\": did you mean \"timer\"?\n"},
    {"unknown tool", kNothing, kLook, R"~({"name":"a","tool":"lok"})~",
        "3:17: warning: tool \"look\" is not used by any step\n"
        "5:20: error: there is no tool \"lok\" in \"tools\": did you mean \"look\"?\n"},
    {"unknown agent", R"~("agents":["buyer"],)~", kLook, R"~({"name":"a","tool":"look","agent":"bayer"})~",
        "5:35: error: there is no agent \"bayer\" in \"agents\": did you mean \"buyer\"?\n"},
    {"unknown step in after", kNothing, kLook,
        R"~({"name":"first","tool":"look"},)~"
        "\n"
        R"~({"name":"b","tool":"look","after":["frist"]})~",
        "6:35: error: step \"b\" comes after \"frist\", but there is no such step: did you mean "
        "\"first\"?\n"},
    {"fields of other kinds", kNothing, kLook,
        R"~({"name":"a","kind":"timer","wait":"5s","tool":"look"},)~"
        "\n"
        R"~({"name":"b","kind":"approval","approval":{"role":"r"},"for_each":{"from":"input"}},)~"
        "\n"
        R"~({"name":"c","tool":"look"})~",
        "5:40: error: step \"a\" takes no \"tool\": it is of kind \"timer\"\n"
        "6:55: error: step \"b\" takes no \"for_each\": it is of kind \"approval\"\n"},
    {"what kinds need", kNothing, R"~()~",
        R"~({"name":"a","kind":"approval"},)~"
        "\n"
        R"~({"name":"b","kind":"timer"},)~"
        "\n"
        R"~({"name":"c","kind":"signal"},)~"
        "\n"
        R"~({"name":"d","kind":"run"},)~"
        "\n"
        R"~({"name":"e","kind":"decision"},)~"
        "\n"
        R"~({"name":"f"})~",
        "5:1: error: step \"a\" needs \"approval\"\n"
        "6:1: error: step \"b\" needs one of \"wait\", \"until\", \"at\" and \"next\"\n"
        "7:1: error: step \"c\" needs \"signal\"\n"
        "8:1: error: step \"d\" needs \"workflow\"\n"
        "9:1: error: step \"e\" needs \"tool\"\n"
        "10:1: error: step \"f\" needs \"tool\"\n"},
    {"approval without a role", kNothing, kLook,
        R"~({"name":"a","tool":"look","approval":{"expires":"1h"}})~",
        "5:38: error: \"approval\" needs \"role\"\n"},
    {"approval", kNothing, kLook,
        R"~({"name":"a","tool":"look","approval":{"role":"","needed":0,"expire":"1h"}})~",
        "5:46: error: \"\" is no name: a name has 1 to 64 characters and begins with a letter\n"
        "5:58: error: \"needed\" must be a whole number from 1 to 10, found 0\n"
        "5:60: error: unknown field \"expire\" in \"approval\": did you mean \"expires\"?\n"},
    {"a cycle", kNothing, kLook,
        R"~({"name":"a","tool":"look","after":["c"]},)~"
        "\n"
        R"~({"name":"b","tool":"look","after":["a"]},)~"
        "\n"
        R"~({"name":"c","tool":"look","after":["b"]},)~"
        "\n"
        R"~({"name":"d","tool":"look","after":["c"]})~",
        "5:35: error: steps wait for each other: \"a\" -> \"c\" -> \"b\" -> \"a\"\n"
        "8:35: error: step \"d\" can never begin: what it waits for is part of, or behind, steps "
        "that wait for each other\n"},
    {"two cycles", kNothing, kLook,
        R"~({"name":"a","tool":"look","after":["a"]},)~"
        "\n"
        R"~({"name":"b","tool":"look","after":["c"]},)~"
        "\n"
        R"~({"name":"c","tool":"look","after":["b"]})~",
        "5:35: error: step \"a\" waits for itself\n"
        "6:35: error: steps wait for each other: \"b\" -> \"c\" -> \"b\"\n"},
    {"reads what is not upstream", kNothing, kLook,
        R"~({"name":"a","tool":"look"},)~"
        "\n"
        R"~({"name":"b","tool":"look","input":{"x":{"$from":"a"}}})~",
        "6:49: error: step \"b\" reads \"a\", which need not be done before it: add \"a\" to its "
        "\"after\"\n"},
    {"reads what is upstream by others", kNothing, kLook,
        R"~({"name":"a","tool":"look"},)~"
        "\n"
        R"~({"name":"b","tool":"look","after":["a"]},)~"
        "\n"
        R"~({"name":"c","tool":"look","after":["b"],"input":{"$from":"a","at":"/x"}})~",
        kNothing},
    {"reads itself", kNothing, kLook, R"~({"name":"a","tool":"look","input":{"$from":"a"}})~",
        "5:44: error: step \"a\" reads its own output\n"},
    {"reads an unknown step", kNothing, kLook,
        R"~({"name":"first","tool":"look"},)~"
        "\n"
        R"~({"name":"b","tool":"look","after":["first"],"input":[{"$from":"firts"}]})~",
        "6:63: error: step \"b\" reads \"firts\", but there is no such step: did you mean "
        "\"first\"?\n"},
    {"bad pointer", kNothing, kLook,
        R"~({"name":"a","tool":"look","input":{"x":{"$from":"input","at":"x"},"y":{"$from":"inpu)~"
        R"~(t","at":"/~2"}}})~",
        "5:62: error: \"x\": a JSON Pointer is empty or begins with '/'\n"
        "5:93: error: \"/~2\": '~' in a JSON Pointer must be followed by 0 (for '~') or 1 (for '/')\n"},
    {"template words", kNothing, kLook,
        R"~({"name":"a","tool":"look","input":{"x":{"$frm":"input"},"y":{"$from":"input","aat":")~"
        R"~(/x"},"z":{"$from":3},"q":{"$literal":1,"r":2}}})~",
        "5:41: error: unknown word \"$frm\": \"$from\" and \"$literal\" are known; put the object "
        "into \"$literal\" to mean the text itself\n"
        "5:78: error: unknown field \"aat\" beside \"$from\": it takes \"at\" and \"else\"\n"
        "5:103: error: \"$from\" must be text, found a number\n"
        "5:110: error: \"$literal\" must be the only field of its object\n"},
    {"item without for_each", kNothing, kLook, R"~({"name":"a","tool":"look","input":{"$from":"item"}})~",
        "5:44: error: \"item\" is known only in the input of a step with \"for_each\"\n"},
    {"conditions", kNothing, kLook,
        R"~({"name":"a","tool":"look","when":{"equals":[1]}},)~"
        "\n"
        R"~({"name":"b","tool":"look","when":{"equal":[1,2]}},)~"
        "\n"
        R"~({"name":"c","tool":"look","when":{"all":[{"exists":1},{"not":{"any":[]}}]}},)~"
        "\n"
        R"~({"name":"d","tool":"look","when":{"equals":[{"$from":"a"},1]}},)~"
        "\n"
        R"~({"name":"e","tool":"look","when":{}},)~"
        "\n"
        R"~({"name":"f","tool":"look","when":true})~",
        "5:44: error: \"equals\" takes two values, found 1\n"
        "6:35: error: unknown operator \"equal\": did you mean \"equals\"?\n"
        "7:52: error: \"exists\" takes one {\"$from\": ...}\n"
        "7:69: error: \"any\" takes at least one condition\n"
        "8:54: error: step \"d\" reads \"a\", which need not be done before it: add \"a\" to its "
        "\"after\"\n"
        "9:34: error: a condition is an object with one operator, like {\"equals\": [a, b]}\n"
        "10:34: error: \"when\" must be an object, found true or false\n"},
    {"for_each from elsewhere", kNothing, kLook,
        R"~({"name":"a","tool":"look"},)~"
        "\n"
        R"~({"name":"b","tool":"look","for_each":{"from":"a","at":"/x"}})~",
        "6:46: error: step \"b\" reads \"a\", which need not be done before it: add \"a\" to its "
        "\"after\"\n"},
    {"decision that writes", kNothing,
        R"~("pay":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"}})~",
        R"~({"name":"a","kind":"decision","tool":"pay"})~",
        "5:38: error: decision \"a\" uses tool \"pay\", which writes: choosing and doing are two "
        "steps, so a decision's tool is read_only\n"},
    {"effect key from what is not there", kNothing,
        R"~("pay":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"ef)~"
        R"~(fect_key":"o:${/order}"})~",
        R"~({"name":"a","tool":"pay","input":{"ordr":1}})~",
        "5:34: error: the effect key of tool \"pay\" reads /order, which the input of step \"a\" "
        "does not have\n"},
    {"effect key that is always the same", kNothing,
        R"~("pay":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"ef)~"
        R"~(fect_key":"o:${/order}"})~",
        R"~({"name":"a","tool":"pay","input":{"order":1}})~",
        "5:34: warning: the effect key of tool \"pay\" is the same for every run of step \"a\": the "
        "second run would be given the first one's result\n"},
    {"effect key of every item", kNothing,
        R"~("pay":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"ef)~"
        R"~(fect_key":"o:${/order}"})~",
        R"~({"name":"a","tool":"pay","for_each":{"from":"input"},"input":{"order":{"$from":"inpu)~"
        R"~(t","at":"/order"}}})~",
        "5:62: error: the effect key of tool \"pay\" is the same for every item of step \"a\": let "
        "it read something of the item\n"},
    {"effect key of an item", kNothing,
        R"~("pay":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"ef)~"
        R"~(fect_key":"o:${/order/id}"})~",
        R"~({"name":"a","tool":"pay","for_each":{"from":"input"},"input":{"order":{"$from":"item)~"
        R"~("}}})~",
        kNothing},
    {"amount from what is not there", kNothing,
        R"~("pay":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"am)~"
        R"~(ount":{"at":"/amount","currency":"EUR"}})~",
        R"~({"name":"a","tool":"pay","input":{"order":1}})~",
        "5:34: error: the amount of tool \"pay\" reads /amount, which the input of step \"a\" does "
        "not have\n"},
    {"allotment", R"~("budget":[{"tokens":5}],)~", R"~()~",
        R"~({"name":"a","kind":"run","workflow":"w2","allotment":[{"tokens":6},{"amount":"1","cu)~"
        R"~(rrency":"EUR"}]})~",
        "5:54: error: step \"a\" gives its child more tokens than the workflow's whole budget\n"
        "5:54: error: step \"a\" gives its child an allotment of EUR, but the workflow has no budget "
        "in it\n"},
    {"timer beyond the deadline", R"~("deadline":"1h",)~", R"~()~",
        R"~({"name":"a","kind":"timer","wait":"2h"})~",
        "5:35: error: step \"a\" waits 2h, longer than the run's deadline of 1h\n"},
    {"until", kNothing, R"~()~",
        R"~({"name":"a","kind":"timer","until":"tomorrow"},)~"
        "\n"
        R"~({"name":"b","kind":"timer","until":"2026-03-01T09:00:00Z"})~",
        "5:36: error: \"until\" must be an instant like \"2026-03-01T09:00:00Z\" or {\"$from\": "
        "...}\n"},
    {"timer with both", kNothing, R"~()~",
        R"~({"name":"a","kind":"timer","until":"2026-03-01T09:00:00Z","wait":"5s"})~",
        "5:1: error: step \"a\" needs one of \"wait\", \"until\", \"at\" and \"next\"\n"},
    {"local times", kNothing, R"~()~",
        R"~({"name":"a","kind":"timer","at":{"local":"2027-04-31T10:00","zone":"Europe/Berlin"}},)~"
        "\n"
        R"~({"name":"b","kind":"timer","at":{"local":5,"zone":"Europe/Berlin"}},)~"
        "\n"
        R"~({"name":"c","kind":"timer","at":{"local":"2027-04-30T10:00"}},)~"
        "\n"
        R"~({"name":"d","kind":"timer","next":{"cron":"61 * * * *","zone":"Nowhere"}},)~"
        "\n"
        R"~({"name":"e","kind":"timer","next":{"cron":"30 2 * * *","zone":"UTC","every":1}},)~"
        "\n"
        R"~({"name":"f","kind":"signal","signal":"s","next":{"cron":"30 2 * * *","zone":"UTC"}})~",
        "5:42: error: \"2027-04-31T10:00\" names a day that is in no calendar\n"
        "6:42: error: \"local\" must be a local time like \"2027-03-28T02:30\" or {\"$from\": ...}\n"
        "7:33: error: \"at\" needs \"zone\"\n"
        "8:43: error: \"61\" is no minute of a cron rule: 0 to 59, *, a-b, a,b or */n\n"
        "8:63: error: there is no time zone \"Nowhere\"; write for example Europe/Berlin or UTC\n"
        "9:69: error: unknown field \"every\" in \"next\"\n"
        "10:42: error: step \"f\" takes no \"next\": it is of kind \"signal\"\n"},
    {"reads what may be skipped", kNothing, kLook,
        R"~({"name":"a","tool":"look","when":{"exists":{"$from":"input","at":"/x"}}},)~"
        "\n"
        R"~({"name":"b","tool":"look","after":["a"],"after_skipped":true,"input":{"$from":"a"}})~",
        "6:79: warning: step \"b\" begins even where \"a\" was skipped, and then has nothing to "
        "read: give \"else\"\n"},
    {"on demand without a decision", kNothing, kLook,
        R"~({"name":"a","tool":"look"},)~"
        "\n"
        R"~({"name":"b","tool":"look","on_demand":true},)~"
        "\n"
        R"~({"name":"c","tool":"look","after":["b"]})~",
        "6:39: error: step \"b\" can never begin: it is on demand, and no decision has "
        "\"adds_steps\"\n"
        "7:35: error: step \"c\" comes after \"b\", which is on demand and may never be added\n"},
    {"decision with nothing to add", kNothing, kLook,
        R"~({"name":"a","kind":"decision","tool":"look","adds_steps":true})~",
        "5:58: error: decision \"a\" adds steps, but no step is \"on_demand\"\n"},
    {"on demand", kNothing, kLook,
        R"~({"name":"a","kind":"decision","tool":"look","adds_steps":true},)~"
        "\n"
        R"~({"name":"b","tool":"look","on_demand":true})~",
        kNothing},
    {"output", R"~("output":{"x":{"$from":"z"},"y":{"$from":"item"},"w":{"$from":"a"}},)~", kLook,
        R"~({"name":"a","tool":"look","when":{"exists":{"$from":"input","at":"/x"}}})~",
        "2:24: error: the output reads \"z\", but there is no such step\n"
        "2:42: error: the output reads \"item\", but there is no such step\n"
        "2:63: warning: step \"a\" may be skipped, and the output then has nothing to read: give "
        "\"else\"\n"},
    {"not a list", R"~("agents":"x",)~", kLook, R"~("a")~",
        "2:10: error: \"agents\" must be a list, found text\n"
        "3:17: warning: tool \"look\" is not used by any step\n"
        "5:1: error: a step must be an object, found text\n"},
};

std::string textOfRow(const Row& row)
{
    return std::string("{\"schema\":\"urn:cairn:workflow:1\",\"name\":\"w\",\"version\":1,\n") + row.extra
        + "\n\"tools\":{" + row.tools + "},\n\"steps\":[\n" + row.steps + "\n]}";
}

}  // namespace

class TstCheckSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void says_data();
    void says();
};

void TstCheckSteps::says_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected");
    for (const Row& row : kRows)
        QTest::newRow(row.name) << QByteArray::fromStdString(textOfRow(row)) << QByteArray(row.said);
}

void TstCheckSteps::says()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, expected);
    const ParsedDefinition parsed = parseDefinition(text.toStdString());
    std::string all;
    bool errors = false;
    for (const Diagnostic& d : parsed.diagnostics) {
        all += diagnosticLine("f", d).substr(2) + "\n";
        errors = errors || d.severity == Severity::Error;
    }
    QCOMPARE(QByteArray::fromStdString(all), expected);
    QCOMPARE(parsed.definition.has_value(), !errors);
}

QTEST_APPLESS_MAIN(TstCheckSteps)
#include "tst_check_steps.moc"
