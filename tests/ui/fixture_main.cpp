// ui_fixture PATH: makes a store with runs in many states, to be looked at with the console.
#include "fixture.h"

int main(int argc, char** argv)
{
    if (argc != 2)
        return 2;
    cairn::ui::test::Fixture fixture(argv[1], "dev", false);
    fixture.fill(3);
    return 0;
}
