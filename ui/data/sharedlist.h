#pragma once
// A list that all who hold it share: copying it copies no elements. Runs have up to many thousand steps, and
// several views show the same ones. Read anywhere; change() is for whoever makes it, and takes a copy of its
// own where others hold the list too.

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace cairn::ui {

template<typename T> class SharedList {
public:
    SharedList() = default;
    SharedList(std::vector<T> all)  // NOLINT(google-explicit-constructor): it is the same list
        : m_all(std::make_shared<std::vector<T>>(std::move(all)))
    {
    }

    [[nodiscard]] const std::vector<T>& all() const
    {
        static const std::vector<T> kNone;
        return m_all != nullptr ? *m_all : kNone;
    }
    operator const std::vector<T>&() const { return all(); }  // NOLINT(google-explicit-constructor)
    [[nodiscard]] auto begin() const { return all().begin(); }
    [[nodiscard]] auto end() const { return all().end(); }
    [[nodiscard]] std::size_t size() const { return all().size(); }
    [[nodiscard]] bool empty() const { return all().empty(); }
    [[nodiscard]] const T& front() const { return all().front(); }
    [[nodiscard]] const T& back() const { return all().back(); }
    const T& operator[](std::size_t i) const { return all()[i]; }
    [[nodiscard]] std::vector<T>& change()
    {
        if (m_all == nullptr || m_all.use_count() > 1)
            m_all = std::make_shared<std::vector<T>>(all());
        return *m_all;
    }
    // The very same list, not one that is alike.
    [[nodiscard]] bool sameAs(const SharedList& other) const { return m_all == other.m_all; }
    bool operator==(const SharedList& other) const { return sameAs(other) || all() == other.all(); }

private:
    std::shared_ptr<std::vector<T>> m_all;
};

}  // namespace cairn::ui
