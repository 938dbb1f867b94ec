#include "core/report/estimate.h"

#include "core/base/text.h"
#include "core/machine/sums.h"

#include <algorithm>

namespace cairn {

namespace {

constexpr std::int64_t kGigabyte = 1'000'000'000;
constexpr std::int64_t kMost = 1'000'000'000'000'000;  // of any input: a sum of a few products stays exact
constexpr SpanMs kLongest = SpanMs{100} * 365 * 24 * 3'600'000;

// "32", "17.35": millionths without what is not there.
std::string decimal(std::int64_t millionths)
{
    std::string text = formatAmount(millionths, "");
    if (const auto dot = text.find('.'); dot != std::string::npos) {
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.')
            text.pop_back();
    }
    return text;
}

std::string bytesText(std::int64_t bytes)
{
    return bytes < kGigabyte / 1000 ? formatCount(bytes) + " B"
                                    : decimal(scaled(bytes, kMillion, kGigabyte)) + " GB";
}

std::string moneyText(const Money& money) { return formatMoney(money.micros, money.currency); }

Status outside(const char* what)
{
    return makeError(ErrorKind::InvalidInput, std::string(what) + " is out of its range");
}

Status checkRanges(const EstimateInput& in)
{
    const auto within = [](std::int64_t value, std::int64_t least, std::int64_t most) {
        return value >= least && value <= most;
    };
    if (!within(in.starts.value, 1, kMost))
        return outside("the number of starts (1 or more)");
    if (!within(in.failureMillionths.value, 0, kMillion))
        return outside("the failure rate (0 % to 100 %)");
    if (!within(in.stateBytes.value, 0, kMost))
        return outside("the state of a run");
    if (!within(in.entriesMillionths.value, 1, kMost) || !within(in.stepsMillionths.value, 1, kMost)
        || !within(in.checkpointsPerDay.value_or(1), 1, kMost))
        return outside("the number of checkpoints or steps");
    if (!within(in.active.value, 0, kLongest) || !within(in.retention.value, 0, kLongest))
        return outside("a span (100 years at most)");
    if (!within(in.amplificationMillionths.value, kMillion, 1000 * kMillion))
        return outside("the write amplification (1 to 1000)");
    return {};
}

Status checkMoney(const EstimateInput& in)
{
    std::string currency;
    for (const auto* price :
        {&in.storagePrice, &in.writesPrice, &in.writtenPrice, &in.enginePrice, &in.runCost}) {
        if (!*price)
            continue;
        if ((*price)->micros < 0)
            return makeError(ErrorKind::InvalidInput, "a price is negative");
        if (!currency.empty() && currency != (*price)->currency)
            return makeError(ErrorKind::InvalidInput,
                "prices are in " + currency + " and " + (*price)->currency
                    + ": amounts of different currencies are never added; give all in one");
        currency = (*price)->currency;
    }
    return {};
}

class Computing {
public:
    explicit Computing(const EstimateInput& input)
        : in(input)
    {
    }

    Estimate all()
    {
        runs();
        storage();
        writing();
        cost();
        failures();
        return std::move(e);
    }

private:
    void say(const char* name, const char* rule, std::string text)
    {
        e.formulas.push_back({name, rule, std::move(text)});
    }

    void runs()
    {
        e.starts = in.starts.value;
        e.failures = scaled(e.starts, in.failureMillionths.value, kMillion);
        e.runsActive = scaled(e.starts, in.active.value, kMonth);
        e.runsHeld = scaled(e.starts, in.active.value + in.retention.value, kMonth);
        say("failures", "starts a month x failure rate",
            formatCount(e.starts) + " x " + decimal(in.failureMillionths.value * 100)
                + " % = " + formatCount(e.failures));
        say("runs_active", "starts a month x time from start to end / 30 days",
            formatCount(e.starts) + " x " + formatSpan(in.active.value)
                + " / 30 d = " + formatCount(e.runsActive));
        say("runs_held", "starts a month x (time from start to end + retention) / 30 days",
            formatCount(e.starts) + " x (" + formatSpan(in.active.value) + " + "
                + formatSpan(in.retention.value) + ") / 30 d = " + formatCount(e.runsHeld));
    }

    void storage()
    {
        e.activeBytes = scaled(e.runsActive, in.stateBytes.value, 1);
        e.storedBytes = scaled(e.runsHeld, in.stateBytes.value, 1);
        const std::string each = formatCount(in.stateBytes.value) + " B";
        say("active_bytes", "active runs x state of a run",
            formatCount(e.runsActive) + " x " + each + " = " + bytesText(e.activeBytes));
        say("stored_bytes", "runs held x state of a run",
            formatCount(e.runsHeld) + " x " + each + " = " + bytesText(e.storedBytes));
    }

    void writing()
    {
        std::int64_t perRun = in.entriesMillionths.value;
        if (in.checkpointsPerDay) {
            perRun = std::max<std::int64_t>(scaled(*in.checkpointsPerDay * 30, kMillion, e.starts), 1);
            say("checkpoints_per_run", "checkpoints a day x 30 / starts a month",
                formatCount(*in.checkpointsPerDay) + " x 30 / " + formatCount(e.starts) + " = "
                    + decimal(perRun));
        }
        const std::int64_t perStep =
            std::max<std::int64_t>(scaled(perRun, kMillion, in.stepsMillionths.value), 1);
        const std::int64_t first =
            in.checkpointsPerDay ? *in.checkpointsPerDay * 30 : scaled(e.starts, perRun, kMillion);
        const std::int64_t more = scaled(e.failures, perStep, kMillion);
        e.checkpoints = saturatedSum(first, more);
        say("checkpoints",
            "starts a month x checkpoints of a run + failures x checkpoints of a step, tried again",
            formatCount(e.starts) + " x " + decimal(perRun) + " + " + formatCount(e.failures) + " x "
                + decimal(perStep) + " = " + formatCount(e.checkpoints));
        e.checkpointsPerSecondMillionths = scaled(e.checkpoints, kMillion, kMonth / 1000);
        say("checkpoints_per_second",
            "checkpoints a month / (30 x 86 400 s); a day's peak is several times that",
            formatCount(e.checkpoints) + " / " + formatCount(kMonth / 1000)
                + " s = " + decimal(e.checkpointsPerSecondMillionths));
        e.bytesPerCheckpoint = scaled(in.stateBytes.value, kMillion, perRun);
        say("bytes_per_checkpoint", "state of a run / checkpoints of a run",
            formatCount(in.stateBytes.value) + " B / " + decimal(perRun) + " = "
                + formatCount(e.bytesPerCheckpoint) + " B");
        const std::int64_t kept = saturatedSum(scaled(e.starts, in.stateBytes.value, 1),
            scaled(scaled(more, kMillion, 1), in.stateBytes.value, perRun));
        e.writtenBytes = scaled(kept, in.amplificationMillionths.value, kMillion);
        say("written_bytes", "checkpoints a month x bytes of a checkpoint x write amplification",
            formatCount(e.checkpoints) + " x " + formatCount(e.bytesPerCheckpoint) + " B x "
                + decimal(in.amplificationMillionths.value) + " = " + bytesText(e.writtenBytes));
    }

    void part(std::optional<Money>& out, const std::optional<Money>& price, const char* name,
        const char* rule, std::int64_t amount, std::int64_t unit, const std::string& amountText)
    {
        if (!price)
            return;
        out = Money{scaled(price->micros, amount, unit), price->currency};
        say(name, rule, amountText + " x " + moneyText(*price) + " = " + moneyText(*out));
        if (!e.total)
            e.total = Money{0, price->currency};
        e.total->micros = saturatedSum(e.total->micros, out->micros);
    }

    void cost()
    {
        part(e.storageCost, in.storagePrice, "storage_cost", "stored GB x price of 1 GB for a month",
            e.storedBytes, kGigabyte, bytesText(e.storedBytes));
        part(e.writesCost, in.writesPrice, "writes_cost",
            "checkpoints a month in millions x price of a million", e.checkpoints, kMillion,
            decimal(e.checkpoints) + " million");
        part(e.writtenCost, in.writtenPrice, "written_cost", "written GB x price of 1 GB written",
            e.writtenBytes, kGigabyte, bytesText(e.writtenBytes));
        part(e.engineCost, in.enginePrice, "engine_cost", "engines and server for a month", 1, 1, "1");
        if (e.total)
            say("total", "the sum of these", moneyText(*e.total));
    }

    void failures()
    {
        if (!in.runCost)
            return;
        e.lostWithout = Money{scaled(in.runCost->micros, e.failures, 1), in.runCost->currency};
        e.repeatedWith =
            Money{scaled(e.lostWithout->micros, kMillion, std::max(in.stepsMillionths.value, kMillion)),
                in.runCost->currency};
        say("lost_without", "failures x cost of a run: without a record each begins again",
            formatCount(e.failures) + " x " + moneyText(*in.runCost) + " = " + moneyText(*e.lostWithout));
        say("repeated_with", "the same / steps of a run: with one only the step that failed is done again",
            moneyText(*e.lostWithout) + " / " + decimal(std::max(in.stepsMillionths.value, kMillion)) + " = "
                + moneyText(*e.repeatedWith));
        if (!e.total)
            return;
        const std::int64_t kept = e.lostWithout->micros - e.repeatedWith->micros;
        const std::string both = "it keeps " + formatMoney(kept, e.total->currency) + " and costs "
            + moneyText(*e.total) + " a month";
        e.verdict = kept >= e.total->micros ? "an engine pays: " + both
                                            : "no engine is needed for the money: " + both;
    }

    const EstimateInput& in;
    Estimate e;
};

}  // namespace

std::string_view fromKey(From from) noexcept
{
    switch (from) {
    case From::Given: return "given";
    case From::Measured: return "measured";
    case From::Assumed: break;
    }
    return "assumed";
}

Result<Estimate> estimateOf(const EstimateInput& input)
{
    CAIRN_TRY(checkRanges(input));
    CAIRN_TRY(checkMoney(input));
    return Computing(input).all();
}

}  // namespace cairn
