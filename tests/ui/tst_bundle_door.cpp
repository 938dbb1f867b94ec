// A bundle is opened by the console as a store is: proved first, looked at only, and gone from the disk with
// the window.
#include "app/console/opening.h"
#include "fixture.h"

#include "core/export/bundle.h"
#include "core/store/sqlite/sqlite_store.h"
#include "ui/data/keychain.h"
#include "ui/data/storecheck.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

template<typename T> Reply<T> answer(QFuture<Reply<T>> future)
{
    if (!QTest::qWaitFor([&future] { return future.isFinished(); }, 20'000))
        qFatal("no answer");
    return future.result();
}

}  // namespace

class TestBundleDoor : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // What is unpacked lies in the folder for what lasts as long as a program.
        QVERIFY(QDir(m_folder.path()).mkdir(u"tmp"_s));
        qputenv("TMPDIR", m_folder.filePath(u"tmp"_s).toLocal8Bit());
        qputenv("XDG_STATE_HOME", m_folder.path().toLocal8Bit());
        const std::string store = m_folder.filePath(u"runs.db"_s).toStdString();
        Fixture fixture(store, "prod", true);
        fixture.fill(2);
        m_run = fixture.waitsForApproval;
        auto opened = cairn::sqlite::openStore(store, {});
        QVERIFY(opened);
        const std::vector<cairn::RunId> runs{m_run};
        cairn::exporting::BundleOptions options;
        options.tool = "test";
        m_bundle = m_folder.filePath(u"case.cairn.zip"_s);
        QVERIFY(cairn::exporting::writeBundle(**opened, runs, m_bundle.toStdString(), options));
    }

    void itIsLookedAtAsAStoreIs()
    {
        QVERIFY(cairn::storePlace(cairn::console::urlOf(m_bundle).toStdString()));
        DesktopKeychain keychain;
        {
            cairn::console::OpenStores opened({}, true, keychain);
            QCOMPARE(opened.add(cairn::console::urlOf(m_bundle)), QString());
            Source& source = opened.stores.source(0);
            const auto facts = answer(source.facts());
            QVERIFY2(facts, qPrintable(facts.failure.what));
            QVERIFY(!facts.value->mayAct);
            QCOMPARE(facts.value->name, u"case.cairn"_s);
            const auto run = answer(source.run(m_run));
            QVERIFY2(run, qPrintable(run.failure.what));
            QVERIFY(!run.value->steps.empty());
            QVERIFY(answer(source.overview({})));
            ActRequest request;
            request.verb = cairn::Verb::Pause;
            request.run = m_run;
            QVERIFY(!answer(source.execute(request)));
            QCOMPARE(
                QDir(m_folder.filePath(u"tmp"_s)).entryList({u"cairn-bundle-*"_s}, QDir::Dirs).size(), 1);
        }
        // Nothing is left of it.
        QCOMPARE(QDir(m_folder.filePath(u"tmp"_s)).entryList({u"cairn-bundle-*"_s}, QDir::Dirs).size(), 0);
    }

    void aDamagedOneSaysWhatIsWrongAndIsNotShown()
    {
        const QString damaged = m_folder.filePath(u"damaged.zip"_s);
        QVERIFY(QFile::copy(m_bundle, damaged));
        QFile file(damaged);
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray bytes = file.readAll();
        bytes[bytes.size() / 2] = char(~bytes[bytes.size() / 2]);
        QVERIFY(file.seek(0) && file.write(bytes) == bytes.size());
        file.close();
        DesktopKeychain keychain;
        cairn::console::OpenStores opened({}, true, keychain);
        QCOMPARE(opened.add(cairn::console::urlOf(damaged)), QString());
        const auto facts = answer(opened.stores.source(0).facts());
        QVERIFY(!facts);
        QVERIFY2(!facts.failure.what.isEmpty(), "it says what is wrong");
    }

private:
    QTemporaryDir m_folder;
    QString m_bundle;
    cairn::RunId m_run;
};

QTEST_GUILESS_MAIN(TestBundleDoor)
#include "tst_bundle_door.moc"
