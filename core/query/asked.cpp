// What a person is asked to allow, exactly, before there is a yes.

#include "core/base/text.h"
#include "core/query/query_impl.h"

namespace cairn {

namespace {

std::string missing(const Error& error)
{
    return error.kind == ErrorKind::Refused ? "redacted"
        : error.kind == ErrorKind::NoRight  ? "not for your role"
                                            : "not readable: " + visibleLine(error.text);
}

}  // namespace

std::vector<Asked> Query::asked(
    const RunState& state, Service* keys, const ApprovalId& only, std::size_t most)
{
    std::vector<Asked> list;
    const auto definition = m_impl->definition(state.workflow);
    for (const ApprovalRecord& record : state.approvals) {
        if (record.state != ApprovalState::Pending || (!only.isNull() && record.id != only))
            continue;
        if (list.size() == most)
            break;
        const StepRecord& step = state.steps[record.step];
        const ToolDef* tool = definition && !step.tool.empty() ? definition->tool(step.tool) : nullptr;
        Asked asked{record.id, step.id, step.tool, record.binding, tool ? tool->contractDigest : Digest{},
            tool ? tool->secret : std::string(), {}, {}, step.amount, step.input, {}, {}, record.role};
        if (!step.effect.isNull() && !keys)
            asked.keyMissing = "not recorded for an earlier version";
        else if (!step.effect.isNull()) {
            auto key = keys->effectKey(state.id, record.step);
            if (key)
                asked.key = *std::move(key);
            else
                asked.keyMissing = missing(key.error());
        }
        if (step.input) {
            auto head = m_impl->reader.payload(state.id, step.input.id, 0, kAskedShown);
            if (head) {
                // With fields hidden it is not as long as what is stored.
                if (head->size() == kAskedShown)
                    asked.headMore = std::max<std::uint64_t>(step.input.size, head->size()) - head->size();
                asked.head = *std::move(head);
            } else
                asked.headMissing = missing(head.error());
        }
        list.push_back(std::move(asked));
    }
    return list;
}

}  // namespace cairn
