#pragma once
// Says to assistive technology what changes without anybody's doing, politely: the newest of it, at most once
// in ten seconds, and nothing that was said already.

#include <QTimer>
#include <QWidget>

namespace cairn::ui {

class Announcer final : public QWidget {
    Q_OBJECT
public:
    static constexpr int kEveryMs = 10'000;
    explicit Announcer(QWidget* parent);

    void tell(const QString& text);
    void setInterval(int ms) { m_rest.setInterval(ms); }  // for tests

Q_SIGNALS:
    void announced(const QString& text);

private:
    void say();

    QTimer m_rest;  // runs for as long as nothing more is said
    QString m_said;
    QString m_next;
};

}  // namespace cairn::ui
