#pragma once
// A file that is there whole, or not at all. It is written under another name in the same folder, with mode
// 0600, and gets its own name last; where it is given up (destroyed before finish()) nothing is left. One
// thread; all calls block. Errors: Refused (there is such a file), Full, Io.

#include "core/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cairn::exporting {

class OutputFile {
public:
    [[nodiscard]] static Result<std::unique_ptr<OutputFile>> create(const std::string& path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    [[nodiscard]] Status write(std::string_view bytes);
    [[nodiscard]] Status finish();  // durable, and under its name
    [[nodiscard]] std::uint64_t size() const noexcept { return m_size; }

private:
    OutputFile(std::string path, std::string part, int fd);
    [[nodiscard]] Error failed(const char* what) const;

    std::string m_path;
    std::string m_part;
    int m_fd;
    std::uint64_t m_size = 0;
    bool m_finished = false;
};

}  // namespace cairn::exporting
