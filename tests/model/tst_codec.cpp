// The stored form of an entry: round trips, golden bytes, and what happens to damaged bytes.
#include "core/base/wire.h"
#include "core/model/codec.h"
#include "tests/support/cairn_qtest.h"
#include "tests/support/samples.h"

#include <set>

using namespace cairn;
using cairn::testing::entryOf;
using cairn::testing::filled;
using cairn::testing::oneOfEachFact;

namespace {

std::string unhex(std::string_view text)
{
    const auto nibble = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string out;
    std::string digits;
    for (const char c : text)
        if (c != ' ')
            digits.push_back(c);
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        out.push_back(static_cast<char>(nibble(digits[i]) * 16 + nibble(digits[i + 1])));
    return out;
}

UuidBytes countedUuid(std::uint8_t first)
{
    UuidBytes out;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<std::uint8_t>(first + i);
    return out;
}

// An entry small enough to be written out by hand.
Entry smallEntry()
{
    Entry entry;
    entry.version = 3;
    entry.command.bytes = countedUuid(0x10);
    entry.verb = Verb::Advance;
    entry.actor = {ActorKind::Engine, "e1"};
    entry.time = 0x0102030405060708;
    AttemptStarted started;
    started.step = 2;
    started.attempt.bytes = countedUuid(0x20);
    started.purpose = Purpose::Do;
    started.number = 1;
    started.session.bytes = countedUuid(0x30);
    started.timeoutAt = 0x11;
    started.reserved = {{"EUR", 5}};
    started.trace = countedUuid(0x40);
    started.span = 0xA1A2A3A4A5A6A7A8;
    entry.facts = {started, RestCancelled{}};
    return entry;
}

constexpr std::string_view kSmallFormat1 = "0000000000000003"                  // version
                                           "101112131415161718191a1b1c1d1e1f"  // command id
                                           "1e 04 00000002 6531"  // verb advance, actor engine "e1"
                                           "0102030405060708"     // time
                                           "00"                   // no reason
                                           "00000002"             // two facts
                                           "0028"                 // attempt_started
                                           "00000002"             // step
                                           "202122232425262728292a2b2c2d2e2f"   // attempt
                                           "01 00000001"                        // purpose do, number 1
                                           "303132333435363738393a3b3c3d3e3f"   // session
                                           "00000000"                           // worker: none
                                           "0000000000000011 0000000000000000"  // time-out, heartbeat due
                                           "00000000000000000000000000000000"   // approval: none
                                           "00000001 00000003 455552 0000000000000005";  // reserved: EUR 5
constexpr std::string_view kSmallTrace = "404142434445464748494a4b4c4d4e4f a1a2a3a4a5a6a7a8";
constexpr std::string_view kRestCancelled = "0005";

std::string golden(std::uint16_t format)
{
    if (format == 1)
        return unhex(kSmallFormat1) + unhex(kRestCancelled);
    constexpr std::size_t kActorEnds = 32;
    std::string bytes = unhex(kSmallFormat1);
    bytes.insert(kActorEnds, 4, '\0');  // no login
    return bytes + unhex(kSmallTrace) + unhex(kRestCancelled);
}

// The entry as format 1 keeps it.
Entry asFormat1(Entry entry)
{
    entry.actor.login.clear();
    for (Fact& fact : entry.facts)
        if (auto* asked = std::get_if<ApprovalRequested>(&fact))
            asked->askedBy.login.clear();
        else if (auto* assigned = std::get_if<RunAssigned>(&fact))
            assigned->to.login.clear();
        else if (auto* agreed = std::get_if<ActAgreed>(&fact))
            agreed->by.login.clear();
    for (Fact& fact : entry.facts)
        if (auto* started = std::get_if<AttemptStarted>(&fact)) {
            started->trace = {};
            started->span = 0;
        }
    return entry;
}

struct TagRow {
    std::uint16_t tag;
    std::string_view name;
    // Of the bytes of an entry with the fact's sample: order and width of its fields.
    std::string_view format1;
    std::string_view format2;
};

// Stored data depends on these numbers, names and bytes: they never change, new facts come behind them.
constexpr TagRow kTags[] = {
    {1, "run_started", "1e824252400d3522", "9a60b291e8711b1e"},
    {2, "control_changed", "2f9717f8509cf427", "ce969185a053cf6c"},
    {3, "control_inherited", "c045aa04a512b5be", "1a07af9be8994650"},
    {4, "run_blocked", "fdaa180d82ba4462", "f00442233a10355e"},
    {5, "rest_cancelled", "3d40fffd4484c45d", "9a4f8af614982732"},
    {6, "compensation_started", "a8071fc998600146", "41d8c21882b6583a"},
    {7, "run_closed", "e71bbb6738b819af", "fc88c93be73cb675"},
    {8, "run_reopened", "9a869ce8d135f592", "3d4753fb9c133f56"},
    {9, "run_migrated", "71b1a995de03a820", "1dc00c38f1a3cb20"},
    {10, "budget_changed", "dde34778e135e02b", "915f52cd0904cab8"},
    {11, "payloads_redacted", "0ce491cc9310b620", "0307077463863753"},
    {20, "step_added", "6d572f29aac4786e", "9848c4ea5a621b64"},
    {21, "step_ready", "2732b5985a03c4f1", "3b83dda0be67912b"},
    {22, "step_waiting", "0049a0f3f3f6693f", "5991da24a191ce9a"},
    {23, "step_released", "2d619af4a276b6a7", "80571a331c263b9e"},
    {24, "step_completed", "75571fcbaa4fb1e6", "38eb63ddea7cf34d"},
    {25, "step_failed", "126f0ec097b6aeef", "ee9c493cd80e9f18"},
    {26, "step_skipped", "11574ec4f96119f1", "81f437d40bf21854"},
    {27, "step_unknown", "e0c32f796b79096f", "76d3936029f800ef"},
    {28, "effect_denied", "501ce496bc319fa6", "6e7656772c2b59ee"},
    {29, "input_amended", "03aaaeb7da35d139", "2930612e6cb39d76"},
    {30, "effect_evidence", "534e803f3ce7004a", "5d09653a8c0f9eee"},
    {40, "attempt_started", "c9ae941c5ce23771", "c1c32748bcfdd855"},
    {41, "attempt_renewed", "2f6fb42dd6e955bc", "de0da2a32cf875b2"},
    {42, "attempt_ended", "ced4fab6848396bf", "e7fac843744cfb80"},
    {43, "partial_result", "e3ba98d8fa515e53", "d8d9c041fd6ff4b2"},
    {44, "late_result", "ef7ba9f2723cc3a7", "ceb4a220e05338b3"},
    {60, "approval_requested", "fff58ed3bf9c6b75", "46f21a92ff44ee69"},
    {61, "approval_decided", "27ae3fb0b32319c9", "fe8512ace574f01e"},
    {62, "signal_received", "80003e691bb72398", "a2c82f670e43505d"},
    {63, "signal_consumed", "6bb220d915e22b54", "1fa511fad028d4bc"},
    {64, "child_requested", "400f4b9e9062219f", "f50ab441fba24149"},
    {65, "child_answered", "515515956e83703e", "e25c6bcc5e6eb816"},
    {66, "cancel_confirmed", "c4730d236fa47c21", "1d3d0e5e67d1be2a"},
    {67, "allotment_received", "bd741481aa0ad39c", "5b96d2649d9041eb"},
    {68, "allotment_asked", "554e84b1c0619ab2", "f6830c7242964f6b"},
    {69, "child_asked", "6c0bb92fa6128372", "31042181f96c71a8"},
    {70, "child_granted", "726ab53b7aaa71ab", "14916d2a9740826e"},
    {71, "parent_told", "3f4fb7d6c051d493", "731904e7f8ae969d"},
    {72, "child_needs", "40161c48d04de1bf", "cca7bb948cbad12b"},
    {73, "holder_in_doubt", "4ecda476a823812b", "f098ea8764ef167b"},
    {74, "hold_changed", "01819bae9564999c", "4f6213f362e551df"},
    {75, "run_assigned", "ebe19ad5b5b3e54c", "e0b88be8ba0ddf11"},
    {76, "note_added", "8e2b28cdc5d5c5b9", "54b851d1c6dff772"},
    {77, "note_withdrawn", "362307d6637c3011", "b614f99ac0e168e3"},
    {78, "taken_over", "5ebaae56be4d2bfe", "5a7112ed4988fb00"},
    {80, "failure_accepted", "13f6928514d8c867", "923721e613447a16"},
    {85, "act_agreed", "acc902c283c2b524", "7569880ac9db23bb"},
};

}  // namespace

class TestCodec : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everyFactComesBack_data();
    void everyFactComesBack();
    void samplesSetEveryField();
    void tagsAndNamesStay();
    void smallEntryHasItsBytes();
    void everyFactHasItsBytes();
    void formatOneHasNoTrace();
    void refusesOtherFormats();
    void refusesTruncation();
    void damageIsRefusedOrReadAsWritten();
    void refusesLeftOverBytes();
    void refusesValuesOutsideTheVocabulary();
    void refusesNullPayloadsThatAreSaidToBeThere();
    void hostileCountsAllocateNothing();
    void hashCoversEveryByte();
    void hashIsWhatTheFormatSays();
    void sealsFollowOneAnother();
    void sealsRefuseChanges();
    void legacyTraceIsStable();
    void factsAsJson();
    void entriesAsJson();
};

void TestCodec::everyFactComesBack_data()
{
    QTest::addColumn<int>("index");
    QTest::addColumn<int>("format");
    const auto facts = oneOfEachFact();
    for (std::size_t i = 0; i < facts.size(); ++i)
        for (const int format : {1, 2})
            QTest::addRow("%s, format %d", std::string(factName(facts[i])).c_str(), format)
                << static_cast<int>(i) << format;
}

void TestCodec::everyFactComesBack()
{
    QFETCH(int, index);
    QFETCH(int, format);
    for (const std::uint64_t seed : {1U, 50U, 77'777U}) {
        const Entry entry = entryOf({oneOfEachFact(seed)[static_cast<std::size_t>(index)]});
        const std::string body = encodeEntry(entry, static_cast<std::uint16_t>(format));
        const auto back = decodeEntry(body, static_cast<std::uint16_t>(format));
        CAIRN_VERIFY_OK(back);
        QCOMPARE(back->facts.size(), std::size_t{1});
        QCOMPARE(back->facts[0].index(), static_cast<std::size_t>(index));
        QCOMPARE(encodeEntry(*back, static_cast<std::uint16_t>(format)), body);
        // The JSON view shows every field, and through another path than the codec.
        QCOMPARE(entryJson(*back), entryJson(format == 1 ? asFormat1(entry) : entry));
    }
}

// Else a field that the codec forgets would come back unnoticed.
void TestCodec::samplesSetEveryField()
{
    for (const Fact& fact : oneOfEachFact()) {
        const std::string json = factJson(fact);
        QVERIFY2(json.find("null") == std::string::npos, json.c_str());
        QVERIFY2(json.find("\"\"") == std::string::npos, json.c_str());
        QVERIFY2(json.find("[]") == std::string::npos, json.c_str());
        QVERIFY2(json.find(":0,") == std::string::npos, json.c_str());
        QVERIFY2(json.find("false") == std::string::npos, json.c_str());
    }
}

void TestCodec::tagsAndNamesStay()
{
    const auto facts = oneOfEachFact();
    QCOMPARE(facts.size(), std::size(kTags));
    for (std::size_t i = 0; i < facts.size(); ++i) {
        const auto tag = std::visit([](const auto& one) { return one.kTag; }, facts[i]);
        QCOMPARE(tag, kTags[i].tag);
        QCOMPARE(factName(facts[i]), kTags[i].name);
    }
}

void TestCodec::smallEntryHasItsBytes()
{
    for (const std::uint16_t format : {kFormat1, kFormat2}) {
        QCOMPARE(hex(encodeEntry(smallEntry(), format)), hex(golden(format)));
        const auto back = decodeEntry(golden(format), format);
        CAIRN_VERIFY_OK(back);
        QCOMPARE(entryJson(*back), entryJson(format == 1 ? asFormat1(smallEntry()) : smallEntry()));
    }
}

void TestCodec::everyFactHasItsBytes()
{
    const auto digest = [](const Fact& fact, std::uint16_t format) {
        return hex(sha256(encodeEntry(entryOf({fact}), format))).substr(0, 16);
    };
    const auto facts = oneOfEachFact();
    for (std::size_t i = 0; i < facts.size(); ++i) {
        QCOMPARE(digest(facts[i], kFormat1), std::string(kTags[i].format1));
        QCOMPARE(digest(facts[i], kFormat2), std::string(kTags[i].format2));
    }
}

void TestCodec::formatOneHasNoTrace()
{
    const Entry entry = entryOf({filled<AttemptStarted>(5)});
    const auto one = decodeEntry(encodeEntry(entry, kFormat1), kFormat1);
    CAIRN_VERIFY_OK(one);
    const auto& started = std::get<AttemptStarted>(one->facts[0]);
    QVERIFY(started.trace == UuidBytes{});
    QCOMPARE(started.span, std::uint64_t{0});
    QCOMPARE(started.reserved.size(), std::size_t{2});
    // Neither format can be taken for the other.
    CAIRN_VERIFY_ERROR(decodeEntry(encodeEntry(entry, kFormat1), kFormat2), ErrorKind::Corrupt);
    CAIRN_VERIFY_ERROR(decodeEntry(encodeEntry(entry, kFormat2), kFormat1), ErrorKind::Corrupt);
}

void TestCodec::refusesOtherFormats()
{
    const std::string body = encodeEntry(smallEntry(), kFormat2);
    const auto newer = decodeEntry(body, kMaxFormat + 1);
    CAIRN_VERIFY_ERROR(newer, ErrorKind::SchemaMismatch);
    QVERIFY(newer.error().text.find("format 3") != std::string::npos);
    QVERIFY(newer.error().text.find("up to 2") != std::string::npos);
    CAIRN_VERIFY_ERROR(decodeEntry(body, 0), ErrorKind::Corrupt);
    CAIRN_VERIFY_ERROR(decodeEntry(body, 0xFFFF), ErrorKind::SchemaMismatch);
}

void TestCodec::refusesTruncation()
{
    for (const std::uint16_t format : {kFormat1, kFormat2}) {
        const std::string body = encodeEntry(entryOf(oneOfEachFact()), format);
        for (std::size_t size = 0; size < body.size(); ++size) {
            const auto cut = decodeEntry(std::string_view(body).substr(0, size), format);
            CAIRN_VERIFY_ERROR(cut, ErrorKind::Corrupt);
            QVERIFY(cut.error().text.find("is damaged") != std::string::npos);
        }
    }
}

// One value has one encoding: what still reads after a bit has flipped says exactly the flipped bytes.
void TestCodec::damageIsRefusedOrReadAsWritten()
{
    for (const std::uint16_t format : {kFormat1, kFormat2}) {
        const std::string body = encodeEntry(entryOf(oneOfEachFact()), format);
        std::size_t refused = 0;
        for (std::size_t bit = 0; bit < body.size() * 8; ++bit) {
            std::string damaged = body;
            damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
            const auto read = decodeEntry(damaged, format);
            if (!read) {
                QCOMPARE(read.error().kind, ErrorKind::Corrupt);
                ++refused;
            } else if (encodeEntry(*read, format) != damaged) {
                QFAIL(("bit " + std::to_string(bit) + " reads as something that was not written").c_str());
            }
        }
        QVERIFY2(refused > 1000, std::to_string(refused).c_str());
    }
}

void TestCodec::refusesLeftOverBytes()
{
    const auto read = decodeEntry(golden(2) + '\0', kFormat2);
    CAIRN_VERIFY_ERROR(read, ErrorKind::Corrupt);
    QCOMPARE(read.error().text,
        std::string("Entry 3 is damaged: bytes are left over at its end (174 bytes). Stop writing "
                    "to this run and restore it from a backup or an export; 'cairn verify' shows "
                    "what else is affected."));
}

void TestCodec::refusesValuesOutsideTheVocabulary()
{
    struct Row {
        const char* name;
        std::size_t at;
        std::uint8_t value;
        std::string_view where;
    };
    // Offsets in the small entry, see golden().
    const Row rows[] = {
        {"verb 0", 24, 0, "its verb"},
        {"verb past the last", 24, static_cast<std::uint8_t>(words<Verb>().size() + 1), "its verb"},
        {"actor 0", 25, 0, "its kind"},
        {"actor 7", 25, 7, "its kind"},
        {"payload presence 2", 44, 2, "its reason"},
        {"fact tag high byte", 49, 1, "the fact tag of fact 1"},
        {"fact tag of no fact", 50, 12, "the fact tag of fact 1"},
        {"purpose 0", 71, 0, "the purpose of fact 1"},
        {"purpose 4", 71, 4, "the purpose of fact 1"},
    };
    for (const Row& row : rows) {
        std::string body = golden(2);
        body[row.at] = static_cast<char>(row.value);
        const auto read = decodeEntry(body, kFormat2);
        QVERIFY2(!read, row.name);
        QVERIFY2(read.error().kind == ErrorKind::Corrupt, row.name);
        QVERIFY2(
            read.error().text.find(": " + std::string(row.where) + " cannot be read") != std::string::npos,
            read.error().text.c_str());
    }
}

void TestCodec::refusesNullPayloadsThatAreSaidToBeThere()
{
    Entry entry = smallEntry();
    entry.reason = filled<PayloadRef>(1);
    std::string body = encodeEntry(entry, kFormat2);
    QCOMPARE(body[44], '\1');
    body.replace(45, 16, 16, '\0');
    CAIRN_VERIFY_ERROR(decodeEntry(body, kFormat2), ErrorKind::Corrupt);
}

void TestCodec::hostileCountsAllocateNothing()
{
    // Four bytes of each count or length in turn: facts, actor's name and login, worker's name, reserved,
    // currency.
    for (const std::size_t at : {45U, 26U, 32U, 92U, 128U, 132U}) {
        std::string body = golden(2);
        body.replace(at, 4, "\xff\xff\xff\xff", 4);
        CAIRN_VERIFY_ERROR(decodeEntry(body, kFormat2), ErrorKind::Corrupt);
    }
    // A count that fits the bytes left but not what they hold: what is allocated stays in proportion.
    PayloadsRedacted redacted;
    redacted.payloads.resize(3);
    std::string body = encodeEntry(entryOf({redacted}), kFormat2);
    body.replace(body.size() - 52, 4, std::string("\0\0\0\4", 4));
    CAIRN_VERIFY_ERROR(decodeEntry(body, kFormat2), ErrorKind::Corrupt);
}

void TestCodec::hashCoversEveryByte()
{
    const std::string body = encodeEntry(smallEntry(), kFormat2);
    const Digest previous = sha256("before");
    std::set<Digest> seen{entryHash(kFormat2, previous, body)};
    for (std::size_t i = 0; i < body.size(); ++i) {
        std::string damaged = body;
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        QVERIFY(seen.insert(entryHash(kFormat2, previous, damaged)).second);
    }
    for (std::size_t i = 0; i < previous.bytes.size(); ++i) {
        Digest other = previous;
        other.bytes[i] ^= 1;
        QVERIFY(seen.insert(entryHash(kFormat2, other, body)).second);
    }
    QVERIFY(seen.insert(entryHash(kFormat1, previous, body)).second);
    QVERIFY(seen.insert(entryHash(kFormat2, previous, body + '\0')).second);
}

void TestCodec::hashIsWhatTheFormatSays()
{
    const Digest previous = sha256("before");
    const std::string body = golden(2);
    std::string all("cairn-entry\0", 12);
    all += std::string("\0\2", 2);
    all += previous.view();
    all += body;
    QCOMPARE(entryHash(kFormat2, previous, body), sha256(all));
    QCOMPARE(hex(entryHash(kFormat2, Digest{}, body)),
        std::string("0bd46b949d3db7a6b525d0f565fc9d1199bb4a75baf5eb988839a58c3f32b8ae"));
    QCOMPARE(hex(entryHash(kFormat1, Digest{}, golden(1))),
        std::string("5857caa185dd717a9f62a8cd3da1cb030333f4aa96763e0dba8e0c7143014f2f"));
}

void TestCodec::sealsFollowOneAnother()
{
    Digest previous;
    for (std::uint64_t version = 1; version <= 5; ++version) {
        const auto format = version < 3 ? kFormat1 : kFormat2;  // a run may go from one to the other
        const SealedEntry sealed =
            sealEntry(entryOf({filled<StepReady>(version)}, version), format, previous);
        QCOMPARE(sealed.version, version);
        QCOMPARE(sealed.format, format);
        QCOMPARE(sealed.previous, previous);
        CAIRN_VERIFY_OK(checkSeal(sealed, previous));
        previous = sealed.hash;
    }
}

void TestCodec::sealsRefuseChanges()
{
    const Digest previous = sha256("before");
    const SealedEntry good = sealEntry(entryOf({filled<StepReady>(1)}, 12), kFormat2, previous);
    const auto refused = [&](auto change, std::string_view why) {
        SealedEntry bad = good;
        change(bad);
        const Status checked = checkSeal(bad, previous);
        CAIRN_VERIFY_ERROR(checked, ErrorKind::Corrupt);
        QVERIFY2(checked.error().text.find(why) != std::string::npos, checked.error().text.c_str());
    };
    refused([](SealedEntry& e) { e.body.back() ^= 1; }, "does not have the hash");
    refused([](SealedEntry& e) { e.hash.bytes[31] ^= 1; }, "does not have the hash");
    refused([](SealedEntry& e) { e.format = kFormat1; }, "does not have the hash");
    refused([](SealedEntry& e) { e.previous.bytes[0] ^= 1; }, "does not follow");
    refused([](SealedEntry& e) { e.version = 13; }, "stored beside another version");
    refused([](SealedEntry& e) { e.command.bytes[0] ^= 1; }, "stored beside another version");
    refused(
        [&](SealedEntry& e) {
            e.body.clear();
            e.hash = entryHash(e.format, previous, e.body);
        },
        "stored beside another version");
    CAIRN_VERIFY_ERROR(checkSeal(good, good.hash), ErrorKind::Corrupt);
    QVERIFY(checkSeal(good, good.hash).error().text.starts_with("Entry 12 "));
}

void TestCodec::legacyTraceIsStable()
{
    const RunId run{countedUuid(1)};
    const AttemptId attempt{countedUuid(1)};
    QCOMPARE(uuidText(legacyTrace(run)), std::string("6fb50edf-a916-8777-967b-f3c4f571eeed"));
    QCOMPARE(legacySpan(attempt), std::uint64_t{0x4A7B545669EB8EDF});
    QVERIFY(legacySpan(AttemptId{countedUuid(2)}) != legacySpan(attempt));
}

void TestCodec::factsAsJson()
{
    StepWaiting waiting;
    waiting.step = 3;
    waiting.reason = Reason::EffectInFlight;
    waiting.due = 1'790'000'000'000;
    const std::string expected1 = R"({"fact":"step_waiting","step":3,"reason":"effect_in_flight",)"
                                  R"("due":1790000000000,"run":null,"detail":null})";
    QCOMPARE(factJson(waiting), expected1);
    StepReady ready;
    ready.input = {PayloadId{countedUuid(0)}, Digest{}, 12, "text/plain"};
    ready.amount = {-4'860'000'000, "EUR"};
    const std::string expected2 =
        R"({"fact":"step_ready","step":null,"input":{"id":"00010203-0405-0607-0809-0a0b0c0d0e0f",)"
        R"("hash":null,"size":12,"media":"text/plain"},"effect":null,)"
        R"("amount":{"micros":-4860000000,"currency":"EUR"}})";
    QCOMPARE(factJson(ready), expected2);
    const std::string expected3 = R"({"fact":"run_reopened"})";
    QCOMPARE(factJson(RunReopened{}), expected3);
    BudgetChanged budget;
    budget.unit = "a\"\\\n\x1b\xe2\x80\xae\xff";
    const std::string expected4 = R"({"fact":"budget_changed","unit":"a\"\\\n\u001b\u202e\ufffd","limit":0})";
    QCOMPARE(factJson(budget), expected4);
}

void TestCodec::entriesAsJson()
{
    const std::string expected5 =
        R"({"version":3,"command":"10111213-1415-1617-1819-1a1b1c1d1e1f","verb":"advance",)"
        R"("actor":{"kind":"engine","id":"e1","login":null},"time":72623859790382856,"reason":null,"facts":[)"
        R"({"fact":"attempt_started","step":2,"attempt":"20212223-2425-2627-2829-2a2b2c2d2e2f",)"
        R"("purpose":"do","number":1,"session":"30313233-3435-3637-3839-3a3b3c3d3e3f","worker":null,)"
        R"("timeout_at":17,"heartbeat_due":0,"approval":null,"reserved":[{"unit":"EUR","amount":5}],)"
        R"("trace":"404142434445464748494a4b4c4d4e4f","span":"a1a2a3a4a5a6a7a8"},)"
        R"({"fact":"rest_cancelled"}]})";
    QCOMPARE(entryJson(smallEntry()), expected5);
}

QTEST_APPLESS_MAIN(TestCodec)
#include "tst_codec.moc"
