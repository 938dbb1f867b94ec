#include "core/export/bundle_reader.h"

#include "core/export/zip.h"

namespace cairn::exporting {

BundleReader::BundleReader(std::string path, const Bundle& bundle)
    : m_path(std::move(path))
    , m_bundle(bundle)
{
}

Result<PayloadInfo> BundleReader::payloadInfo(const RunId& run, const PayloadId& payload)
{
    const auto at = m_bundle.runs.find(run);
    if (at != m_bundle.runs.end())
        for (const PayloadInfo& info : at->second.payloads)
            if (info.ref.id == payload)
                return info;
    return makeError(ErrorKind::NotFound, "payload " + toText(payload) + " is not in the bundle");
}

Result<std::string> BundleReader::payload(
    const RunId& run, const PayloadId& payload, std::uint64_t offset, std::uint64_t limit)
{
    CAIRN_TRY_ASSIGN(const PayloadInfo info, payloadInfo(run, payload));
    if (info.redacted)
        return makeError(ErrorKind::Refused, "the bytes of the payload were left out");
    CAIRN_TRY_ASSIGN(const auto zip, ZipReader::open(m_path));
    for (;;) {
        CAIRN_TRY_ASSIGN(const auto item, zip->next());
        if (!item)
            return makeError(ErrorKind::Corrupt, payloadFile(info) + " is missing");
        if (item->name != payloadFile(info))
            continue;
        std::string bytes;
        for (;;) {
            CAIRN_TRY_ASSIGN(const std::string_view some, zip->read());
            if (some.empty())
                break;
            if (bytes.size() + some.size() > info.ref.size)
                return makeError(ErrorKind::Corrupt, payloadFile(info) + " is larger than its entry says");
            bytes.append(some);
        }
        return offset >= bytes.size() ? std::string() : bytes.substr(offset, limit);
    }
}

Result<std::vector<EffectRow>> BundleReader::effects(std::span<const EffectId> ids)
{
    std::vector<EffectRow> found;
    for (const EffectId& id : ids)
        for (const auto& [run, one] : m_bundle.runs)
            for (const EffectRow& row : one.whole.effects)
                if (row.effect == id)
                    found.push_back(row);
    return found;
}

Result<std::optional<WorkflowRow>> BundleReader::workflow(std::string_view name, std::uint32_t version)
{
    for (const DefinitionRow& row : m_bundle.definitions) {
        const auto text = m_bundle.texts.find(row.digest);
        if (row.name == name && row.version == version && text != m_bundle.texts.end())
            return std::optional<WorkflowRow>(
                {row.name, row.version, row.digest, text->second, {}, row.addedAt});
    }
    return std::optional<WorkflowRow>();
}

}  // namespace cairn::exporting
