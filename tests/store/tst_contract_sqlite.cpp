#include "core/store/sqlite/sqlite_store.h"
#include "tests/store/contract.h"
#include "tests/store/scratch.h"

namespace cairn::testing {

namespace {

class SqliteBackend final : public Backend {
public:
    SqliteBackend()
    {
        const Status made = sqlite::initStore(path(), {"test", true, true});
        if (!made)
            qFatal("%s", errorLine(made.error()).c_str());
    }
    std::unique_ptr<StoreWriter> connect(const StoreOptions& options) override
    {
        auto store = sqlite::openStore(path(), options);
        if (!store)
            qFatal("%s", errorLine(store.error()).c_str());
        return *std::move(store);
    }

private:
    std::string path() const { return m_folder.file("store.db"); }
    Scratch m_folder;
};

}  // namespace

std::unique_ptr<Backend> makeBackend() { return std::make_unique<SqliteBackend>(); }

}  // namespace cairn::testing

QTEST_APPLESS_MAIN(cairn::testing::ContractTest)
