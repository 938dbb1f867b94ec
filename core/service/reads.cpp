#include "core/service/reads.h"

#include "core/base/json_scan.h"
#include "core/base/text.h"

#include <algorithm>
#include <vector>

namespace cairn {

namespace {

void keep(ReadPayloads& into, const WantedPayload& wanted, std::string bytes)
{
    ReadPayload& read = into[wanted.id];
    read.json = wanted.json && !findJsonFault(bytes);
    if (wanted.plain)
        read.plain = sha256(bytes);
    read.bytes = std::make_shared<const std::string>(std::move(bytes));
}

Status readOne(StoreReader& store, const WantedPayload& wanted, ReadPayloads& into)
{
    auto bytes = store.payload(wanted.run, wanted.id);
    if (bytes) {
        keep(into, wanted, *std::move(bytes));
        return {};
    }
    const ErrorKind kind = bytes.error().kind;
    if (kind != ErrorKind::NotFound && kind != ErrorKind::Refused && kind != ErrorKind::Corrupt)
        return std::move(bytes).error();
    into[wanted.id].error = std::move(bytes).error();
    return {};
}

// One page of small ones of one run. What is not among the answers is asked for by itself, for its error. So
// is all of a page with a damaged one.
Status readPage(StoreReader& store, std::span<const WantedPayload> page, ReadPayloads& into)
{
    std::vector<PayloadId> ids;
    ids.reserve(page.size());
    for (const WantedPayload& wanted : page)
        ids.push_back(wanted.id);
    auto found = store.payloads(page.front().run, ids);
    if (!found && found.error().kind != ErrorKind::Corrupt)
        return std::move(found).error();
    std::map<PayloadId, std::string> bytes;
    if (found)
        for (FoundPayload& each : *found)
            if (each.bytes)
                bytes[each.info.ref.id] = *std::move(each.bytes);
    for (const WantedPayload& wanted : page) {
        if (const auto read = bytes.find(wanted.id); read != bytes.end())
            keep(into, wanted, std::move(read->second));
        else
            CAIRN_TRY(readOne(store, wanted, into));
    }
    return {};
}

}  // namespace

Status readPayloads(StoreReader& store, std::span<const WantedPayload> wanted, ReadPayloads& into)
{
    std::vector<WantedPayload> small;
    for (const WantedPayload& each : wanted) {
        if (each.size <= kInlineLimit)
            small.push_back(each);
        else
            CAIRN_TRY(readOne(store, each, into));
    }
    std::stable_sort(small.begin(), small.end(),
        [](const WantedPayload& a, const WantedPayload& b) { return a.run < b.run; });
    for (std::span<const WantedPayload> rest = small; !rest.empty();) {
        const auto other = std::find_if(
            rest.begin(), rest.end(), [&](const WantedPayload& each) { return each.run != rest[0].run; });
        const auto same = static_cast<std::size_t>(other - rest.begin());
        const std::size_t part = std::min(same, kPayloadPage);
        CAIRN_TRY(readPage(store, rest.first(part), into));
        rest = rest.subspan(part);
    }
    return {};
}

Result<std::optional<std::string>> quotedForTemplate(
    std::string_view raw, const std::string& media, bool looked)
{
    if (media.empty() || media.find("json") != std::string::npos) {
        if (const auto fault = looked ? std::nullopt : findJsonFault(raw))
            return makeError(ErrorKind::InvalidInput,
                "it is not JSON: " + fault->text + " at byte " + std::to_string(fault->offset));
        return std::optional<std::string>();
    }
    if (!isUtf8(raw))
        return makeError(
            ErrorKind::InvalidInput, "it is " + media + " and not text, so a template cannot read it");
    return std::optional(jsonQuote(raw));
}

Error listTooLong()
{
    return makeError(
        ErrorKind::InvalidInput, "the list of results is over the limit of " + formatBytes(kPayloadLimit));
}

}  // namespace cairn
