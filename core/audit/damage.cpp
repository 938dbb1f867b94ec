#include "core/audit/damage.h"
#include "core/base/counted.h"

namespace cairn::audit {

std::string_view word(Damage kind) noexcept
{
    switch (kind) {
    case Damage::Changed: return "changed";
    case Damage::Removed: return "removed";
    case Damage::Inserted: return "inserted";
    case Damage::Reordered: return "reordered";
    case Damage::CutAtEnd: return "cut";
    case Damage::ReplacedTail: return "replaced";
    case Damage::BadSignature: return "signature";
    }
    return "changed";
}

std::vector<std::string> detects(const Evidence& evidence)
{
    std::vector<std::string> lines{
        "chains: an entry in the middle that was changed, removed, inserted or moved is detected"};
    const bool outside = evidence.remembered || evidence.anchor;
    if (evidence.checkpoints == 0)
        lines.emplace_back("no key: nothing is signed; a chain that was made anew as a whole is "
            + std::string(outside ? "detected up to the head that is known from before, and not after it"
                                  : "not detected")
            + "; see `cairn audit key new` and `cairn audit checkpoint`");
    else if (!evidence.publicKey)
        lines.emplace_back(
            "key: signatures were checked with the key that stands beside them in the store, so whoever can "
            "rewrite the store could have signed anew; name the real one with --public");
    else
        lines.emplace_back("key: what is covered by " + counted(evidence.checkpoints, "checkpoint")
            + " cannot have been rewritten without the secret key; what came after the newest can");
    if (evidence.remembered)
        lines.emplace_back(
            "remembered head: newest entries that were cut, an old backup put back, or another history shown "
            "to you than before, are detected up to what this client verified last");
    if (evidence.anchor)
        lines.emplace_back("anchor: the same is detected up to the newest head that was kept outside");
    if (!outside)
        lines.emplace_back(
            "no anchor: newest entries that were cut, and an old backup put back, are not detected; see "
            "`cairn audit anchor`");
    lines.emplace_back(
        "never detected: what was done and not recorded, and rewriting by somebody who has the "
        "secret key, the store and every place with an anchor");
    return lines;
}

}  // namespace cairn::audit
