#pragma once
// Inside of the service: what it holds of one run, and of one submission under way.

#include "core/service/reads.h"
#include "core/service/render_job.h"
#include "core/service/service.h"

#include <deque>
#include <map>
#include <memory>

namespace cairn {

// A submission on its way to its answer.
struct Item : std::enable_shared_from_this<Item> {
    Submission submission;
    Service::Done done;
    bool callersId = false;  // the command id came from outside: it may have been committed before
    int tries = 0;
    bool distrusted =
        false;             // its entry did not fold to what was decided: checked whenever it is decided again
    bool unclear = false;  // a commit of it may have landed: "failed" would be a lie

    // Start: found before the first decision.
    bool creates = false;
    std::shared_ptr<const Definition> definition;
    RunRow identity;
    Digest plainInput;
    // Fork
    std::shared_ptr<const RunState> source;
    std::map<PayloadId, PayloadRef> copies;

    ReadPayloads read;                     // for the decision that is being made, or made again
    std::map<StepIx, RenderJob> rendered;  // for the same; kNoStep: the run's output
    bool glass = false;                    // by the last decision it is done alone, with a review

    // Decided: either an answer that waits for the commits before it, or a commit under way.
    std::optional<Outcome> held;
    std::optional<Rejection> late;  // the commit keeps a late result as evidence; this is the answer
    Entry entry;
    Digest hash;
    std::uint16_t format = kFormat1;
    OwnerChange owner = OwnerChange::Keep;
    std::uint32_t starts = 0;  // attempts of this session in the entry
    std::map<std::string, std::uint32_t, std::less<>> permits;
};
using ItemPtr = std::shared_ptr<Item>;

// What a decision leaves for another thread, to be made again with it.
struct WorkAside {
    std::vector<WantedPayload> wanted;  // come back as Item::read
    std::vector<RenderJob> renders;     // and as Item::rendered
    [[nodiscard]] bool empty() const { return wanted.empty() && renders.empty(); }
};

// Payloads that are read beside the service's thread. Nothing of that thread: it may be freed on another.
struct AsideReading {
    std::vector<WantedPayload> wanted;
    ReadPayloads read;
    std::vector<RenderJob> renders;  // from memory
    Status status;
};

// One run. `confirmed` is what the store has; `tentative` has the commits in flight applied as well.
struct Slot {
    RunId run;
    bool loaded = false;
    RunRow identity;
    RunState confirmed;
    RunState tentative;
    SessionId owner;  // as last read
    std::uint64_t epoch = 0;
    bool owned = false;               // by this session
    bool releasing = false;           // a commit in flight lets it go
    std::optional<ListRow> list;      // as of `tentative`
    std::vector<std::uint32_t> rows;  // revision of each step's row as of `tentative`, plus one; 0: none yet
    std::map<EffectId, EffectRow> ledger;     // rows that this run wrote, as of `tentative`
    std::map<AttemptId, AttemptRow> open;     // attempts under way, as of `tentative`
    std::map<PayloadId, NewPayload> fresh;    // payloads of commits in flight
    std::map<PayloadId, std::string> errors;  // normalised texts of error payloads

    std::deque<ItemPtr> waiting;  // to be decided, in order
    std::deque<ItemPtr> chain;    // decided, in order
    std::size_t outstanding = 0;  // members in the queue
    bool parkFailed = false;      // what must be parked could not be; the next submission tries again
    bool broken = false;          // a member failed: all is decided again once nothing is outstanding
    bool reloadWanted = false;
    // What the next decision needs is being read aside: nothing is decided meanwhile. Which reading it is.
    std::shared_ptr<AsideReading> reading;
    bool busy = false;  // a decision is on the stack
    std::optional<Error> parked;
    std::string
        lost;  // what to say of acknowledged entries that the store has no more, until the run is parked

    // What is kept beside `tentative` does not fit it any more.
    void forgetRows()
    {
        list.reset();
        rows.clear();
        ledger.clear();
        open.clear();
        fresh.clear();
    }
    // It has lost entries and nobody has been told in its history: nothing else is decided before that.
    [[nodiscard]] bool mustBeParked() const
    {
        return !lost.empty() && !tentative.closed && !tentative.parked;
    }
    [[nodiscard]] bool idle() const { return waiting.empty() && chain.empty() && outstanding == 0 && !busy; }
};

}  // namespace cairn
