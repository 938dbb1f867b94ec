#pragma once
// Result<T>: a value or an Error. Shaped like std::expected (C++23) so that it can be swapped for it later.
// Core returns Result for everything that can happen in production; assertions are for programmer errors.

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace cairn {

// What the caller may do now comes first; the native code and the text are detail.
enum class ErrorKind : std::uint8_t {
    Busy,            // another writer holds what is needed: the whole operation may be tried again
    Conflict,        // decided on a state that is no longer current: load and decide again
    LeaseLost,       // this owner was fenced off
    NotFound,        // no such thing
    InvalidInput,    // the caller's request is wrong; nothing was changed
    SchemaMismatch,  // the store's schema or format is not one that this binary may use
    Corrupt,         // stored data is damaged: stop writing
    Full,            // no space: pause claims, probe again later
    Io,              // the operating system refused; after a failed sync no more writes
    Disconnected,    // the store cannot be reached; nothing was sent
    OutcomeUnknown,  // a commit may or may not have landed: resolve by command id
    Cancelled,       // the caller gave up
    Refused,         // a rule said no: see the text
    NoRight,         // the database login lacks the role for it
    Internal,        // a broken invariant of our own
};

[[nodiscard]] const char* errorKindName(ErrorKind kind) noexcept;

struct Error {
    ErrorKind kind = ErrorKind::Internal;
    int native = 0;    // SQLite, errno or curl code; 0 where there is none
    std::string text;  // what, where and what to do; for people

    friend bool operator==(const Error&, const Error&) = default;
};

[[nodiscard]] inline Error makeError(ErrorKind kind, std::string text, int native = 0)
{
    return Error{kind, native, std::move(text)};
}

template<typename T> class [[nodiscard]] Result {
public:
    using value_type = T;

    Result(T value)
        : m_state(std::in_place_index<0>, std::move(value))
    {
    }
    Result(Error error)
        : m_state(std::in_place_index<1>, std::move(error))
    {
    }

    [[nodiscard]] bool has_value() const noexcept { return m_state.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] T& value() &
    {
        assert(has_value());
        return *std::get_if<0>(&m_state);
    }
    [[nodiscard]] const T& value() const&
    {
        assert(has_value());
        return *std::get_if<0>(&m_state);
    }
    // Of a temporary by value: what a range-for over `*load()` goes through, or a reference that is bound to
    // it, lives as long as it is used. A reference into the temporary would outlive it (until C++23).
    [[nodiscard]] T value() &&
    {
        assert(has_value());
        return std::move(*std::get_if<0>(&m_state));
    }
    [[nodiscard]] const Error& error() const&
    {
        assert(!has_value());
        return *std::get_if<1>(&m_state);
    }
    [[nodiscard]] Error error() &&
    {
        assert(!has_value());
        return std::move(*std::get_if<1>(&m_state));
    }

    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

private:
    std::variant<T, Error> m_state;
};

template<> class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error)
        : m_error(std::move(error))
    {
    }

    [[nodiscard]] bool has_value() const noexcept { return !m_error.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    [[nodiscard]] const Error& error() const&
    {
        assert(m_error);
        return *m_error;
    }
    [[nodiscard]] Error error() &&
    {
        assert(m_error);
        return std::move(*m_error);
    }

private:
    std::optional<Error> m_error;
};

using Status = Result<void>;

// Propagates an error to the caller: CAIRN_TRY(open(...)); or CAIRN_TRY_ASSIGN(auto x, load(...));
#define CAIRN_CONCAT_INNER(a, b) a##b
#define CAIRN_CONCAT(a, b) CAIRN_CONCAT_INNER(a, b)
#define CAIRN_TRY_IMPL(name, expression) \
    do { \
        auto&& name = (expression); \
        if (!name) \
            return std::forward<decltype(name)>(name).error(); \
    } while (false)
// Named by a counter, because an expression may hold a lambda that uses these macros too.
#define CAIRN_TRY(expression) CAIRN_TRY_IMPL(CAIRN_CONCAT(cairnTry, __COUNTER__), expression)
#define CAIRN_TRY_ASSIGN_IMPL(name, declaration, expression) \
    auto name = (expression); \
    if (!name) \
        return std::move(name).error(); \
    declaration = *std::move(name)
#define CAIRN_TRY_ASSIGN(declaration, expression) \
    CAIRN_TRY_ASSIGN_IMPL(CAIRN_CONCAT(cairnTry, __COUNTER__), declaration, expression)

}  // namespace cairn
