#pragma once
// Zip files as streams, by libarchive: nothing is held but a block. Zip64 where it is needed. One thread; all
// calls block.

#include "core/export/output_file.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct archive;

namespace cairn::exporting {

class ZipWriter {
public:
    explicit ZipWriter(OutputFile& out);
    ~ZipWriter();
    ZipWriter(const ZipWriter&) = delete;
    ZipWriter& operator=(const ZipWriter&) = delete;

    // Begins a file; the one before ends. `size`: where it is known.
    [[nodiscard]] Status begin(const std::string& name, std::optional<std::uint64_t> size = std::nullopt);
    [[nodiscard]] Status write(std::string_view bytes);
    [[nodiscard]] Status finish();  // with the directory; the OutputFile is not finished by it

private:
    struct Sink {
        OutputFile& out;
        Status status;
    };
    [[nodiscard]] Status check(int code);

    Sink m_sink;
    archive* m_archive;
};

// Reads by the directory at the file's end, in the order of the files. A file that was cut has none.
class ZipReader {
public:
    [[nodiscard]] static Result<std::unique_ptr<ZipReader>> open(const std::string& path);
    ~ZipReader();
    ZipReader(const ZipReader&) = delete;
    ZipReader& operator=(const ZipReader&) = delete;

    struct Item {
        std::string name;  // raw bytes, as somebody wrote them
        bool regular = false;
        bool encrypted = false;
    };
    // The next file; nothing: that was the last. Corrupt where this is no zip file, or a damaged one.
    [[nodiscard]] Result<std::optional<Item>> next();
    // The next bytes of that file; empty: its end, and its checksum fits. Valid until the next call.
    [[nodiscard]] Result<std::string_view> read();
    // How many bytes of the zip file were read so far.
    [[nodiscard]] std::uint64_t consumed() const;

private:
    ZipReader(archive* handle, int fd);
    [[nodiscard]] Error damaged() const;

    archive* m_archive;
    int m_fd;
    bool m_some = false;
};

}  // namespace cairn::exporting
