#pragma once
// Inside of the service: one decision under way. Fetches what the machine says that it lacks.

#include "core/service/impl.h"

#include "core/base/json_scan.h"
#include "core/definition/render.h"
#include "core/service/reads.h"

#include <set>

namespace cairn {

class Work {
public:
    // Decides on `state` in place; payloads come from `slot` and the store.
    Work(Service::Impl& service, Slot& slot, RunState& state, Item& item);

    // Entry, Rejection or NoChange; an error of the store otherwise, and then `state` must be thrown away.
    [[nodiscard]] Result<Decision> decide();
    // The decision will be committed, so what the commit is guarded by need not be read first: a key that
    // only this run makes is taken for free, and read where the commit finds that it is not.
    void assumeOwnKeysFree() { m_assume = true; }
    // The decision can be made again: what is more than a moment's reading is not read here. decide(), or
    // the projection, then ends with an error, and aside() says what is to be put into Item::read first.
    void mayReadAside() { m_mayWait = true; }
    void previews() { m_preview = true; }  // shows what would be done once somebody else has confirmed it
    [[nodiscard]] const WorkAside& aside() const { return m_aside; }
    // Without deciding: keyText() needs to know the workflow.
    void useDefinition(std::shared_ptr<const Definition> definition) { m_definition = std::move(definition); }

    // --- for the projection
    [[nodiscard]] const RunState& state() const { return m_state; }
    [[nodiscard]] const Given& given() const { return m_given; }
    [[nodiscard]] Item& item() { return m_item; }
    [[nodiscard]] Result<std::string_view> bytes(const PayloadRef& ref);
    [[nodiscard]] Result<Digest> plain(const PayloadRef& ref);
    [[nodiscard]] Result<std::string> keyText(StepIx ix);
    // What the ledger has under a ready step's effect key; for previews.
    [[nodiscard]] Result<LedgerRow> ledgerOf(const EffectId& effect);
    // Ledger row as last read or written; a row of revision 0 where there is none.
    [[nodiscard]] Result<EffectRow> ledgerRow(const EffectId& effect);
    [[nodiscard]] const std::map<PayloadId, NewPayload>& made() const { return m_made; }
    [[nodiscard]] const std::set<EffectId>& asked() const { return m_asked; }
    [[nodiscard]] const std::vector<ControlGuard>& ancestors() const { return m_ancestors; }

private:
    [[nodiscard]] Status prepareGiven();
    Status inheritControl();  // a child is under its ancestors' control as it is now, not as it was sent
    Status compareRepeats();  // sameInput, sameDataAsBefore, sameOutputAsBefore
    Status readAddedSteps();  // a decision's plan
    Result<bool> same(const PayloadRef& recorded, const PayloadRef& given);
    Status fetch(const Needs& needs);
    Status fetchLedger(const EffectId& effect);
    Result<LedgerRow> ledgerView(const EffectRow& row);
    Result<PayloadRef> copiedResult(const EffectRow& row);
    Status fetchOutput();
    const PayloadRef* givenInput(const StepRecord& record) const;  // the command brings the step's input
    Result<Rendered> render(StepIx ix);
    Result<Rendered> renderDefined(StepIx ix, const StepDef& def);
    Result<Rendered> renderGiven(StepIx ix, const PayloadRef& input);
    Result<Rendered> renderUndoStep(StepIx ix);
    Result<Rendered> asRendered(StepIx ix, std::string input, std::string key, Money amount,
        std::optional<NewPayload> payload = std::nullopt);
    Rendered failed(std::string text);
    PayloadRef keep(NewPayload payload);

    // --- work_aside.cpp
    struct RenderedAside {
        Result<StepRendering> made;
        NewPayload input;
    };
    // Nothing: it is a moment's work. An error: it is to be done aside first.
    Result<std::optional<RenderedAside>> renderedAside(StepIx ix, const StepDef* def);
    RenderJob jobOf(const std::vector<std::string>& names);
    RenderSource sourceAside(std::string_view name);
    void addPart(RenderSource& source, const PayloadRef& ref);
    [[nodiscard]] std::uint64_t sizeOf(std::string_view name) const;

    // --- work_reads.cpp
    Result<const StepRecord*> finishedSource(std::string_view name) const;
    enum class ReadFor : std::uint8_t { Verbatim, Template, Hash };
    const NewPayload* inHand(const PayloadId& id) const;
    WantedPayload placeOf(const PayloadRef& ref) const;
    bool have(const PayloadId& place);
    Result<std::string_view> readAt(const PayloadId& place) const;
    void want(const PayloadRef& ref, ReadFor what);
    void wantSource(std::string_view name);
    void wantFor(const Needs& needs);
    Status gather();  // reads what is wanted
    const StepRecord* sourceRecord(std::string_view name) const;
    bool isTooLong(const StepRecord& fanOut) const;

    // Sources of templates: always JSON that the scanner accepts.
    Result<std::string_view> source(std::string_view name);
    Result<std::string_view> json(const PayloadRef& ref);
    Result<std::string_view> fanOutArray(const StepRecord& record);
    Result<std::string_view> item(const StepRecord& member);

    Service::Impl& m_service;
    Slot& m_slot;
    RunState& m_state;
    Item& m_item;
    Given m_given;
    std::shared_ptr<const Definition> m_definition;
    std::shared_ptr<const Definition> m_target;
    std::map<PayloadId, const NewPayload*> m_came;  // with the command
    std::map<PayloadId, NewPayload> m_made;
    std::map<PayloadId, WantedPayload> m_wanted;
    WorkAside m_aside;
    std::size_t m_countHere = 0;  // read where the decision is made
    std::uint64_t m_bytesHere = 0;
    bool m_mayWait = false;
    bool m_preview = false;
    std::map<PayloadId, Digest> m_plains;
    std::set<PayloadId> m_checked;        // valid JSON
    std::map<PayloadId, Bytes> m_quoted;  // text payloads as JSON strings
    std::map<StepIx, Bytes> m_arrays;     // fan-outs
    std::map<StepIx, std::vector<std::string_view>> m_items;
    std::map<StepIx, std::string> m_keys;
    std::map<EffectId, EffectRow> m_rows;
    std::set<EffectId> m_asked;
    std::vector<ControlGuard> m_ancestors;
    bool m_ancestorCancelled = false;
    bool m_assume = false;
    std::set<EffectId> m_own;  // keys taken for free
};

}  // namespace cairn
