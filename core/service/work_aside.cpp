// Templates that read more than a moment's bytes are filled, checked and hashed beside the service's thread,
// and the decision is made again with what came of it.

#include "core/base/text.h"
#include "core/service/render_job.h"
#include "core/service/work.h"

#include <utility>

namespace cairn {

namespace {

constexpr std::uint64_t kRenderHere = 1024 * 1024;  // bytes of sources

Result<std::string> textOf(const RenderSource::Part& part)
{
    if (!part.bytes)
        return std::string("null");
    CAIRN_TRY_ASSIGN(auto quoted, quotedForTemplate(*part.bytes, part.media, false));
    return quoted ? *std::move(quoted) : *part.bytes;
}

Result<std::string> textOf(const RenderSource& source)
{
    if (source.error)
        return *source.error;
    if (!source.list)
        return textOf(source.parts.front());
    std::string list = "[";
    for (const RenderSource::Part& part : source.parts) {
        if (list.size() > 1)
            list += ',';
        CAIRN_TRY_ASSIGN(const std::string value, textOf(part));
        list += value;
        if (list.size() > kPayloadLimit)
            return listTooLong();
    }
    list += ']';
    return list;
}

}  // namespace

void fill(RenderJob& job)
{
    std::map<std::string, std::string, std::less<>> known;
    const auto sources = [&](std::string_view name) -> Result<std::string_view> {
        auto found = known.find(name);
        if (found == known.end()) {
            const auto source = job.sources.find(name);
            if (source == job.sources.end())
                return makeError(ErrorKind::NotFound, "the run has no such step");
            CAIRN_TRY_ASSIGN(std::string text, textOf(source->second));
            found = known.emplace(std::string(name), std::move(text)).first;
        }
        return std::string_view(found->second);
    };
    if (job.def) {
        job.made = renderStep(*job.definition, *job.def, sources, std::nullopt, job.now);
    } else if (auto output = renderInput(job.definition->output, sources)) {
        job.made = StepRendering{};
        job.made->input = *std::move(output);
    } else {
        job.made = std::move(output).error();
    }
    if (job.made && !job.made->input.empty())
        job.input = payloadOf(job.seed, std::exchange(job.made->input, {}), "application/json");
    job.sources.clear();  // their bytes are not needed any more
}

std::uint64_t Work::sizeOf(std::string_view name) const
{
    if (name == kInputSource)
        return m_state.input.size;
    const StepRecord* record = sourceRecord(name);
    if (!record)
        return 0;
    std::uint64_t size = record->output.size;
    if (record->kind == StepKind::FanOut && !record->output)
        for (const StepIx member : record->members)
            size += m_state.steps[member].output.size;
    return size;
}

void Work::addPart(RenderSource& source, const PayloadRef& ref)
{
    if (!ref)
        return source.parts.push_back({});
    const NewPayload* held = inHand(ref.id);
    if (held && held->copyOf.isNull()) {
        return source.parts.push_back({held->bytes.share(), ref.media});
    }
    const auto read = m_item.read.find(placeOf(ref).id);
    if (read == m_item.read.end())
        source.error = makeError(ErrorKind::NotFound, "there is no payload");
    else if (!read->second.bytes)
        source.error = read->second.error;
    else
        source.parts.push_back({read->second.bytes, ref.media});
}

RenderSource Work::sourceAside(std::string_view name)
{
    RenderSource source;
    if (name == kInputSource) {
        addPart(source, m_state.input);
        return source;
    }
    const auto record = finishedSource(name);
    if (!record) {
        source.error = record.error();
    } else if ((*record)->kind != StepKind::FanOut || (*record)->output) {
        addPart(source, (*record)->output);
    } else if (isTooLong(**record)) {
        source.error = listTooLong();
    } else {
        source.list = true;
        for (const StepIx member : (*record)->members)
            addPart(source, m_state.steps[member].output);
    }
    return source;
}

RenderJob Work::jobOf(const std::vector<std::string>& names)
{
    RenderJob job;
    job.definition = m_definition;
    job.now = m_given.now;
    for (const std::string& name : names) {
        job.key += name + ":";
        const StepRecord* record = name == kInputSource ? nullptr : sourceRecord(name);
        const auto add = [&](const PayloadRef& ref) { job.key += ref ? toText(ref.id) + "," : "-,"; };
        if (name == kInputSource)
            add(m_state.input);
        else if (record && record->kind == StepKind::FanOut && !record->output)
            for (const StepIx member : record->members)
                add(m_state.steps[member].output);
        else if (record)
            add(record->output);
    }
    return job;
}

Result<std::optional<Work::RenderedAside>> Work::renderedAside(StepIx ix, const StepDef* def)
{
    if (!m_mayWait)
        return std::optional<RenderedAside>();
    const std::vector<std::string> names = def ? sourcesOf(*def) : sourcesOfTemplate(m_definition->output);
    std::uint64_t size = 0;
    for (const std::string& name : names)
        size += sizeOf(name);
    if (size <= kRenderHere)
        return std::optional<RenderedAside>();
    RenderJob job = jobOf(names);
    const auto known = m_item.rendered.find(ix);
    if (known != m_item.rendered.end() && known->second.key == job.key && known->second.def == def
        && known->second.definition == m_definition) {
        std::optional<RenderedAside> out(
            RenderedAside{std::move(known->second.made), std::move(known->second.input)});
        m_item.rendered.erase(known);
        return out;
    }
    for (const std::string& name : names)
        wantSource(name);
    CAIRN_TRY(gather());
    for (const std::string& name : names)
        job.sources.emplace(name, sourceAside(name));
    job.def = def;
    job.step = ix;
    job.seed = m_service.payloadSeed();
    job.seed.artifact = makeId<ArtifactId>(m_service.clock.wallMs(), m_service.rng);
    m_aside.renders.push_back(std::move(job));
    return makeError(ErrorKind::Busy, "what the decision makes of large payloads is to be made first");
}

}  // namespace cairn
