#pragma once
// The stores of a window, read as one: lists merged in the core's order, counts as sums, changes of each.
// Each has a Source of its own, so a slow or dead one holds up nobody; it is named wherever its runs may be
// missing. Acts, and whatever concerns one run, go to that run's own source. With one store it is that store.
// Of the window's thread; nothing here blocks.

#include "ui/data/merge.h"

namespace cairn::ui {

struct StoreState {
    QString name;      // as told apart from the others
    StoreFacts facts;  // as last read
    bool opened = false;
    QString trouble;      // what its last answer failed with; empty: it has not
    qint64 heardAt = 0;   // monotonic, of its last answer
    qint64 storeNow = 0;  // store time of that
    qint64 askedAt = 0;   // monotonic: since when it owes an answer; 0: it owes none
    Hearing hearing = Hearing::None;
    QString deafness;  // why no hints are heard
    // The link for hints is gone. A standby has none: nothing can be listened to there.
    [[nodiscard]] bool deaf() const { return hearing == Hearing::Deaf && !facts.standing.standby(); }
    [[nodiscard]] bool answers() const;    // as far as is known now
    [[nodiscard]] bool takesActs() const;  // it is not given up for a long read alone
    [[nodiscard]] qint64 age() const;      // ms since it was heard; -1: never
    [[nodiscard]] qint64 now() const;      // its time; 0: not known
};

class Stores final : public QObject {
    Q_OBJECT
public:
    explicit Stores(QObject* parent = nullptr);
    ~Stores() override;

    // The source lives as long as this. Names are given anew where another store comes.
    StoreIx add(Source& source, const QString& name);
    void setNames(const QStringList& names);
    [[nodiscard]] std::size_t count() const { return m_places.size(); }
    [[nodiscard]] bool several() const { return m_places.size() > 1; }
    [[nodiscard]] Source& source(StoreIx store) { return *m_places[store].source; }
    [[nodiscard]] const StoreState& state(StoreIx store) const { return m_places[store].state; }
    [[nodiscard]] QString nameOf(StoreIx store) const;
    // "payments-us (data 2 m old), archive (nothing read yet)": those that do not answer; empty: all do.
    [[nodiscard]] QString silentText() const;
    // A sentence about the stores that are missing in an answer, or old; empty: none.
    [[nodiscard]] QString shareText(const std::vector<StoreShare>& shares) const;

    // Reads the facts of all; again whenever they may have changed.
    void open();
    void refreshFacts();
    void poll();      // asks each for changes, unless it owes an answer
    void touchAll();  // what was read before is not good enough any more

    QFuture<Reply<Overview>> overview(const QString& filter);
    QFuture<Reply<RunSlice>> runs(const ListRequest& request);  // from the beginning
    QFuture<Reply<RunSlice>> page(const ListRequest& request);  // further down
    QFuture<Reply<FilterHelp>> filterHelp(const FilterQuestion& question);
    QFuture<Reply<FilterCounts>> countFilters(const QStringList& filters);  // over all stores
    // By id, beginning of an id, or key. Refused where it is in several; store:NAME before it says which.
    QFuture<Reply<RunRef>> find(const QString& text);
    void setPatience(int ms);  // tests

Q_SIGNALS:
    void opened(cairn::ui::StoreIx store);
    void cannotOpen(cairn::ui::StoreIx store, const cairn::ui::Failure& failure);
    void changed(const cairn::ui::ChangeSet& changes);
    void factsChanged(cairn::ui::StoreIx store);  // rights, level or place are others now
    void heard(cairn::ui::StoreIx store);         // an answer or a failure
    void fuller();                                // a store has answered late: lists read again show more

private:
    struct Place {
        Source* source = nullptr;
        StoreState state;
        quint64 cursor = 0;
        bool polling = false;
        bool reading = false;  // its facts
        bool again = false;    // facts are wanted once more
        bool hinted = false;   // a poll is put off, but not for long
        qint64 polledAt = 0;   // monotonic
    };
    struct Search;

    void readFacts(StoreIx store);
    void takeFacts(StoreIx store, const StoreFacts& facts);
    void pollOne(StoreIx store);
    void hinted(StoreIx store);
    void note(StoreIx store, const Failure* failure, qint64 at = 0);
    void owe(StoreIx store);
    void settle(StoreIx store);
    [[nodiscard]] std::vector<StoreIx> openStores() const;
    [[nodiscard]] std::vector<StoreShare> closedShares() const;
    [[nodiscard]] QFuture<Reply<RunSlice>> listed(Gather<RunSlice>& gather, const ListRequest& request);
    [[nodiscard]] FilterState storeNames(const QString& filter) const;

    std::vector<Place> m_places;
    Gather<Overview> m_overviews;
    Gather<RunSlice> m_lists;
    Gather<RunSlice> m_pages;
    Gather<FilterHelp> m_helps;
    Gather<FilterCounts> m_counts;
    quint64 m_page = 0;
};

}  // namespace cairn::ui
