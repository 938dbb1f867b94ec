#include "app/cairn/cli.h"

int main(int argc, char** argv) { return cairn::cli::runCommandLine(argc, argv); }
