// The JSON scanner: what is refused and where, what is found, and that bytes are never changed.
#include "core/base/json_scan.h"

#include <QtTest>

#include <chrono>

using namespace cairn;

namespace {

QByteArray q(std::string_view text) { return QByteArray(text.data(), static_cast<qsizetype>(text.size())); }
std::string s(const QByteArray& bytes) { return bytes.toStdString(); }
QByteArray refusal(std::string_view text, const JsonLimits& limits = kPayloadJson)
{
    const Status status = validateJson(text, limits);
    return status ? QByteArray() : q(status.error().text);
}

}  // namespace

class TstJsonScan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void accepts_data();
    void accepts();
    void refuses_data();
    void refuses();
    void limitsHold();
    void refusesDuplicatesInLargeObjects();
    void refusesDeepInputAtOnce();
    void findsByPointer_data();
    void findsByPointer();
    void saysWhatIsMissing_data();
    void saysWhatIsMissing();
    void slicesKeepTheirBytes();
    void decodes_data();
    void decodes();
    void quotesAndCompacts();
    void readsIntegers();
    void countsCharactersInColumns();
    void survivesDamagedText();
    void isFast();
};

void TstJsonScan::accepts_data()
{
    QTest::addColumn<QByteArray>("text");
    const auto row = [](const char* name, const QByteArray& text) { QTest::newRow(name) << text; };
    row("null", "null");
    row("white space", " \r\n\t[ 1 , 2 ] \n");
    row("empty containers", R"({"a":{},"b":[],"c":""})");
    row("numbers",
        "[0,-0,1.10,-4611686018427387905,9007199254740993,1E5,1e-400,0e999,0.0e1000,1.7976931348623157e308]");
    row("same name in other objects", R"({"a":{"a":1},"b":{"a":2}})");
    row("escapes", R"(["\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"])");
    row("NUL escape in payloads", R"(["a\u0000b"])");
    row("utf-8", "[\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\xF4\x8F\xBF\xBF\"]");
    row("small number with many digits", QByteArray("0.") + QByteArray(400, '0') + "1");
    row("309 digits", QByteArray("1") + QByteArray(308, '0'));
}

void TstJsonScan::accepts()
{
    QFETCH(QByteArray, text);
    QCOMPARE(refusal(s(text)), QByteArray());
}

void TstJsonScan::refuses_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* name, const QByteArray& text, const QByteArray& message) {
        QTest::newRow(name) << text << message;
    };
    row("empty", "", "line 1, column 1 (byte 0): expected a value, found the end of the text");
    row("NaN", "[NaN]", "line 1, column 2 (byte 1): expected a value or ']', found 'N'");
    row("Infinity", "{\"a\":-Infinity}", "line 1, column 7 (byte 6): expected a digit, found 'I'");
    row("too big a number", "{\n  \"e\": 1e400}",
        "line 2, column 8 (byte 9): a number beyond the range of a double: write it as a string");
    row("too big by digits", QByteArray("[-1") + QByteArray(309, '0') + "]",
        "line 1, column 2 (byte 1): a number beyond the range of a double: write it as a string");
    row("just too big", "1.7976931348623159e308",
        "line 1, column 1 (byte 0): a number beyond the range of a double: write it as a string");
    row("leading zero", "[01]", "line 1, column 3 (byte 2): a number must not begin with 0");
    row("plus", "[+1]", "line 1, column 2 (byte 1): expected a value or ']', found '+'");
    row("no fraction", "[1.]", "line 1, column 4 (byte 3): expected a digit after '.', found ']'");
    row("no exponent", "[1e]", "line 1, column 4 (byte 3): expected a digit in the exponent, found ']'");
    row("twice", R"({"k":1, "k":2})", "line 1, column 9 (byte 8): the member name \"k\" is there twice");
    row("twice, written differently", R"({"k":1,"\u006b":2})",
        "line 1, column 8 (byte 7): the member name \"k\" is there twice");
    row("trailing comma in a list", "[1,]", "line 1, column 4 (byte 3): expected a value, found ']'");
    row("trailing comma in an object", "{\"a\":1,}",
        "line 1, column 8 (byte 7): expected a member name in double quotes, found '}'");
    row("no quotes", "{a:1}",
        "line 1, column 2 (byte 1): expected a member name in double quotes or '}', found 'a'");
    row("no colon", "{\"a\" 1}", "line 1, column 6 (byte 5): expected ':' after the member name, found '1'");
    row("no comma", "{\"a\":1 \"b\":2}", "line 1, column 8 (byte 7): expected ',' or '}', found '\"'");
    row("wrong bracket", "[1}", "line 1, column 3 (byte 2): expected ',' or ']', found '}'");
    row("two values", "1 2", "line 1, column 3 (byte 2): expected the end of the text, found '2'");
    row("cut in a list", "[1,", "line 1, column 4 (byte 3): expected a value, found the end of the text");
    row("cut in a string", "[\"ab", "line 1, column 2 (byte 1): a string that begins here does not end");
    row("cut in an escape", "\"\\", "line 1, column 2 (byte 1): a string ends within an escape");
    row("unknown escape", R"("\x41")", "line 1, column 2 (byte 1): no such escape: a backslash and 'x'");
    row("short hex", R"("\u12")",
        "line 1, column 6 (byte 5): expected four hexadecimal digits after \\u, found '\"'");
    row("lone high surrogate", R"("\ud83d")",
        "line 1, column 2 (byte 1): a high surrogate escape without a low one after it");
    row("two high surrogates", R"("\ud83d\ud83d")",
        "line 1, column 2 (byte 1): a high surrogate escape without a low one after it");
    row("lone low surrogate", R"("\ude00")",
        "line 1, column 2 (byte 1): a low surrogate escape without a high one before it");
    row("raw line feed", "\"a\nb\"",
        "line 1, column 3 (byte 2): a control character in a string (byte 0x0a): write it as an escape");
    row("raw NUL", QByteArray("\"a\0b\"", 5),
        "line 1, column 3 (byte 2): a control character in a string (byte 0x00): write it as an escape");
    row("overlong utf-8", "\"\xC0\x80\"", "line 1, column 2 (byte 1): not UTF-8 (byte 0xc0)");
    row("utf-8 surrogate", "\"\xED\xA0\x80\"", "line 1, column 2 (byte 1): not UTF-8 (byte 0xed)");
    row("above U+10FFFF", "\"\xF4\x90\x80\x80\"", "line 1, column 2 (byte 1): not UTF-8 (byte 0xf4)");
    row("cut utf-8", "\"\xE2\x82\"", "line 1, column 2 (byte 1): not UTF-8 (byte 0xe2)");
    row("byte order mark", "\xEF\xBB\xBF{}",
        "line 1, column 1 (byte 0): expected a value, found a byte order mark: save the text without one");
    row("comment", "[1] // x", "line 1, column 5 (byte 4): expected the end of the text, found '/'");
    row("misspelt literal", "[tru]", "line 1, column 2 (byte 1): expected a value, found 't'");
}

void TstJsonScan::refuses()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, message);
    QCOMPARE(refusal(s(text)), message);
}

void TstJsonScan::limitsHold()
{
    JsonLimits limits = kPayloadJson;
    limits.depth = 3;
    QCOMPARE(refusal("[[[1]]]", limits), QByteArray());
    QCOMPARE(refusal("[[[[1]]]]", limits),
        QByteArray("line 1, column 4 (byte 3): more than 3 arrays and objects inside each other"));
    limits = kPayloadJson;
    limits.size = 4;
    QCOMPARE(refusal("[12]", limits), QByteArray());
    QCOMPARE(refusal("[123]", limits),
        QByteArray("line 1, column 5 (byte 4): the text has 5 bytes, at most 4 are accepted"));
    limits = kPayloadJson;
    limits.members = 2;
    QCOMPARE(refusal(R"([{"a":1,"b":2},{"a":1,"b":2}])", limits), QByteArray());
    QCOMPARE(refusal(R"({"a":1,"b":{"c":2}})", limits),
        QByteArray("line 1, column 13 (byte 12): more than 2 member names in open objects"));
    limits = kPayloadJson;
    limits.stringLength = 3;
    QCOMPARE(refusal(R"("abc")", limits), QByteArray());
    QCOMPARE(refusal(R"("abcd")", limits),
        QByteArray("line 1, column 1 (byte 0): a string of 4 bytes, at most 3 are accepted"));
    QCOMPARE(refusal(R"("a\u0000")", kInterpretedJson),
        QByteArray("line 1, column 3 (byte 2): \\u0000 is not accepted here"));
}

void TstJsonScan::refusesDuplicatesInLargeObjects()
{
    std::string text = "{";
    for (int i = 0; i < 50'000; ++i)
        text += "\"member-number-" + std::to_string(i) + "\":1,";
    QCOMPARE(refusal(text + "\"last\":1}"), QByteArray());
    const std::size_t at = text.size();
    const QByteArray expected = "line 1, column " + QByteArray::number(qulonglong(at + 1)) + " (byte "
        + QByteArray::number(qulonglong(at)) + "): the member name \"member-number-777\" is there twice";
    QCOMPARE(refusal(text + "\"member-number-777\":2,\"member-number-3\":1}"), expected);
}

void TstJsonScan::refusesDeepInputAtOnce()
{
    for (const JsonLimits& limits : {kPayloadJson, kInterpretedJson}) {
        for (const char* open : {"[", "{\"a\":"}) {
            std::string text;
            for (int i = 0; i < 100'000; ++i)
                text += open;
            const auto begin = std::chrono::steady_clock::now();
            const auto fault = findJsonFault(text, limits);
            const auto took = std::chrono::steady_clock::now() - begin;
            QVERIFY(fault);
            QCOMPARE(fault->offset, std::string_view(open).size() * limits.depth);
            QVERIFY(took < std::chrono::milliseconds(50));
        }
    }
}

void TstJsonScan::findsByPointer_data()
{
    QTest::addColumn<QByteArray>("pointer");
    QTest::addColumn<QByteArray>("value");
    const auto row = [](const char* pointer, const char* value) {
        QTest::newRow(pointer[0] ? pointer : "whole") << QByteArray(pointer) << QByteArray(value);
    };
    // The examples of RFC 6901 section 5, and numbers that a double would change.
    row("/foo", R"(["bar", "baz"])");
    row("/foo/0", R"("bar")");
    row("/", "0");
    row("/a~1b", "1");
    row("/c%d", "2");
    row("/e^f", "3");
    row("/g|h", "4");
    row("/i\\j", "5");
    row("/k\"l", "6");
    row("/ ", "7");
    row("/m~0n", "8");
    row("/id", "9007199254740993");
    row("/neg", "-4611686018427387905");
    row("/price", "1.10");
    row("/list/2/x", "[ 1.0 ,2 ]");
}

void TstJsonScan::findsByPointer()
{
    static constexpr std::string_view text = R"( {"foo": ["bar", "baz"], "": 0, "a/b": 1, "c%d": 2, "e^f": 3,
        "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8, "id": 9007199254740993,
        "neg":-4611686018427387905,"price":1.10, "list":[{"y":"]}"},[],{ "x" : [ 1.0 ,2 ] }]} )";
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, value);
    const auto found = jsonAt(text, s(pointer));
    QVERIFY2(found, found ? "" : found.error().text.c_str());
    QCOMPARE(q(*found), value);
    QVERIFY(found->data() >= text.data() && found->data() + found->size() <= text.data() + text.size());
}

void TstJsonScan::saysWhatIsMissing_data()
{
    QTest::addColumn<QByteArray>("pointer");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char* pointer, const char* message) {
        QTest::newRow(pointer) << QByteArray(pointer) << QByteArray(message);
    };
    row("/c", R"(the whole value has no member "c", it has the members "a", "b")");
    row("/a/x", R"(/a is a number and has no member "x")");
    row("/b/2", "/b has no item 2: the list has 2");
    row("/b/-", R"(/b is a list, and "-" is no index)");
    row("/b/01", R"(/b is a list, and "01" is no index)");
    row("/b/1/q", R"(/b/1 has no member "q", it has no members)");
    row("a", "a JSON Pointer is empty or begins with '/'");
    row("/a~2", "'~' in a JSON Pointer must be followed by 0 (for '~') or 1 (for '/')");
}

void TstJsonScan::saysWhatIsMissing()
{
    QFETCH(QByteArray, pointer);
    QFETCH(QByteArray, message);
    const auto found = jsonAt(R"({"a":1,"b":[1,{}]})", s(pointer));
    QVERIFY(!found);
    QCOMPARE(q(found.error().text), message);
}

void TstJsonScan::slicesKeepTheirBytes()
{
    const auto items = jsonArraySlices(R"([ 1.10, "a,]" ,{"b":[1, 2]},null])");
    QVERIFY(items);
    QCOMPARE(items->size(), std::size_t(4));
    QCOMPARE(q((*items)[0]), QByteArray("1.10"));
    QCOMPARE(q((*items)[1]), QByteArray(R"("a,]")"));
    QCOMPARE(q((*items)[2]), QByteArray(R"({"b":[1, 2]})"));
    QCOMPARE(q((*items)[3]), QByteArray("null"));
    QCOMPARE(*jsonArraySize("[]"), std::size_t(0));
    QCOMPARE(*jsonArraySize("[[1,2],[3]]"), std::size_t(2));
    const auto members = jsonObjectMembers(R"({ "a\u0062" : 1e5 , "c":{} })");
    QVERIFY(members);
    QCOMPARE(members->size(), std::size_t(2));
    QCOMPARE(q((*members)[0].name), QByteArray("ab"));
    QCOMPARE(q((*members)[0].written), QByteArray(R"("a\u0062")"));
    QCOMPARE(q((*members)[0].value), QByteArray("1e5"));
    QCOMPARE(q((*members)[1].value), QByteArray("{}"));
    QCOMPARE(q(jsonArraySlices("{}").error().text), QByteArray("expected a list, found an object"));
    QCOMPARE(q(jsonObjectMembers("1").error().text), QByteArray("expected an object, found a number"));
}

void TstJsonScan::decodes_data()
{
    QTest::addColumn<QByteArray>("slice");
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("plain") << QByteArray(R"("abc")") << QByteArray("abc");
    QTest::newRow("simple escapes") << QByteArray(R"("\"\\\/\b\f\n\r\t")") << QByteArray("\"\\/\b\f\n\r\t");
    QTest::newRow("two bytes") << QByteArray(R"("\u00E9x")") << QByteArray("\xC3\xA9x");
    QTest::newRow("three bytes") << QByteArray(R"("\u20ac")") << QByteArray("\xE2\x82\xAC");
    QTest::newRow("pair") << QByteArray(R"("\ud83d\ude00!")") << QByteArray("\xF0\x9F\x98\x80!");
    QTest::newRow("NUL") << QByteArray(R"("a\u0000b")") << QByteArray("a\0b", 3);
}

void TstJsonScan::decodes()
{
    QFETCH(QByteArray, slice);
    QFETCH(QByteArray, text);
    const auto decoded = jsonString(s(slice));
    QVERIFY(decoded);
    QCOMPARE(q(*decoded), text);
    QCOMPARE(q(*jsonString(jsonQuote(s(text)))), text);
}

void TstJsonScan::quotesAndCompacts()
{
    QCOMPARE(q(jsonQuote("a\"b\\c\n\t\x01\xC3\xA9")), QByteArray("\"a\\\"b\\\\c\\n\\t\\u0001\xC3\xA9\""));
    QCOMPARE(
        q(jsonCompact(" { \"a b\" : [ 1.0 , \" x \\\" \" ] } ")), QByteArray("{\"a b\":[1.0,\" x \\\" \"]}"));
    QCOMPARE(q(jsonPointerPart("a/b~c")), QByteArray("a~1b~0c"));
}

void TstJsonScan::readsIntegers()
{
    QCOMPARE(*jsonInt("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
    QCOMPARE(*jsonInt(" 42 "), std::int64_t(42));
    QCOMPARE(q(jsonInt("9223372036854775808").error().text),
        QByteArray("the number 9223372036854775808 does not fit 64 bits"));
    QCOMPARE(q(jsonInt("1.0").error().text), QByteArray("expected a whole number, found 1.0"));
    QVERIFY(*jsonBool("true") && !*jsonBool("false"));
    QVERIFY(!jsonBool("1"));
}

void TstJsonScan::countsCharactersInColumns()
{
    const std::string_view text = "ab\n\xC3\xA9\xE2\x82\xACx";
    QCOMPARE(lineColumn(text, 0), (LineColumn{1, 1}));
    QCOMPARE(lineColumn(text, 2), (LineColumn{1, 3}));
    QCOMPARE(lineColumn(text, 3), (LineColumn{2, 1}));
    QCOMPARE(lineColumn(text, 8), (LineColumn{2, 3}));
    QCOMPARE(lineColumn(text, 999), (LineColumn{2, 4}));
}

// Every prefix and every single-byte change: looking into the text must neither crash nor run away.
void TstJsonScan::survivesDamagedText()
{
    const std::string text = R"({"a":[1,{"b":"x\"\u00e9"}],"c":{"d":null}})";
    int accepted = 0;
    const auto touch = [&](std::string_view damaged) {
        accepted += findJsonFault(damaged) ? 0 : 1;
        for (const char* pointer : {"", "/a/1/b", "/c/d", "/a/9"})
            static_cast<void>(jsonAt(damaged, pointer));
        static_cast<void>(jsonObjectMembers(damaged));
        static_cast<void>(jsonArraySlices(damaged));
        static_cast<void>(jsonString(damaged));
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        touch(std::string_view(text).substr(0, i));
        for (int byte = 0; byte < 256; ++byte) {
            std::string damaged = text;
            damaged[i] = static_cast<char>(byte);
            touch(damaged);
        }
    }
    QVERIFY(accepted > 100 && accepted < 5000);
}

void TstJsonScan::isFast()
{
    std::string text = "[";
    while (text.size() < (16u << 20))
        text +=
            R"({"id": 1234567, "name": "a plain name of some length", "price": 12.50, "tags": ["x", "yy"]},)";
    text += "null]";
    const auto begin = std::chrono::steady_clock::now();
    QVERIFY(!findJsonFault(text));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const double speed = static_cast<double>(text.size()) / took.count() / 1e6;
    qInfo("%.0f MB/s", speed);
    QVERIFY2(speed > 20, "far below what even a debug build reaches");
}

QTEST_APPLESS_MAIN(TstJsonScan)
#include "tst_json_scan.moc"
