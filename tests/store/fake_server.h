#pragma once
// Listens on TCP as a PostgreSQL server might, says what a test gives it to say, and keeps all that clients
// send: what stands there has left the client.

#include <arpa/inet.h>
#include <atomic>
#include <cstdlib>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace cairn::testing {

class FakeServer {
public:
    // `answers`: to each connection, one after each piece that comes from it. After the last the connection
    // stays open until the client closes it, unless `closes`.
    explicit FakeServer(
        std::vector<std::string> answers, bool closes = false, const char* address = "127.0.0.1")
        : m_answers(std::move(answers))
        , m_closes(closes)
        , m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        ::inet_pton(AF_INET, address, &at.sin_addr);
        socklen_t size = sizeof at;
        if (::bind(m_listener, reinterpret_cast<const sockaddr*>(&at), size) != 0
            || ::listen(m_listener, 16) != 0
            || ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&at), &size) != 0)
            std::abort();
        m_port = ntohs(at.sin_port);
        m_thread = std::thread([this] { run(); });
    }
    ~FakeServer()
    {
        stop();
        ::close(m_listener);
        ::close(m_stop);
    }
    FakeServer(const FakeServer&) = delete;
    FakeServer& operator=(const FakeServer&) = delete;

    [[nodiscard]] std::string port() const { return std::to_string(m_port); }
    [[nodiscard]] int connections() const { return m_connections; }
    // Ends the server, so that nothing more can come; what all clients have sent.
    [[nodiscard]] std::string received()
    {
        stop();
        return m_received;
    }

    // A message of the protocol.
    static std::string message(char type, const std::string& body)
    {
        return std::string(1, type) + number(static_cast<std::uint32_t>(body.size() + 4)) + body;
    }
    static std::string number(std::uint32_t value)
    {
        std::string bytes;
        for (int shift = 24; shift >= 0; shift -= 8)
            bytes += static_cast<char>(value >> shift);
        return bytes;
    }
    // "How do you authenticate?"
    static std::string asks(std::uint32_t code, const std::string& more = {})
    {
        return message('R', number(code) + more);
    }
    static std::string asksForScram() { return asks(10, std::string("SCRAM-SHA-256\0\0", 15)); }

private:
    void stop()
    {
        ::eventfd_write(m_stop, 1);
        if (m_thread.joinable())
            m_thread.join();
    }
    // False: the end, and nothing is left to be read there.
    [[nodiscard]] bool readable(int fd) const
    {
        pollfd fds[2] = {{fd, POLLIN, 0}, {m_stop, POLLIN, 0}};
        return ::poll(fds, 2, -1) > 0 && fds[0].revents != 0;
    }
    void serve(int client)
    {
        std::size_t said = 0;
        std::string bytes(65'536, '\0');
        while (readable(client)) {
            const ssize_t size = ::recv(client, bytes.data(), bytes.size(), 0);
            if (size <= 0)
                return;
            m_received.append(bytes, 0, static_cast<std::size_t>(size));
            if (said < m_answers.size()) {
                const std::string& answer = m_answers[said++];
                static_cast<void>(::send(client, answer.data(), answer.size(), MSG_NOSIGNAL));
            }
            if (said == m_answers.size() && m_closes)
                return;
        }
    }
    void run()
    {
        while (readable(m_listener)) {
            const int client = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
            if (client < 0)
                return;
            ++m_connections;
            serve(client);
            ::close(client);
        }
    }

    std::vector<std::string> m_answers;
    bool m_closes;
    int m_listener;
    int m_stop = ::eventfd(0, EFD_CLOEXEC);
    std::uint16_t m_port = 0;
    std::string m_received;
    std::atomic<int> m_connections = 0;
    std::thread m_thread;
};

}  // namespace cairn::testing
