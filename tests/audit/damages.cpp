#include "tests/audit/damages.h"

namespace cairn::testing {

using audit::Damage;

std::vector<DamageCase> auditDamages()
{
    const auto set = [](std::uint64_t seq, const std::string& what) {
        return [=](Victim& v) {
            v.exec("UPDATE " + v.t("audit") + " SET " + what + " WHERE seq = " + std::to_string(seq));
        };
    };
    const auto zero = [](const char* column) {
        return [=](Victim& v) {
            v.exec("UPDATE " + v.t("audit") + " SET " + column + " = " + v.raw().digest(Digest{})
                + " WHERE seq = 4");
        };
    };
    const auto remove = [](std::uint64_t from, std::uint64_t to) {
        return [=](Victim& v) {
            v.exec("DELETE FROM " + v.t("audit") + " WHERE seq BETWEEN " + std::to_string(from) + " AND "
                + std::to_string(to));
        };
    };
    return {
        {"nothing", [](Victim&) {}, std::nullopt},
        {"a reason is changed", set(4, "reason = 'another'"), Damage::Changed, 4},
        {"a login is changed", set(4, "login = 'eve'"), Damage::Changed, 4},
        {"a claimed name is changed", set(4, "actor = 'eve'"), Damage::Changed, 4},
        {"a time is changed", set(4, "time = time + 1"), Damage::Changed, 4},
        {"the first is changed", set(1, "reason = 'another'"), Damage::Changed, 1},
        {"the last is changed", set(8, "reason = 'another'"), Damage::Changed, 8},
        {"a hash is changed", zero("hash"), Damage::Changed, 4},
        {"a link is changed", zero("previous"), Damage::Changed, 4},
        {"changed, with its hash made anew", [](Victim& v) { v.forgeAudit(4, 4); }, Damage::Changed, 4},
        {"one is removed", remove(4, 4), Damage::Removed, 4},
        {"three are removed", remove(3, 5), Damage::Removed, 3},
        {"the first is removed", remove(1, 1), Damage::Removed, 1},
        {"removed, and numbered anew",
            [=](Victim& v) {
                remove(4, 5)(v);
                v.moveAudit(6, -2);
            },
            Damage::Removed, 4},
        {"one is inserted",
            [](Victim& v) {
                const Digest hash = v.audit()[1].hash;
                v.moveAudit(4, 1);
                v.insertAudit(4, 2, Digest{}, hash);
            },
            Damage::Inserted, 4},
        {"one is inserted that fits",
            [](Victim& v) {
                AuditRow row = v.audit()[1];
                row.seq = 4;
                row.previous = v.audit()[2].hash;
                v.moveAudit(4, 1);
                v.insertAudit(4, 2, row.previous, auditHash(row));
            },
            Damage::Inserted, 4},
        {"neighbours are swapped", [](Victim& v) { v.swapAudit(4, 5); }, Damage::Reordered, 4},
        {"two are swapped", [](Victim& v) { v.swapAudit(3, 6); }, Damage::Reordered, 3},
        {"the end is cut, nothing is known", [](Victim& v) { v.cutAudit(6); }, std::nullopt},
        {"the end is cut, a head is known", [](Victim& v) { v.cutAudit(6); }, Damage::CutAtEnd, 7, "audit",
            false, true},
        {"the end is cut, it was signed", [](Victim& v) { v.cutAudit(6); }, Damage::CutAtEnd, 7, "audit",
            true},
        {"all is cut, a head is known",
            [](Victim& v) {
                v.exec("DELETE FROM " + v.t("audit"));
                v.endAuditAt(0, {});
            },
            Damage::CutAtEnd, 1, "audit", false, true},
        {"the tail is made anew, nothing is known", [](Victim& v) { v.forgeAudit(5, 8); }, std::nullopt},
        {"the tail is made anew, a head is known", [](Victim& v) { v.forgeAudit(5, 8); },
            Damage::ReplacedTail, 8, "audit", false, true},
        {"the tail is made anew, it was signed", [](Victim& v) { v.forgeAudit(5, 8); }, Damage::ReplacedTail,
            8, "audit", true},
    };
}

std::vector<DamageCase> historyDamages()
{
    const auto set = [](const std::string& what) { return [=](Victim& v) { v.setEntry(3, what); }; };
    const auto remove = [](const std::string& which) {
        return [=](Victim& v) { v.exec("DELETE FROM " + v.t("entries") + v.ofA() + which); };
    };
    const auto cut = [=](Victim& v) {
        const Digest head = v.entries(v.a)[3].hash;
        remove(" AND version > 4")(v);
        v.standAt(4, head);
    };
    return {
        {"a body is changed",
            [](Victim& v) {
                std::string body = v.entries(v.a)[2].body;
                body.back() = static_cast<char>(body.back() ^ 1);
                v.setEntry(3, "body = " + v.raw().bytes(body));
            },
            Damage::Changed, 3, "run "},
        {"a hash is changed", [](Victim& v) { v.setEntry(3, "hash = " + v.raw().digest(Digest{})); },
            Damage::Changed, 3, "run "},
        {"a command is changed", [](Victim& v) { v.setEntry(3, "command = " + v.raw().id(v.b.run)); },
            Damage::Changed, 3, "run "},
        {"a format is changed", set("format = 1 - (format - 2)"), Damage::Changed, 3, "run "},
        {"one is removed", remove(" AND version = 3"), Damage::Removed, 3, "run "},
        {"the first is removed", remove(" AND version = 1"), Damage::Removed, 1, "run "},
        {"removed, and numbered anew",
            [=](Victim& v) {
                remove(" AND version = 3")(v);
                v.moveEntries(4, -1);
            },
            Damage::Removed, 3, "run "},
        {"one is inserted",
            [](Victim& v) {
                const SealedEntry like = v.entries(v.a)[1];
                v.moveEntries(3, 1);
                v.exec("INSERT INTO " + v.t("entries") + "(run, version, command, format, hash, body) VALUES("
                    + v.raw().id(v.a.run) + ", 3, " + v.raw().id(v.b.run) + ", " + std::to_string(like.format)
                    + ", " + v.raw().digest(like.hash) + ", " + v.raw().bytes(like.body) + ")");
            },
            Damage::Inserted, 3, "run "},
        {"neighbours are swapped",
            [](Victim& v) {
                v.setEntry(3, "version = -1");
                v.setEntry(4, "version = 3");
                v.exec("UPDATE " + v.t("entries") + " SET version = 4" + v.ofA() + " AND version = -1");
            },
            Damage::Reordered, 3, "run "},
        {"the end is cut", remove(" AND version > 4"), Damage::CutAtEnd, 5, "run "},
        {"all is cut", remove(""), Damage::CutAtEnd, 1, "run "},
        {"the end is cut, and the run put back", cut, std::nullopt},
        {"the end is cut, and the run put back, it was signed", cut, Damage::CutAtEnd, 6, "run ", true},
        {"the tail is made anew", [](Victim& v) { v.forgeEntries(5); }, std::nullopt},
        {"the tail is made anew, it was signed", [](Victim& v) { v.forgeEntries(5); }, Damage::ReplacedTail,
            6, "run ", true},
        {"the run's head is changed", [](Victim& v) { v.standAt(6, sha256("x")); }, Damage::Changed, 6,
            "run "},
        {"the run is put back alone", [](Victim& v) { v.standAt(4, v.entries(v.a)[3].hash); },
            Damage::Inserted, 5, "run "},
        {"the run is taken away",
            [](Victim& v) {
                v.exec("DELETE FROM " + v.t("run_list") + v.ofA());
                v.exec("DELETE FROM " + v.t("run_hot") + v.ofA());
            },
            Damage::Inserted, 1, "run "},
        {"the run and all its entries are taken away, it was signed",
            [](Victim& v) {
                for (const char* table : {"run_list", "run_hot", "entries"})
                    v.exec("DELETE FROM " + v.t(table) + v.ofA());
            },
            Damage::CutAtEnd, 6, "run ", true},
    };
}

std::vector<DamageCase> checkpointDamages()
{
    const auto set = [](const char* what, std::size_t size) {
        return [=](Victim& v) {
            v.exec("UPDATE " + v.t("checkpoints") + " SET " + what + " = "
                + v.raw().bytes(std::string(size, '\1')) + " WHERE number = 2");
        };
    };
    const auto number = [](const char* what) {
        return
            [=](Victim& v) { v.exec("UPDATE " + v.t("checkpoints") + " SET " + what + " WHERE number = 2"); };
    };
    const auto remove = [](int which) {
        return [=](Victim& v) {
            v.exec("DELETE FROM " + v.t("checkpoint_heads") + " WHERE checkpoint = " + std::to_string(which));
            v.exec("DELETE FROM " + v.t("checkpoints") + " WHERE number = " + std::to_string(which));
        };
    };
    constexpr const char* kHere = "checkpoints";
    return {
        {"nothing", [](Victim&) {}, std::nullopt, 0, kHere, true, true, true},
        {"a signature is changed", set("signature", 64), Damage::BadSignature, 2, kHere, true},
        {"a signature is cut", set("signature", 63), Damage::BadSignature, 2, kHere, true},
        {"a key is changed", set("public_key", 32), Damage::BadSignature, 2, kHere, true},
        {"a link is changed", set("previous", 32), Damage::BadSignature, 2, kHere, true},
        {"the audit's end is changed", set("audit_head", 32), Damage::BadSignature, 2, kHere, true},
        {"the heads' digest is changed", set("run_heads", 32), Damage::BadSignature, 2, kHere, true},
        {"a time is changed", number("time = time + 1"), Damage::BadSignature, 2, kHere, true},
        {"a number of the audit is changed", number("audit_seq = 3"), Damage::BadSignature, 2, kHere, true},
        {"the first is removed", remove(1), Damage::Removed, 1, kHere, true},
        {"the newest is removed", remove(2), std::nullopt, 0, kHere, true},
        {"the newest is removed, and it is known", remove(2), Damage::CutAtEnd, 2, kHere, true, false, true},
        {"a run is taken out of the list",
            [](Victim& v) {
                v.exec("DELETE FROM " + v.t("checkpoint_heads") + v.ofA() + " AND checkpoint = 1");
            },
            Damage::Changed, 1, kHere, true},
        {"a head in the list is changed",
            [](Victim& v) {
                v.exec("UPDATE " + v.t("checkpoint_heads") + " SET version = 5" + v.ofA()
                    + " AND checkpoint = 1");
            },
            Damage::Changed, 1, kHere, true},
        {"another key is named", [](Victim&) {}, Damage::BadSignature, 1, kHere, true, false, false, true},
    };
}

void checkDamage(Victim& victim, const DamageCase& damage)
{
    if (damage.isSigned) {
        victim.sign();
        victim.step(victim.b);
        victim.sign();
    }
    audit::Questions questions;
    if (damage.isSigned)
        questions.keys = {damage.otherKey ? PublicKey{} : victim.key()};
    if (damage.knowsHead)
        questions.heads = {{"the head you kept", 8, victim.audit().back().hash}};
    if (damage.knowsCheckpoint) {
        const auto newest = victim.store().newestCheckpoint();
        QVERIFY(newest && *newest);
        questions.checkpoints = {{"an anchor", (*newest)->number, audit::checkpointHash(**newest)}};
    }
    damage.damage(victim);
    const auto report = audit::verifyAudit(victim.store(), questions);
    QVERIFY2(report, report ? "" : errorLine(report.error()).c_str());
    if (!damage.kind) {
        QVERIFY2(report->found.empty(), report->found.empty() ? "" : report->found.front().text.c_str());
        return;
    }
    QVERIFY(!report->found.empty());
    const audit::Found& first = report->found.front();
    QVERIFY2(first.kind == *damage.kind, (std::string(audit::word(first.kind)) + ": " + first.text).c_str());
    QVERIFY2(first.number == damage.number, first.text.c_str());
    QVERIFY2(first.chain.starts_with(damage.chain), first.chain.c_str());
}

}  // namespace cairn::testing
