#pragma once
// The policy that a store has, and who has a role by it: asked here by everything that asks for one, so that
// acts, plans and the reading of what is hidden cannot differ. One thread, blocking.

#include "core/machine/policy.h"
#include "core/store/store.h"

namespace cairn {

// `row`: StoreReader::policy(0); nullopt: none was set, and the rules hold that such a store begins with.
// Corrupt: this version cannot read it, so nothing that it decides about may be done.
[[nodiscard]] Result<Policy> policyOf(const std::optional<PolicyRow>& row, const StoreInfo& store);

// The policy's own list counts where it has the role, else the store's, where it knows it. What nobody knows
// is kept on record only: everybody has it, as everybody has the role "".
[[nodiscard]] Result<bool> holdsRole(
    StoreReader& store, const Policy& policy, const std::string& role, const std::string& login);

}  // namespace cairn
