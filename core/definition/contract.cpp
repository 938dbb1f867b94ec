#include "core/definition/contract.h"

#include "core/base/json_scan.h"

namespace cairn {

Digest contractDigest(const ToolDef& tool)
{
    std::string body = "cairn-contract-1";
    const auto add = [&body](std::string_view text) {
        for (int shift = 24; shift >= 0; shift -= 8)
            body += static_cast<char>(static_cast<unsigned char>((text.size() >> shift) & 0xFF));
        body += text;
    };
    add(tool.name);
    add(std::to_string(tool.contract));
    add(std::to_string(static_cast<int>(tool.safety)));
    add(tool.executor);
    add(jsonCompact(tool.settings));
    add(tool.effectKey);
    add(tool.resource);
    add(jsonCompact(tool.lookUp));
    add(tool.checkFirst ? "1" : "0");
    add(tool.secret);
    add(tool.amountAt);
    add(tool.currencyAt);
    add(tool.currency);
    add(tool.undoTool);
    add(jsonCompact(tool.undoInput));
    add(tool.model);
    add(tool.prompt);
    if (tool.keysKept > 0)  // a contract without it keeps the digest that it had
        add("keys_kept " + std::to_string(tool.keysKept));
    return sha256(body);
}

}  // namespace cairn
