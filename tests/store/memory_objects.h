#pragma once
// A place for objects in memory, whose calls can be made to fail: for tests of the stores above it.

#include "core/store/artifacts.h"

#include <functional>
#include <map>
#include <memory>

namespace cairn::testing {

struct ObjectsState {
    std::map<std::string, std::string> objects;
    std::optional<Error> problem;                   // of every call
    std::function<void(const std::string&)> onPut;  // before an object is there
    int puts = 0;
    int gets = 0;
};

class MemoryObjects final : public ObjectStore {
public:
    explicit MemoryObjects(std::shared_ptr<ObjectsState> state)
        : m_state(std::move(state))
    {
    }
    Status put(const std::string& name, std::string_view bytes) override
    {
        ++m_state->puts;
        if (m_state->problem)
            return *m_state->problem;
        if (m_state->onPut)
            m_state->onPut(name);
        m_state->objects[name] = bytes;
        return {};
    }
    Result<std::string> get(const std::string& name, std::uint64_t most) override
    {
        ++m_state->gets;
        if (m_state->problem)
            return *m_state->problem;
        const auto found = m_state->objects.find(name);
        if (found == m_state->objects.end())
            return makeError(ErrorKind::NotFound, shown(name) + ": it is missing");
        if (found->second.size() > most)
            return makeError(ErrorKind::Corrupt, shown(name) + " is larger than was stored");
        return found->second;
    }
    Status remove(const std::string& name) override
    {
        m_state->objects.erase(name);
        return {};
    }
    Result<std::vector<Listed>> list(const std::string& prefix, const std::string& after) override
    {
        std::vector<Listed> found;
        for (const auto& [name, bytes] : m_state->objects)
            if (name.compare(0, prefix.size(), prefix) == 0 && name > after)
                found.push_back({name, bytes.size(), 1});
        return found;
    }
    std::string shown(std::string_view name) const override { return "memory://" + std::string(name); }
    void interrupt() noexcept override { }

private:
    std::shared_ptr<ObjectsState> m_state;
};

// For StoreOptions::objects: one state for all URLs.
inline OpenObjects memoryObjects(const std::shared_ptr<ObjectsState>& state)
{
    return [state](const std::string&, Patience) {
        return Result<std::unique_ptr<ObjectStore>>(std::make_unique<MemoryObjects>(state));
    };
}

}  // namespace cairn::testing
