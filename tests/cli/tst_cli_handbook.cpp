// `cairn help`, and the commands that pages name: each is one that this command line knows, with options that
// it has. A page that names a command which is not there sends an operator astray in the worst moment.

#include "tests/cli/cli_fixture.h"

#include <QtCore/QDirIterator>
#include <QtCore/QRegularExpression>

namespace {

// Each "cairn VERB ..." of a page: the lines of its code, and code within a line.
QStringList commandsOf(const QString& page)
{
    static const QRegularExpression code(QStringLiteral("^    (?:\\$ )?(cairn [^\\n]*)|`(cairn [^`\\n]*)`"),
        QRegularExpression::MultilineOption);
    QStringList all;
    for (auto it = code.globalMatch(page); it.hasNext();) {
        const auto match = it.next();
        // What follows after two blanks, or after a #, explains the line.
        static const QRegularExpression remark(QStringLiteral("\\s{2,}.*$|\\s#.*$"));
        QString line = match.captured(1).isEmpty() ? match.captured(2) : match.captured(1);
        all << line.remove(remark);
    }
    return all;
}

// The words of the command as a shell would split them, without its quoted parts.
QStringList wordsOf(QString command)
{
    static const QRegularExpression quoted(QStringLiteral("'[^']*'|\"[^\"]*\""));
    return command.replace(quoted, QStringLiteral("X")).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

}  // namespace

class TestCliHandbook : public QObject, private CliFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { freshStore(); }

    void aWordPrintsItsPage()
    {
        const QByteArray page = text({QStringLiteral("help"), QStringLiteral("outcome_unknown")});
        QFile file(QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/reasons/outcome_unknown.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(page.trimmed(), file.readAll().trimmed());
        // No store is needed, and none is made.
        QVERIFY(!QFile::exists(m_store));
    }

    void aWordThatIsBothGivesBothPages()
    {
        const Answer both = cairn({QStringLiteral("help"), QStringLiteral("retry")});
        QCOMPARE(both.code, 0);
        const QJsonArray pages = both.json().value(QStringLiteral("pages")).toArray();
        QCOMPARE(pages.size(), 2);
        QCOMPARE(
            pages.at(0).toObject().value(QStringLiteral("page")).toString(), QStringLiteral("reasons/retry"));
        QCOMPARE(
            pages.at(0).toObject().value(QStringLiteral("title")).toString(), QStringLiteral("Back-off"));
        QCOMPARE(
            pages.at(1).toObject().value(QStringLiteral("page")).toString(), QStringLiteral("verbs/retry"));
        QVERIFY(pages.at(1)
                    .toObject()
                    .value(QStringLiteral("text"))
                    .toString()
                    .startsWith(QStringLiteral("# Retry now\n")));
    }

    void wordsOfTheConsoleAreUnderstoodToo()
    {
        const Answer page =
            cairn({QStringLiteral("help"), QStringLiteral("uncertain"), QStringLiteral("effect")});
        QCOMPARE(page.code, 0);
        QCOMPARE(page.json().value(QStringLiteral("pages")).toArray().size(), 1);
    }

    void withoutAWordAllPagesAreListed()
    {
        const Answer all = cairn({QStringLiteral("help")});
        QCOMPARE(all.code, 0);
        const QJsonArray pages = all.json().value(QStringLiteral("pages")).toArray();
        QVERIFY(pages.size() > 40);
        QVERIFY(!pages.at(0).toObject().contains(QStringLiteral("text")));
        QCOMPARE(text({QStringLiteral("help")}).count('\n'), pages.size());
    }

    void aWordWithoutAPageIsAnError()
    {
        const Answer none = cairn({QStringLiteral("help"), QStringLiteral("aproval")});
        QCOMPARE(none.code, 4);
        QVERIFY2(none.err.contains("did you mean `cairn help approval`?"), none.err.constData());
        QVERIFY(none.out.isEmpty());
        const Answer both = cairn({QStringLiteral("help"), QStringLiteral("retry"),
            QStringLiteral("--search"), QStringLiteral("retry")});
        QCOMPARE(both.code, 2);
    }

    void aSearchNamesPlaces()
    {
        const Answer found =
            cairn({QStringLiteral("help"), QStringLiteral("--search"), QStringLiteral("Uncertain effect")});
        QCOMPARE(found.code, 0);
        const QJsonObject first = found.json().value(QStringLiteral("hits")).toArray().at(0).toObject();
        QCOMPARE(first.value(QStringLiteral("page")).toString(), QStringLiteral("reasons/outcome_unknown"));
        QVERIFY(!first.value(QStringLiteral("line")).toString().isEmpty());
        QCOMPARE(
            cairn({QStringLiteral("help"), QStringLiteral("--search"), QStringLiteral("zzqqxx")}).code, 4);
    }

    // The pages of reasons and verbs, the runbook and the limits: what an operator reads in a hurry.
    void commandsOfThePagesAreKnown_data()
    {
        QTest::addColumn<QString>("page");
        const QString folder = QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/");
        for (const char* part : {"reasons", "verbs"}) {
            QDirIterator pages(folder + QLatin1String(part), {QStringLiteral("*.md")}, QDir::Files);
            while (pages.hasNext()) {
                const QString page = pages.next();
                QTest::newRow(qPrintable(page.mid(folder.size()))) << page;
            }
        }
        for (const char* page : {"runbook.md", "limits.md"})
            QTest::newRow(page) << QString(folder + QLatin1String(page));
    }
    void commandsOfThePagesAreKnown()
    {
        QFETCH(QString, page);
        QFile file(page);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList commands = commandsOf(QString::fromUtf8(file.readAll()));
        QVERIFY(!commands.isEmpty() || page.endsWith(QStringLiteral("limits.md")));
        for (const QString& command : commands) {
            const QStringList words = wordsOf(command);
            if (words.size() < 2 || words.at(1).startsWith(QLatin1Char('-')))
                continue;  // `cairn --version`
            const QString& help = helpOf(words.at(1), words.value(2));
            QVERIFY2(!help.isEmpty(), qPrintable(QStringLiteral("there is no such command: ") + command));
            for (const QString& word : words)
                if (word.startsWith(QStringLiteral("--")) && word != QStringLiteral("--json"))
                    QVERIFY2(help.contains(QRegularExpression(
                                 QRegularExpression::escape(word.section(QLatin1Char('='), 0, 0))
                                 + QStringLiteral("\\b"))),
                        qPrintable(word + QStringLiteral(" is no option of: ") + command));
        }
    }

    // A verb's page shows the command of the verb's own name.
    void aVerbsPageShowsItsCommand()
    {
        QDirIterator pages(QStringLiteral(CAIRN_SOURCE_DIR "/resources/handbook/verbs"),
            {QStringLiteral("*.md")}, QDir::Files);
        while (pages.hasNext()) {
            QFile file(pages.next());
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray verb = pages.fileInfo().completeBaseName().toUtf8();
            if (helpOf(QString::fromUtf8(verb), {}).isEmpty())
                continue;  // of two words: `policy set` is held by the test above
            QVERIFY2(file.readAll().contains("\n    cairn " + verb + " "), verb.constData());
        }
    }

private:
    // What `cairn VERB [INNER] --help` prints; empty where there is no such verb. Asked for once.
    const QString& helpOf(const QString& verb, const QString& inner)
    {
        const QString key = verb + QLatin1Char(' ') + inner;
        if (!m_help.contains(key)) {
            QString all;
            // Of a group the inner verb's own options count: `cairn store backup FILE`.
            for (const QStringList& named : {QStringList{verb}, QStringList{verb, inner}}) {
                if (named.contains(QString()) || named.last().startsWith(QLatin1Char('-')))
                    continue;
                const Answer answer = cairn(named + QStringList{QStringLiteral("--help")});
                // Where there is no such verb the help of all of them is printed.
                if (answer.code == 0
                    && answer.out.contains("Usage: cairn " + named.join(QLatin1Char(' ')).toUtf8()))
                    all += QString::fromUtf8(answer.out);
            }
            m_help.insert(key, all);
        }
        return *m_help.constFind(key);
    }

    QHash<QString, QString> m_help;
};

QTEST_GUILESS_MAIN(TestCliHandbook)
#include "tst_cli_handbook.moc"
