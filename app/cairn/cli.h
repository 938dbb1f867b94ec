#pragma once
// What the verbs of the command line share: options, the store, how answers are printed and which exit code
// they give.

#include "core/base/clock.h"
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
    std::string store;  // --store, else $CAIRN_STORE
    bool json = false;
    bool raw = false;  // control characters as they are; never to a terminal
    std::string as;    // --as: claimed name
    std::string reason;
    bool preview = false;
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
    [[nodiscard]] StoreWriter& store() { return *m_store; }
    [[nodiscard]] Query& query() { return *m_query; }
    [[nodiscard]] Service& service() { return *m_service; }
    [[nodiscard]] const StoreInfo& info() const { return m_info; }

    int fail(const Error& error);  // prints, gives the exit code of the error
    int fail(Exit code, const std::string& text);
    void line(const std::string& text);  // to standard output, made safe for a terminal
    void note(const std::string& text);  // to standard error
    // The runs named on the command line, or by --where. Empty after a failure that was printed.
    std::optional<std::vector<RunId>> targets(const std::vector<std::string>& named);
    std::optional<RunId> target(const std::string& named);
    [[nodiscard]] Actor person() const;
    int exitCode = kDone;

private:
    bool open(bool readOnly);
    std::unique_ptr<StoreWriter> m_store;
    std::unique_ptr<CommitQueue> m_queue;
    std::unique_ptr<Service> m_service;
    std::unique_ptr<Query> m_query;
    StoreInfo m_info;
};

[[nodiscard]] int exitOf(const Error& error);
// "@FILE" gives the file's bytes, "-" standard input, anything else itself.
[[nodiscard]] Result<std::string> readArgument(const std::string& argument);
[[nodiscard]] std::string osUserName();

// The whole program. Gives the exit code.
[[nodiscard]] int runCommandLine(int argc, char** argv);

// A verb: registers its arguments, and runs when it was named.
struct Verbs {
    CLI::App& app;
    Session& session;
    std::function<int()>& chosen;  // what main runs after parsing
};
void addReadVerbs(Verbs verbs);
void addActVerbs(Verbs verbs);
void addStartVerbs(Verbs verbs);
void addStoreVerbs(Verbs verbs);
void addWorkflowVerbs(Verbs verbs);
void addAuditVerbs(Verbs verbs);
void addEngineVerbs(Verbs verbs);
void addDrillVerb(Verbs verbs);
void addHelpVerbs(Verbs verbs);

// `workflow check --prove` (verbs_prove.cpp).
[[nodiscard]] int proveWorkflows(Session& session, const std::vector<std::string>& files);

}  // namespace cairn::cli
