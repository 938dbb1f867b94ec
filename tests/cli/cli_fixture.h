#pragma once
// The program as a process of its own, on a store of its own for each test.

#include "tests/support/cairn_qtest.h"

#include <QtCore/QCryptographicHash>
#include <QtCore/QFile>
#include <QtCore/QJsonArray>
#include <QtCore/QJsonDocument>
#include <QtCore/QJsonObject>
#include <QtCore/QProcess>
#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

struct Answer {
    int code = -1;
    QByteArray out;
    QByteArray err;
    [[nodiscard]] QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

// Written with ' for ", which is easier to read in C++.
inline QByteArray json(QByteArray text) { return text.replace('\'', '"'); }

inline const QByteArray kApproval = json(
    "{'schema':'urn:cairn:workflow:1','name':'ask','version':1,'tools':{'note':{'safety':'read_only',"
    "'executor':'builtin','settings':{'function':'echo'}}},'steps':[{'name':'pay','tool':'note',"
    "'input':{'amount':{'$from':'input','at':'/amount'}},'approval':{'role':'finance','expires':'8h'}}]}");

// Ends by itself with an engine; its output is its input.
inline const QByteArray kQuick =
    json("{'schema':'urn:cairn:workflow:1','name':'quick','version':1,'tools':{'note':{"
         "'safety':'read_only','executor':'builtin','settings':{'function':'echo'}}},'steps':"
         "[{'name':'say','tool':'note','input':{'$from':'input'}}]}");

class CliFixture {
protected:
    void freshStore()
    {
        m_store = m_folder.filePath(QStringLiteral("store-%1.db").arg(++m_number));
        // What this client remembers of stores stays in the folder of the test.
        qputenv("XDG_STATE_HOME", m_folder.filePath(QStringLiteral("state")).toUtf8());
    }

    Answer cairn(const QStringList& arguments, const QString& program = QStringLiteral("cairn"))
    {
        QProcess process;
        QStringList all{
            QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store, QStringLiteral("--json")};
        process.start(QStringLiteral(CAIRN_BIN_DIR "/") + program, all + arguments);
        if (!process.waitForFinished(60'000))
            return {};
        return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
    }

    QByteArray text(const QStringList& arguments)  // without --json
    {
        QProcess process;
        process.start(QStringLiteral(CAIRN_BIN_DIR "/cairn"),
            QStringList{QStringLiteral("--store"), QStringLiteral("sqlite:") + m_store} + arguments);
        if (!process.waitForFinished(60'000))
            return {};
        return process.readAllStandardOutput() + process.readAllStandardError();
    }

    QString file(const QString& name, const QByteArray& bytes)
    {
        QFile out(m_folder.filePath(name));
        if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size())
            qFatal("cannot write a test file");
        return out.fileName();
    }

    QByteArray storeBytes()
    {
        QCryptographicHash hash(QCryptographicHash::Sha256);
        for (const char* suffix : {"", "-wal"}) {
            QFile in(m_store + QString::fromLatin1(suffix));
            if (in.open(QIODevice::ReadOnly))
                hash.addData(in.readAll());
        }
        return hash.result();
    }

    QString startAsk(const QString& key)
    {
        const Answer started = cairn(
            {QStringLiteral("start"), file(QStringLiteral("ask.json"), kApproval), QStringLiteral("--key"),
                key, QStringLiteral("--input"), QString::fromUtf8(json("{'amount':'12.50'}"))});
        return started.code == 0 ? started.json().value(QStringLiteral("run")).toString() : QString();
    }

    void engineUntilIdle()
    {
        const Answer engine = cairn({QStringLiteral("engine"), QStringLiteral("--name"), QStringLiteral("t"),
            QStringLiteral("--until-idle")});
        QCOMPARE(engine.code, 0);
    }

    QTemporaryDir m_folder;
    QString m_store;
    int m_number = 0;
};
