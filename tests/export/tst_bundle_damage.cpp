// Every kind of damage, one by one: the bundle is refused, what is wrong and where is named, and nothing is
// made of it.

#include "core/model/codec.h"
#include "tests/export/exported_run.h"

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace cairn;
using namespace cairn::testing;

namespace {

using Harm = std::function<void(Files&)>;

struct Damage {
    const char* name;
    const char* kind;
    const char* where;  // a part of it
    Harm harm;
};

std::string bytesOf(const std::string& path)
{
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void put(const std::string& path, const std::string& bytes)
{
    std::ofstream(path, std::ios::binary) << bytes;
}

std::string zeros(std::size_t size) { return std::string(size, '0'); }

const std::vector<Damage>& damages()
{
    static const std::vector<Damage> kAll{
        {"a name that leads out", "name", "directory", [](Files& f) { f.all.emplace_back("../evil", "x"); }},
        {"an absolute name", "name", "directory", [](Files& f) { f.all.emplace_back("/etc/evil", "x"); }},
        {"a name with a backslash", "name", "directory",
            [](Files& f) { f.all.emplace_back("a\\..\\b", "x"); }},
        {"a name within that leads out", "name", "directory",
            [](Files& f) { f.all.emplace_back("payloads/../../evil", "x"); }},
        {"a name that is not UTF-8", "name", "directory",
            [](Files& f) { f.all.emplace_back("p\xff\xfe", "x"); }},
        {"a file of no bundle", "name", "directory", [](Files& f) { f.all.emplace_back("setup.exe", "x"); }},
        {"two files of one name", "duplicate", "README.txt",
            [](Files& f) { f.all.emplace_back("README.txt", f.at("README.txt")); }},
        {"two manifests", "duplicate", "manifest.json",
            [](Files& f) { f.all.emplace_back("manifest.json", f.at("manifest.json")); }},
        {"a payload that is too large", "size", "payloads/",
            [](Files& f) {
                f.all.insert(f.all.begin(), {"payloads/" + zeros(64), std::string(20'000, 'x')});
            }},
        {"a text that grows without measure", "size", "history.jsonl",
            [](Files& f) { f.at("history.jsonl") = std::string(std::size_t{40} << 20U, 'x'); }},
        {"a file that is missing", "missing", "audit.jsonl",
            [](Files& f) {
                std::erase_if(f.all, [](const auto& file) { return file.first == "audit.jsonl"; });
            }},
        {"no manifest", "missing", "manifest.json",
            [](Files& f) {
                std::erase_if(f.all, [](const auto& file) { return file.first == "manifest.json"; });
            }},
        {"a file that is not listed", "unlisted", "payloads/",
            [](Files& f) { f.all.emplace_back("payloads/" + zeros(64), "x"); }},
        {"a payload of nobody", "unlisted", "payloads/",
            [](Files& f) {
                f.all.emplace_back("payloads/" + zeros(64), "x");
                f.reseal();
            }},
        {"another byte in a text", "hash", "README.txt", [](Files& f) { f.at("README.txt")[0] = 'B'; }},
        {"another size", "size", "README.txt", [](Files& f) { f.at("README.txt") += "more"; }},
        {"not UTF-8", "encoding", "decoded.jsonl, line 1",
            [](Files& f) { f.at("decoded.jsonl")[3] = '\xff'; }},
        {"a copy that lies", "hash", "decoded.jsonl, line 2",
            [](Files& f) { replaceFirst(f.at("decoded.jsonl"), "\"pause\"", "\"cancel\""); }},
        {"a line that is no row", "format", "audit.jsonl, line 1",
            [](Files& f) { replaceFirst(f.at("audit.jsonl"), "\"seq\":1", "\"seq\":\"1\""); }},
        {"a member twice", "format", "audit.jsonl, line 1",
            [](Files& f) { replaceFirst(f.at("audit.jsonl"), "\"seq\":1", "\"seq\":1,\"seq\":1"); }},
        {"a member too many", "format", "audit.jsonl, line 1",
            [](Files& f) { replaceFirst(f.at("audit.jsonl"), "\"seq\":1", "\"seq\":1,\"more\":1"); }},
        {"a manifest that is no JSON", "format", "manifest.json",
            [](Files& f) { f.at("manifest.json") = "{"; }},
        {"a newer format", "format", "manifest.json",
            [](Files& f) { replaceFirst(f.at("manifest.json"), "\"format\": 1", "\"format\": 2"); }},
        {"an entry that is gone", "chain", "history.jsonl, line 1",
            [](Files& f) {
                std::string& text = f.at("history.jsonl");
                text.erase(0, text.find('\n') + 1);
                f.reseal();
            }},
        {"an entry that was changed", "chain", "history.jsonl, line 1",
            [](Files& f) {
                std::string& text = f.at("history.jsonl");
                const std::size_t body = text.find("\"body\":\"") + 8;
                text[body + 40] = text[body + 40] == 'A' ? 'B' : 'A';
                f.reseal();
            }},
        {"the newest entry cut off", "chain", "history.jsonl",
            [](Files& f) {
                for (const char* name : {"history.jsonl", "decoded.jsonl"}) {
                    std::string& text = f.at(name);
                    text.erase(text.rfind('\n', text.size() - 2) + 1);
                }
                f.reseal();
            }},
        {"an entry of a step that is not there", "fold", "history.jsonl, line",
            [](Files& f) {
                const auto manifest = ex::parseManifest(f.at("manifest.json"));
                Entry entry;
                entry.version = manifest->runs.front().version + 1;
                entry.command.bytes[0] = 1;
                entry.verb = Verb::Advance;
                entry.time = 1;
                StepReady ready;
                ready.step = 77;
                entry.facts.emplace_back(ready);
                const SealedEntry sealed = sealEntry(entry, kMaxFormat, manifest->runs.front().head);
                f.at("history.jsonl") += ex::toJson(sealed) + "\n";
                f.at("decoded.jsonl") += entryJson(entry) + "\n";
                f.reseal();
            }},
        {"another state", "fold", "state.json",
            [](Files& f) {
                replaceFirst(f.at("state.json"), "\"state\":\"complete\"", "\"state\":\"failed\"");
                f.reseal();
            }},
        {"another effect's result", "fold", "state.json",
            [](Files& f) {
                std::string& text = f.at("state.json");
                const std::size_t effects = text.find("\"effects\":");
                std::string tail = text.substr(effects);
                replaceFirst(tail, "\"state\":2", "\"state\":1");
                text = text.substr(0, effects) + tail;
                f.reseal();
            }},
        {"other bytes of a payload", "payload", "payloads/",
            [](Files& f) {
                f.at(f.nameOf("payloads/"))[0] = '~';
                f.reseal();
            }},
        {"the bytes of a payload gone", "missing", "payloads/",
            [](Files& f) {
                const std::string name = f.nameOf("payloads/");
                std::erase_if(f.all, [&](const auto& file) { return file.first == name; });
                f.reseal();
            }},
        {"another definition", "definition", "definitions/",
            [](Files& f) {
                f.at(f.nameOf("definitions/")) += " ";
                f.reseal();
            }},
        {"another reason in the audit", "audit", "audit.jsonl, entry 2",
            [](Files& f) {
                replaceFirst(f.at("audit.jsonl"), "and on with it", "and on with ut");
                f.reseal();
            }},
        {"a head that was signed over another", "signature", "heads.json",
            [](Files& f) {
                replaceFirst(f.at("heads.json"), "\\\"cairn_heads\\\":1", "\\\"cairn_heads\\\":2");
                f.reseal();
            }},
        {"an act that was left out of a signed bundle", "signature", "heads.json",
            [](Files& f) {
                std::string& lines = f.at("audit.jsonl");
                lines.resize(lines.rfind('\n', lines.size() - 2) + 1);
                f.reseal();
            }},
        {"another exporter of a signed bundle", "signature", "heads.json",
            [](Files& f) {
                replaceFirst(f.at("manifest.json"), "\"exporter\": \"kim\"", "\"exporter\": \"pat\"");
            }},
        {"a signature of nobody", "signature", "heads.json",
            [](Files& f) {
                std::string& text = f.at("heads.json");
                const std::size_t at = text.find("\"signature\": \"") + 20;
                text[at] = text[at] == 'A' ? 'B' : 'A';
                f.reseal();
            }},
    };
    return kAll;
}

}  // namespace

class TestBundleDamage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void isNamed_data();
    void isNamed();
    void ofTheFileItselfIsNamed_data();
    void ofTheFileItselfIsNamed();
    void aFileThatIsNotThereIsSaidToBe();

private:
    void refused(const std::string& path, const char* kind, const char* where);
    std::unique_ptr<Exported> m_exported;
};

void TestBundleDamage::initTestCase()
{
    World::s_onSqlite = false;
    m_exported = std::make_unique<Exported>();
    ex::BundleOptions options;
    options.signHeads = ex::signWith(SigningKey({7}));
    QCOMPARE(m_exported->write("good.zip", options), std::string());
    QVERIFY(!ex::verifyBundle(m_exported->path("good.zip"))->fault);
    // Written by the test without a change it holds as well: what follows fails for its damage alone.
    Files::of(m_exported->path("good.zip")).write(m_exported->path("same.zip"));
    const auto same = ex::verifyBundle(m_exported->path("same.zip"));
    CAIRN_VERIFY_OK(same);
    QVERIFY2(!same->fault, same->fault ? same->fault->text.c_str() : "");
}

void TestBundleDamage::refused(const std::string& path, const char* kind, const char* where)
{
    const auto verdict = ex::verifyBundle(path);
    CAIRN_VERIFY_OK(verdict);
    QVERIFY(verdict->fault);
    const std::string said = verdict->fault->where + ": " + verdict->fault->text;
    QVERIFY2(verdict->fault->kind == kind, (verdict->fault->kind + ": " + said).c_str());
    QVERIFY2(verdict->fault->where.find(where) != std::string::npos, said.c_str());
    QVERIFY(verdict->fault->text.size() > 10);
    const Scratch place;
    bool made = false;
    StoreDoor door = sqliteDoor(place.file("copy.db"));
    door.make = [&](const InitOptions&) {
        made = true;
        return Status();
    };
    const auto imported = ex::importBundle({path, door, importedByKim(), m_exported->w.rng});
    CAIRN_VERIFY_ERROR(imported, ErrorKind::Corrupt);
    QVERIFY(!made);
    QVERIFY(std::filesystem::is_empty(place.path()));
}

void TestBundleDamage::isNamed_data()
{
    QTest::addColumn<int>("number");
    int number = 0;
    for (const Damage& damage : damages())
        QTest::newRow(damage.name) << number++;
}

void TestBundleDamage::isNamed()
{
    QFETCH(int, number);
    const Damage& damage = damages()[static_cast<std::size_t>(number)];
    Files files = Files::of(m_exported->path("good.zip"));
    damage.harm(files);
    const Scratch place;
    files.write(place.file("bad.zip"));
    refused(place.file("bad.zip"), damage.kind, damage.where);
}

void TestBundleDamage::ofTheFileItselfIsNamed_data()
{
    QTest::addColumn<int>("keep");
    QTest::newRow("cut in the middle") << 50;
    QTest::newRow("cut at the end") << 99;
    QTest::newRow("no zip file") << -1;
}

void TestBundleDamage::ofTheFileItselfIsNamed()
{
    QFETCH(int, keep);
    const Scratch place;
    std::string bytes = bytesOf(m_exported->path("good.zip"));
    bytes = keep < 0 ? std::string(1000, 'x')
                     : bytes.substr(0, bytes.size() * static_cast<std::size_t>(keep) / 100);
    put(place.file("bad.zip"), bytes);
    refused(place.file("bad.zip"), "archive", "");
}

void TestBundleDamage::aFileThatIsNotThereIsSaidToBe()
{
    CAIRN_VERIFY_ERROR(ex::verifyBundle("/no/such/bundle.zip"), ErrorKind::NotFound);
}

QTEST_APPLESS_MAIN(TestBundleDamage)
#include "tst_bundle_damage.moc"
