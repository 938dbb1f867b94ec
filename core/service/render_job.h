#pragma once
// A template that is filled beside the service's thread: all that it reads is here, in memory.

#include "core/definition/render.h"
#include "core/service/payload_cache.h"
#include "core/service/service.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cairn {

// One source of a template: a payload, or the list of a fan-out's results.
struct RenderSource {
    struct Part {
        Bytes bytes;  // null: JSON null
        std::string media;
    };
    std::vector<Part> parts;
    bool list = false;
    std::optional<Error> error;  // it cannot be read: the template that reads it says so
};

struct RenderJob {
    StepIx step = kNoStep;
    std::string key;  // what it is made from: another key is another input
    std::shared_ptr<const Definition> definition;
    const StepDef* def = nullptr;  // of it; null: the run's output
    std::map<std::string, RenderSource, std::less<>> sources;
    TimeMs now = kNoTime;
    PayloadSeed seed;
    // Made by fill():
    Result<StepRendering> made = StepRendering{};
    NewPayload input;  // where `made` had one, which is taken out of it
};

// From any thread.
void fill(RenderJob& job);
// As Service::newPayload, with the seed drawn before. From any thread.
[[nodiscard]] NewPayload payloadOf(const PayloadSeed& seed, std::string bytes, std::string media);

}  // namespace cairn
