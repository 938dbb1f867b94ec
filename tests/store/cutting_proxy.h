#pragma once
// A proxy between a client and a PostgreSQL server, on unix sockets, that cuts the connection at a COMMIT:
// before it is sent on, right after, or when it has been answered; sockets are closed on both sides. It also
// makes links half open: what a listener is connected by passes nothing on any more, and nobody is told (no
// FIN, no RST), while all other links go on. And it refuses, as a server that is down. One thread.

#include <algorithm>
#include <array>
#include <atomic>
#include <poll.h>
#include <string>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace cairn::testing {

class CuttingProxy {
public:
    enum class Cut { Never, BeforeSending, AfterSending, AtTheAnswer };

    // `mark`: bytes that a message of the client has only where it commits.
    CuttingProxy(std::string listenPath, std::string serverPath, std::string mark)
        : m_serverPath(std::move(serverPath))
        , m_mark(std::move(mark))
        , m_listener(listenAt(listenPath))
        , m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
        , m_thread([this](const std::stop_token& stop) { run(stop); })
    {
    }
    ~CuttingProxy()
    {
        m_thread.request_stop();
        ::shutdown(m_listener, SHUT_RDWR);
        m_thread.join();
        for (const Link& link : m_links)
            close(link);
        ::close(m_listener);
        ::close(m_wake);
    }
    CuttingProxy(const CuttingProxy&) = delete;
    CuttingProxy& operator=(const CuttingProxy&) = delete;

    // The next commit that comes by is cut so, once.
    void arm(Cut cut) { m_cut = cut; }
    [[nodiscard]] int cuts() const { return m_cuts; }

    // The links that have said LISTEN so far pass nothing on from here on. Returns when that is so.
    void swallowListeners() { order(Order::Swallow); }
    // All links are closed and new ones too, until it is told to accept again. Returns when that is so.
    void refuse() { order(Order::Refuse); }
    void acceptAgain() { order(Order::Accept); }
    // Links that have said LISTEN, in all; those that pass nothing on; those that were refused.
    [[nodiscard]] int listeners() const { return m_listeners; }
    [[nodiscard]] int swallowed() const { return m_swallowed; }
    [[nodiscard]] int refused() const { return m_refused; }

private:
    enum class Order { None, Swallow, Refuse, Accept };
    struct Link {
        int client = -1;
        int server = -1;
        bool doomed = false;  // cut at the server's next answer
        bool listens = false;
        bool swallowed = false;
    };

    void order(Order wanted)
    {
        m_order = wanted;
        const std::uint64_t one = 1;
        static_cast<void>(!::write(m_wake, &one, sizeof one));
        m_order.wait(wanted);
    }
    void obey()
    {
        std::uint64_t ignored = 0;
        static_cast<void>(!::read(m_wake, &ignored, sizeof ignored));
        const Order wanted = m_order;
        if (wanted == Order::None)
            return;
        for (Link& link : m_links)
            if (wanted == Order::Swallow && link.listens && !std::exchange(link.swallowed, true))
                ++m_swallowed;
        if (wanted == Order::Refuse) {
            for (const Link& link : m_links)
                close(link);
            m_links.clear();
        }
        if (wanted != Order::Swallow)
            m_refuses = wanted == Order::Refuse;
        m_order = Order::None;
        m_order.notify_all();
    }

    static sockaddr_un address(const std::string& path)
    {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        return address;
    }
    static int listenAt(const std::string& path)
    {
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_un at = address(path);
        if (::bind(fd, reinterpret_cast<const sockaddr*>(&at), sizeof at) != 0 || ::listen(fd, 16) != 0)
            std::abort();
        return fd;
    }
    static void close(const Link& link)
    {
        for (const int fd : {link.client, link.server}) {
            ::shutdown(fd, SHUT_RDWR);
            ::close(fd);
        }
    }
    static bool sendAll(int fd, const char* data, ssize_t size)
    {
        while (size > 0) {
            const ssize_t sent = ::send(fd, data, static_cast<std::size_t>(size), MSG_NOSIGNAL);
            if (sent <= 0)
                return false;
            data += sent;
            size -= sent;
        }
        return true;
    }
    void accept()
    {
        Link link;
        link.client = ::accept4(m_listener, nullptr, nullptr, SOCK_CLOEXEC);
        if (link.client < 0)
            return;
        if (m_refuses) {
            ++m_refused;
            ::close(link.client);
            return;
        }
        link.server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_un at = address(m_serverPath);
        if (::connect(link.server, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0)
            m_links.push_back(link);
        else
            close(link);
    }
    // False: the link is to be closed.
    bool fromClient(Link& link)
    {
        const ssize_t size = ::recv(link.client, m_buffer.data(), m_buffer.size(), 0);
        if (size <= 0)
            return false;
        const std::string_view bytes(m_buffer.data(), static_cast<std::size_t>(size));
        if (bytes.find("LISTEN ") != std::string_view::npos && !std::exchange(link.listens, true))
            ++m_listeners;
        Cut cut = Cut::Never;
        if (!m_mark.empty() && bytes.find(m_mark) != std::string_view::npos) {
            cut = m_cut.exchange(Cut::Never);
            m_cuts += cut == Cut::Never ? 0 : 1;
        }
        if (cut == Cut::BeforeSending)
            return false;
        if (!sendAll(link.server, m_buffer.data(), size))
            return false;
        link.doomed = link.doomed || cut == Cut::AtTheAnswer;
        return cut != Cut::AfterSending;
    }
    bool fromServer(const Link& link)
    {
        const ssize_t size = ::recv(link.server, m_buffer.data(), m_buffer.size(), 0);
        return size > 0 && !link.doomed && sendAll(link.client, m_buffer.data(), size);
    }
    void run(const std::stop_token& stop)
    {
        while (!stop.stop_requested()) {
            std::vector<pollfd> fds{{m_listener, POLLIN, 0}};
            for (const Link& link : m_links) {
                fds.push_back({link.swallowed ? -1 : link.client, POLLIN, 0});
                fds.push_back({link.swallowed ? -1 : link.server, POLLIN, 0});
            }
            fds.push_back({m_wake, POLLIN, 0});
            if (::poll(fds.data(), fds.size(), 1000) <= 0)
                continue;
            if (fds.back().revents != 0) {
                obey();
                continue;  // what is ready is looked at anew
            }
            std::vector<Link> kept;
            for (std::size_t i = 0; i < m_links.size(); ++i) {
                Link& link = m_links[i];
                const bool good = (fds[1 + 2 * i].revents == 0 || fromClient(link))
                    && (fds[2 + 2 * i].revents == 0 || fromServer(link));
                if (good)
                    kept.push_back(link);
                else
                    close(link);
            }
            m_links = std::move(kept);
            if (fds.front().revents != 0 && !stop.stop_requested())
                accept();
        }
    }

    std::string m_serverPath;
    std::string m_mark;
    int m_listener;
    int m_wake;
    std::vector<Link> m_links;  // the thread's
    bool m_refuses = false;     // the thread's
    std::atomic<Order> m_order = Order::None;
    std::atomic<int> m_listeners = 0;
    std::atomic<int> m_swallowed = 0;
    std::atomic<int> m_refused = 0;
    std::array<char, 65536> m_buffer{};
    std::atomic<Cut> m_cut = Cut::Never;
    std::atomic<int> m_cuts = 0;
    std::jthread m_thread;  // last: begins when all else is there
};

}  // namespace cairn::testing
