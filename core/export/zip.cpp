#include "core/export/zip.h"

#include "core/base/text.h"

#include <archive.h>
#include <archive_entry.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace cairn::exporting {

namespace {

constexpr std::size_t kBlock = 64 * 1024;
constexpr time_t kStamp = 315'532'800;  // 1980, the oldest that zip knows: equal content gives equal files

struct EntryFree {
    void operator()(archive_entry* entry) const { archive_entry_free(entry); }
};

std::string said(archive* handle)
{
    const char* text = archive_error_string(handle);
    return text == nullptr ? "it cannot be read" : visibleLine(text);
}

}  // namespace

// --- writing

ZipWriter::ZipWriter(OutputFile& out)
    : m_sink{out, {}}
    , m_archive(archive_write_new())
{
    const auto write = [](archive* handle, void* data, const void* bytes, std::size_t size) -> la_ssize_t {
        Sink& sink = *static_cast<Sink*>(data);
        sink.status = sink.out.write({static_cast<const char*>(bytes), size});
        if (sink.status)
            return static_cast<la_ssize_t>(size);
        archive_set_error(handle, EIO, "%s", sink.status.error().text.c_str());
        return -1;
    };
    archive_write_set_format_zip(m_archive);
    archive_write_set_options(m_archive, "zip:compression=deflate,zip:compression-level=6");
    archive_write_set_bytes_in_last_block(m_archive, 1);
    archive_write_open(m_archive, &m_sink, nullptr, write, nullptr);
}

ZipWriter::~ZipWriter()
{
    if (m_archive != nullptr) {
        archive_write_fail(m_archive);  // whoever gives up writes no directory
        archive_write_free(m_archive);
    }
}

Status ZipWriter::check(int code)
{
    if (code >= ARCHIVE_WARN)
        return {};
    return m_sink.status ? Status(makeError(ErrorKind::Io, "cannot write the zip file: " + said(m_archive)))
                         : m_sink.status;
}

Status ZipWriter::begin(const std::string& name, std::optional<std::uint64_t> size)
{
    const std::unique_ptr<archive_entry, EntryFree> entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0600);
    archive_entry_set_mtime(entry.get(), kStamp, 0);
    if (size)
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(*size));
    return check(archive_write_header(m_archive, entry.get()));
}

Status ZipWriter::write(std::string_view bytes)
{
    while (!bytes.empty()) {
        const la_ssize_t put = archive_write_data(m_archive, bytes.data(), bytes.size());
        if (put <= 0)
            return put == 0 ? Status(makeError(ErrorKind::Io, "a file of the zip is larger than was said"))
                            : check(ARCHIVE_FATAL);
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return {};
}

Status ZipWriter::finish()
{
    const Status closed = check(archive_write_close(m_archive));
    archive_write_free(m_archive);
    m_archive = nullptr;
    return closed;
}

// --- reading

Result<std::unique_ptr<ZipReader>> ZipReader::open(const std::string& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        const int code = errno;
        return makeError(code == ENOENT ? ErrorKind::NotFound : ErrorKind::Io,
            "cannot open " + visibleLine(path) + ": " + std::strerror(code), code);
    }
    archive* handle = archive_read_new();
    archive_read_support_format_zip_seekable(handle);
    std::unique_ptr<ZipReader> reader(new ZipReader(handle, fd));
    if (archive_read_open_fd(handle, fd, kBlock) != ARCHIVE_OK)
        return reader->damaged();
    return reader;
}

ZipReader::ZipReader(archive* handle, int fd)
    : m_archive(handle)
    , m_fd(fd)
{
}

ZipReader::~ZipReader()
{
    archive_read_free(m_archive);
    ::close(m_fd);
}

Error ZipReader::damaged() const
{
    return makeError(ErrorKind::Corrupt,
        (m_some ? "the zip file is damaged: " : "this is no zip file, or one that was cut: ")
            + said(m_archive));
}

Result<std::optional<ZipReader::Item>> ZipReader::next()
{
    archive_entry* entry = nullptr;
    const int code = archive_read_next_header(m_archive, &entry);
    if (code == ARCHIVE_EOF)
        return std::optional<Item>();
    // A warning is a name that this locale cannot show; its bytes are there.
    if (code < ARCHIVE_WARN)
        return damaged();
    m_some = true;
    Item item;
    if (const char* name = archive_entry_pathname(entry))
        item.name = name;
    else if (const char* utf8 = archive_entry_pathname_utf8(entry))
        item.name = utf8;
    item.regular = archive_entry_filetype(entry) == AE_IFREG;
    item.encrypted = archive_entry_is_encrypted(entry) != 0;
    return std::optional<Item>(std::move(item));
}

Result<std::string_view> ZipReader::read()
{
    const void* bytes = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    do {
        const int code = archive_read_data_block(m_archive, &bytes, &size, &offset);
        if (code == ARCHIVE_EOF)
            return std::string_view();
        if (code != ARCHIVE_OK)  // a warning here is a checksum that does not fit
            return damaged();
    } while (size == 0);
    return std::string_view(static_cast<const char*>(bytes), size);
}

std::uint64_t ZipReader::consumed() const
{
    const la_int64_t bytes = archive_filter_bytes(m_archive, -1);
    return bytes < 0 ? 0 : static_cast<std::uint64_t>(bytes);
}

}  // namespace cairn::exporting
