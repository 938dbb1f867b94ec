#pragma once
// What the verbs of the command line share: options, the store, how answers are printed and which exit code
// they give.

#include "core/base/clock.h"
#include "core/model/definition.h"
#include "core/query/hidden_fields.h"
#include "core/query/query.h"
#include "core/service/service.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace cairn::cli {

// Exit codes are part of the interface (README, man page).
enum Exit : int {
    kDone = 0,
    kRefused = 1,  // refused, or found wanting
    kUsage = 2,
    kUnreachable = 3,  // the store cannot be opened or reached
    kNotFound = 4,
    kStale = 5,  // what the act depends on has changed since it was seen
};

struct Options {
    std::vector<std::string>
        stores;         // each --store, else $CAIRN_STORE; which verbs take several: command_line
    std::string store;  // the first of them
    bool json = false;
    bool raw = false;  // control characters as they are; never to a terminal
    std::string as;    // --as: claimed name
    std::string reason;
    bool preview = false;
    bool breakGlass = false;  // alone, where somebody else would have to confirm
    std::uint64_t seen = 0;   // --expect: version of the run that was looked at; 0: as it is now
    std::string command;      // --command: id of the act; empty: one is made
    std::string where;
};

// The state of one invocation.
class Session {
public:
    explicit Session(Options& options);
    ~Session();

    Options& options;
    SystemClock clock;
    SystemRng rng;

    // Opens the store once; prints the error and gives false when that fails (exitCode says which).
    bool openReader();
    bool openWriter();
    // The same of a store that somebody else opens: tries, and keeps nothing open.
    bool reachable();
    // What workflows hide is hidden in what store() and query() give of payloads, and in stored() it is not.
    [[nodiscard]] HidingStore& store() { return *m_store; }
    [[nodiscard]] StoreWriter& stored() { return m_store->stored(); }
    [[nodiscard]] Query& query() { return *m_query; }
    [[nodiscard]] Service& service() { return *m_service; }
    [[nodiscard]] const StoreInfo& info() const { return m_info; }
    [[nodiscard]] const StoreRights& rights() const { return m_rights; }
    // As of the opening: whether a standby is read, and how far it is behind.
    [[nodiscard]] const Replica& replica() const { return m_replica; }
    [[nodiscard]] std::string login() const;  // what the store vouches for, else the user id
    [[nodiscard]] const ServiceConfig& config() const { return m_config; }

    int fail(const Error& error);  // prints, gives the exit code of the error
    int fail(Exit code, const std::string& text);
    // To standard output, made safe for a terminal. What runs hold can begin no line of its own: a line break
    // in `line` is written out; `text` is for what has several lines, each from a place that made it safe.
    void line(const std::string& text);
    void text(const std::string& text);
    // JSON stays JSON: what could steer a terminal is escaped within its strings.
    void json(const std::string& json);
    void answer(const std::string& json, const std::string& line);  // the one that was asked for
    void note(const std::string& text);                             // one line, to standard error
    // The runs named on the command line, or by --where. Empty after a failure that was printed.
    std::optional<std::vector<RunId>> targets(const std::vector<std::string>& named);
    std::optional<RunId> target(const std::string& named);
    [[nodiscard]] Actor person() const;
    [[nodiscard]] AuditRow personAct() const;  // who acts, where, and why; the rest is the act's
    // Whether --reason is as the store asks for it; prints the error. For acts on the store as a whole that
    // change what is in it, before anything is done: acts on runs are asked by the rules.
    // `act`: a refusal is put on record as one of this act, with a store that is open for writing.
    bool reasonGiven(std::optional<Verb> act = {});
    // Puts on record that the store refused an act on it (Refused, NoRight, Conflict); other errors are none.
    // With a store that is open for writing. What cannot be recorded is noted.
    void recordRefusal(Verb verb, const std::string& target, const Error& why);
    // Records a person's act on the store as a whole, with --reason. Prints the error and gives false where
    // it cannot be recorded. `before` and `after` are JSON.
    bool record(Verb verb, const std::string& target, const std::string& before, const std::string& after);
    // Whether the command line has a command for a verb.
    [[nodiscard]] bool hasCommand(Verb verb) const;
    const CLI::App* app = nullptr;  // with its commands
    int exitCode = kDone;
    std::string warning;  // beside the outcome of an act that is done and will probably not do what was meant

private:
    void recordRefused(Verb verb, const std::string& target, const char* code, const std::string& why);
    bool open(bool readOnly);
    bool noteReplica();  // says where what is shown is old
    std::unique_ptr<StoreWriter> opened(bool readOnly);
    void print(const std::string& text, std::string (*safe)(std::string_view));
    std::unique_ptr<HidingStore> m_store;
    std::unique_ptr<CommitQueue> m_queue;
    std::unique_ptr<Service> m_service;
    std::unique_ptr<Query> m_query;
    StoreInfo m_info;
    StoreRights m_rights;
    Replica m_replica;
    ServiceConfig m_config;
};

[[nodiscard]] Exit exitOf(const Error& error);
// Of a store that cannot be opened, whatever the reason is.
[[nodiscard]] Exit exitOfOpening(const Error& error);
[[nodiscard]] Exit exitOfRejection(const Rejection& rejection);
[[nodiscard]] Exit exitOfOutcome(const Outcome& outcome);
[[nodiscard]] std::string pad(std::string text, std::size_t width);  // with blanks at the end
// "@FILE" gives the file's bytes, "-" standard input, anything else itself.
[[nodiscard]] Result<std::string> readArgument(const std::string& argument);
[[nodiscard]] std::string osUserName();
// Whether the process of an engine is gone, as far as it runs on this host since its last boot.
[[nodiscard]] std::function<bool(const SessionRow&)> goneHere();

// What to say beside a verb that nobody can type; empty where there is a command for it.
[[nodiscard]] std::string noCommand(const Session& session, Verb verb);

// --reason and --preview, which every verb takes that changes something.
void addCommon(CLI::App* cmd, Session& session);
inline constexpr const char* kReasonHelp =
    "why; guarded stores ask for it where a person acts on runs, and it is kept with the act";
// What an act would do, by the same decision that makes it; gives the exit code.
// `asked`: what the act answers, where it answers something.
[[nodiscard]] int printPreview(
    Session& session, const RunId& run, const Preview& preview, const std::vector<Asked>& asked = {});
// The same of an act on the store as a whole: what would happen, or why it would be refused.
[[nodiscard]] int printPreview(Session& session, const Status& allowed, const std::string& willHappen);

// Where the store's history does not extend what this client verified before (verbs_audit.cpp); remembers the
// end where it does.
[[nodiscard]] std::optional<VerifyProblem> headProblem(Session& session);

// The whole program. Gives the exit code.
[[nodiscard]] int runCommandLine(int argc, char** argv);

// A verb: registers its arguments, and runs when it was named.
struct Verbs {
    CLI::App& app;
    Session& session;
    std::function<int()>& chosen;  // what main runs after parsing
};
void addReadVerbs(Verbs verbs);
void addPayloadVerb(Verbs verbs);
void addSeveralVerbs(Verbs verbs);
void addActVerbs(Verbs verbs);
void addRepairVerbs(Verbs verbs);
void addAnnotateVerbs(Verbs verbs);  // hold, assign, note
void addSlowVerb(Verbs verbs);
void addRetentionVerbs(Verbs verbs);  // `retention`, `redact`
void addStartVerbs(Verbs verbs);
void addStoreVerbs(Verbs verbs);
void addCopyVerb(Verbs verbs, CLI::App& storeGroup);       // `store copy`
void addArtifactsVerb(Verbs verbs, CLI::App& storeGroup);  // `store artifacts`
void addReviewVerbs(Verbs verbs, CLI::App& auditGroup);    // `audit reviews`, `audit review`
void addPlanVerbs(Verbs verbs);
void addAgreeVerbs(Verbs verbs);                         // `policy`, `approvals`
void addActDecisions(Verbs verbs, CLI::App& actsGroup);  // `acts show|confirm|reject|withdraw`
void addWorkflowVerbs(Verbs verbs);
void addAuditVerbs(Verbs verbs);
void addEngineVerbs(Verbs verbs);
void addDrillVerb(Verbs verbs);
void addExportVerbs(Verbs verbs);
void addReportVerbs(Verbs verbs);  // `report durability`, `report estimate`
void addHelpVerbs(Verbs verbs);
void addHandbookVerb(Verbs verbs);  // `help`

// `verify BUNDLE` (verbs_export.cpp); nothing: what was named is no bundle.
[[nodiscard]] std::optional<int> verifyIfBundle(
    Session& session, const std::vector<std::string>& named, const std::string& signedBy);

// `drill --from BUNDLE` (verbs_replay.cpp). `most`: kills of each run.
[[nodiscard]] int replay(Session& session, const std::string& bundle, std::uint64_t seed, std::uint32_t most);

// `workflow check --prove` (verbs_prove.cpp).
struct ProveArguments {
    bool wanted = false;
    std::uint64_t seed = 1;
    std::uint32_t items = 2;
    std::string input;                 // JSON, @FILE or -; of the first definition
    std::vector<std::string> keyless;  // tools
};
// Prints what was found for each definition, those of `files` in the same order.
[[nodiscard]] int prove(Session& session, const std::vector<std::string>& files,
    const std::vector<Definition>& definitions, const ProveArguments& arguments);

}  // namespace cairn::cli
