#include "situations_desk.h"

#include "ui/dialogs/actsheet.h"
#include "ui/dialogs/palette.h"
#include "ui/dialogs/plansheet.h"
#include "ui/widgets/datatable.h"
#include "ui/widgets/filterbox.h"
#include "ui/widgets/whypanel.h"

#include <QApplication>
#include <QFileInfo>
#include <QHash>
#include <QImageWriter>
#include <QLineEdit>
#include <QPixmap>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>

#include <algorithm>
#include <cstdio>

namespace cairn::ui::test {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMostMs = 60'000;  // that a screen is waited for
constexpr int kMostTabs = 60;
constexpr int kColours = 16;
constexpr qint64 kMostBytes = 60 * 1024;

Status failed(const QString& text) { return makeError(ErrorKind::Refused, text.toStdString()); }

// As a palette of the colours that are most of the picture; every other one becomes the nearest of those.
QImage withPalette(const QImage& picture)
{
    const QImage from = picture.convertToFormat(QImage::Format_RGB32);
    QHash<QRgb, int> count;
    for (int y = 0; y < from.height(); ++y)
        for (int x = 0; x < from.width(); ++x)
            ++count[from.pixel(x, y)];
    // Shapes are small, and their colour says who moves next: it must not be lost among the greys.
    constexpr int kChroma = 60, kWorth = 25;
    for (auto one = count.begin(); one != count.end(); ++one) {
        const auto [least, most] = std::minmax({qRed(one.key()), qGreen(one.key()), qBlue(one.key())});
        one.value() *= most - least > kChroma ? kWorth : 1;
    }
    QList<QRgb> colours = count.keys();
    std::sort(colours.begin(), colours.end(),
        [&count](QRgb a, QRgb b) { return count[a] != count[b] ? count[a] > count[b] : a < b; });
    const QList<QRgb> table = colours.mid(0, kColours);
    const auto far = [](QRgb a, QRgb b) {
        const int red = qRed(a) - qRed(b), green = qGreen(a) - qGreen(b), blue = qBlue(a) - qBlue(b);
        return red * red + green * green + blue * blue;
    };
    QHash<QRgb, uint> nearest;
    for (const QRgb colour : colours) {
        const auto best = std::min_element(
            table.begin(), table.end(), [&](QRgb a, QRgb b) { return far(a, colour) < far(b, colour); });
        nearest[colour] = static_cast<uint>(best - table.begin());
    }
    QImage out(from.size(), QImage::Format_Indexed8);
    out.setColorTable(table);
    for (int y = 0; y < from.height(); ++y)
        for (int x = 0; x < from.width(); ++x)
            out.setPixel(x, y, nearest[from.pixel(x, y)]);
    return out;
}

}  // namespace

// Where keys go: to the sheet that is open, else to the window.
QWidget* Operator::keyboard() const
{
    QWidget* top =
        QApplication::activeModalWidget() != nullptr ? QApplication::activeModalWidget() : &m_window;
    return top->focusWidget() != nullptr ? top->focusWidget() : top;
}

void Operator::stroke(int key, Qt::KeyboardModifiers with) const
{
    // Where there is no window manager nobody gives the keyboard back to the window below a sheet.
    if (QWidget* top = keyboard()->window(); !top->isActiveWindow()) {
        top->activateWindow();
        static_cast<void>(QTest::qWaitForWindowActive(top));
    }
    QTest::keyClick(keyboard(), static_cast<Qt::Key>(key), with);
}

void Operator::tell(const QString& key, const QString& saw) const
{
    std::printf("  %-14s %s\n", qUtf8Printable(key), qUtf8Printable(saw.simplified().left(400)));
    std::fflush(stdout);
}

QString Operator::why() const { return m_window.triage()->why().sentence; }

quint64 Operator::shown() const
{
    quint64 runs = 0;
    for (const SituationLine& line : m_window.triage()->overview().situations)
        runs += line.count;
    return runs;
}

// What an operator who is stuck would tell of it.
QString Operator::screen() const
{
    QStringList parts{u"why: "_s + m_window.triage()->whyPanel()->why().sentence, u"notice: "_s + notice(),
        u"place: "_s + m_window.triage()->place(), u"filter: "_s + m_window.triage()->filterBox()->filter()};
    if (const ActSheet* sheet = m_window.sheet())
        parts << u"sheet: "_s + sheet->preview().sentence + u" | "_s + sheet->notice() + u" | "_s
                + sheet->state();
    if (const PlanSheet* sheet = m_window.planSheet())
        parts << u"plan: "_s + sheet->forecast().sentence + u" | "_s + sheet->state();
    return parts.join(u"; "_s).simplified();
}

Status Operator::see(const QString& wanted, const Holds& holds, const Saw& saw)
{
    if (!QTest::qWaitFor(holds, kMostMs))
        return failed(u"waited %1 s for: %2. On the screen: %3"_s.arg(kMostMs / 1000).arg(wanted, screen()));
    if (saw)
        tell({}, saw());
    return {};
}

Status Operator::press(const QString& name, int key, Qt::KeyboardModifiers with, const QString& wanted,
    const Holds& holds, const Saw& saw)
{
    stroke(key, with);
    if (!QTest::qWaitFor(holds, kMostMs))
        return failed(u"after %1, waited %2 s for: %3. On the screen: %4"_s.arg(name)
                          .arg(kMostMs / 1000)
                          .arg(wanted, screen()));
    tell(name, saw ? saw() : wanted);
    return {};
}

Status Operator::type(const QString& text)
{
    QTest::keyClicks(keyboard(), text);
    tell(u"types"_s, text);
    return {};
}

Status Operator::typeOver(const QString& text)
{
    stroke(Qt::Key_A, Qt::ControlModifier);
    return type(text);
}

Status Operator::place(
    const QString& letter, int key, const QString& wanted, const Holds& holds, const Saw& saw)
{
    stroke(Qt::Key_G, Qt::NoModifier);
    return press(u"G "_s + letter, key, wanted, holds, saw);
}

Status Operator::tabTo(const QWidget* widget, const QString& name)
{
    QStringList went;
    for (int i = 0; i < kMostTabs; ++i) {
        const QWidget* here = keyboard();
        if (here == widget) {
            tell(i == 0 ? u"(there)"_s : u"Tab ×%1"_s.arg(i), name);
            return {};
        }
        const QString at = here == nullptr     ? u"nowhere"_s
            : here->accessibleName().isEmpty() ? QString::fromLatin1(here->metaObject()->className())
                                               : here->accessibleName();
        if (!went.contains(at))
            went << at;
        stroke(Qt::Key_Tab, Qt::NoModifier);
    }
    return failed(u"Tab does not lead to "_s + name + u", but to "_s + went.join(u", "_s));
}

QString Operator::rowText(const DataTable* table, int row)
{
    QStringList cells;
    for (int column = 0; row >= 0 && column < table->model()->columnCount(); ++column)
        cells << table->model()->index(row, column).data().toString();
    cells.removeAll(QString());
    return cells.join(u" · "_s);
}

Status Operator::rowWith(DataTable* table, const QString& text)
{
    const auto there = [&] {
        return rowText(table, table->currentRow()).contains(text, Qt::CaseInsensitive);
    };
    const auto rowOf = [&] {
        for (int row = 0; row < table->model()->rowCount(); ++row)
            if (rowText(table, row).contains(text, Qt::CaseInsensitive))
                return row;
        return -1;
    };
    CAIRN_TRY(
        see(u"a row with \"%1\" in %2"_s.arg(text, table->accessibleName()), [&] { return rowOf() >= 0; }));
    int pressed = 0;
    for (; !there() && pressed < kMostTabs; ++pressed)
        stroke(rowOf() < table->currentRow() ? Qt::Key_Up : Qt::Key_Down, Qt::NoModifier);
    CAIRN_TRY(check(there(), u"the arrows do not lead to the row with \"%1\""_s.arg(text)));
    tell(u"arrows ×%1"_s.arg(pressed), rowText(table, table->currentRow()));
    return {};
}

Status Operator::palette(const QString& words, const QString& wanted, const Holds& holds, const Saw& saw)
{
    const auto box = [this] { return m_window.findChild<Palette*>(u"palette"_s); };
    CAIRN_TRY(press(
        u"Ctrl+K"_s, Qt::Key_K, Qt::ControlModifier, u"the palette"_s,
        [&] { return box() != nullptr && box()->isVisible(); },
        [] { return u"everything that can be done"_s; }));
    CAIRN_TRY(type(words));
    CAIRN_TRY(check(!box()->matches().empty() && box()->matches().front().on,
        u"the palette has nothing that can be done for \"%1\""_s.arg(words)));
    return press(u"Enter"_s, Qt::Key_Return, wanted, holds, saw);
}

Status Operator::filter(const QString& text)
{
    TriagePage* lists = m_window.triage();
    const QLineEdit* edit = lists->filterBox()->edit();
    CAIRN_TRY(press(
        u"/"_s, Qt::Key_Slash, u"the filter has the keyboard"_s, [&] { return keyboard() == edit; }, {}));
    CAIRN_TRY(typeOver(text));
    return press(
        u"Enter"_s, Qt::Key_Return, u"the lists have what the filter finds"_s,
        [this, lists, text] {
            return lists->filterBox()->filter() == text && m_window.settled()
                && lists->overview().filter.valid && lists->place() == u"Runs"_s;
        },
        [this, lists] {
            return u"%1 runs in %2 situations"_s.arg(shown()).arg(lists->overview().situations.size());
        });
}

Status Operator::toAttention(const QString& text)
{
    TriagePage* lists = m_window.triage();
    CAIRN_TRY(place(u"A"_s, Qt::Key_A, u"the attention list has the keyboard"_s,
        [lists] { return lists->place() == u"Attention"_s; }, {}));
    CAIRN_TRY(rowWith(lists->attentionTable(), text));
    const QString before = lists->filterBox()->filter();
    return press(
        u"Enter"_s, Qt::Key_Return, u"the lists have what that line counts"_s,
        [this, lists, before] { return lists->filterBox()->filter() != before && m_window.settled(); },
        [this, lists] {
            return u"filter %1: %2 runs in %3 situations"_s.arg(lists->filterBox()->filter())
                .arg(shown())
                .arg(lists->overview().situations.size());
        });
}

Status Operator::toSituation(const QString& text)
{
    TriagePage* lists = m_window.triage();
    CAIRN_TRY(place(u"S"_s, Qt::Key_S, u"the situations have the keyboard"_s,
        [lists] { return lists->place() == u"Situations"_s; }, {}));
    CAIRN_TRY(rowWith(lists->situationsTable(), text));
    return see(
        u"why they wait"_s,
        [this, lists] { return m_window.settled() && !lists->whyPanel()->why().sentence.isEmpty(); },
        [lists] { return lists->whyPanel()->why().sentence; });
}

Status Operator::sheet(const QString& name, int key)
{
    const auto ready = [this] {
        const ActSheet* sheet = m_window.sheet();
        return sheet != nullptr && sheet->isVisible()
            && (!sheet->preview().sentence.isEmpty() || sheet->state().startsWith(u"still needed"));
    };
    return press(name, key, u"the sheet with its preview"_s, ready, [this] {
        const ActPreview& preview = m_window.sheet()->preview();
        return m_window.sheet()->windowTitle() + u": "_s + preview.sentence + u" Next: "_s
            + preview.willHappen.join(u"; "_s);
    });
}

Status Operator::planSheet(const QString& words)
{
    return palette(
        words, u"the plan's sheet with its preview"_s,
        [this] {
            return m_window.planSheet() != nullptr && !m_window.planSheet()->forecast().sentence.isEmpty();
        },
        [this] { return m_window.planSheet()->forecast().sentence; });
}

Status Operator::execute(const QString& reason, const QString& said)
{
    const auto reasonOf = [this]() -> const QWidget* {
        if (m_window.planSheet() != nullptr)
            return m_window.planSheet()->reason();
        return m_window.sheet() != nullptr ? m_window.sheet()->reason() : nullptr;
    };
    const auto confirm = [this]() -> const QPushButton* {
        if (m_window.planSheet() != nullptr)
            return m_window.planSheet()->confirm();
        return m_window.sheet() != nullptr ? m_window.sheet()->confirm() : nullptr;
    };
    CAIRN_TRY(check(reasonOf() != nullptr, u"no sheet is open"_s));
    CAIRN_TRY(tabTo(reasonOf(), u"the reason"_s));
    CAIRN_TRY(type(reason));
    CAIRN_TRY(see(
        u"the sheet can be executed"_s, [&] { return confirm() != nullptr && confirm()->isEnabled(); },
        [&] { return confirm()->text(); }));
    return press(
        u"Ctrl+Enter"_s, Qt::Key_Return, Qt::ControlModifier, u"the answer \"%1\""_s.arg(said),
        [&] {
            return m_window.sheet() == nullptr && m_window.planSheet() == nullptr && notice().contains(said);
        },
        [this] { return notice(); });
}

Status Operator::check(bool holds, const QString& what) const
{
    return holds ? Status{} : failed(what + u". On the screen: "_s + screen());
}

Status Operator::picture(const QString& name) const
{
    if (m_pictures.isEmpty())
        return {};
    for (int i = 0; i < 5; ++i)
        QApplication::processEvents();
    QWidget* seen = QApplication::activeModalWidget();
    const QString path = m_pictures + u'/' + name + u".png"_s;
    QImageWriter writer(path, "png");
    writer.setCompression(100);
    if (!writer.write(withPalette((seen != nullptr ? seen : &m_window)->grab().toImage())))
        return failed(u"%1 could not be written: %2"_s.arg(path, writer.errorString()));
    if (const qint64 size = QFileInfo(path).size(); size > kMostBytes)
        return failed(u"%1 has %2 bytes, more than %3"_s.arg(path).arg(size).arg(kMostBytes));
    tell(u"(picture)"_s, path);
    return {};
}

}  // namespace cairn::ui::test
