#pragma once
// Why one acts: a text, and beside it a ticket and reasons that one has kept. What is given is one text,
// which goes on record: "the provider confirmed it, PAY-4471".

#include <QObject>
#include <QStringList>
#include <QWidget>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;

namespace cairn::ui {

// Reasons that somebody has kept to use again, of the whole program. They are a beginning to be completed: a
// template is put into the editor, never sent by itself.
class ReasonTemplates final : public QObject {
    Q_OBJECT
public:
    static constexpr int kMost = 20;
    static constexpr int kLongest = 200;
    static ReasonTemplates& instance();
    [[nodiscard]] const QStringList& texts() const { return m_texts; }
    void setTexts(const QStringList& texts);
    void keep(const QString& text);  // the newest first; the oldest goes where there are too many
    void forget(const QString& text);

Q_SIGNALS:
    void changed();

private:
    QStringList m_texts;
};

class ReasonField final : public QWidget {
    Q_OBJECT
public:
    explicit ReasonField(QWidget* parent);

    void setCaption(const QString& text);
    void setReadOnly(bool on);
    void watchBy(QObject* filter);           // its editors' events
    [[nodiscard]] QString text() const;      // the reason and the ticket
    [[nodiscard]] qsizetype length() const;  // of the reason alone, which has to suffice without a ticket
    [[nodiscard]] QPlainTextEdit* edit() const { return m_edit; }
    [[nodiscard]] QLineEdit* ticket() const { return m_ticket; }
    [[nodiscard]] QPushButton* templates() const { return m_templates; }

Q_SIGNALS:
    void changed();

private:
    void fillMenu();

    QLabel* m_caption;
    QPlainTextEdit* m_edit;
    QLineEdit* m_ticket;
    QPushButton* m_templates;
};

}  // namespace cairn::ui
