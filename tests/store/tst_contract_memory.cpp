#include "core/store/memory/memory_store.h"
#include "tests/store/contract.h"

namespace cairn::testing {

namespace {

class MemoryBackend final : public Backend {
public:
    std::unique_ptr<StoreWriter> connect(const StoreOptions& options) override
    {
        return connectMemory(m_database, options);
    }

private:
    ManualClock m_clock;
    std::shared_ptr<MemoryDatabase> m_database = makeMemoryDatabase({"test", true, true}, m_clock, 7);
};

}  // namespace

std::unique_ptr<Backend> makeBackend() { return std::make_unique<MemoryBackend>(); }

}  // namespace cairn::testing

QTEST_APPLESS_MAIN(cairn::testing::ContractTest)
