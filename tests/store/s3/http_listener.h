#pragma once
// Requests of HTTP/1.1 on the loopback address, each handed on when it is whole. One thread for each
// connection.

#include "tests/store/s3/sigv4.h"

#include <arpa/inet.h>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <netinet/in.h>
#include <set>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace cairn::testing {

class HttpListener {
public:
    // From the connection's thread. False: the connection is closed.
    using Handle = std::function<bool(int fd, const WireRequest& request)>;

    explicit HttpListener(Handle handle)
        : m_handle(std::move(handle))
        , m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        sockaddr_in at{};
        at.sin_family = AF_INET;
        at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof at;
        if (::bind(m_listener, reinterpret_cast<const sockaddr*>(&at), size) != 0
            || ::listen(m_listener, 16) != 0
            || ::getsockname(m_listener, reinterpret_cast<sockaddr*>(&at), &size) != 0)
            std::abort();
        m_port = ntohs(at.sin_port);
        m_acceptor = std::thread([this] { accept(); });
    }
    ~HttpListener()
    {
        ::shutdown(m_listener, SHUT_RDWR);
        m_acceptor.join();
        {
            const std::scoped_lock lock(m_mutex);
            for (const int fd : m_open)
                ::shutdown(fd, SHUT_RDWR);
        }
        for (std::thread& each : m_threads)
            each.join();
        ::close(m_listener);
    }
    HttpListener(const HttpListener&) = delete;
    HttpListener& operator=(const HttpListener&) = delete;

    [[nodiscard]] int port() const { return m_port; }
    [[nodiscard]] int connections() const { return m_connections; }
    static bool receive(int fd, std::string& bytes)
    {
        char part[65'536];
        const ssize_t size = ::recv(fd, part, sizeof part, 0);
        if (size <= 0)
            return false;
        bytes.append(part, static_cast<std::size_t>(size));
        return true;
    }
    static void send(int fd, std::string_view bytes)
    {
        while (!bytes.empty()) {
            const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (sent <= 0)
                return;
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

private:
    void accept()
    {
        for (;;) {
            const int fd = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
            if (fd < 0)
                return;
            ++m_connections;
            const std::scoped_lock lock(m_mutex);
            m_open.insert(fd);
            m_threads.emplace_back([this, fd] {
                serve(fd);
                const std::scoped_lock inner(m_mutex);
                m_open.erase(fd);
                ::close(fd);
            });
        }
    }
    static std::string lower(std::string text)
    {
        std::transform(text.begin(), text.end(), text.begin(),
            [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        return text;
    }
    static WireRequest parse(const std::string& head)
    {
        WireRequest request;
        std::istringstream lines(head);
        std::string line;
        std::getline(lines, line);
        const auto words = split(line, ' ');
        if (words.size() >= 2) {
            request.method = words[0];
            const auto mark = words[1].find('?');
            request.path = words[1].substr(0, mark);
            request.query = mark == std::string::npos ? "" : words[1].substr(mark + 1);
        }
        while (std::getline(lines, line)) {
            while (!line.empty() && (line.back() == '\r' || line.back() == ' '))
                line.pop_back();
            const auto colon = line.find(':');
            if (colon == std::string::npos)
                continue;
            const auto value = line.find_first_not_of(' ', colon + 1);
            request.headers[lower(line.substr(0, colon))] =
                value == std::string::npos ? "" : line.substr(value);
        }
        return request;
    }
    void serve(int fd)
    {
        std::string bytes;
        for (;;) {
            std::size_t end = 0;
            while ((end = bytes.find("\r\n\r\n")) == std::string::npos)
                if (!receive(fd, bytes))
                    return;
            WireRequest request = parse(bytes.substr(0, end));
            const auto length = request.headers.find("content-length");
            const std::size_t size = length == request.headers.end() ? 0 : std::stoul(length->second);
            while (bytes.size() < end + 4 + size)
                if (!receive(fd, bytes))
                    return;
            request.body = bytes.substr(end + 4, size);
            bytes.erase(0, end + 4 + size);
            if (!m_handle(fd, request))
                return;
        }
    }

    Handle m_handle;
    int m_listener;
    int m_port = 0;
    std::mutex m_mutex;
    std::set<int> m_open;
    std::atomic<int> m_connections = 0;
    std::vector<std::thread> m_threads;
    std::thread m_acceptor;
};

}  // namespace cairn::testing
