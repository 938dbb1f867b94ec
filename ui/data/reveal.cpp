// What workflows hide, and reading it all the same: an act that is on record before anything is shown.

#include "core/base/text.h"
#include "core/service/staged.h"
#include "ui/data/ownacts.h"
#include "ui/data/qtconvert.h"
#include "ui/data/readworld.h"

#include <QCoreApplication>

namespace cairn::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(reveal)
};

}  // namespace

Result<StoreReader*> ReadWorld::readerOf(const RunId& run, const PayloadLine& line)
{
    if (!line.plain)
        return m_store.get();
    if (!m_revealed.contains({run, line.id}))
        return makeError(ErrorKind::NoRight, core(Words::tr("it has not been revealed here")));
    return &m_store->stored();
}

Result<quint64> ReadWorld::sizeOf(const RunId& run, const PayloadLine& line)
{
    if (line.plain) {
        CAIRN_TRY_ASSIGN(const PayloadInfo info, m_store->payloadInfo(run, line.id));
        return info.ref.size;
    }
    CAIRN_TRY_ASSIGN(const ShownPayload shown, m_store->shown(run, line.id));
    return shown.size;
}

Result<ReadWorld::Revealing> ReadWorld::revealing(const std::string& role)
{
    CAIRN_TRY_ASSIGN(const StoreInfo info, m_store->info());
    CAIRN_TRY_ASSIGN(const StoreRights rights, m_store->rights());
    CAIRN_TRY_ASSIGN(const Replica replica, m_store->replica());
    const QString off = whyNoActs(*m_opening, info, rights, replica);
    if (info.safety == Safety::Guarded && !off.isEmpty())
        return makeError(ErrorKind::NoRight,
            core(Words::tr("in a guarded store to reveal is an act, and it is off: ") + off));
    Revealing how{off.isEmpty(), info.safety, loginOf(rights, m_opening->uid)};
    CAIRN_TRY(mayReveal(*m_store, how.login, role));
    return how;
}

Result<QString> ReadWorld::reveal(const RunId& run, const PayloadLine& line, const QString& reason)
{
    CAIRN_TRY_ASSIGN(const Revealable what, m_store->revealable(run, line.id));
    CAIRN_TRY_ASSIGN(const Revealing how, revealing(what.role));
    if (const auto missing = reasonMissing(how.safety, reasonLength(core(reason))))
        return makeError(ErrorKind::Refused, missing->text);
    AuditRow who = ownAct(*m_opening, reason);
    who.login = how.login;
    SystemRng rng;
    AuditRow act = revealAct(std::move(who), run, line.id, what, m_clock.wallMs(), rng);
    CAIRN_TRY_ASSIGN(const std::uint64_t seq, recordOwn(*m_opening, std::move(act), how.inStore));
    m_revealed.insert({run, line.id});
    return how.inStore ? Words::tr("audit entry %1").arg(seq)
                       : Words::tr("entry %1 of your journal, since this store is only looked at").arg(seq);
}

}  // namespace cairn::ui
