// cairn-effectd LEDGER [PORT]: the provider of tests and drill as a process of its own. Prints its port, then
// serves.

#include "core/engine/effectd.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv)
{
    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: cairn-effectd LEDGER [PORT]\n");
        return 2;
    }
    const auto port = argc == 3 ? std::strtoul(argv[2], nullptr, 10) : 0UL;
    auto server = cairn::Effectd::open(argv[1], static_cast<std::uint16_t>(port));
    if (!server) {
        std::fprintf(stderr, "cairn-effectd: %s\n", server.error().text.c_str());
        return 1;
    }
    std::printf("%u\n", static_cast<unsigned>((*server)->port()));
    std::fflush(stdout);
    (*server)->run();
    return 0;
}
