#pragma once
// Where a program of these has its store: a file in the folder that it was given or, run under
// packaging/with-postgres, the schema of that server. One thread.

#include "core/store/store.h"

#include <string>

namespace cairn::bench {

class BenchPlace {
public:
    enum class Where : unsigned char { AsGiven, File };  // File: also under packaging/with-postgres
    // `name`: of the file.
    BenchPlace(std::string dir, const std::string& name, Where where = Where::AsGiven);
    BenchPlace(const BenchPlace&) = delete;
    BenchPlace& operator=(const BenchPlace&) = delete;
    ~BenchPlace();  // nothing is left

    void anew();  // an empty store; what was there is gone
    [[nodiscard]] Result<std::unique_ptr<StoreWriter>> open() const;
    [[nodiscard]] bool onServer() const { return m_server; }
    [[nodiscard]] const std::string& url() const { return m_url; }
    [[nodiscard]] const std::string& dir() const { return m_dir; }
    // "PostgreSQL 15.18", or "a file": to be printed with the figures.
    [[nodiscard]] std::string words() const;

private:
    void clear() const;
    std::string m_dir;
    std::string m_path;
    std::string m_url;
    bool m_server = false;
};

}  // namespace cairn::bench
