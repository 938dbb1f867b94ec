#pragma once
// A server of objects within the test, on the loopback address. It checks every signature, keeps objects in
// memory, and does on demand what a real one does not do when it is asked to: fail, cut, lie, be silent,
// send away.

#include "tests/store/s3/http_listener.h"

#include <condition_variable>
#include <deque>
#include <optional>

namespace cairn::testing {

class FakeBucket {
public:
    // What is done with the next requests, one each; then again what is right.
    struct Fault {
        enum class Kind {
            Answer,     // `text`, and nothing is done
            DoAnswer,   // what was asked for is done, and `text` answered
            Cut,        // the right answer, but half of its body; then the connection is closed
            CutHead,    // a part of the right answer's headers
            Close,      // closed without an answer
            DoClose,    // what was asked for is done, then the same
            Silent,     // nothing, until the client goes away
            WrongBody,  // the right answer with other bytes
            LongBody,   // the right answer with more bytes
        };
        Kind kind = Kind::Answer;
        std::string text{};
    };
    static Fault status(int code, const std::string& word, const std::string& headers = {})
    {
        return {Fault::Kind::Answer,
            answer(code, "<Error><Code>" + word + "</Code><Message>said so</Message></Error>", headers)};
    }

    explicit FakeBucket(std::string key = "AKIDEXAMPLE", std::string secret = "the/secret+key")
        : m_key(std::move(key))
        , m_secret(std::move(secret))
        , m_listener([this](int fd, const WireRequest& request) { return handle(fd, request); })
    {
    }
    FakeBucket(const FakeBucket&) = delete;
    FakeBucket& operator=(const FakeBucket&) = delete;

    [[nodiscard]] std::string url(const std::string& more = {}) const
    {
        return "s3://bucket/some/prefix?endpoint=http://127.0.0.1:" + std::to_string(m_listener.port())
            + more;
    }
    void setKeys(const std::string& key, const std::string& secret)
    {
        const std::scoped_lock lock(m_mutex);
        m_key = key;
        m_secret = secret;
    }
    void fail(std::vector<Fault> faults)
    {
        const std::scoped_lock lock(m_mutex);
        m_faults.assign(faults.begin(), faults.end());
    }
    [[nodiscard]] std::size_t faultsLeft()
    {
        const std::scoped_lock lock(m_mutex);
        return m_faults.size();
    }
    [[nodiscard]] std::map<std::string, std::string> objects()
    {
        const std::scoped_lock lock(m_mutex);
        return m_objects;
    }
    [[nodiscard]] std::vector<WireRequest> requests()
    {
        const std::scoped_lock lock(m_mutex);
        return m_requests;
    }
    [[nodiscard]] int refused() const { return m_refused; }
    [[nodiscard]] int connections() const { return m_listener.connections(); }
    // Returns when a client has come to a Silent fault.
    void awaitSilence()
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_silent > 0; });
    }

    static std::string answer(int code, const std::string& body, const std::string& headers = {})
    {
        return "HTTP/1.1 " + std::to_string(code) + " Said\r\nDate: Mon, 30 Nov 2026 09:00:00 GMT\r\n"
            + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    }

private:
    // False: the connection is closed.
    bool handle(int fd, const WireRequest& request)
    {
        std::optional<Fault> fault;
        std::string right;
        {
            const std::scoped_lock lock(m_mutex);
            m_requests.push_back(request);
            if (!m_faults.empty()) {
                fault = std::move(m_faults.front());
                m_faults.pop_front();
            }
            using Kind = Fault::Kind;
            const bool does = !fault
                || (fault->kind != Kind::Answer && fault->kind != Kind::Close && fault->kind != Kind::Silent);
            if (does)
                right = perform(request);
        }
        if (!fault) {
            HttpListener::send(fd, right);
            return true;
        }
        return misbehave(fd, *fault, std::move(right));
    }
    bool misbehave(int fd, const Fault& fault, std::string right)
    {
        const auto body = right.find("\r\n\r\n") + 4;
        switch (fault.kind) {
        case Fault::Kind::Answer:
        case Fault::Kind::DoAnswer: HttpListener::send(fd, fault.text); return true;
        case Fault::Kind::Cut:
            HttpListener::send(fd, right.substr(0, body + (right.size() - body) / 2));
            return false;
        case Fault::Kind::CutHead: HttpListener::send(fd, right.substr(0, 20)); return false;
        case Fault::Kind::Silent: {
            {
                const std::scoped_lock lock(m_mutex);
                ++m_silent;
            }
            m_changed.notify_all();
            std::string ignored;
            while (HttpListener::receive(fd, ignored)) { }
            return false;
        }
        case Fault::Kind::WrongBody:
            if (body < right.size())
                right[body] = static_cast<char>(right[body] ^ 1);
            HttpListener::send(fd, right);
            return true;
        case Fault::Kind::LongBody:
            HttpListener::send(fd, answer(200, right.substr(body) + "more"));
            return true;
        case Fault::Kind::Close:
        case Fault::Kind::DoClose: break;
        }
        return false;
    }
    // With the lock.
    std::string perform(const WireRequest& request)
    {
        if (const std::string problem = problemOf(request, m_key, m_secret, "us-east-1"); !problem.empty()) {
            ++m_refused;
            return answer(403, "<Error><Code>" + problem + "</Code></Error>");
        }
        static const std::string kBucket = "/bucket/";
        if (request.path.compare(0, kBucket.size(), kBucket) != 0)
            return answer(404, "<Error><Code>NoSuchBucket</Code></Error>");
        const std::string name = request.path.substr(kBucket.size());
        if (name.empty())
            return list(request.query);
        if (request.method == "PUT") {
            m_objects[name] = request.body;
            return answer(200, "");
        }
        if (request.method == "DELETE") {
            m_objects.erase(name);
            return "HTTP/1.1 204 Gone\r\n\r\n";
        }
        const auto found = m_objects.find(name);
        return found == m_objects.end() ? answer(404, "<Error><Code>NoSuchKey</Code></Error>")
                                        : answer(200, found->second);
    }
    std::string list(const std::string& query)
    {
        std::string prefix, after;
        for (const std::string& part : split(query, '&')) {
            if (part.compare(0, 7, "prefix=") == 0)
                prefix = decoded(part.substr(7));
            if (part.compare(0, 12, "start-after=") == 0)
                after = decoded(part.substr(12));
        }
        std::string body = "<ListBucketResult>";
        int listed = 0;
        for (const auto& [name, bytes] : m_objects)
            if (name.compare(0, prefix.size(), prefix) == 0 && name > after && listed++ < kPage)
                body += "<Contents><Key>" + name
                    + "</Key><LastModified>2026-11-28T10:00:00.000Z</LastModified><Size>"
                    + std::to_string(bytes.size()) + "</Size></Contents>";
        return answer(200, body + "</ListBucketResult>");
    }
    static std::string decoded(const std::string& text)
    {
        std::string out;
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] == '%' && i + 2 < text.size()) {
                out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
                i += 2;
            } else {
                out += text[i];
            }
        return out;
    }

    static constexpr int kPage = 3;  // fewer than are asked for, as servers may give
    std::string m_key;
    std::string m_secret;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Fault> m_faults;
    std::map<std::string, std::string> m_objects;
    std::vector<WireRequest> m_requests;
    int m_silent = 0;
    std::atomic<int> m_refused = 0;
    HttpListener m_listener;  // last: its threads come first to an end
};

}  // namespace cairn::testing
