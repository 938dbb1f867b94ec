"""What lint.py's self-test plants: violations that each rule must find, and clean text that it must leave alone."""

PLANTED = {
    "layering": [
        ("core/base/x.cpp", '#include "core/store/store.h"\n'),
        ("core/machine/x.h", '#  include "core/definition/parse.h"\n'),
        ("core/service/x.cpp", '#include "core/store/sqlite/sqlite_store.h"\n'),
        ("core/model/x.h", "#include <QString>\n"),
        ("core/query/y.cpp", "namespace cairn { void f(QString); }\n"),
        ("app/cairn/x.cpp", '#include "ui/data/source.h"\n'),
        ("app/console/x.cpp", '#include "core/engine/engine.h"\n'),
        ("core/service/y.cpp", "#include <sqlite3.h>\n"),
        ("core/query/x.h", "#include <nlohmann/json.hpp>\n"),
        ("core/query/z.cpp", '#include "query.h"\n'),
        ("ui/models/x.cpp", '#include "ui/pages/page.h"\n'),
        ("ui/models/y.cpp", '#include "ui/widgets/band.h"\n'),
        ("ui/pages/x.cpp", '#include "core/model/types.h"\n'),
        ("core/elsewhere/x.cpp", "int x;\n"),
    ],
    "filesize": [
        ("core/base/x.cpp", "\n" * 601),
        ("ui/data/x.h", "\n" * 301),
        ("tests/base/tst_x.cpp", "\n" * 601),
        ("core/model/fact.h", "\n" * 10),
    ],
    "registered": [
        ("tests/base/tst_lost.cpp", "int x;\n"),
        ("tests/ui/deep/tst_lost.cpp", "int x;\n"),
    ],
    "qt-text": [
        ("ui/pages/a.cpp", "auto* l = new QLabel(run.name, this);\n"),
        ("ui/pages/b.cpp", "auto* l = new QLabel(\n    tr(\"x\"));\n"),
        ("ui/pages/c.cpp", 'QLabel label("<b>x</b>");\n'),
        ("ui/pages/d.cpp", "w->setToolTip(text);\n"),
        ("ui/dialogs/e.cpp", "QMessageBox::warning(this, a, b);\n"),
        ("ui/dialogs/f.cpp", "auto* box = new QInputDialog(this);\n"),
        ("ui/dialogs/g.cpp", "m_view = new QTextEdit(this);\n"),
        ("ui/widgets/h.cpp", "label->setTextFormat(Qt::RichText);\n"),
        ("app/console/main.cpp", "label->setOpenExternalLinks(true);\n"),
    ],
    "sql": [
        ("core/store/sqlite/a.cpp", 'run("DELETE FROM runs WHERE key = \'" + key);\n'),
        ("core/store/sqlite/b.cpp", 'text += " WHERE step = " + step;\n'),
        ("core/store/sqlite/c.cpp", 'auto t = std::string("SELECT id "\n    "FROM ") + table;\n'),
        ("core/store/sqlite/d.cpp", 'auto t = fmt::format("UPDATE runs SET x = {}", x);\n'),
        ("core/store/sqlite/e.cpp", "auto t = R\"(PRAGMA user_version = )\" + n;\n"),
        ("core/store/sqlite/f.cpp", "char* t = sqlite3_mprintf(format, x);\n"),
        ("core/store/sqlite/g.cpp", 'out << "SELECT " << column;\n'),
        ("core/store/sqlite/lists.cpp", 'text = "SELECT a WHERE b = " + std::to_string(b);\n'),
        ("core/engine/x.cpp", 'auto t = "DELETE FROM runs " + tail;\n'),
    ],
    "no-sleep": [
        ("tests/base/a.cpp", "std::this_thread::sleep_for(1s);\n"),
        ("tests/base/b.cpp", "QTest::qWait(50);\n"),
        ("tests/base/c.cpp", "::usleep(10);\n"),
        ("tests/base/d.cpp", "nanosleep(&t, nullptr);\n"),
        ("tests/ui/e.cpp", "QTest::qSleep (5);\n"),
        ("tests/fault/f.cpp", "    sleep(1);\n"),
    ],
}

CLEAN = {
    "layering": [
        ("core/service/x.cpp", '#include "core/store/store.h"\n#include <string>\n#include "cairn/version.h"\n'),
        ("core/store/sqlite/x.cpp", "#include <sqlite3.h>\n"),
        ("core/query/x.h", "#include <nlohmann/json_fwd.hpp>\n"),
        ("core/query/x.cpp", "#include <nlohmann/json.hpp>\n// like QString\n"),
        ("app/cairn/x.cpp", '#include "core/engine/engine.h"\n#include "core/store/sqlite/sqlite_store.h"\n'),
        ("ui/pages/x.cpp", '#include "ui/dialogs/sheet.h"\n#include <QString>\n#include "x.moc"\n'),
        ("ui/data/x.cpp", '// #include "ui/pages/page.h"\n#include "core/query/query.h"\n'),
    ],
    "filesize": [("core/base/x.cpp", "\n" * 600), ("core/base/x.h", "\n" * 300)],
    "registered": [("tests/base/tst_known.cpp", "int x;\n"), ("tests/base/helper.cpp", "int x;\n")],
    "qt-text": [
        ("ui/pages/a.cpp", "auto* l = new QLabel(this);\nauto* m = new QLabel(parent);\nauto* n = new QLabel;\n"),
        ("ui/pages/b.cpp", "#include <QMessageBox>\n// w->setToolTip(text);\n"),
        ("ui/widgets/safetext.cpp", "w->setToolTip(escaped);\n"),
        ("ui/widgets/c.cpp", "auto* e = new QPlainTextEdit(this);\nlabel->setTextFormat(Qt::PlainText);\n"),
    ],
    "sql": [
        ("core/store/sqlite/a.cpp", 'const char* k = "SELECT id FROM runs "\n    "WHERE id = ?";\n'),
        ("core/store/sqlite/b.cpp", 'error = "there is no run " + toText(run);\n'),
        ("core/store/sqlite/lists.cpp", 'text = "SELECT a FROM b" + sql.condition();\n'),
        ("core/engine/x.cpp", 'text = "UPDATES wait for " + name;\n'),
    ],
    "no-sleep": [
        ("tests/base/a.cpp", "// never sleep_for(1s)\nclock.sleep(5);\nQTRY_COMPARE(x, 1);\nauto s = \"sleep(1)\";\n"),
    ],
}
