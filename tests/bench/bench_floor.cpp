// The floor that the other figures are compared with, by itself and for longer than they measure it.

#include "tests/bench/figures.h"
#include "tests/bench/floor.h"

#include <sqlite3.h>

int main(int argc, char** argv)
{
    using namespace cairn::bench;
    Floor floor(argument(argc, argv, "--dir", "."));
    const double seconds = number(argc, argv, "--seconds", 3);
    std::printf("SQLite %s, WAL, synchronous=FULL, rows of 300 bytes\n", sqlite3_libversion());
    figure("floor: single commits", floor.rowsPerSecond(1, seconds), "commits/s");
    for (const int batch : {10, 100, 300})
        figure("floor: rows, " + std::to_string(batch) + " to a commit", floor.rowsPerSecond(batch, seconds),
            "rows/s");
    return 0;
}
