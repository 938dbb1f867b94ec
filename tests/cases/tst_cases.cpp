// Runs the acceptance cases, all kinds or the named ones: tst_cases [dup|own|...] [Qt Test's options].

#include "tests/cases/bench.h"

#include <string>
#include <vector>

namespace cairn::testing {

namespace {

std::vector<std::pair<std::string, MakeTest>>& registry()
{
    static std::vector<std::pair<std::string, MakeTest>> tests;
    return tests;
}

}  // namespace

bool registerCases(const char* kind, MakeTest make)
{
    registry().emplace_back(kind, make);
    return true;
}

}  // namespace cairn::testing

int main(int argc, char** argv)
{
    std::vector<char*> rest{argv[0]};
    std::string only;
    for (int i = 1; i < argc; ++i) {
        bool isKind = false;
        for (const auto& [kind, make] : cairn::testing::registry())
            isKind = isKind || kind == argv[i];
        if (isKind)
            only = argv[i];
        else
            rest.push_back(argv[i]);
    }
    int failures = 0;
    for (const auto& [kind, make] : cairn::testing::registry())
        if (only.empty() || only == kind)
            failures += QTest::qExec(make().get(), static_cast<int>(rest.size()), rest.data());
    return failures > 0 ? 1 : 0;
}
