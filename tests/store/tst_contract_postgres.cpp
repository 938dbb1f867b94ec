#include "tests/store/contract.h"
#include "tests/store/postgres_fixture.h"

namespace cairn::testing {

namespace {

class PostgresBackend final : public Backend {
public:
    PostgresBackend() { m_store.init(); }
    std::unique_ptr<StoreWriter> connect(const StoreOptions& options) override
    {
        return m_store.open(options);
    }

private:
    PostgresStoreFixture m_store;
};

}  // namespace

std::unique_ptr<Backend> makeBackend() { return std::make_unique<PostgresBackend>(); }

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::ContractTest)
