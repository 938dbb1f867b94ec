// export, import, receipt, and `verify BUNDLE`.

#include "app/cairn/cli.h"
#include "app/cairn/json_rows.h"
#include "app/common/open_store.h"
#include "core/base/counted.h"
#include "core/base/text.h"
#include "core/export/bundle.h"
#include "core/export/export_job.h"
#include "core/export/output_file.h"
#include "core/export/receipt.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <unistd.h>

namespace cairn::cli {

namespace {

namespace ex = exporting;

volatile std::sig_atomic_t g_stopped = 0;
void stopExport(int) { g_stopped = 1; }

void stopOnSignals()
{
    struct sigaction action = {};
    action.sa_handler = stopExport;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

Json jsonCounts(const ex::BundleCounts& c)
{
    return {{"runs", c.runs}, {"entries", c.entries}, {"payloads", c.payloads}, {"withheld", c.withheld},
        {"bytes", c.bytes}, {"audit_entries", c.audit}, {"files", c.files}};
}

std::string told(const ex::BundleCounts& c)
{
    return counted(c.runs, "run") + " with " + formatCount(static_cast<std::int64_t>(c.entries))
        + " entries, " + counted(c.payloads, "payload") + " (" + formatBytes(c.bytes) + ")"
        + (c.withheld == 0 ? std::string() : ", " + counted(c.withheld, "payload") + " without bytes") + ", "
        + formatCount(static_cast<std::int64_t>(c.audit)) + " audit entries";
}

Result<std::optional<PublicKey>> keyArgument(const std::string& text)
{
    if (text.empty())
        return std::optional<PublicKey>();
    CAIRN_TRY_ASSIGN(const PublicKey key, readPublicKey(text));
    return std::optional<PublicKey>(key);
}

// --- export

struct ExportArguments {
    std::vector<std::string> runs;
    std::string out;
    std::string key;
    std::string csv;
    bool html = false;
    bool otlp = false;
    bool redact = false;
    bool tree = false;
};

const char* formatOf(const ExportArguments& a)
{
    return !a.csv.empty() ? "csv" : a.html ? "html" : a.otlp ? "otlp" : "bundle";
}

// That runs left the store is in its audit, where this login may write there.
void recordExport(Session& s, const ex::ExportOrder& order)
{
    const auto recorded = [&]() -> Status {
        CAIRN_TRY_ASSIGN(const auto store, openStoreUrl(s.options.store, {}));
        AuditRow who = s.personAct();
        who.login = s.login();
        CAIRN_TRY_ASSIGN(const TimeMs now, store->now());
        CAIRN_TRY(store->appendAudit(ex::exportAct(std::move(who), order, now, s.rng)));
        return {};
    }();
    if (!recorded)
        s.note("this export is not in the store's audit: " + recorded.error().text);
}

int exported(Session& s, const ExportArguments& a, const ex::BundleReport& report)
{
    for (const std::string& note : report.notes)
        s.note(note);
    Json json{{"file", jsonText(a.out)}, {"format", formatOf(a)}, {"size", report.size}};
    json.update(jsonCounts(report.counts));
    s.answer(dump(json), "wrote " + a.out + ", " + formatBytes(report.size) + ": " + told(report.counts));
    return kDone;
}

Result<ex::ExportOrder> orderOf(Session& s, const ExportArguments& a, std::vector<RunId> runs)
{
    ex::ExportOrder order;
    order.format = a.csv == "steps" ? ex::ExportFormat::CsvSteps
        : a.csv == "audit"          ? ex::ExportFormat::CsvAudit
        : !a.csv.empty()            ? ex::ExportFormat::CsvHistory
        : a.html                    ? ex::ExportFormat::Html
        : a.otlp                    ? ex::ExportFormat::Otlp
                                    : ex::ExportFormat::Bundle;
    order.runs = std::move(runs);
    order.path = a.out;
    order.options.redact = a.redact;
    order.options.tool = versionText("cairn");
    order.options.exporter = s.person().id;
    order.options.filter = s.options.where;
    order.options.stopped = [] { return g_stopped != 0; };
    if (order.format == ex::ExportFormat::Bundle)
        order.options.tell = [&s, next = std::chrono::steady_clock::now() + std::chrono::seconds(3)](
                                 const ex::BundleProgress& progress) mutable {
            if (std::chrono::steady_clock::now() < next)
                return;
            next = std::chrono::steady_clock::now() + std::chrono::seconds(3);
            s.note("wrote " + formatCount(static_cast<std::int64_t>(progress.runs)) + " of "
                + counted(progress.runsInAll, "run") + ", " + formatBytes(progress.bytes) + " of payloads");
        };
    if (!a.key.empty()) {
        CAIRN_TRY_ASSIGN(const SigningKey key, readKey(a.key));
        order.options.signHeads = ex::signWith(key);
    }
    return order;
}

int exportRuns(Session& s, const ExportArguments& a)
{
    const int formats = (a.csv.empty() ? 0 : 1) + (a.html ? 1 : 0) + (a.otlp ? 1 : 0);
    if (formats > 1)
        return s.fail(kUsage, "choose one of --csv, --html and --otlp");
    if (formats == 1 && (a.redact || !a.key.empty()))
        return s.fail(kUsage, "--redact and --key are for bundles");
    if (!s.openReader())
        return s.exitCode;
    auto runs = s.targets(a.runs);
    if (!runs)
        return s.exitCode;
    if (a.tree)
        if (const Status added = ex::addTrees(s.store(), *runs); !added)
            return s.fail(added.error());
    if (runs->empty())
        return s.fail(kNotFound, "no run matches; nothing was written");
    if (s.options.preview) {
        std::error_code error;
        const Status allowed = std::filesystem::exists(a.out, error)
            ? Status(makeError(ErrorKind::Refused, "there is a file at " + a.out + " already"))
            : Status();
        return printPreview(s, allowed,
            counted(runs->size(), "run") + " would be written to " + a.out + " (" + formatOf(a) + ")");
    }
    stopOnSignals();
    const auto order = orderOf(s, a, *std::move(runs));
    if (!order)
        return s.fail(order.error());
    // A bundle has what is stored, with hashes that fit; what people read has hidden fields hidden.
    Query stored(s.stored(), s.clock);
    const auto report =
        ex::writeExport(order->format == ex::ExportFormat::Bundle ? stored : s.query(), *order);
    if (!report)
        return s.fail(report.error());
    recordExport(s, *order);
    return exported(s, a, *report);
}

// --- import

// The store gets its name last, so that there is a whole one or none.
class NewStore {
public:
    explicit NewStore(std::string path)
        : m_path(std::move(path))
        , m_part(m_path + ".part-" + std::to_string(::getpid()))
    {
    }
    ~NewStore() { removePart(); }
    NewStore(const NewStore&) = delete;
    NewStore& operator=(const NewStore&) = delete;

    [[nodiscard]] StoreDoor door() const
    {
        const std::string url = "sqlite:" + m_part;
        return {"sqlite:" + m_path, [url](const StoreOptions& options) { return openStoreUrl(url, options); },
            [url](const InitOptions& options) { return initStoreUrl(url, options); }};
    }
    Status finish()
    {
        std::error_code error;
        if (const auto left = std::filesystem::file_size(m_part + "-wal", error); !error && left > 0)
            return makeError(ErrorKind::Internal, "the new store was not closed");
        std::filesystem::create_hard_link(m_part, m_path, error);
        if (error)
            return makeError(error == std::errc::file_exists ? ErrorKind::Refused : ErrorKind::Io,
                "cannot make " + m_path + ": " + error.message());
        return {};
    }

private:
    void removePart() const
    {
        std::error_code ignored;
        for (const char* end : {"", "-wal", "-shm", "-journal"})
            std::filesystem::remove(m_part + end, ignored);
    }
    std::string m_path;
    std::string m_part;
};

// A damaged bundle is found wanting; it is no store that cannot be reached.
int badBundle(Session& s, const Error& error)
{
    return error.kind == ErrorKind::Corrupt ? s.fail(kRefused, error.text) : s.fail(error);
}

int importInto(Session& s, const std::string& path, const std::string& into)
{
    std::error_code error;
    const Status free = std::filesystem::exists(into, error) ? Status(makeError(ErrorKind::Refused,
                            "there is a file at " + into + " already; a bundle gets a store of its own"))
                                                             : Status();
    if (s.options.preview) {
        const auto verdict = ex::verifyBundle(path);
        if (!verdict)
            return s.fail(verdict.error());
        const Status sound = verdict->fault
            ? Status(makeError(ErrorKind::Refused, verdict->fault->where + ": " + verdict->fault->text))
            : free;
        return printPreview(s, sound, into + " becomes a store to look at: " + told(verdict->counts));
    }
    if (!free)
        return s.fail(free.error());
    stopOnSignals();
    NewStore made(into);
    AuditRow act = s.personAct();
    act.login = "uid " + std::to_string(::getuid());
    const ex::ImportRequest request{path, made.door(), act, s.rng, [] { return g_stopped != 0; }};
    const auto counts = ex::importBundle(request);
    if (!counts)
        return badBundle(s, counts.error());
    if (const Status named = made.finish(); !named)
        return s.fail(named.error());
    Json json{{"store", jsonText("sqlite:" + into)}};
    json.update(jsonCounts(*counts));
    s.answer(dump(json), "made sqlite:" + into + ", to look at: " + told(*counts));
    return kDone;
}

// --- receipt

struct ReceiptArguments {
    std::string run, step, key, out, check, signedBy;
};

int checkReceiptFile(Session& s, const ReceiptArguments& a)
{
    const auto wanted = keyArgument(a.signedBy);
    if (!wanted)
        return s.fail(wanted.error());
    const auto text = readArgument(a.check == "-" ? "-" : "@" + a.check);
    if (!text)
        return s.fail(text.error());
    const ex::ReceiptVerdict v = ex::checkReceipt(*text, *wanted);
    const bool holds = v.fault.empty();
    Json json{{"clean", holds}, {"run", jsonText(v.run)}, {"step", jsonText(v.step)},
        {"approved_digest", v.approvedDigest.empty() ? Json() : Json(jsonText(v.approvedDigest))},
        {"result_hash", jsonText(v.resultHash)}, {"public_key", holds ? Json(publicKeyText(v.key)) : Json()},
        {"fingerprint", holds ? Json(fingerprint(v.key)) : Json()},
        {"known_key", holds && wanted->has_value()}, {"problem", holds ? Json() : Json(jsonText(v.fault))}};
    s.answer(dump(json),
        holds ? "the receipt holds: step " + v.step + " of run " + v.run + ", signed by the key "
                + fingerprint(v.key)
                + (*wanted ? std::string()
                           : "; whose key that is the receipt cannot say: compare it, or give --signed-by")
              : "the receipt does not hold: " + v.fault);
    return holds ? kDone : kRefused;
}

int receipt(Session& s, const ReceiptArguments& a)
{
    if (!a.check.empty())
        return checkReceiptFile(s, a);
    if (a.run.empty() || a.step.empty() || a.key.empty())
        return s.fail(kUsage,
            "a receipt is made of a RUN and a STEP with --key FILE (`cairn audit key new FILE` makes one); "
            "`--check FILE` checks one");
    const auto key = readKey(a.key);
    if (!key)
        return s.fail(key.error());
    if (!s.openReader())
        return s.exitCode;
    const auto run = s.target(a.run);
    if (!run)
        return s.exitCode;
    const auto text = ex::makeReceipt({s.store(), *run, a.step, *key, versionText("cairn")});
    if (!text)
        return badBundle(s, text.error());
    if (!a.out.empty()) {
        auto out = ex::OutputFile::create(a.out);
        Status written = out ? (*out)->write(*text) : Status(out.error());
        if (written)
            written = (*out)->finish();
        if (!written)
            return s.fail(written.error());
    }
    if (s.options.json)
        s.json(dump(Json{{"file", a.out.empty() ? Json() : Json(jsonText(a.out))},
            {"receipt", jsonText(*text)}, {"public_key", publicKeyText(key->publicKey())},
            {"fingerprint", fingerprint(key->publicKey())}}));
    else if (a.out.empty())
        s.text(text->substr(0, text->size() - 1));
    else
        s.line("wrote " + a.out + ", signed by the key " + fingerprint(key->publicKey()));
    return kDone;
}

}  // namespace

std::optional<int> verifyIfBundle(
    Session& s, const std::vector<std::string>& named, const std::string& signedBy)
{
    std::error_code error;
    if (named.size() != 1 || !std::filesystem::is_regular_file(named.front(), error)) {
        if (signedBy.empty())
            return std::nullopt;
        return s.fail(kUsage, "--signed-by is for a bundle; name its file");
    }
    const auto wanted = keyArgument(signedBy);
    if (!wanted)
        return s.fail(wanted.error());
    const auto v = ex::verifyBundle(named.front(), *wanted);
    if (!v)
        return s.fail(v.error());
    const auto& fault = v->fault;
    Json keys = Json::array();
    if (!fault)
        for (const PublicKey& key : v->signedBy)
            keys.push_back(publicKeyText(key));
    Json json{{"clean", !fault}, {"bundle", jsonText(named.front())}, {"redacted", v->redacted},
        {"exporter", jsonText(v->exporter)}, {"exported", jsonTime(v->exportedAt)}, {"signed_by", keys}};
    json.update(jsonCounts(v->counts));
    json["kind"] = fault ? Json(fault->kind) : Json();
    json["where"] = fault ? Json(jsonText(fault->where)) : Json();
    json["problem"] = fault ? Json(jsonText(fault->text)) : Json();
    const ex::BundleProof proof = fault ? ex::BundleProof{} : ex::proofOf(*v, *wanted);
    json["proves"] = proof.shown;
    json["not_proved"] = proof.notShown;
    s.answer(dump(json),
        fault ? "the bundle does not hold: " + fault->where + ": " + fault->text + " (" + fault->kind + ")"
              : "the bundle holds: " + told(v->counts) + "; "
                + (v->signedBy.empty() ? std::string("nobody has signed it")
                                       : "it is signed by " + fingerprint(v->signedBy.front())));
    for (std::size_t i = 0; !s.options.json && i < proof.shown.size(); ++i)
        s.line("  proved: " + proof.shown[i]);
    for (std::size_t i = 0; !s.options.json && i < proof.notShown.size(); ++i)
        s.line("  not proved: " + proof.notShown[i]);
    return fault ? kRefused : kDone;
}

void addExportVerbs(Verbs v)
{
    Session& s = v.session;
    auto& chosen = v.chosen;
    {
        auto a = std::make_shared<ExportArguments>();
        auto* cmd = v.app.add_subcommand("export", "Writes runs to a file that stands by itself");
        cmd->add_option("RUN", a->runs, "ids, unique beginnings of ids, or keys");
        cmd->add_option("--where", s.options.where, "all runs that a filter finds");
        cmd->add_option("-o,--output", a->out, "the new file")->required();
        cmd->add_flag("--tree", a->tree, "with the runs that they started");
        cmd->add_flag("--redact", a->redact, "without the bytes of payloads; it still verifies");
        cmd->add_option(
            "--key", a->key, "file with an Ed25519 key that signs the heads of the chains and all files");
        cmd->add_option("--csv", a->csv, "a table instead of a bundle")
            ->check(CLI::IsMember({"history", "steps", "audit"}));
        cmd->add_flag("--html", a->html, "a page to read and print instead of a bundle");
        cmd->add_flag("--otlp", a->otlp, "OpenTelemetry traces (OTLP JSON) instead of a bundle");
        addCommon(cmd, s);
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return exportRuns(s, *a); }; });
    }
    {
        auto bundle = std::make_shared<std::string>();
        auto into = std::make_shared<std::string>();
        auto* cmd = v.app.add_subcommand("import", "Makes a store from a bundle, to look at");
        cmd->add_option("BUNDLE", *bundle, "file that `export` wrote")->required();
        cmd->add_option("--into", *into, "the new store's file")->required();
        addCommon(cmd, s);
        cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return importInto(s, *bundle, *into); }; });
    }
    auto a = std::make_shared<ReceiptArguments>();
    auto* cmd = v.app.add_subcommand("receipt", "A signed page that proves one step, or the check of one");
    cmd->add_option("RUN", a->run, "id, unique beginning of an id, or key");
    cmd->add_option("STEP", a->step, "id of the step");
    cmd->add_option("--key", a->key, "file with the Ed25519 key that signs it");
    cmd->add_option("-o,--output", a->out, "the new file; else it is printed");
    cmd->add_option("--check", a->check, "checks this receipt; no store is needed");
    cmd->add_option("--signed-by", a->signedBy, "the public key that must have signed it, or its file");
    cmd->callback([=, &s, &chosen] { chosen = [=, &s] { return receipt(s, *a); }; });
}

}  // namespace cairn::cli
