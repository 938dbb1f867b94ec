// What is said about the head and the tools of a definition: every mistake with line, column and words.
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
constexpr const char* kOneStep = R"~({"name":"a","tool":"look"})~";

constexpr Row kRows[] = {
    {"right", kNothing, kLook, kOneStep, kNothing},
    {"unknown field with a near one", R"~("verison":2,)~", kLook, kOneStep,
        "2:1: error: unknown field \"verison\" in a workflow: did you mean \"version\"?\n"},
    {"unknown field with no near one", R"~("colour":"red",)~", kLook, kOneStep,
        "2:1: error: unknown field \"colour\" in a workflow\n"},
    {"bad state schema", R"~("state_schema":0,)~", kLook, kOneStep,
        "2:16: error: \"state_schema\" must be a whole number from 1 to 4294967295, found 0\n"},
    {"bad page", kNothing,
        R"~("look":{"safety":"read_only","executor":"builtin","settings":{"function":"echo"},"page":"javascript:{key}"})~",
        kOneStep,
        "3:98: error: \"page\" is the URL of a page, with {key} for the effect's key: "
        "https://pay.example/search?q={key}\n"},
    {"hides nothing", R"~("hidden":{"role":"privacy"},)~", kLook, kOneStep,
        "2:10: error: \"hidden\" names neither keys nor patterns: nothing would be hidden\n"},
    {"bad agents", R"~("agents":["x","x","9",7],)~", kLook, kOneStep,
        "2:15: error: \"x\" stands twice in \"agents\"\n"
        "2:19: error: \"9\" is no name: a name has 1 to 64 characters and begins with a letter\n"
        "2:23: error: a name in \"agents\" must be text, found a number\n"},
    {"bad deadline", R"~("deadline":"5 minutes",)~", kLook, kOneStep,
        "2:12: error: \"deadline\": '5 minutes' is not a span of time. Write a whole number with its unit: "
        "250ms, 30s, 5m, 2h, 1d or 1h30m, at most 36500d.\n"},
    {"zero deadline", R"~("deadline":"0s",)~", kLook, kOneStep,
        "2:12: error: \"deadline\" must be longer than nothing\n"},
    {"bad on_cancel", R"~("on_cancel":"compensat",)~", kLook, kOneStep,
        "2:13: error: \"on_cancel\" must be one of \"leave\", \"compensate\", found \"compensat\": "
        "did you mean \"compensate\"?\n"},
    {"nothing to compensate", R"~("on_failure":"compensate",)~", kLook, kOneStep,
        "2:14: warning: no tool has \"undo\": there is nothing to compensate\n"},
    {"budget",
        R"~("budget":[{"tokens":5},{"tokens":6},{"amount":"1.2345678","currency":"EUR"},{"amount)~"
        R"~(":"1","currency":"eur"},{"amount":"1"},{"tokens":1,"amount":"2"}],)~",
        kLook, kOneStep,
        "2:24: error: \"budget\" has two lines for tokens\n"
        "2:47: error: \"amount\": \"1.2345678\" has more than six decimals\n"
        "2:102: error: \"eur\" is no currency code: did you mean \"EUR\"?\n"
        "2:109: error: a line of \"budget\" needs \"currency\"\n"
        "2:124: error: \"budget\" has two lines for tokens\n"
        "2:136: error: a line of \"budget\" takes no \"amount\": tokens and money are lines of their "
        "own\n"},
    {"attributes",
        R"~("attributes":{"a b":{"type":"text","at":"/x"},"c":{"type":"number","at":"x"},"d":{"t)~"
        R"~(ype":"text"}},)~",
        kLook, kOneStep,
        "2:15: error: \"a b\" is no name: a name is made of letters, digits, '-', '_' and '.'\n"
        "2:59: error: \"type\" must be one of \"text\", \"integer\", \"money\", \"time\", found "
        "\"number\"\n"
        "2:73: error: \"x\": a JSON Pointer is empty or begins with '/'\n"
        "2:82: error: attribute \"d\" needs \"at\"\n"},
    {"limits", R"~("limits":{"r":{},"s":{"rate":"5 per s"},"t":{"slots":0}},)~", kLook, kOneStep,
        "2:15: error: limit \"r\" needs \"slots\" or \"rate\"\n"
        "2:15: warning: no tool has the resource \"r\"\n"
        "2:22: warning: no tool has the resource \"s\"\n"
        "2:30: error: \"rate\": \"5 per s\" is not a rate: write a whole number from 1 and one of "
        "/s, /m, /h, /d, like \"5/s\"\n"
        "2:45: warning: no tool has the resource \"t\"\n"
        "2:54: error: \"slots\" must be a whole number from 1 to 1000000, found 0\n"},
    {"retention", R"~("retention":{"keep_days":10,"redact_days":20},)~", kLook, kOneStep,
        "2:43: error: payloads cannot be redacted after 20 days, for the run is kept 10\n"},
    {"migrations",
        R"~("migrations":[{"from_version":1},{"from_version":1,"renamed_steps":{"x":"b","y":"a",)~"
        R"~("z":"a"}},{}],)~",
        kLook, kOneStep,
        "2:31: error: a migration leads from an earlier version to this one (1)\n"
        "2:50: error: a migration leads from an earlier version to this one (1)\n"
        "2:50: error: two migrations begin at version 1\n"
        "2:73: error: there is no step \"b\" to rename to\n"
        "2:89: error: two steps are renamed to \"a\"\n"
        "2:95: error: a migration needs \"from_version\"\n"},
    {"unknown safety", kNothing,
        R"~("look":{"safety":"readonly","executor":"builtin","settings":{"function":"echo"}})~", kOneStep,
        "3:27: error: \"safety\" must be one of \"read_only\", \"repeatable\", \"irreversible\", "
        "found \"readonly\": did you mean \"read_only\"?\n"},
    {"no safety, no executor", kNothing, R"~("look":{})~", kOneStep,
        "3:17: error: tool \"look\" needs \"safety\"\n"
        "3:17: error: tool \"look\" needs \"executor\"\n"},
    {"no settings", kNothing, R"~("look":{"safety":"read_only","executor":"http"})~", kOneStep,
        "3:17: error: tool \"look\" needs \"settings\"\n"},
    {"command settings", kNothing,
        R"~("look":{"safety":"read_only","executor":"command","settings":{"argv":["tool","${env.)~"
        R"~(}","${workflow_dr}","$x","${secret}","${key}"],"shell":true,"env":["A=B"]}})~",
        kOneStep,
        "3:80: error: the program must be an absolute path, or begin with ${workflow_dir}/ or "
        "${env.NAME}, found \"tool\"\n"
        "3:87: error: unknown name ${env.}\n"
        "3:97: error: unknown name ${workflow_dr}: did you mean \"workflow_dir\"?\n"
        "3:114: error: '$' in a setting begins ${name}; write $$ for the sign itself\n"
        "3:119: error: ${secret}: the tool names no \"secret\"\n"
        "3:131: error: ${key}: a read_only tool has no effect key\n"
        "3:141: error: unknown field \"shell\" in \"settings\" of tool \"look\"\n"
        "3:161: error: \"A=B\" is no name of an environment variable\n"},
    {"settings of a built-in tool", kNothing,
        R"~("look":{"safety":"read_only","executor":"builtin","settings":{"function":"ecko","at":"x","for":"1"}})~",
        kOneStep,
        "3:83: error: \"function\" must be one of \"noop\", \"echo\", \"pick\", \"sleep\", \"fail\", found "
        "\"ecko\": did you mean \"echo\"?\n"
        "3:95: error: \"x\": a JSON Pointer is empty or begins with '/'\n"
        "3:105: error: \"for\": '1' is not a span of time. Write a whole number with its unit: 250ms, 30s, "
        "5m, 2h, "
        "1d or 1h30m, at most 36500d.\n"},
    {"http settings", kNothing,
        R"~("look":{"safety":"read_only","executor":"http","settings":{"method":"FETCH","url":"f)~"
        R"~(tp://x","headers":{"Authorization":"Bearer abc"}}})~",
        kOneStep,
        "3:78: error: \"method\" must be one of \"GET\", \"POST\", \"PUT\", \"PATCH\", \"DELETE\", "
        "\"HEAD\", found \"FETCH\"\n"
        "3:92: error: \"url\" must begin with http://, https:// or ${env.NAME}, found \"ftp://x\"\n"
        "3:129: error: a secret must not stand in a definition: name it in \"secret\" and write "
        "${secret} here\n"},
    {"secret in a definition", kNothing,
        R"~("look":{"safety":"read_only","executor":"http","secret":"hunter2","settings":{"url":)~"
        R"~("http://x"}})~",
        kOneStep,
        "3:66: error: \"secret\" is a reference, never the secret itself: write env:NAME or "
        "file:/path\n"},
    {"secret in a url", kNothing,
        R"~("look":{"safety":"read_only","executor":"http","secret":"env:K","settings":{"url":"h)~"
        R"~(ttp://x/${secret}"}})~",
        kOneStep,
        "3:92: error: ${secret} may stand in a header only, where others do not see it; a command "
        "finds it in CAIRN_SECRET\n"},
    {"read_only with an effect", kNothing,
        R"~("look":{"safety":"read_only","executor":"builtin","settings":{"function":"echo"},"ef)~"
        R"~(fect_key":"k","look_up":{"function":"echo"},"check_first":true})~",
        kOneStep,
        "3:91: error: tool \"look\" takes no \"effect_key\": it is read_only and has no effect "
        "outside\n"
        "3:108: error: tool \"look\" takes no \"look_up\": it is read_only and has no effect "
        "outside\n"
        "3:138: error: tool \"look\" takes no \"check_first\": it is read_only and has no effect "
        "outside\n"},
    {"irreversible without a look-up", kNothing,
        R"~("look":{"safety":"irreversible","executor":"builtin","settings":{"function":"echo"}})~", kOneStep,
        "3:17: warning: tool \"look\" is irreversible and has no \"look_up\": where a call's outcome "
        "is not known, the run is parked until a person decides\n"},
    {"check_first without a look-up", kNothing,
        R"~("look":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"c)~"
        R"~(heck_first":true})~",
        kOneStep, "3:106: error: tool \"look\" has \"check_first\" but no \"look_up\" to check with\n"},
    {"bad effect key", kNothing,
        R"~("look":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"e)~"
        R"~(ffect_key":"a${order}"})~",
        kOneStep,
        "3:105: error: ${order} in an effect key: between the braces stands a JSON Pointer into the "
        "rendered input, like ${/order}\n"},
    {"bad dollar in effect key", kNothing,
        R"~("look":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"e)~"
        R"~(ffect_key":"a$b"})~",
        kOneStep, "3:105: error: '$' in an effect key begins ${/pointer}; write $$ for the sign itself\n"},
    {"amount", kNothing,
        R"~("look":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"a)~"
        R"~(mount":{"at":"amount","currency":"EURO"}})~",
        kOneStep,
        "3:107: error: \"amount\": a JSON Pointer is empty or begins with '/'\n"
        "3:127: error: \"EURO\" is no currency code: did you mean \"EUR\"?\n"},
    {"amount without a currency", kNothing,
        R"~("look":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"a)~"
        R"~(mount":{"at":"/x"}})~",
        R"~({"name":"a","tool":"look","input":{"x":1}})~",
        "3:101: error: \"amount\" needs either \"currency\" or \"currency_at\"\n"},
    {"undo", kNothing,
        R"~("look":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"u)~"
        R"~(ndo":{"tool":"loook","input":{"$from":"a"}}})~",
        kOneStep,
        "3:107: error: there is no tool \"loook\" in \"tools\": did you mean \"look\"?\n"
        "3:132: error: \"undo\" reads \"input\" (what the tool was given) and \"output\" (what it "
        "gave), not \"a\"\n"},
    {"undo by itself", kNothing,
        R"~("look":{"safety":"repeatable","executor":"builtin","settings":{"function":"echo"},"u)~"
        R"~(ndo":{"tool":"look","input":1}})~",
        kOneStep, "3:107: error: tool \"look\" cannot undo itself\n"},
    {"retry", kNothing,
        R"~("look":{"safety":"read_only","executor":"builtin","settings":{"function":"echo"},"re)~"
        R"~(try":{"attempts":0,"factor":0.5,"first_delay":"10s","max_delay":"5s","max_total":"1s)~"
        R"~("}})~",
        kOneStep,
        "3:111: error: \"attempts\" must be a whole number from 1 to 1000, found 0\n"
        "3:122: error: \"factor\" must be a number from 1 to 100 with at most three decimals, found "
        "0.5\n"
        "3:158: error: \"max_delay\" (5s) is shorter than \"first_delay\" (10s)\n"
        "3:175: error: \"max_total\" (1s) leaves no time for a second attempt after \"first_delay\" "
        "(10s)\n"},
    {"longer than the whole", kNothing,
        R"~("look":{"safety":"read_only","executor":"builtin","settings":{"function":"echo"},"ti)~"
        R"~(meout":"20m","retry":{"max_total":"10m"}})~",
        kOneStep,
        "3:101: error: \"timeout\" (20m) is longer than \"max_total\" (10m), which ends the step with all "
        "its attempts\n"},
    {"heartbeat", kNothing, R"~("look":{"safety":"read_only","executor":"worker","timeout":"5s"})~", kOneStep,
        "3:50: warning: only a program that links Cairn's library can claim the steps of \"look\": the "
        "engine does "
        "not run them and no command hands them out, so without such a program they stay ready for ever; "
        "\"command\" or \"http\" are run by the engine\n"
        "3:69: error: the heartbeat time-out (30s) is longer than the time-out of the attempt (5s)\n"},
    {"unused tool", kNothing,
        R"~("look":{"safety":"read_only","executor":"builtin","settings":{"function":"echo"}},"m)~"
        R"~(ore":{"safety":"read_only","executor":"worker"})~",
        kOneStep, "3:99: warning: tool \"more\" is not used by any step\n"},
    {"outside workers", kNothing, R"~("look":{"safety":"read_only","executor":"worker"})~", kOneStep,
        "3:50: warning: only a program that links Cairn's library can claim the steps of \"look\": the "
        "engine does "
        "not run them and no command hands them out, so without such a program they stay ready for ever; "
        "\"command\" or \"http\" are run by the engine\n"},
    {"more than the whole budget", R"~("budget":[{"tokens":5}],)~",
        R"~("look":{"safety":"read_only","executor":"worker","worst_case":[{"tokens":6}]})~", kOneStep,
        "3:50: warning: only a program that links Cairn's library can claim the steps of \"look\": the "
        "engine does "
        "not run them and no command hands them out, so without such a program they stay ready for ever; "
        "\"command\" or \"http\" are run by the engine\n"
        "3:72: error: one call of tool \"look\" may use more tokens than the workflow's whole "
        "budget\n"},
};

std::string textOfRow(const Row& row)
{
    return std::string("{\"schema\":\"urn:cairn:workflow:1\",\"name\":\"w\",\"version\":1,\n") + row.extra
        + "\n\"tools\":{" + row.tools + "},\n\"steps\":[\n" + row.steps + "\n]}";
}

}  // namespace

class TstCheckTools : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void says_data();
    void says();
};

void TstCheckTools::says_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected");
    for (const Row& row : kRows)
        QTest::newRow(row.name) << QByteArray::fromStdString(textOfRow(row)) << QByteArray(row.said);
}

void TstCheckTools::says()
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

QTEST_APPLESS_MAIN(TstCheckTools)
#include "tst_check_tools.moc"
