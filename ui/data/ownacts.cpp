#include "ui/data/ownacts.h"

#include "core/base/secrets.h"
#include "core/service/staged.h"
#include "ui/data/journal.h"
#include "ui/data/qtconvert.h"

namespace cairn::ui {

AuditRow ownAct(const StoreOpening& opening, const QString& reason)
{
    AuditRow who;
    who.actor = core(opening.person);
    who.uid = opening.uid;
    who.host = core(opening.host);
    who.reason = core(reason);
    return who;
}

Result<std::uint64_t> recordOwn(const StoreOpening& opening, AuditRow act, bool inStore)
{
    // What must never be stored is no part of a reason either.
    if (!inStore) {
        act.reason = Masker().text(act.reason);
        return Journal(Journal::usualPath()).append(std::move(act), opening.url);
    }
    CAIRN_TRY_ASSIGN(const auto store, opening.open(false));
    CAIRN_TRY_ASSIGN(SecretList never, store->neverStore());
    act.reason = Masker(std::move(never)).text(act.reason);
    CAIRN_TRY_ASSIGN(act.time, store->now());
    if (act.login.empty()) {
        CAIRN_TRY_ASSIGN(const StoreRights rights, store->rights());
        act.login = loginOf(rights, opening.uid);
    }
    return store->appendAudit(act);
}

}  // namespace cairn::ui
