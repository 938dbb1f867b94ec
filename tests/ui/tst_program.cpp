// cairn-console as a program: how it ends where there is no display.
#include "fixture.h"

#include <QDir>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

struct Ended {
    int code = -1;
    QString out;
    QString err;
};

// Without a display, whatever the environment of the tests is.
Ended run(const QStringList& arguments, int mostMs = 60'000)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString& name : {u"DISPLAY"_s, u"WAYLAND_DISPLAY"_s, u"QT_QPA_PLATFORM"_s})
        environment.remove(name);
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(CAIRN_CONSOLE), arguments);
    if (!process.waitForFinished(mostMs)) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -2,
        QString::fromUtf8(process.readAllStandardOutput()),
        QString::fromUtf8(process.readAllStandardError())};
}

}  // namespace

class TestProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutADisplayItSaysSoAndFails()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"runs.db"_s);
        Fixture(path.toStdString(), "dev", false).fill(1);
        const Ended ended = run({u"sqlite:"_s + path});
        QCOMPARE(ended.code, 1);
        QVERIFY2(ended.err.contains(u"there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set."_s),
            qPrintable(ended.err));
        QVERIFY2(ended.err.contains(u"--screenshot FILE"_s), qPrintable(ended.err));
        const Ended choosing = run({u"--choose"_s});
        QCOMPARE(choosing.code, 1);
    }

    void aPictureNeedsNoDisplay()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"runs.db"_s);
        const QString picture = folder.filePath(u"runs.png"_s);
        Fixture(path.toStdString(), "dev", false).fill(1);
        const Ended ended =
            run({u"sqlite:"_s + path, u"--screenshot"_s, picture, u"--size"_s, u"1280x720"_s});
        QVERIFY2(ended.code == 0, qPrintable(ended.err));
        QCOMPARE(QImage(picture).size(), QSize(1280, 720));
    }

    void severalStoresAreOnePicture()
    {
        const QTemporaryDir folder;
        const QString picture = folder.filePath(u"runs.png"_s);
        for (const QString& name : {u"one.db"_s, u"two.db"_s})
            Fixture(folder.filePath(name).toStdString(), "dev", false).fill(1);
        // One that is not there keeps nobody from the others.
        const Ended ended = run({folder.filePath(u"one.db"_s), folder.filePath(u"two.db"_s),
            folder.filePath(u"gone.db"_s), u"--screenshot"_s, picture, u"--size"_s, u"1280x720"_s});
        QVERIFY2(ended.code == 0, qPrintable(ended.err));
        QCOMPARE(QImage(picture).size(), QSize(1280, 720));
        const Ended twice = run({folder.filePath(u"one.db"_s), u"sqlite:"_s + folder.filePath(u"./one.db"_s),
            u"--screenshot"_s, picture});
        QCOMPARE(twice.code, 2);
        QVERIFY2(twice.err.contains(u"one is open in this window already"_s), qPrintable(twice.err));
        const Ended none =
            run({folder.filePath(u"gone.db"_s), folder.filePath(u"lost.db"_s), u"--screenshot"_s, picture});
        QCOMPARE(none.code, 3);
        QVERIFY2(none.err.contains(u"None of the stores can be opened"_s), qPrintable(none.err));
    }

    void everyViewIsDrawnInBothThemesAndScales()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"runs.db"_s);
        Fixture(path.toStdString(), "dev", false).fill(1);
        const Ended ended = run({u"sqlite:"_s + path, u"--shots"_s, folder.filePath(u"shots"_s)}, 280'000);
        QVERIFY2(ended.code == 0, qPrintable(ended.err));
        const QDir shots(folder.filePath(u"shots"_s));
        for (const QString& view : {u"lists"_s, u"run-history"_s, u"audit-verified"_s, u"report"_s})
            for (const QString& theme : {u"light"_s, u"dark"_s}) {
                const QString name = view + u'-' + theme;
                QCOMPARE(QImage(shots.filePath(name + u"-1280x720.png"_s)).size(), QSize(1280, 720));
                QCOMPARE(QImage(shots.filePath(name + u"-2560x1440.png"_s)).size(), QSize(2560, 1440));
            }
        // A dialog is drawn alone, and each view four times.
        QVERIFY(!QImage(shots.filePath(u"palette-dark-1280x720.png"_s)).isNull());
        QCOMPARE(shots.entryList({u"*.png"_s}, QDir::Files).size() % 4, 0);
    }

    void aLinkIsOpenedForLooking()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"runs.db"_s);
        const QString picture = folder.filePath(u"runs.png"_s);
        Fixture(path.toStdString(), "dev", false).fill(1);
        const Ended ended = run({u"cairn://open?store=sqlite:"_s + path + u"&filter=wait:approval"_s,
            u"--screenshot"_s, picture, u"--size"_s, u"1280x720"_s});
        QVERIFY2(ended.code == 0, qPrintable(ended.err));
        QCOMPARE(QImage(picture).size(), QSize(1280, 720));
        const Ended wrong = run({u"cairn://open?store=sqlite:x&verb=approve"_s});
        QCOMPARE(wrong.code, 2);
        QVERIFY2(wrong.err.contains(u"it has the unknown name \"verb\"."_s), qPrintable(wrong.err));
    }

    void helpAndErrorsNeedNone()
    {
        const Ended help = run({u"--help"_s});
        QCOMPARE(help.code, 0);
        QVERIFY(help.out.contains(u"--screenshot"_s));
        const Ended none = run({});
        QCOMPARE(none.code, 2);
        QVERIFY2(none.err.contains(u"name one store"_s), qPrintable(none.err));
    }
};

QTEST_APPLESS_MAIN(TestProgram)
#include "tst_program.moc"
