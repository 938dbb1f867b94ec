#pragma once
// Counts how often its thread was busy for longer than a limit between two rounds of the event loop. What is
// measured is the time that the thread itself used, so that a busy machine is not taken for a slow window.

#include <QTimer>

#include <algorithm>
#include <ctime>

namespace cairn::ui::test {

class StallWatch {
public:
    explicit StallWatch(double limitMs)
        : m_limit(limitMs)
    {
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(10);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { look(); });
        reset();
        m_timer.start();
    }
    void reset()
    {
        m_stalls = 0;
        m_longest = 0;
        m_last = usedMs();
    }
    [[nodiscard]] int stalls() const { return m_stalls; }
    [[nodiscard]] double longestMs() const { return m_longest; }

private:
    static double usedMs()
    {
        timespec used{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
        return static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
    }
    void look()
    {
        const double now = usedMs();
        m_longest = std::max(m_longest, now - m_last);
        m_stalls += now - m_last > m_limit ? 1 : 0;
        m_last = now;
    }

    QTimer m_timer;
    double m_limit;
    double m_last = 0;
    double m_longest = 0;
    int m_stalls = 0;
};

}  // namespace cairn::ui::test
