// Break-glass: a login with the role for emergencies alone may leave what it otherwise could not; each such
// act opens a review that no way of leaving it goes past, and that somebody else closes, once.

#include "core/machine/machine.h"
#include "tests/store/role_logins.h"

namespace cairn::testing {

class PostgresReviewsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { m_roles.initWithRoles({"test", false, true, true}); }
    void aBrokenGlassLeavesAnOpenReview();
    void whoHasTheRoleForItBreaksNothing();
    void itNeedsAReasonInEveryStore();
    void somebodyElseClosesIt();
    void reviewsAreAppendOnly_data();
    void reviewsAreAppendOnly();
    void theReviewIsOpenedWhoeverWritesTheAct();
    void aStoreWithAnOpenReviewIsNotMoved();
    void theLeastReasonIsThatOfTheRules();

private:
    [[nodiscard]] std::string value(const std::string& sql) const { return RawPg(m_roles.url).value(sql); }
    [[nodiscard]] static StagedAct act(const std::string& name, const std::string& reason = "the house burns")
    {
        StagedAct act;
        act.command = idOf<CommandId>("act " + name);
        act.command.bytes[6] = static_cast<std::uint8_t>(0x70U | (act.command.bytes[6] & 0x0FU));
        act.run = idOf<RunId>("a");
        act.verb = Verb::Cancel;
        act.body = "body";
        act.reason = reason;
        act.claimed = "somebody";
        act.host = "desk";
        return act;
    }
    [[nodiscard]] std::vector<std::string> checked() const
    {
        const auto problems = m_roles.openAs("t_auditor", true)->check(false);
        std::vector<std::string> texts;
        if (!problems)
            qFatal("%s", errorLine(problems.error()).c_str());
        for (const VerifyProblem& problem : *problems)
            texts.push_back(problem.where + ": " + problem.text);
        return texts;
    }

    RoleLogins m_roles;
};

void PostgresReviewsTest::aBrokenGlassLeavesAnOpenReview()
{
    QVERIFY(checked().empty());
    const StagedAct wanted = act("p");
    const auto broken = m_roles.openAs("t_breakglass");
    CAIRN_VERIFY_OK(broken->stage(wanted));
    CAIRN_VERIFY_OK(broken->stage(wanted));  // again: the same, and one review
    const auto open = m_roles.openAs("t_auditor", true)->reviews(false, 10);
    CAIRN_VERIFY_OK(open);
    QCOMPARE(open->size(), std::size_t{1});
    const Review& review = open->front();
    QVERIFY(review.command == wanted.command && review.run == wanted.run && review.verb == wanted.verb);
    QCOMPARE(review.login, std::string("t_breakglass"));
    QCOMPARE(review.reason, wanted.reason);
    QVERIFY(review.open() && review.openedAt != kNoTime && review.backend != 0);
    const auto told = checked();
    QCOMPARE(told.size(), std::size_t{1});
    QVERIFY2(told.front().find("t_breakglass broke the glass") != std::string::npos, told.front().c_str());
    // It is carried out as any act that was left, in the name of who left it.
    const auto taken = m_roles.openAs("t_engine")->takeStaged(10);
    CAIRN_VERIFY_OK(taken);
    QCOMPARE(taken->size(), std::size_t{1});
    QCOMPARE(taken->front().stagedBy, std::string("t_breakglass"));
}

void PostgresReviewsTest::whoHasTheRoleForItBreaksNothing()
{
    m_roles.admin("GRANT cairn_operator TO t_breakglass");
    CAIRN_VERIFY_OK(m_roles.openAs("t_breakglass")->stage(act("p")));
    m_roles.admin("REVOKE cairn_operator FROM t_breakglass");
    CAIRN_VERIFY_OK(m_roles.openAs("t_operator")->stage(act("o")));
    QCOMPARE(value("SELECT count(*) FROM cairn.reviews"), std::string("0"));
    QVERIFY(checked().empty());
}

void PostgresReviewsTest::itNeedsAReasonInEveryStore()
{
    const auto broken = m_roles.openAs("t_breakglass");
    CAIRN_VERIFY_ERROR(broken->stage(act("p", "")), ErrorKind::NoRight);
    CAIRN_VERIFY_ERROR(broken->stage(act("p", "  it burns  ")), ErrorKind::NoRight);  // 8
    CAIRN_VERIFY_OK(m_roles.openAs("t_operator")->stage(act("o", "")));               // a free store
    QCOMPARE(value("SELECT count(*) FROM cairn.reviews"), std::string("0"));
}

void PostgresReviewsTest::somebodyElseClosesIt()
{
    const StagedAct wanted = act("p");
    const auto broken = m_roles.openAs("t_breakglass");
    CAIRN_VERIFY_OK(broken->stage(wanted));
    m_roles.admin("GRANT cairn_approver TO t_breakglass");
    CAIRN_VERIFY_ERROR(broken->closeReview(wanted.command, "all was well"), ErrorKind::NoRight);
    m_roles.admin("REVOKE cairn_approver FROM t_breakglass");
    for (const char* login : {"t_breakglass", "t_engine", "t_operator", "t_auditor", "t_viewer"})
        CAIRN_VERIFY_ERROR(
            m_roles.openAs(login)->closeReview(wanted.command, "all was well"), ErrorKind::NoRight);
    const auto approver = m_roles.openAs("t_approver");
    CAIRN_VERIFY_ERROR(approver->closeReview(idOf<CommandId>("none"), "all was well"), ErrorKind::NoRight);
    CAIRN_VERIFY_ERROR(approver->closeReview(wanted.command, "fine"), ErrorKind::NoRight);
    CAIRN_VERIFY_OK(approver->closeReview(wanted.command, "all was well"));
    CAIRN_VERIFY_ERROR(
        m_roles.openAs("t_second")->closeReview(wanted.command, "I think so too"), ErrorKind::Conflict);
    QVERIFY(approver->reviews(false, 10)->empty());
    const auto all = approver->reviews(true, 10);
    CAIRN_VERIFY_OK(all);
    QCOMPARE(all->size(), std::size_t{1});
    QCOMPARE(all->front().closedBy, std::string("t_approver"));
    QCOMPARE(all->front().note, std::string("all was well"));
    QVERIFY(all->front().closedAt >= all->front().openedAt);
    QVERIFY(checked().empty());
}

void PostgresReviewsTest::reviewsAreAppendOnly_data()
{
    QTest::addColumn<QByteArray>("sql");
    for (const char* who : {"SET ROLE cairn_owner", "SET session_replication_role = replica"})
        for (const char* what : {"DELETE FROM cairn.reviews", "TRUNCATE cairn.reviews",
                 "UPDATE cairn.reviews SET login = 'another'", "UPDATE cairn.reviews SET reason = 'another'",
                 "UPDATE cairn.reviews SET closed_by = 't_breakglass', closed_at = 1",
                 "UPDATE cairn.reviews SET closed_by = 't_approver', closed_at = 1"})
            QTest::addRow("%s; %s", who, what) << QByteArray(who) + "; " + what;
}

void PostgresReviewsTest::reviewsAreAppendOnly()
{
    QFETCH(QByteArray, sql);
    CAIRN_VERIFY_OK(m_roles.openAs("t_breakglass")->stage(act("p")));
    QCOMPARE(stateIn(RawPg(m_roles.url), sql.toStdString()), std::string("CA001"));
}

// As somebody who calls the function by hand, with names of his own on the search path.
void PostgresReviewsTest::theReviewIsOpenedWhoeverWritesTheAct()
{
    const StagedAct wanted = act("t");
    const RawPg session(m_roles.urlOf("t_breakglass"));
    for (const char* sql :
        {"CREATE TEMPORARY TABLE reviews(x integer)", "CREATE TEMPORARY TABLE meta(roles smallint)",
            "SET search_path = pg_temp, pg_catalog", "SET ROLE cairn_breakglass"})
        QCOMPARE(session.exec(sql), std::string());
    QCOMPARE(session.exec("SELECT cairn.stage_act('" + toText(wanted.command) + "', '" + toText(wanted.run)
                 + "', 3, '', 'body', 'because of this test', 'x', 1, 'h', 1, NULL)"),
        std::string());
    QCOMPARE(value("SELECT login FROM cairn.reviews WHERE closed_at = 0"), std::string("t_breakglass"));
}

void PostgresReviewsTest::aStoreWithAnOpenReviewIsNotMoved()
{
    CAIRN_VERIFY_OK(m_roles.openAs("t_breakglass")->stage(act("p")));
    const auto found = m_roles.open()->unmovable();
    CAIRN_VERIFY_OK(found);
    QCOMPARE(found->size(), std::size_t{1});
    QVERIFY2(found->front().find("is open") != std::string::npos, found->front().c_str());
    CAIRN_VERIFY_OK(m_roles.openAs("t_approver")->closeReview(act("p").command, "all was well"));
    QVERIFY(m_roles.open()->unmovable()->empty());
}

// The database's functions have the number from core/machine, and no other.
void PostgresReviewsTest::theLeastReasonIsThatOfTheRules()
{
    const std::size_t least = reasonMinimum(Safety::Guarded);
    QVERIFY(least > 1);
    for (const char* name : {"stage_act", "close_review"}) {
        const std::string body =
            value(std::string("SELECT prosrc FROM pg_proc WHERE pronamespace = 'cairn'::regnamespace AND "
                              "proname = '")
                + name + "'");
        QVERIFY2(body.find("< " + std::to_string(least) + " THEN") != std::string::npos, body.c_str());
        QVERIFY2(body.find("{reason}") == std::string::npos, body.c_str());
    }
    m_roles.initWithRoles({"test", true, true, true});
    const auto by = m_roles.openAs("t_operator");
    CAIRN_VERIFY_ERROR(by->stage(act("s", std::string(least - 1, 'x'))), ErrorKind::NoRight);
    CAIRN_VERIFY_OK(by->stage(act("e", std::string(least, 'x'))));
}

}  // namespace cairn::testing

CAIRN_POSTGRES_TEST_MAIN(cairn::testing::PostgresReviewsTest)

#include "tst_postgres_reviews.moc"
