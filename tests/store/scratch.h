#pragma once
// A folder for one test, removed with all that is in it.

#include <cstdlib>
#include <filesystem>
#include <string>

namespace cairn::testing {

class Scratch {
public:
    Scratch()
    {
        // In memory where there is such a folder: what is tested here is not the disk.
        const bool shm = std::filesystem::is_directory("/dev/shm");
        const std::filesystem::path base = shm ? "/dev/shm" : std::filesystem::temp_directory_path();
        std::string name = (base / "cairn-test-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr)
            std::abort();
        m_path = name;
    }
    ~Scratch()
    {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    [[nodiscard]] std::string file(const std::string& name) const { return m_path + "/" + name; }
    [[nodiscard]] const std::string& path() const { return m_path; }

private:
    std::string m_path;
};

}  // namespace cairn::testing
