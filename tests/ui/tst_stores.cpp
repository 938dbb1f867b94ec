// Several stores read as one: nothing lost, nothing twice, whoever keeps silent holds up nobody and is named.
#include "core/store/hooked_store.h"
#include "core/store/sqlite/sqlite_store.h"
#include "fixture.h"
#include "ui/data/format.h"
#include "ui/data/stores.h"
#include "ui/data/storesession.h"

#include <QFile>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <unordered_set>

using namespace cairn::ui;
using namespace cairn::ui::test;
using namespace Qt::StringLiterals;

namespace {

// What a store's calls do: answer, fail, or wait until they may go on.
class Tap {
public:
    std::optional<cairn::Error> pass()
    {
        std::unique_lock lock(m_mutex);
        m_wake.wait(lock, [this] { return !m_shut; });
        if (m_fails)
            return cairn::makeError(cairn::ErrorKind::Disconnected, "the server is gone");
        return std::nullopt;
    }
    void set(bool shut, bool fails)
    {
        const std::scoped_lock lock(m_mutex);
        m_shut = shut;
        m_fails = fails;
        m_wake.notify_all();
    }

private:
    std::mutex m_mutex;
    std::condition_variable m_wake;
    bool m_shut = false;
    bool m_fails = false;
};

// A link whose state the test sets.
class FakeHints final : public cairn::HintLink {
public:
    void tell(cairn::HintSet) noexcept override { }
    cairn::HintSet take() noexcept override { return heard.exchange(cairn::hint::kNone); }
    cairn::HintHealth health() const override
    {
        cairn::HintHealth health;
        health.state = state.load();
        health.why = health.state == cairn::HintHealth::State::Deaf ? "the link does not answer" : "";
        return health;
    }
    void become(cairn::HintHealth::State now, cairn::HintSet what)
    {
        state = now;
        heard = what;
        wake();
    }

    std::atomic<cairn::HintHealth::State> state = cairn::HintHealth::State::Listening;
    std::atomic<cairn::HintSet> heard = cairn::hint::kNone;
    std::function<void()> wake;
};

struct House {
    explicit House(const QString& file, const QString& name, bool mayAct = true)
        : path(file)
    {
        StoreOpening opening;
        opening.url = u"sqlite:"_s + path;
        opening.name = name;
        opening.person = u"ines"_s;
        opening.mayAct = mayAct;
        opening.open = [file = path.toStdString(), tap = tap](
                           bool readOnly) -> cairn::Result<std::unique_ptr<cairn::StoreWriter>> {
            if (auto error = tap->pass())
                return *std::move(error);
            cairn::StoreOptions options;
            options.readOnly = readOnly;
            auto store = cairn::sqlite::openStore(file, options);
            if (!store)
                return std::move(store).error();
            const auto hook = [tap](const char*, cairn::Access) { return tap->pass(); };
            const auto none = [](const char*, cairn::Access) { return std::optional<cairn::Error>(); };
            return std::unique_ptr<cairn::StoreWriter>(
                std::make_unique<cairn::HookedStore>(*std::move(store), cairn::StoreHooks{hook, none}));
        };
        opening.openHints = [hints = hints](const cairn::HintOptions& how) {
            hints->wake = how.wake;
            return cairn::Result<std::shared_ptr<cairn::HintLink>>(hints);
        };
        session = std::make_unique<StoreSession>(std::move(opening));
    }
    ~House() { tap->set(false, false); }

    QString path;
    std::shared_ptr<Tap> tap = std::make_shared<Tap>();
    std::shared_ptr<FakeHints> hints = std::make_shared<FakeHints>();
    std::unique_ptr<StoreSession> session;
};

template<typename T> Reply<T> answer(QFuture<Reply<T>> future)
{
    if (!QTest::qWaitFor([&future] { return future.isFinished(); }, 20'000))
        qFatal("no answer");
    return future.result();
}

// Stores "one", "two"… in a folder, opened as a window would.
struct Street {
    explicit Street(int count, bool copies = false)
    {
        {
            Fixture first(pathOf(0).toStdString(), "prod", true);
            first.fill(2);
            run = first.waitsForApproval;
        }
        for (int i = 1; i < count; ++i)
            if (copies) {
                QFile::copy(pathOf(0), pathOf(i));
            } else {
                Fixture other(pathOf(i).toStdString(), "dev", false);
                other.fill(i);
            }
        stores.setPatience(20'000);  // as slow as this machine may be
        for (int i = 0; i < count; ++i) {
            houses.push_back(std::make_unique<House>(pathOf(i), kNames[i]));
            stores.add(*houses.back()->session, kNames[i]);
        }
    }
    void open()
    {
        QSignalSpy opened(&stores, &Stores::opened);
        stores.open();
        QTRY_COMPARE(opened.size(), static_cast<int>(houses.size()));
    }
    [[nodiscard]] QString pathOf(int i) const { return folder.filePath(u"%1.db"_s.arg(i)); }
    // All rows, read in pages of so many.
    std::vector<RunLine> all(int limit, const QString& filter = u"state:open or state:finished"_s)
    {
        std::vector<RunLine> lines;
        ListRequest request;
        request.filter = filter;
        request.limit = limit;
        auto slice = answer(stores.runs(request));
        for (;;) {
            if (!slice)
                qFatal("%s", qPrintable(slice.failure.what));
            lines.insert(lines.end(), slice.value->lines.begin(), slice.value->lines.end());
            if (!slice.value->more)
                return lines;
            request.marks = slice.value->marks;
            slice = answer(stores.page(request));
        }
    }

    static inline const QString kNames[] = {u"one"_s, u"two"_s, u"three"_s};
    QTemporaryDir folder;
    cairn::RunId run;  // of the first, waits for an approval
    std::vector<std::unique_ptr<House>> houses;
    Stores stores;
};

quint64 countOf(const Overview& overview, const QString& word)
{
    for (const AttentionLine& line : overview.attention)
        if (line.word == word)
            return line.count;
    return 0;
}

}  // namespace

class TestStores : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void pagesLoseNothingAndDoubleNothing_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<bool>("copies");
        QTest::addColumn<int>("limit");
        for (const int limit : {1, 2, 3, 7, 200}) {
            QTest::addRow("two, pages of %d", limit) << 2 << false << limit;
            QTest::addRow("three, pages of %d", limit) << 3 << false << limit;
            QTest::addRow("three copies, pages of %d", limit) << 3 << true << limit;
        }
    }
    void pagesLoseNothingAndDoubleNothing()
    {
        QFETCH(int, count);
        QFETCH(bool, copies);
        QFETCH(int, limit);
        Street street(count, copies);
        street.open();
        const std::vector<RunLine> lines = street.all(limit);
        std::unordered_set<RunRef> seen;
        std::size_t expected = 0;
        for (StoreIx store = 0; store < street.stores.count(); ++store) {
            const auto own =
                answer(street.houses[store]->session->runs({u"state:open or state:finished"_s, {}, {}, 500}));
            QVERIFY(own);
            expected += own.value->lines.size();
            // Each store's rows are there, in its own order.
            std::vector<cairn::RunId> here;
            for (const RunLine& line : lines)
                if (line.store == store)
                    here.push_back(line.run);
            std::vector<cairn::RunId> there;
            for (const RunLine& line : own.value->lines)
                there.push_back(line.run);
            QVERIFY(here == there);
        }
        QCOMPARE(lines.size(), expected);
        for (const RunLine& line : lines)
            QVERIFY(seen.insert(line.ref()).second);
        // And all of them in the order of one list.
        for (std::size_t i = 1; i < lines.size(); ++i)
            QVERIFY(std::pair(lines[i - 1].place.a, lines[i - 1].place.b)
                <= std::pair(lines[i].place.a, lines[i].place.b));
    }

    void countsAreSums()
    {
        Street street(3);
        street.open();
        const auto sum = answer(street.stores.overview({}));
        QVERIFY(sum);
        QVERIFY(sum.value->shares.empty());
        quint64 all = 0;
        quint64 situations = 0;
        std::map<QString, quint64> words;
        for (const auto& house : street.houses) {
            const auto one = answer(house->session->overview({}));
            all += one.value->all;
            situations += one.value->situations.size();
            for (const AttentionLine& line : one.value->attention)
                words[line.group + line.word] += line.count;
        }
        QCOMPARE(sum.value->all, all);
        QCOMPARE(sum.value->matching, all);
        QCOMPARE(sum.value->situations.size(), situations);
        std::size_t told = 0;
        for (const AttentionLine& line : sum.value->attention) {
            QCOMPARE(line.count, words[line.group + line.word]);
            ++told;
        }
        QCOMPARE(told, words.size());
        QCOMPARE(countOf(*sum.value, u"Finished today"_s), quint64(2 + 1 + 2));
    }

    // A copy has the same runs: what is done to one is not done to the other.
    void theSameRunInTwoStoresIsTwo()
    {
        Street street(2, true);
        street.open();
        const auto found = answer(street.stores.find(idText(street.run)));
        QVERIFY(!found);
        QVERIFY2(
            found.failure.what.contains(u"is a run in each of one, two"_s), qPrintable(found.failure.what));
        const auto meant = answer(street.stores.find(u"store:two "_s + idText(street.run)));
        QVERIFY2(meant, qPrintable(meant.failure.what));
        QCOMPARE(meant.value->store, StoreIx(1));
        QCOMPARE(meant.value->run, street.run);
        ActRequest request;
        request.verb = cairn::Verb::Pause;
        request.run = street.run;
        const auto preview = answer(street.stores.source(1).preview(request));
        QVERIFY(preview && preview.value->possible);
        request = preview.value->request;
        request.expects = true;
        request.reason = u"only in the copy, please"_s;
        const auto done = answer(street.stores.source(1).execute(request));
        QVERIFY(done && done.value->end == ActEnd::Done);
        std::map<StoreIx, quint64> versions;
        for (const RunLine& line : street.all(200))
            if (line.run == street.run)
                versions[line.store] = line.version;
        QCOMPARE(versions.size(), 2U);
        QVERIFY(versions[1] > versions[0]);
        QCOMPARE(versions[1], done.value->version);
    }

    void aStoreThatFailsIsNamedAndHoldsUpNobody()
    {
        Street street(2);
        street.open();
        const auto before = answer(street.stores.overview({}));
        street.houses[1]->tap->set(false, true);
        const auto after = answer(street.stores.overview({}));
        QVERIFY(after);
        QCOMPARE(
            after.value->shares, (std::vector<StoreShare>{{1, Share::Old, after.value->shares.at(0).age}}));
        QCOMPARE(after.value->all, before.value->all);  // what was known of it is still told
        QVERIFY(!street.stores.state(1).answers());
        QCOMPARE(street.stores.state(1).trouble, u"the server is gone."_s);
        QVERIFY(street.stores.silentText().startsWith(u"two (data "_s));
        QVERIFY(street.stores.state(0).answers());
        // Another filter: nothing is known of it for that.
        const auto other = answer(street.stores.overview(u"wait:approval"_s));
        QCOMPARE(other.value->shares.at(0).share, Share::Missing);
        QCOMPARE(street.stores.shareText(other.value->shares), u"without two"_s);
        ListRequest request;
        request.filter = u"wait:approval"_s;
        const auto list = answer(street.stores.runs(request));
        QVERIFY(list && !list.value->lines.empty());
        for (const RunLine& line : list.value->lines)
            QCOMPARE(line.store, StoreIx(0));
        QCOMPARE(list.value->shares.size(), 1U);
        // It heals by itself, and its facts are read again.
        QSignalSpy heard(&street.stores, &Stores::heard);
        street.houses[1]->tap->set(false, false);
        street.stores.poll();
        QTRY_VERIFY(street.stores.state(1).answers());
        QTRY_VERIFY(answer(street.stores.overview({})).value->shares.empty());
    }

    void aStoreThatHangsHoldsUpNobody()
    {
        Street street(2);
        street.stores.setPatience(50);
        street.open();
        street.houses[1]->tap->set(true, false);
        const auto first = answer(street.stores.overview({}));
        QVERIFY(first);
        QCOMPARE(first.value->shares.at(0).share, Share::Missing);
        ListRequest request;
        const auto list = answer(street.stores.runs(request));
        QVERIFY(list && !list.value->lines.empty());
        // When it answers after all, asking again gives more.
        QSignalSpy fuller(&street.stores, &Stores::fuller);
        street.houses[1]->tap->set(false, false);
        QTRY_VERIFY(!fuller.isEmpty());
        QTRY_VERIFY(answer(street.stores.overview({})).value->shares.empty());
        QTRY_VERIFY(answer(street.stores.runs(request)).value->shares.empty());
    }

    void aStoreThatCannotBeOpenedIsMissing()
    {
        Street street(2);
        street.houses[1]->tap->set(false, true);
        QSignalSpy opened(&street.stores, &Stores::opened);
        QSignalSpy refused(&street.stores, &Stores::cannotOpen);
        street.stores.open();
        QTRY_COMPARE(opened.size(), 1);
        QTRY_COMPARE(refused.size(), 1);
        const auto overview = answer(street.stores.overview({}));
        QVERIFY(overview);
        QCOMPARE(overview.value->shares, (std::vector<StoreShare>{{1, Share::Missing, 0}}));
        street.houses[1]->tap->set(false, false);
        street.stores.poll();
        QTRY_COMPARE(opened.size(), 2);
        QVERIFY(answer(street.stores.overview({})).value->shares.empty());
    }

    void allClearIsSaidOfAllOnly()
    {
        Overview clear;
        clear.allClear = u"No run needs a person."_s;
        Overview busy;
        busy.attention = {{u"person"_s, Glyph::None, u"A person must"_s, 1, {}, true}};
        const auto part = [](StoreIx store, const Overview* value) {
            return Gather<Overview>::Part{{store, value ? Share::Whole : Share::Missing, 0}, value};
        };
        QCOMPARE(merged({part(0, &clear), part(1, &clear)}).allClear, clear.allClear);
        QCOMPARE(merged({part(0, &clear), part(1, &busy)}).allClear, QString());
        QCOMPARE(merged({part(0, &clear), part(1, nullptr)}).shares.size(), 1U);
    }

    void storeTermsSayWhichStoresAreMeant_data()
    {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("eu");  // "-": not meant
        QTest::addColumn<QString>("us");
        QTest::newRow("none") << u"wait:approval"_s << u"wait:approval"_s << u"wait:approval"_s;
        QTest::newRow("one") << u"store:eu wait:approval"_s << u"         wait:approval"_s << u"-"_s;
        QTest::newRow("not") << u"wait:approval -store:eu"_s << u"-"_s << u"wait:approval          "_s;
        QTest::newRow("several") << u"store:eu|us age:>2h"_s << u"            age:>2h"_s
                                 << u"            age:>2h"_s;
        QTest::newRow("alone") << u"store:us"_s << u"-"_s << u"state:open or state:finished"_s;
        QTest::newRow("prefix") << u"store:e* key:1"_s << u"         key:1"_s << u"-"_s;
        QTest::newRow("alternatives")
            << u"store:eu key:1 or store:us key:2"_s << u"         key:1"_s + QString(18, u' ')
            << QString(27, u' ') + u"key:2"_s;
        QTest::newRow("quoted") << u"store:\"eu\" error:\"store:us or\""_s
                                << u"           error:\"store:us or\""_s << u"-"_s;
        QTest::newRow("unknown") << u"store:asia"_s << u"-"_s << u"-"_s;
    }
    void storeTermsSayWhichStoresAreMeant()
    {
        QFETCH(QString, filter);
        QFETCH(QString, eu);
        QFETCH(QString, us);
        QCOMPARE(filterFor(filter, u"eu"_s).value_or(u"-"_s), eu);
        QCOMPARE(filterFor(filter, u"us"_s).value_or(u"-"_s), us);
    }

    void aStoreThatIsNotMeantIsNotInTheList()
    {
        Street street(2);
        street.open();
        for (const RunLine& line : street.all(3, u"store:two state:open"_s))
            QCOMPARE(line.store, StoreIx(1));
        const auto overview = answer(street.stores.overview(u"store:two state:open"_s));
        const auto own = answer(street.houses[1]->session->overview({}));
        QCOMPARE(overview.value->matching, own.value->all);
        QVERIFY(overview.value->shares.empty());
        for (const SituationLine& line : overview.value->situations)
            QCOMPARE(line.store, StoreIx(1));
        const auto wrong = answer(street.stores.overview(u"store:three"_s));
        QVERIFY(!wrong.value->filter.valid);
        QVERIFY(wrong.value->filter.text.contains(u"one, two"_s));
    }

    // Moved while it is open: nothing is offered any more, and why is said.
    void factsAreReadAgain()
    {
        Street street(1);
        street.open();
        QVERIFY(street.stores.state(0).facts.mayAct);
        const auto offered = [&street] {
            int on = 0;
            for (const VerbLine& verb : answer(street.stores.source(0).why(street.run)).value->verbs)
                on += verb.on ? 1 : 0;
            return on;
        };
        QVERIFY(offered() > 0);
        ActRequest request;
        request.verb = cairn::Verb::Pause;
        request.run = street.run;
        QVERIFY(answer(street.stores.source(0).preview(request)).value->possible);
        {
            auto store = cairn::sqlite::openStore(street.pathOf(0).toStdString(), {});
            QVERIFY(store);
            cairn::FenceChange change;
            change.from = (*store)->info()->minWriter;
            change.to = cairn::minWriterOf({cairn::FenceKind::Moved, 7});
            QVERIFY((*store)->changeFence(change));
        }
        QSignalSpy others(&street.stores, &Stores::factsChanged);
        street.stores.refreshFacts();
        QTRY_COMPARE(others.size(), 1);
        QVERIFY(street.stores.state(0).facts.closed);
        QVERIFY(!street.stores.state(0).facts.mayAct);
        QCOMPARE(offered(), 0);
        const auto why = answer(street.stores.source(0).why(street.run));
        QVERIFY2(why.value->verbs.front().text.contains(u"this store was moved"_s),
            qPrintable(why.value->verbs.front().text));
        const auto detail = answer(street.stores.source(0).run(street.run));
        QVERIFY(!detail.value->why.verbs.front().on);
        const auto preview = answer(street.stores.source(0).preview(request));
        QVERIFY(preview && !preview.value->possible);
        QVERIFY2(
            preview.value->refusal.contains(u"this store was moved"_s), qPrintable(preview.value->refusal));
    }

    void lookOnlyOffersNothing()
    {
        const QTemporaryDir folder;
        const QString path = folder.filePath(u"x.db"_s);
        cairn::RunId run;
        {
            Fixture fixture(path.toStdString(), "dev", false);
            fixture.fill(0);
            run = fixture.waitsForApproval;
        }
        const House house(path, u"x"_s, false);
        const auto why = answer(house.session->why(run));
        QVERIFY(why && !why.value->verbs.empty());
        for (const VerbLine& verb : why.value->verbs)
            QVERIFY2(!verb.on, qPrintable(verb.name));
        QCOMPARE(why.value->verbs.front().text, u"opened for looking only"_s);
    }

    // A hint makes it look at once; a dead link is said, and polling goes on.
    void hintsMakeItLook()
    {
        Street street(2);
        street.open();
        QSignalSpy changed(&street.stores, &Stores::changed);
        QTRY_COMPARE(street.stores.state(1).hearing, Hearing::Listening);
        QCOMPARE(changed.size(), 0);  // nobody polls here
        street.houses[1]->hints->become(cairn::HintHealth::State::Listening, cairn::hint::kWakeups);
        QTRY_COMPARE(changed.size(), 1);
        QCOMPARE(changed.front().front().value<ChangeSet>().store, StoreIx(1));
        street.houses[1]->hints->become(cairn::HintHealth::State::Deaf, cairn::hint::kNone);
        QTRY_COMPARE(street.stores.state(1).hearing, Hearing::Deaf);
        QCOMPARE(street.stores.state(1).deafness, u"the link does not answer"_s);
        QCOMPARE(street.stores.state(0).hearing, Hearing::Listening);
        street.stores.poll();  // the truth is polled, whatever is heard
        QTRY_COMPARE(changed.size(), 3);
        street.houses[1]->hints->become(cairn::HintHealth::State::Listening, cairn::hint::kAll);
        QTRY_COMPARE(street.stores.state(1).hearing, Hearing::Listening);
        QTRY_COMPARE(changed.size(), 4);
    }
};

QTEST_GUILESS_MAIN(TestStores)
#include "tst_stores.moc"
