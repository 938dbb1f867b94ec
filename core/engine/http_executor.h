#pragma once
// Calls HTTP APIs with libcurl, many at a time on the engine's thread. Settings: "method" (default POST),
// "url", "headers", "key_header" (default Idempotency-Key; writing tools send their effect key in it),
// "max_output". No redirects, http and https only, a connection of its own for each call of a writing tool:
// libcurl sends a request a second time where a kept connection was closed meanwhile, and that must not
// happen to a payment.
//
//   2xx                    done, the body is the output
//   429; 503 with          rate limited; nothing was done; a Retry-After that can be read is a floor for the
//   resource
//     Retry-After
//   401, 403, 407          credential; nothing was done
//   425                    again later; nothing was done
//   408, 409, 460, 499,    again later; a writing tool's effect is unknown
//     other 5xx
//   404, 405, 410, 501     final; nothing was done
//   other 4xx              rejected; nothing was done
//   3xx                    final, redirects are not followed; a writing tool's effect is unknown
//   not sent               again later; nothing was done (no connection, no name, TLS refused)
//   broken after sending   again later; a writing tool's effect is unknown
//
// Look-ups: 2xx happened, with the body as output (a body with "happened" says it itself); 404 and 410 not
// happened.

#include "core/engine/executor.h"

#include <boost/asio/io_context.hpp>

namespace cairn {

struct HttpConfig {
    SpanMs connectTimeout = 10'000;
    std::uint64_t output = kPayloadBytes;
};

class HttpExecutor final : public Executor {
public:
    HttpExecutor(boost::asio::io_context& io, const Clock& clock, HttpConfig config);
    ~HttpExecutor() override;

    void onFinished(Finished finished) override;
    void start(StartOrder order) override;
    void cancel(const AttemptId& attempt) override;
    void abandon(const AttemptId& attempt) override;
    void leaseEnds(SpanMs at) override;

    struct Impl;

private:
    std::unique_ptr<Impl> m_impl;
};

// How a response is to be taken; the rules of the table above, without any I/O.
struct HttpAnswer {
    long status = 0;
    std::string retryAfter;
    std::string date;
    std::string contentType;  // a media type, or empty
    std::shared_ptr<Spool> body;
};
[[nodiscard]] AttemptResult resultOfAnswer(const StartOrder& order, const HttpAnswer& answer, TimeMs now);

}  // namespace cairn
