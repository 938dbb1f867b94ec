// A payment provider for the drill, demos and tests (core/engine/effectd.h): prints its port once it listens
// on loopback.

#include "core/engine/effectd.h"

#include <CLI/CLI.hpp>

#include <csignal>
#include <cstdio>
#include <exception>
#include <sys/prctl.h>

namespace {

cairn::Effectd* g_server = nullptr;

void onSignal(int) { g_server->stop(); }

}  // namespace

int main(int argc, char** argv)
try {
    std::string ledger;
    std::uint16_t port = 0;
    bool withParent = false;
    CLI::App app{"A provider that does effects once per key and keeps a ledger of its own."};
    app.add_option("LEDGER", ledger, "file; it goes on with what is in it")->required();
    app.add_option("PORT", port, "0: any free one");
    app.add_flag("--with-parent", withParent, "end when the process that started this one ends");
    CLI11_PARSE(app, argc, argv);
    if (withParent)
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    auto server = cairn::Effectd::open(ledger, port);
    if (!server) {
        std::fprintf(stderr, "cairn-effectd: %s\n", server.error().text.c_str());
        return 1;
    }
    g_server = server->get();
    std::signal(SIGTERM, onSignal);
    std::signal(SIGINT, onSignal);
    std::printf("%u\n", static_cast<unsigned>((*server)->port()));
    std::fflush(stdout);
    (*server)->run();
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "cairn-effectd: %s\n", error.what());
    return 1;
}
