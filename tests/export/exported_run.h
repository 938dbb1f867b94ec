#pragma once
// A run with a look, an approval, a payment and acts of people, in a store in memory or SQLite; the files of
// bundles as bytes, to be damaged.

#include "core/export/bundle_parts.h"
#include "core/export/zip.h"
#include "tests/service/harness.h"

namespace cairn::testing {

namespace ex = exporting;

inline const char* const kHostile = "<script>alert(1)</script>\x1b[2J=cmd|' /C calc'!A0";

struct Exported {
    World w;
    Scratch folder;
    std::unique_ptr<Service> engine;
    RunId run;

    explicit Exported(const std::string& found = R"({"n":1})")
    {
        w.add(workflowText("order",
            R"({"name":"find","tool":"look"},{"name":"pay","tool":"pay","input":{"$from":"input"},)"
            R"("after":["find"],"approval":{"role":"ops"}})"));
        engine = w.engine();
        run = engine
                  ->submitAndWait(
                      World::start(*engine, "order", R"({"order":"A1","amount":"12.50"})", "order A1"))
                  .run;
        need(engine->submitAndWait(World::act(run, cmd::SetPaused{true}, kHostile)));
        need(engine->submitAndWait(World::act(run, cmd::SetPaused{false}, "and on with it")));
        done("find", found);
        need(engine->submitAndWait(World::act(
            run, cmd::Decide{engine->load(run)->find("pay")->approval, true, {}}, "the price is right")));
        takeAgain();
        done("pay", R"({"receipt":9})");
    }

    // It was let go while it waited for the approval: only who owns it begins the next step.
    void takeAgain()
    {
        const auto claimed = w.writer->claim(w.session, w.clock.wallMs() + 1'000, 10);
        if (!claimed)
            qFatal("%s", claimed.error().text.c_str());
        for (const ClaimedRun& each : *claimed)
            engine->own(each);
        if (World::attemptOf(*engine->state(run), "pay").isNull())
            need(engine->submitAndWait(World::command(run, cmd::Advance{})));
    }
    static void need(const Outcome& outcome)
    {
        if (!outcome.ok())
            qFatal("%s", told(outcome).c_str());
    }
    void done(const char* step, const std::string& output)
    {
        need(engine->submitAndWait(
            World::complete(*engine, run, World::attemptOf(*engine->state(run), step), output)));
    }

    [[nodiscard]] std::string path(const char* name) const { return folder.file(name); }
    // A bundle of it; empty: done.
    std::string write(const char* name, ex::BundleOptions options = {})
    {
        options.tool = "test";
        options.exporter = "kim";
        const auto report = ex::writeBundle(*w.store, std::span(&run, 1), path(name), options);
        return report ? std::string() : report.error().text;
    }
};

// The files of a bundle, in their order.
struct Files {
    std::vector<std::pair<std::string, std::string>> all;

    static Files of(const std::string& path)
    {
        Files files;
        const auto zip = ex::ZipReader::open(path);
        if (!zip)
            qFatal("%s", zip.error().text.c_str());
        for (;;) {
            const auto item = (*zip)->next();
            if (!item)
                qFatal("%s", item.error().text.c_str());
            if (!*item)
                return files;
            std::string bytes;
            for (;;) {
                const auto some = (*zip)->read();
                if (!some)
                    qFatal("%s", some.error().text.c_str());
                if (some->empty())
                    break;
                bytes.append(*some);
            }
            files.all.emplace_back((*item)->name, std::move(bytes));
        }
    }
    // The first whose name ends so.
    std::string& at(std::string_view end)
    {
        for (auto& [name, bytes] : all)
            if (name.ends_with(end))
                return bytes;
        qFatal("the bundle has no file %s", std::string(end).c_str());
    }
    [[nodiscard]] std::string nameOf(std::string_view begin) const
    {
        for (const auto& [name, bytes] : all)
            if (name.starts_with(begin))
                return name;
        qFatal("the bundle has no file %s", std::string(begin).c_str());
    }
    // The manifest says what is there now, as somebody would who knows how it is made.
    void reseal()
    {
        auto manifest = ex::parseManifest(at("manifest.json"));
        if (!manifest)
            qFatal("%s", manifest.error().text.c_str());
        manifest->files.clear();
        for (const auto& [name, bytes] : all)
            if (name != "manifest.json")
                manifest->files[name] = {bytes.size(), sha256(bytes)};
        at("manifest.json") = ex::manifestJson(*manifest);
    }
    void write(const std::string& path) const
    {
        const auto out = ex::OutputFile::create(path);
        if (!out)
            qFatal("%s", out.error().text.c_str());
        ex::ZipWriter zip(**out);
        for (const auto& [name, bytes] : all)
            if (!zip.begin(name) || !zip.write(bytes))
                qFatal("cannot write %s", name.c_str());
        if (!zip.finish() || !(*out)->finish())
            qFatal("cannot write %s", path.c_str());
    }
};

inline void replaceFirst(std::string& text, std::string_view from, std::string_view to)
{
    const std::size_t at = text.find(from);
    if (at == std::string::npos)
        qFatal("there is no %s", std::string(from).c_str());
    text.replace(at, from.size(), to);
}

inline StoreDoor sqliteDoor(const std::string& path)
{
    return {"sqlite:" + path,
        [path](StoreOptions options) {
            options.synchronousNormal = true;  // no test here loses power
            return sqlite::openStore(path, options);
        },
        [path](const InitOptions& options) { return sqlite::initStore(path, options); }};
}

inline AuditRow importedByKim()
{
    AuditRow row;
    row.actor = "kim";
    row.uid = 1000;
    row.login = "uid 1000";
    row.host = "desk";
    row.reason = "to look at it";
    return row;
}

}  // namespace cairn::testing
