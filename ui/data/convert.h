#pragma once
// From the core's rows and states to the console's values. Runs on the store's threads; pure.

#include "core/query/query.h"
#include "ui/data/values.h"

namespace cairn::ui {

// `order`: of the list that it is for.
[[nodiscard]] RunLine lineOf(const ListRow& row, ListOrder order = ListOrder::AttentionThenOldest);
[[nodiscard]] SituationLine situationOf(const SituationRow& row, TimeMs now);
// When the first slot begins; the last one is that of `now`. It stays the same while the slot lasts.
[[nodiscard]] TimeMs trendBegin(TimeMs now);
// Into those lines that may have one.
void tellTrend(std::vector<SituationLine>& lines, const std::vector<SituationStarts>& starts, TimeMs from);
// Groups in the order of who moves next; `finished` are runs that ended since the day began.
[[nodiscard]] std::vector<AttentionLine> attentionOf(
    const std::vector<CountRow>& open, const std::vector<CountRow>& finished);
[[nodiscard]] QString finishedText(const std::vector<CountRow>& finished);
[[nodiscard]] WhyView whyOf(const RunView& view);
// Seconds as slots that a person reads: at most kMostSlots of them, each of a usual length.
inline constexpr std::size_t kMostSlots = 16;
[[nodiscard]] TimeSlots slotsOf(const std::vector<SituationStarts>& seconds, TimeMs from);
// "order-intake 171, refund 62": those with most runs first, and how many there are beside these.
[[nodiscard]] QString sharedBy(const std::vector<SituationPart>& parts);
// What a run is called on its tab: workflow and key, or the key alone where it begins with the workflow's
// name.
[[nodiscard]] QString runTitle(const QString& workflow, const QString& key, const RunId& run);
[[nodiscard]] RunDetail detailOf(
    const RunView& view, const std::vector<AttemptRow>& attempts, const std::vector<EffectRow>& effects);
[[nodiscard]] HistoryLine historyOf(const HistoryItem& item);
[[nodiscard]] PayloadLine payloadOf(const PayloadRef& ref, const QString& role, const QString& step);
// Names and raw values of a JSON object with few members and no long ones; empty where it is something else.
[[nodiscard]] std::vector<Fact> flatFields(const std::string& bytes);

}  // namespace cairn::ui
