// Every refusal says what was refused and why, and to each kind belongs what can be done next. The sentences
// are read where they are written, so that a new one without a text is found.

#include "core/machine/machine.h"
#include "tests/support/cairn_qtest.h"

#include <QtCore/QDir>
#include <QtCore/QFile>
#include <QtCore/QRegularExpression>
#include <QtTest/QtTest>

#include <map>
#include <set>

using namespace cairn;

namespace {

struct Written {
    QString where;
    QString code;
    QString text;  // its string literals, one after the other
    QString made;  // the whole expression
};

// From the code's name to the end of the call or of the braces that it stands in.
Written readAt(const QString& source, qsizetype from, const QString& code, const QString& where)
{
    Written out{where, code, {}, {}};
    int depth = 0;
    bool inText = false;
    for (qsizetype at = from; at < source.size(); ++at) {
        const QChar c = source[at];
        if (inText && c == u'\\') {
            out.text += source.mid(++at, 1);
            continue;
        }
        if (c == u'"')
            inText = !inText;
        else if (inText)
            out.text += c;
        else if (c == u'(' || c == u'{' || c == u'[')
            ++depth;
        else if (c == u')' || c == u'}' || c == u']')
            --depth;
        if (depth < 0 || (depth == 0 && !inText && c == u';'))
            break;
        out.made += c;
    }
    return out;
}

std::vector<Written> refusals()
{
    static const QRegularExpression kCode(QStringLiteral("RejectCode::(\\w+)\\s*,"));
    std::vector<Written> all;
    for (const char* layer : {"machine", "service"}) {
        const QDir folder(QStringLiteral(CAIRN_SOURCE_DIR "/core/") + QLatin1String(layer));
        for (const QString& name : folder.entryList({QStringLiteral("*.cpp")}, QDir::Files, QDir::Name)) {
            QFile file(folder.filePath(name));
            if (!file.open(QIODevice::ReadOnly))
                continue;
            const QString source = QString::fromUtf8(file.readAll());
            for (auto found = kCode.globalMatch(source); found.hasNext();) {
                const auto match = found.next();
                const auto line = source.left(match.capturedStart()).count(u'\n') + 1;
                all.push_back(readAt(
                    source, match.capturedEnd(), match.captured(1), name + u':' + QString::number(line)));
            }
        }
    }
    return all;
}

// The word of each code, as it is written in the sources.
const std::map<std::string, RejectCode>& codes()
{
    static const std::map<std::string, RejectCode> kCodes{{"Stale", RejectCode::Stale},
        {"Refused", RejectCode::Refused}, {"NotFound", RejectCode::NotFound},
        {"InvalidInput", RejectCode::InvalidInput}, {"Fenced", RejectCode::Fenced},
        {"NoRight", RejectCode::NoRight}, {"ReasonMissing", RejectCode::ReasonMissing},
        {"Conflict", RejectCode::Conflict}, {"SecondPerson", RejectCode::SecondPerson}};
    return kCodes;
}

}  // namespace

class TestRefusals : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachKindSaysWhatComesNext();
    void eachRefusalHasASentence();
    void staleActsSayThatNothingWasDone();
};

void TestRefusals::eachKindSaysWhatComesNext()
{
    QCOMPARE(codes().size(), static_cast<std::size_t>(RejectCode::SecondPerson));  // they are numbered from 1
    std::set<std::string> told;
    for (const auto& [name, code] : codes()) {
        const std::string next(whatNext(code));
        QVERIFY2(next.size() > 20, name.c_str());
        const bool command = next.find("`cairn ") != std::string::npos;
        bool condition = false;
        for (const char* word : {"give ", "mend ", "use ", "stop ", "ask ", "look again"})
            condition = condition || next.find(word) != std::string::npos;
        QVERIFY2(command || condition, name.c_str());
        QVERIFY2(told.insert(next).second, name.c_str());
    }
}

void TestRefusals::eachRefusalHasASentence()
{
    const auto all = refusals();
    QVERIFY2(all.size() >= 110, qPrintable(QString::number(all.size())));
    std::set<std::string> used;
    for (const Written& one : all) {
        QVERIFY2(codes().contains(one.code.toStdString()), qPrintable(one.where + u' ' + one.code));
        used.insert(one.code.toStdString());
        // Either it is written here, or it is handed on from where it was written.
        const bool handedOn =
            one.made.contains(QStringLiteral("text")) || one.made.contains(QStringLiteral("why"));
        QVERIFY2(handedOn || one.text.trimmed().size() >= 12,
            qPrintable(one.where + QStringLiteral(": ") + one.made));
        QVERIFY2(!one.text.endsWith(u'.'), qPrintable(one.where + QStringLiteral(": ") + one.text));
    }
    QCOMPARE(used.size(), codes().size());  // none is there that nothing uses
}

// What was decided on something older changes nothing, and says so, or what to look at.
void TestRefusals::staleActsSayThatNothingWasDone()
{
    int checked = 0;
    for (const Written& one : refusals()) {
        if (one.code != QStringLiteral("Stale") || one.text.isEmpty())
            continue;
        ++checked;
        QVERIFY2(one.text.contains(QStringLiteral("nothing was ")),
            qPrintable(one.where + QStringLiteral(": ") + one.text));
    }
    QVERIFY2(checked >= 12, qPrintable(QString::number(checked)));
}

QTEST_APPLESS_MAIN(TestRefusals)
#include "tst_refusals.moc"
