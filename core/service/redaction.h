#pragma once
// Which payloads of a run there are, by what they are: for choosing what is redacted. Blocks on the store.

#include "core/service/retention.h"

#include <string>
#include <string_view>
#include <vector>

namespace cairn {

struct NamedPayload {
    PayloadRef ref;
    std::string step;  // its id; empty: of the run as a whole
    std::string kind;  // input, output, partial, error, evidence, detail, progress, note, data, reason
    std::uint64_t version = 0;   // of the entry that named it first
    std::uint64_t redacted = 0;  // version of the entry that says so; 0: it was not
};

// What --what takes.
[[nodiscard]] const std::vector<std::string>& payloadKinds();

// Every payload that the run's entries name, in their order; of another run's none.
[[nodiscard]] Result<std::vector<NamedPayload>> namedPayloads(StoreReader& reader, const RunId& run);

struct RedactionChoice {
    std::string step;                // empty: any
    std::vector<std::string> kinds;  // empty: any
    std::vector<PayloadId> payloads;
    bool all = false;  // where nothing else is chosen: everything
};
// Those that are chosen and not redacted yet. InvalidInput: nothing is chosen, or a kind that there is not.
// NotFound: the run has no such step, or no such payload. Refused: a message that carries one of them has not
// been delivered. What the run itself still needs is the rules' to refuse (neededFor).
[[nodiscard]] Result<std::vector<PayloadId>> chosenPayloads(
    StoreReader& reader, const RunState& state, const RedactionChoice& choice);

// "redacted on 2026-11-30 18:00:00Z by ann: asked for by the customer"; empty: it was not redacted.
[[nodiscard]] Result<std::string> redactedText(
    StoreReader& reader, const RunState& state, const PayloadId& payload);

// The same, of a run that is folded for it: for who only has the refusal of a payload. "redacted" where
// nothing more can be said.
[[nodiscard]] std::string redactedText(StoreReader& reader, const RunId& run, const PayloadId& payload);

}  // namespace cairn
