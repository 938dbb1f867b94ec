// The older program of the tests of schemas: format1_probe init|commit|migrate PATH|postgresql://URL.
#include "core/base/failpoint.h"
#include "core/store/postgres/postgres_store.h"
#include "core/store/sqlite/sqlite_store.h"
#include "tests/store/builders.h"

#include <cstdio>

using namespace cairn;
using namespace cairn::testing;

namespace {

bool onServer(const std::string& place) { return postgres::isPostgresUrl(place); }

int refused(const Error& error)
{
    std::printf("refused: %s\n", errorKindName(error.kind));
    return 1;
}

int commit(const std::string& place)
{
    auto store = onServer(place) ? postgres::openStore(place, {}) : sqlite::openStore(place, {});
    if (!store)
        return refused(store.error());
    Writer writer("probe");
    if (const auto hot = (*store)->hot(writer.run)) {
        writer.version = hot->version;
        writer.head = hot->head;
    }
    CommitMember member =
        writer.version == 0 ? writer.create() : writer.next("x" + std::to_string(writer.version));
    const auto number = static_cast<std::uint32_t>(writer.version + 1);
    member.attempts = {attemptRow("probe " + std::to_string(number), 0, number, {})};
    std::vector<MemberResult> results;
    if (const Status status = (*store)->commit(std::span(&member, 1), results); !status)
        return refused(status.error());
    if (results.front().kind != MemberResult::Kind::Committed)
        return refused(results.front().error);
    std::printf("committed %d\n", static_cast<int>(results.front().version));
    return 0;
}

Status init(const std::string& place)
{
    const InitOptions options{"test", false, true};
    return onServer(place) ? postgres::initStore(place, options) : sqlite::initStore(place, options);
}

Status migrate(const std::string& place)
{
    if (onServer(place))
        CAIRN_TRY(postgres::migrateStore(place, false));
    else
        CAIRN_TRY(sqlite::migrateStore(place, false));
    return {};
}

}  // namespace

int main(int argc, char** argv)
{
    failpoint::configureFromEnvironment();
    const std::string verb = argc == 3 ? argv[1] : "";
    if (verb == "commit")
        return commit(argv[2]);
    const Status status = verb == "init" ? init(argv[2]) : verb == "migrate" ? migrate(argv[2]) : Status();
    if (!status)
        return refused(status.error());
    std::puts("done");
    return 0;
}
