#pragma once
// One act on several runs: the exact set, a preview per run, one reason, and a result per run. The runs may
// be of several stores: each is asked and decided in its own, and the sums are told by store too. What the
// preview refuses is left out and named; zero is shown as zero. Each run is decided for itself when it is
// sent: one that has changed in what the act depends on is refused. A preview that has grown old is not acted
// on; it can be computed again. Not for acts that must be read one by one
// (approve, reject, set outcome).

#include "ui/data/source.h"
#include "ui/dialogs/sheetparts.h"
#include "ui/models/bulkmodel.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QTimer;
class QVBoxLayout;

namespace cairn::ui {

class ReasonField;
class DataTable;

// A store that runs of an act may be of.
struct BulkStore {
    Source* source = nullptr;
    StoreFacts facts;
    QString off;  // why no act is possible in it; empty: they are
};

class BulkSheet final : public Sheet {
    Q_OBJECT
public:
    // All requests have the same verb; `names` say workflow and key, one for each. Stores by their number.
    BulkSheet(std::vector<BulkStore> stores, std::vector<ActRequest> requests, const QStringList& names,
        QWidget* parent);

    [[nodiscard]] static bool takes(Verb verb);
    [[nodiscard]] QPlainTextEdit* reason() const { return m_reason; }
    [[nodiscard]] QLineEdit* count() const { return m_count; }
    [[nodiscard]] QPushButton* confirm() const { return m_confirm; }
    [[nodiscard]] QPushButton* lookAgain() const { return m_again; }
    [[nodiscard]] QPushButton* asPlan() const { return m_plan; }
    [[nodiscard]] const std::vector<ActRequest>& requests() const { return m_requests; }
    [[nodiscard]] Validity* validity() const { return m_validity; }  // runs while the preview may be acted on
    [[nodiscard]] const BulkModel* model() const { return m_model; }
    [[nodiscard]] QString summary() const;
    [[nodiscard]] bool previewed() const { return m_next == m_requests.size(); }

Q_SIGNALS:
    void ended(const QString& summary);  // all that was sent has been answered
    void planWanted();                   // the same as a plan: at a pace, with a stop rule

public Q_SLOTS:
    void reject() override;  // while it sends: stops after the run under way

protected:
    void execute() override;

private:
    void buildLayout();
    void ask();
    void askNext();
    void showPreviews();
    void updateConfirm();
    void sendNext();
    void answered(const Reply<ActResult>& reply);
    void finish();
    [[nodiscard]] QString missing() const;
    [[nodiscard]] quint64 ready() const;
    [[nodiscard]] bool guarded() const;
    [[nodiscard]] std::vector<StoreIx> concerned() const;  // stores that the runs are of
    // "payments-eu 3 of 4, payments-us 1 of 1": runs in that state of each; empty: of one store only.
    [[nodiscard]] QString byStore(BulkRow::State state) const;
    [[nodiscard]] StoreFacts headFacts() const;

    std::vector<BulkStore> m_stores;
    std::vector<ActRequest> m_requests;
    std::vector<ActPreview> m_previews;
    BulkModel* m_model;
    DataTable* m_table;
    QLabel* m_sum;
    QVBoxLayout* m_effects = nullptr;
    ReasonField* m_reasonField;
    QPlainTextEdit* m_reason;
    QLineEdit* m_count;
    QLabel* m_state;
    Validity* m_validity;
    QPushButton* m_close;
    QPushButton* m_plan;  // not shown where the runs are of several stores, nor to abandon
    QPushButton* m_again;
    QPushButton* m_confirm;
    QString m_since;         // when previews were asked for
    std::size_t m_next = 0;  // preview, then sending: the run that comes next
    bool m_old = false;      // the preview was computed too long ago
    bool m_sending = false;
    bool m_stop = false;
    bool m_over = false;
};

}  // namespace cairn::ui
