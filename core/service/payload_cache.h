#pragma once
// Recently used payload bytes, least recently used out first. Payloads never change, so nothing is ever
// stale.

#include "core/base/ids.h"

#include <list>
#include <memory>
#include <string>
#include <unordered_map>

namespace cairn {

using Bytes = std::shared_ptr<const std::string>;

class PayloadCache {
public:
    explicit PayloadCache(std::size_t cap)
        : m_cap(cap)
    {
    }

    [[nodiscard]] Bytes find(const PayloadId& id);
    // Larger ones than an eighth of the cap are not kept: they would drive out all else.
    void put(const PayloadId& id, Bytes bytes);
    // Bytes in use, with what keeping a payload costs beside its own bytes: most are a few bytes long.
    [[nodiscard]] std::size_t size() const noexcept { return m_size; }
    static constexpr std::size_t kPerItem = 256;

private:
    struct Item {
        PayloadId id;
        Bytes bytes;
    };
    std::size_t m_cap;
    std::size_t m_size = 0;
    std::list<Item> m_items;  // newest first
    std::unordered_map<PayloadId, std::list<Item>::iterator> m_index;
};

}  // namespace cairn
