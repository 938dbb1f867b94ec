#include "core/service/payload_cache.h"

namespace cairn {

Bytes PayloadCache::find(const PayloadId& id)
{
    const auto found = m_index.find(id);
    if (found == m_index.end())
        return nullptr;
    m_items.splice(m_items.begin(), m_items, found->second);
    return found->second->bytes;
}

void PayloadCache::put(const PayloadId& id, Bytes bytes)
{
    if (bytes->size() > m_cap / 8 || m_index.contains(id))
        return;
    m_size += bytes->size() + kPerItem;
    m_items.push_front({id, std::move(bytes)});
    m_index[id] = m_items.begin();
    while (m_size > m_cap) {
        m_size -= m_items.back().bytes->size() + kPerItem;
        m_index.erase(m_items.back().id);
        m_items.pop_back();
    }
}

}  // namespace cairn
