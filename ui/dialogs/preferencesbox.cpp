#include "ui/dialogs/preferencesbox.h"

#include "ui/dialogs/sheetparts.h"
#include "ui/widgets/letters.h"
#include "ui/widgets/safetext.h"
#include "ui/widgets/theme.h"

#include <QButtonGroup>
#include <QCheckBox>
#include <QColorDialog>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace cairn::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr qint64 kMinute = 60'000;
}

PreferencesBox::PreferencesBox(const Preferences& preferences, QWidget* parent)
    : QDialog(parent)
    , m_preferences(preferences)
{
    setWindowTitle(tr("Preferences"));
    setModal(true);
    setAttribute(Qt::WA_DeleteOnClose);
    setMinimumWidth(480);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(18, 14, 18, 14);
    column->setSpacing(8);
    column->addWidget(safe::label(tr("Preferences"), {.size = 16, .bold = true}, this));
    addShades(column);
    column->addWidget(caption(tr("Lists, numbers and keys"), this));
    addSwitch(column, u"dense"_s, tr("Dense rows"), &Preferences::dense);
    addSwitch(column, u"localTime"_s, tr("Local time instead of UTC"), &Preferences::localTime);
    addSwitch(
        column, u"letters"_s, tr("Single-letter keys; Ctrl+K has everything they do"), &Preferences::letters);
    addBound(column);
    column->addWidget(caption(tr("Tell me of a situation or a plan, once until it is over"), this));
    addSwitch(
        column, u"tray"_s, tr("Show in the tray how many runs a person must see to"), &Preferences::tray);
    for (std::size_t i = 0; i < m_preferences.rules.size(); ++i)
        addRule(column, i);
    auto* close = safe::button(tr("Close"), this);
    connect(close, &QPushButton::clicked, this, &QDialog::accept);
    column->addWidget(close, 0, Qt::AlignRight);
}

void PreferencesBox::addShades(QVBoxLayout* column)
{
    column->addWidget(caption(tr("Colours"), this));
    auto* row = new QHBoxLayout;
    auto* group = new QButtonGroup(this);
    const std::pair<Shade, QString> shades[] = {
        {Shade::System, tr("As the desktop")}, {Shade::Light, tr("Light")}, {Shade::Dark, tr("Dark")}};
    for (const auto& [shade, text] : shades) {
        auto* button = new QRadioButton(text, this);
        group->addButton(button, static_cast<int>(shade));
        button->setChecked(shade == m_preferences.shade);
        row->addWidget(button);
    }
    row->addStretch(1);
    column->addLayout(row);
    connect(group, &QButtonGroup::idClicked, this, [this](int id) {
        m_preferences.shade = static_cast<Shade>(id);
        Q_EMIT changed(m_preferences);
    });
    addSwitch(column, u"contrast"_s, tr("High contrast"), &Preferences::contrast);
    addFamilies(column);
}

// Whoever moves next has a colour, beside a shape and a word that stay as they are.
void PreferencesBox::addFamilies(QVBoxLayout* column)
{
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    const std::array<QString, kFamilies> names{tr("The machine will"), tr("A person must"),
        tr("Effect uncertain"), tr("Nobody can yet"), tr("Finished well"), tr("At rest")};
    for (std::size_t i = 0; i < kFamilies; ++i) {
        auto* button = safe::button(names[i], this);
        button->setObjectName(u"colour-"_s + keyOf(static_cast<Family>(i)));
        button->setProperty("small", true);
        button->setAccessibleDescription(tr("Chooses the colour of these shapes"));
        connect(button, &QPushButton::clicked, this, [this, i] { askColour(i); });
        m_families[i] = button;
        grid->addWidget(button, static_cast<int>(i / 3), static_cast<int>(i % 3));
    }
    auto* again = safe::button(tr("Colours as they were"), this);
    again->setObjectName(u"colours-reset"_s);
    again->setProperty("small", true);
    connect(again, &QPushButton::clicked, this, [this] {
        m_preferences.colours = {};
        Q_EMIT changed(m_preferences);
        paintFamilies();
    });
    grid->addWidget(again, 2, 0);
    m_colourSaid = safe::label({}, {.size = 11, .secondary = true, .wrap = true}, this);
    grid->addWidget(m_colourSaid, 2, 1, 1, 2);
    column->addLayout(grid);
    paintFamilies();
}

void PreferencesBox::paintFamilies()
{
    for (std::size_t i = 0; i < kFamilies; ++i) {
        QPixmap colour(12, 12);
        colour.fill(theme().families[i]);
        m_families[i]->setIcon(QIcon(colour));
    }
}

void PreferencesBox::askColour(std::size_t family)
{
    auto* box = new QColorDialog(theme().families[family], this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setOption(QColorDialog::DontUseNativeDialog);
    connect(box, &QColorDialog::colorSelected, this,
        [this, family](const QColor& colour) { takeColour(family, colour); });
    box->open();
}

void PreferencesBox::takeColour(std::size_t family, const QColor& colour)
{
    // In the other shade it may be lost, and the theme's is taken there.
    if (!legible(colour, theme().dark))
        return safe::setText(m_colourSaid,
            tr("%1 is not taken: it stands out from the ground by less than 3 to 1.").arg(colour.name()));
    m_preferences.colours[family] = colour.name();
    safe::setText(m_colourSaid,
        legible(colour, !theme().dark)
            ? QString()
            : (theme().dark ? tr("On a light ground it could not be seen: the theme's own is taken there.")
                            : tr("On a dark ground it could not be seen: the theme's own is taken there.")));
    Q_EMIT changed(m_preferences);
    paintFamilies();
}

void PreferencesBox::addSwitch(
    QVBoxLayout* column, const QString& name, const QString& text, bool Preferences::*field)
{
    auto* box = new QCheckBox(text, this);
    box->setObjectName(name);
    box->setChecked(m_preferences.*field);
    column->addWidget(box);
    connect(box, &QCheckBox::toggled, this, [this, field](bool on) {
        m_preferences.*field = on;
        Q_EMIT changed(m_preferences);
    });
}

// Taken while it is typed, where it can be.
void PreferencesBox::addBound(QVBoxLayout* column)
{
    auto* row = new QHBoxLayout;
    auto* edit = new QLineEdit(
        Letters::text(Letters::parse(m_preferences.bound, m_wrong).value_or(Letters::Bound())), this);
    edit->setObjectName(u"bound"_s);
    edit->setPlaceholderText(tr("h=z, z=h"));
    edit->setAccessibleName(tr("Other letters for single keys"));
    auto* said = safe::label({}, {.size = 11, .secondary = true, .wrap = true}, this);
    row->addWidget(safe::label(tr("Other letters"), {}, this));
    row->addWidget(edit);
    row->addWidget(said, 1);
    column->addLayout(row);
    connect(edit, &QLineEdit::textChanged, this, [this, said](const QString& text) {
        QString wrong;
        const auto bound = Letters::parse(text, wrong);
        safe::setText(said, wrong);
        if (!bound)
            return;
        m_preferences.bound = Letters::text(*bound);
        Q_EMIT changed(m_preferences);
    });
}

void PreferencesBox::addRule(QVBoxLayout* column, std::size_t index)
{
    const NotifyRule& rule = m_preferences.rules[index];
    const bool count = rule.kind == RuleKind::CountOver;
    const QString text = rule.kind == RuleKind::NewSituation ? tr("It is new")
        : count                                              ? tr("More runs than")
        : rule.kind == RuleKind::OldestOver                  ? tr("Its oldest run waits longer than")
        : rule.kind == RuleKind::SecondPerson                ? tr("A plan, or an act, needs a second person")
        : rule.kind == RuleKind::PlanReturned ? tr("Runs of a plan are back where it took them from")
                                              : tr("An approval expires within");
    auto* row = new QHBoxLayout;
    auto* box = new QCheckBox(text, this);
    box->setObjectName(u"rule%1"_s.arg(index));
    box->setChecked(rule.on);
    row->addWidget(box);
    if (rule.kind == RuleKind::CountOver || rule.kind == RuleKind::OldestOver
        || rule.kind == RuleKind::ExpiresWithin) {
        auto* limit = new QSpinBox(this);
        limit->setRange(1, 1'000'000);
        limit->setSuffix(count ? tr(" runs") : tr(" minutes"));
        limit->setAccessibleName(text);
        limit->setValue(static_cast<int>(count ? rule.limit : rule.limit / kMinute));
        row->addWidget(limit);
        connect(limit, &QSpinBox::valueChanged, this, [this, index, count](int value) {
            m_preferences.rules[index].limit = count ? value : value * kMinute;
            Q_EMIT changed(m_preferences);
        });
    }
    row->addStretch(1);
    column->addLayout(row);
    connect(box, &QCheckBox::toggled, this, [this, index](bool on) {
        m_preferences.rules[index].on = on;
        Q_EMIT changed(m_preferences);
    });
}

}  // namespace cairn::ui
