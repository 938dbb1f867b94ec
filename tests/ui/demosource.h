#pragma once
// A source with the mock-ups' story, for tests and pictures. Answers at once unless told to hold them back.

#include "ui/data/source.h"

#include <QPromise>

#include <vector>

namespace cairn::ui::test {

class DemoSource final : public Source {
    Q_OBJECT
public:
    explicit DemoSource(QObject* parent = nullptr);

    QFuture<Reply<StoreFacts>> facts() override;
    QFuture<Reply<Overview>> overview(const QString& filter) override;
    QFuture<Reply<RunSlice>> runs(const SliceRequest& request) override;
    QFuture<Reply<std::vector<RunLine>>> lines(const std::vector<RunId>& runs) override;
    QFuture<Reply<ChangeSet>> changes(quint64 cursor) override;
    QFuture<Reply<WhyView>> why(const RunId& run) override;
    QFuture<Reply<WhyView>> whyOf(const SituationLine& situation) override;
    QFuture<Reply<RunDetail>> run(const RunId& run) override;
    QFuture<Reply<RunId>> find(const QString& text) override;
    QFuture<Reply<std::vector<HistoryLine>>> history(const RunId& run, quint64 from, int limit) override;
    QFuture<Reply<PayloadText>> payload(const RunId& run, const PayloadLine& line) override;
    QFuture<Reply<std::vector<PayloadText>>> previews(
        const RunId& run, const std::vector<PayloadLine>& lines) override;
    QFuture<Reply<quint64>> savePayload(
        const RunId& run, const PayloadLine& line, const QString& path) override;
    QFuture<Reply<QString>> dot(const RunId& run) override;
    QFuture<Reply<ActPreview>> preview(const ActRequest& request) override;
    QFuture<Reply<ActResult>> execute(const ActRequest& request) override;

    [[nodiscard]] RunDetail detailNow(const RunId& run) const;
    [[nodiscard]] RunLine tainted(RunLine line) const;

    // What tests turn.
    StoreFacts store;
    std::vector<RunLine> all;
    RunDetail detail;
    std::vector<ChangeSet> pending;  // given out one by one
    std::vector<ActRequest> executed;
    ActResult answer{
        ActEnd::Done, QStringLiteral("Approved: place-order sends this, once."), 62, 18443, false};
    int pageReads = 0;
    int runReads = 0;
    bool hold = false;  // run() is answered by release()
    void release();
    std::vector<RunId> refuse;  // previews of these are not possible
    bool manyCounts = false;    // the attention dock counts in millions
    QString taint;              // put into every text that a run could hold

private:
    struct Held {
        std::shared_ptr<QPromise<Reply<RunDetail>>> promise;
        RunId run;
    };
    std::vector<Held> m_held;
};

constexpr qint64 kDemoNow = 1'795'949'780'000;  // 2026-11-29 10:56:20Z
[[nodiscard]] RunId demoRun(int n);
[[nodiscard]] RunDetail demoDetail();
[[nodiscard]] std::vector<StepLine> demoSteps();

}  // namespace cairn::ui::test
