// Every verb that changes something has a preview, and no preview leaves a byte in the store.

#include "tests/cli/cli_fixture.h"

#include <QtCore/QRegularExpression>

namespace {

QString joined(const QStringList& words) { return words.join(QLatin1Char(' ')); }

}  // namespace

class TestCliPreviews : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        freshStore();
        QCOMPARE(
            cairn({QStringLiteral("store"), QStringLiteral("init"), QStringLiteral("--test-clock")}).code, 0);
        m_run = startAsk(QStringLiteral("k"));
        QVERIFY(!m_run.isEmpty());
        engineUntilIdle();
    }
    void everyVerbHasAPreviewThatWritesNothing();
    void aPreviewTellsWhatRunsNextAsDataAndAsText();

private:
    // All verbs, those in groups with the group before them, that say in their help that they have a preview.
    QStringList verbs(const QStringList& group = {})
    {
        QStringList found;
        const QString help = QString::fromUtf8(text(group + QStringList{QStringLiteral("--help")}));
        const QStringList lines =
            help.mid(help.indexOf(QStringLiteral("Subcommands:"))).split(QLatin1Char('\n'));
        static const QRegularExpression kVerb(QStringLiteral("^  ([a-z][a-z-]*)( |$)"));
        for (const QString& line : lines) {
            const auto match = kVerb.match(line);
            if (!match.hasMatch())
                continue;
            const QStringList verb = group + QStringList{match.captured(1)};
            const QString own = QString::fromUtf8(text(verb + QStringList{QStringLiteral("--help")}));
            if (own.contains(QStringLiteral("Subcommands:")))
                found += verbs(verb);
            else if (own.contains(QStringLiteral("--preview")))
                found.push_back(joined(verb));
        }
        return found;
    }
    // What each is called with. A verb that is not here fails the test: add it with its arguments.
    QMap<QString, QStringList> calls()
    {
        const QString workflow =
            file(QStringLiteral("again.json"), QByteArray(kApproval).replace("ask", "again"));
        const QString elsewhere = m_folder.filePath(QStringLiteral("elsewhere.db"));
        const QString key = m_folder.filePath(QStringLiteral("signing"));
        cairn({QStringLiteral("audit"), QStringLiteral("key"), QStringLiteral("new"), key});
        cairn({QStringLiteral("plan"), QStringLiteral("stage"), QStringLiteral("pause"), m_run});
        const QJsonObject planned = cairn({QStringLiteral("plan"), QStringLiteral("list")}).json();
        const QString plan = planned.value(QStringLiteral("plan")).toString();
        const QString digest = planned.value(QStringLiteral("digest")).toString();
        const QString policy =
            file(QStringLiteral("policy.json"), json("{'schema':'urn:cairn:policy:1','rules':[]}"));
        const QString nobody = QStringLiteral("01a22b3c-0000-7000-8000-000000000001");
        const QJsonObject step = cairn({QStringLiteral("show"), m_run})
                                     .json()
                                     .value(QStringLiteral("step_list"))
                                     .toArray()
                                     .at(0)
                                     .toObject();
        const QString input =
            step.value(QStringLiteral("input")).toObject().value(QStringLiteral("id")).toString();
        const auto words = [](const char* text) { return QString::fromUtf8(text).split(QLatin1Char(' ')); };
        return {{QStringLiteral("start"), {workflow, QStringLiteral("--key"), QStringLiteral("n")}},
            {QStringLiteral("approve"), {m_run}}, {QStringLiteral("reject"), {m_run}},
            {QStringLiteral("pause"), {m_run}}, {QStringLiteral("resume"), {m_run}},
            {QStringLiteral("cancel"), {m_run}}, {QStringLiteral("compensate"), {m_run}},
            {QStringLiteral("migrate"), {m_run}}, {QStringLiteral("retry"), {m_run, QStringLiteral("pay")}},
            {QStringLiteral("skip"), {m_run, QStringLiteral("pay")}},
            {QStringLiteral("record"), QStringList{m_run} + words("pay --output 1")},
            {QStringLiteral("amend"), QStringList{m_run} + words("pay --input {}")},
            {QStringLiteral("settle"), QStringList{m_run} + words("pay --did-not-happen")},
            {QStringLiteral("deadline"), {m_run, QStringLiteral("2h")}},
            {QStringLiteral("budget"), {m_run, QStringLiteral("5 EUR")}},
            {QStringLiteral("signal"), QStringList{m_run} + words("go --id 1")},
            {QStringLiteral("fork"), QStringList{m_run} + words("--from 1")},
            {QStringLiteral("takeover"), {m_run}}, {QStringLiteral("slow"), words("bank 5/s")},
            {QStringLiteral("hold"), QStringList{m_run} + words("--reason dispute")},
            {QStringLiteral("assign"), QStringList{m_run} + words("kim")},
            {QStringLiteral("note"), QStringList{m_run} + words("asked")},
            {QStringLiteral("acts confirm"), {nobody, QStringLiteral("--digest"), digest}},
            {QStringLiteral("acts reject"), {nobody, QStringLiteral("--reason"), QStringLiteral("not so")}},
            {QStringLiteral("acts withdraw"), {nobody}}, {QStringLiteral("policy set"), {policy}},
            {QStringLiteral("plan stage"), {QStringLiteral("pause"), m_run}},
            {QStringLiteral("plan confirm"), {plan, QStringLiteral("--expect"), digest}},
            {QStringLiteral("plan start"), {plan}}, {QStringLiteral("plan pause"), {plan}},
            {QStringLiteral("plan continue"), {plan}}, {QStringLiteral("plan abort"), {plan}},
            {QStringLiteral("workflow add"), {workflow}}, {QStringLiteral("store init"), {}},
            {QStringLiteral("store migrate"), {}}, {QStringLiteral("store backup"), {elsewhere}},
            {QStringLiteral("store clock"), {QStringLiteral("1h")}},
            {QStringLiteral("store copy"), {QStringLiteral("sqlite:") + elsewhere}},
            {QStringLiteral("store artifacts"), {QStringLiteral("store")}},
            {QStringLiteral("audit checkpoint"), {QStringLiteral("--key"), key}},
            {QStringLiteral("audit anchor"),
                {QStringLiteral("--to"), m_folder.filePath(QStringLiteral("anchors"))}},
            {QStringLiteral("audit review"),
                {QStringLiteral("01a22b3c-0000-7000-8000-000000000001"), QStringLiteral("--reason"),
                    QStringLiteral("what was found")}},
            {QStringLiteral("redact"), {m_run, QStringLiteral("--all")}},
            {QStringLiteral("retention set"), words("ask --keep 30")}, {QStringLiteral("retention run"), {}},
            {QStringLiteral("retention accept"), {m_run}},
            {QStringLiteral("retention never-store"), words("--key pin")},
            {QStringLiteral("export"),
                {m_run, QStringLiteral("-o"), m_folder.filePath(QStringLiteral("b.zip"))}},
            {QStringLiteral("payload"), {m_run, input, QStringLiteral("--reveal")}},
            {QStringLiteral("import"),
                {m_folder.filePath(QStringLiteral("none.zip")), QStringLiteral("--into"), elsewhere}}};
    }

    QString m_run;
};

void TestCliPreviews::everyVerbHasAPreviewThatWritesNothing()
{
    const QMap<QString, QStringList> known = calls();
    const QStringList all = verbs();
    QVERIFY2(all.size() >= known.size(), qPrintable(joined(all)));
    const QByteArray audit = cairn({QStringLiteral("audit"), QStringLiteral("head")}).out;
    const QByteArray before = storeBytes();
    for (const QString& verb : all) {
        QVERIFY2(known.contains(verb), qPrintable(verb + QStringLiteral(": add a call of it to this test")));
        const Answer answer = cairn(
            verb.split(QLatin1Char(' ')) + known.value(verb) + QStringList{QStringLiteral("--preview")});
        QVERIFY2(answer.code != -1 && answer.code != 2, qPrintable(verb + QString::fromUtf8(answer.err)));
        QVERIFY2(storeBytes() == before, qPrintable(verb));
    }
    QCOMPARE(cairn({QStringLiteral("audit"), QStringLiteral("head")}).out, audit);
    QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("elsewhere.db"))));
    // What is no preview does change them.
    QCOMPARE(cairn({QStringLiteral("pause"), m_run}).code, 0);
    QVERIFY(storeBytes() != before);
}

void TestCliPreviews::aPreviewTellsWhatRunsNextAsDataAndAsText()
{
    const QStringList act{QStringLiteral("approve"), m_run, QStringLiteral("--preview")};
    const QJsonObject preview = cairn(act).json();
    const QJsonArray next = preview.value(QStringLiteral("next")).toArray();
    QCOMPARE(next.size(), 1);
    const QJsonObject step = next.first().toObject();
    QCOMPARE(step.value(QStringLiteral("step")).toString(), QStringLiteral("pay"));
    QCOMPARE(step.value(QStringLiteral("tool")).toString(), QStringLiteral("note"));
    QCOMPARE(step.value(QStringLiteral("workflow")).toString(), QStringLiteral("ask"));
    const QString input =
        step.value(QStringLiteral("input")).toObject().value(QStringLiteral("id")).toString();
    QVERIFY(!input.isEmpty());
    QCOMPARE(preview.value(QStringLiteral("next_count")).toInt(), 1);
    QCOMPARE(preview.value(QStringLiteral("undo")).toObject().value(QStringLiteral("possible")).toBool(true),
        false);
    const QByteArray told = text(act);
    QVERIFY2(told.contains("runs next, on exactly this:"), told.constData());
    QVERIFY2(told.contains("step \"pay\", attempt 1, tool note, as ask@1 says, on input " + input.toUtf8()),
        told.constData());
}

QTEST_APPLESS_MAIN(TestCliPreviews)
#include "tst_cli_previews.moc"
