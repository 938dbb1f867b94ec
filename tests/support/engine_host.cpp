// engine_host URL [--idle]: an engine without the command line, for tests that kill engines. Prints "ready
// SESSION".

#include "core/base/failpoint.h"
#include "core/base/log.h"
#include "core/engine/loop.h"
#include "core/store/sqlite/sqlite_store.h"

#include <cstdio>
#include <cstring>

int main(int argc, char** argv)
{
    if (argc < 2) {
        std::fprintf(stderr, "usage: engine_host sqlite:PATH [--idle]\n");
        return 2;
    }
    cairn::failpoint::configureFromEnvironment();
    cairn::log::start(cairn::log::Level::Warning);
    cairn::EngineOptions options;
    options.storeUrl = argv[1];
    options.exitWhenIdle = argc > 2 && std::strcmp(argv[2], "--idle") == 0;
    options.core.lease = 1'000;
    options.core.heartbeat = 300;
    options.core.drainGrace = 2'000;
    options.openStore = [](const std::string& url, const cairn::StoreOptions& how) {
        return cairn::sqlite::openStore(url.substr(url.find(':') + 1), how);
    };
    options.onReady = [](const cairn::SessionId& session) {
        std::printf("ready %s\n", cairn::toText(session).c_str());
        std::fflush(stdout);
    };
    const cairn::Status ended = cairn::runEngine(std::move(options));
    if (!ended) {
        std::fprintf(stderr, "engine_host: %s\n", ended.error().text.c_str());
        return 1;
    }
    return 0;
}
