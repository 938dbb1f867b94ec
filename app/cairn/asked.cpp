#include "app/cairn/asked.h"

#include "app/cairn/cli.h"
#include "core/base/text.h"

#include <algorithm>

namespace cairn::cli {

namespace {

void field(Session& s, const char* name, const std::string& value)
{
    if (!value.empty())
        s.line("    " + pad(name, 9) + " " + value);
}

// The input as it is, in lines that none can be taken for one of Cairn's.
void printHead(Session& s, const Asked& asked)
{
    std::string_view rest = asked.head;
    while (!rest.empty()) {
        const auto end = rest.find('\n');
        s.line("      | " + std::string(rest.substr(0, end)));
        rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
    if (const std::uint64_t more = asked.headMore;
        more > 0 && asked.headMissing.empty())
        s.line("      (" + formatCount(static_cast<std::int64_t>(more))
            + " bytes more: `cairn payload` prints them all)");
}

}  // namespace

Json jsonAsked(const std::vector<Asked>& asked)
{
    Json list = Json::array();
    for (const Asked& one : asked) {
        Json json{{"approval", toText(one.approval)}, {"step", jsonText(one.step)},
            {"digest", hex(one.digest)}, {"tool", one.tool.empty() ? Json() : jsonText(one.tool)},
            {"contract", one.contract.isNull() ? Json() : Json(hex(one.contract))},
            {"effect_key", one.key.empty() ? Json() : jsonText(one.key)}, {"role", jsonOptional(one.role)},
            {"secret", one.secret.empty() ? Json() : jsonText(one.secret)},
            {"amount", jsonMoney(one.amount)}};
        json["input"] = one.input
            ? Json{{"id", toText(one.input.id)}, {"size", one.input.size}, {"media", one.input.media}}
            : Json();
        const bool told = one.input && one.headMissing.empty();
        json["text"] = told ? jsonText(one.head) : Json();
        json["left_out_bytes"] = told ? Json(one.headMore) : Json();
        list.push_back(std::move(json));
    }
    return list;
}

void printAsked(Session& s, const std::vector<Asked>& asked)
{
    for (const Asked& one : asked) {
        s.line("  step \"" + one.step + "\" asks for exactly this:");
        field(s, "digest", hex(one.digest));
        field(s, "approval", toText(one.approval));
        field(s, "for",
            one.role.empty() ? std::string()
                             : one.role + " (the workflow's word; who may answer is the store's: "
                    + (s.rights().login.empty() ? "whoever may write this file" : "the role cairn_approver")
                    + ")");
        field(s, "tool",
            one.tool.empty()            ? std::string()
                : one.contract.isNull() ? one.tool
                                        : one.tool + ", contract " + hex(one.contract).substr(0, 12));
        field(s, "key", one.key.empty() ? one.keyMissing : one.key);
        field(s, "secret", one.secret);
        field(s, "amount",
            one.amount.currency.empty() ? std::string()
                                        : formatMoney(one.amount.micros, one.amount.currency));
        field(s, "input",
            !one.input ? std::string("nothing")
                       : toText(one.input.id) + ", " + formatCount(static_cast<std::int64_t>(one.input.size))
                    + " bytes, " + one.input.media
                    + (one.headMissing.empty() ? std::string() : " (" + one.headMissing + ")"));
        printHead(s, one);
    }
}

std::vector<Asked> askedOf(Session& s, const RunState& state, bool earlier)
{
    return s.query().asked(state, earlier ? nullptr : &s.service(), {}, kAskedMost);
}

std::size_t moreAsked(const RunState& state, const std::vector<Asked>& asked)
{
    const auto pending = static_cast<std::size_t>(std::count_if(state.approvals.begin(),
        state.approvals.end(), [](const auto& record) { return record.state == ApprovalState::Pending; }));
    return pending - std::min(pending, asked.size());
}

void addAsked(Json& json, const RunState& state, const std::vector<Asked>& asked)
{
    json["approvals"] = jsonAsked(asked);
    json["approvals_left_out"] = moreAsked(state, asked);
}

void printAskedOf(Session& s, const RunState& state, const std::vector<Asked>& asked)
{
    printAsked(s, asked);
    if (const std::size_t more = moreAsked(state, asked); more > 0)
        s.line("  and " + formatCount(static_cast<std::int64_t>(more))
            + " more: `cairn approve RUN STEP --preview` shows each");
}

}  // namespace cairn::cli
