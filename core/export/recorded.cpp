#include "core/export/recorded.h"

#include "core/base/text.h"
#include "core/export/bundle_parts.h"
#include "core/export/zip.h"
#include "core/machine/machine.h"
#include "core/model/codec.h"

namespace cairn::exporting {

namespace {

class Reader {
public:
    Reader(const std::string& path, const Bundle& bundle)
        : m_path(path)
        , m_bundle(bundle)
    {
    }

    Result<Recorded> read()
    {
        for (const DefinitionRow& row : m_bundle.definitions)
            m_out.workflows.push_back({row.name, row.version, m_bundle.texts.at(row.digest)});
        for (const RunHead& head : m_bundle.manifest.runs) {
            m_out.order.push_back(head.run);
            CAIRN_TRY(fold(head.run, m_bundle.runs.at(head.run)));
        }
        CAIRN_TRY(bytes());
        return std::move(m_out);
    }

private:
    Status fold(const RunId& id, const BundleRun& run)
    {
        RecordedRun& recorded = m_out.runs[id];
        for (const SealedEntry& sealed : run.whole.loaded.entries) {
            CAIRN_TRY_ASSIGN(const Entry entry, decodeEntry(sealed.body, sealed.format));
            apply(recorded.state, entry);
        }
        std::map<PayloadId, const PayloadInfo*> infos;
        for (const PayloadInfo& info : run.payloads)
            infos[info.ref.id] = &info;
        CAIRN_TRY(want(infos, recorded.state.input, recorded.input, "the input of run " + toText(id)));
        CAIRN_TRY(want(infos, recorded.state.output, recorded.output, "the output of run " + toText(id)));
        for (const StepRecord& step : recorded.state.steps)
            if (step.output)
                CAIRN_TRY(want(infos, step.output, recorded.outputs[step.id],
                    "the output of step " + step.id + " of run " + toText(id)));
        return {};
    }

    // `into` stays where it is: maps do not move what they hold.
    Status want(const std::map<PayloadId, const PayloadInfo*>& infos, const PayloadRef& ref,
        std::string& into, const std::string& what)
    {
        if (!ref)
            return {};
        const auto at = infos.find(ref.id);
        if (at == infos.end() || at->second->redacted)
            return makeError(ErrorKind::Refused,
                visibleLine(what)
                    + " is not in the bundle: it was redacted; export the run without --redact");
        m_size += ref.size;
        if (m_size > kRecordedBytes)
            return makeError(ErrorKind::Refused,
                "the inputs and outputs of its runs are more than " + formatBytes(kRecordedBytes)
                    + ", the most that is played again; export fewer runs to a bundle");
        m_wanted[payloadFile(*at->second)].push_back(&into);
        return {};
    }

    Status bytes()
    {
        CAIRN_TRY_ASSIGN(const auto zip, ZipReader::open(m_path));
        for (;;) {
            CAIRN_TRY_ASSIGN(const auto item, zip->next());
            if (!item)
                return {};
            const auto wanted = m_wanted.find(item->name);
            if (wanted == m_wanted.end())
                continue;
            std::string held;
            for (;;) {
                CAIRN_TRY_ASSIGN(const std::string_view some, zip->read());
                if (some.empty())
                    break;
                if (held.size() + some.size() > kRecordedBytes)
                    return makeError(ErrorKind::Corrupt, "the bundle changed while it was read");
                held.append(some);
            }
            for (std::string* into : wanted->second)
                *into = held;
        }
    }

    const std::string& m_path;
    const Bundle& m_bundle;
    Recorded m_out;
    std::map<std::string, std::vector<std::string*>> m_wanted;  // by the name of their file
    std::uint64_t m_size = 0;
};

}  // namespace

Result<Recorded> readRecorded(const std::string& path)
{
    Bundle bundle;
    BundleVerdict verdict;
    BundleFault fault;
    CAIRN_TRY(loadBundle(path, bundle, fault));
    CAIRN_TRY(proveBundle(path, bundle, std::nullopt, verdict, fault));
    return Reader(path, bundle).read();
}

}  // namespace cairn::exporting
