#pragma once
// Counts how often its thread stood still between two rounds of the event loop: neither ran, nor was ready to
// run, nor had nothing to do. That is what a call into a slow store, a lock or a file does to a window. How
// fast the machine is and how busy it is does not count; what the thread computed is only told (busyMs).
// Source of the figures: proc(5), schedstat of a thread: nanoseconds on a processor, and waiting for one.

#include <QElapsedTimer>
#include <QFile>
#include <QTimer>

#include <algorithm>

namespace cairn::ui::test {

class StallWatch {
public:
    // A thread that waited for longer than this for anything but a processor stood still.
    explicit StallWatch(double limitMs)
        : m_limit(limitMs)
    {
        m_timer.setTimerType(Qt::PreciseTimer);
        m_timer.setInterval(10);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { look(); });
        m_clock.start();
        reset();
        m_timer.start();
    }
    void reset()
    {
        m_stalls = 0;
        m_longest = 0;
        m_busiest = 0;
        m_last = now();
    }
    [[nodiscard]] int stalls() const { return m_stalls; }
    [[nodiscard]] double longestMs() const { return m_longest; }  // of standing still
    [[nodiscard]] double busyMs() const { return m_busiest; }     // of computing, to be told only

private:
    struct Moment {
        double wall = 0;
        double used = 0;   // on a processor
        double ready = 0;  // waiting for one
    };
    [[nodiscard]] Moment now() const
    {
        QFile file(QStringLiteral("/proc/thread-self/schedstat"));
        if (!file.open(QIODevice::ReadOnly))
            qFatal("the kernel does not tell what a thread waits for");
        const QList<QByteArray> words = file.readAll().split(' ');
        return {static_cast<double>(m_clock.nsecsElapsed()) / 1e6, words.at(0).toDouble() / 1e6,
            words.at(1).toDouble() / 1e6};
    }
    void look()
    {
        const Moment here = now();
        const double used = here.used - m_last.used;
        const double still = here.wall - m_last.wall - used - (here.ready - m_last.ready);
        m_longest = std::max(m_longest, still);
        m_busiest = std::max(m_busiest, used);
        m_stalls += still > m_limit ? 1 : 0;
        m_last = here;
    }

    QElapsedTimer m_clock;
    QTimer m_timer;
    Moment m_last;
    double m_limit;
    double m_longest = 0;
    double m_busiest = 0;
    int m_stalls = 0;
};

}  // namespace cairn::ui::test
