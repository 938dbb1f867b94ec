#include "core/service/roles.h"

#include "core/definition/policy_text.h"

namespace cairn {

Result<Policy> policyOf(const std::optional<PolicyRow>& row, const StoreInfo& store)
{
    if (!row)
        return defaultPolicy(store.safety, store.roles);
    auto parsed = parsePolicy(row->text);
    if (!parsed)
        return makeError(ErrorKind::Corrupt,
            "policy " + std::to_string(row->version) + " of this store cannot be read by this version ("
                + parsed.diagnostics.front().text + "): nothing that it decides about is done");
    return *std::move(parsed.policy);
}

Result<bool> holdsRole(
    StoreReader& store, const Policy& policy, const std::string& role, const std::string& login)
{
    if (role.empty())
        return true;
    std::optional<bool> holds = hasRole(policy, role, login);
    if (!holds) {
        CAIRN_TRY_ASSIGN(holds, store.holdsRole(login, role));
    }
    return holds.value_or(true);
}

}  // namespace cairn
