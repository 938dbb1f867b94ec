#!/usr/bin/env python3
"""Rules about the source that a compiler does not check. `lint.py RULE [ROOT]` checks one rule; `lint.py self-test` plants
one violation of each rule in a temporary tree and fails where it is not found. Exit 0: clean, 1: violations, 2: usage."""

import pathlib
import re
import sys
import tempfile

SOURCES = (".cpp", ".h")

# Which layers a layer may include from; the arrows of README.md in core/. A layer always knows itself.
ARROWS = {
    "core/base": [],
    "core/model": ["core/base"],
    "core/definition": ["core/base", "core/model"],
    "core/machine": ["core/base", "core/model"],
    "core/store": ["core/base", "core/model", "core/machine"],
    "core/store/sqlite": ["core/base", "core/model", "core/machine", "core/store"],
    "core/store/memory": ["core/base", "core/model", "core/machine", "core/store"],
    "core/service": ["core/base", "core/model", "core/definition", "core/machine", "core/store"],
    "core/query": ["core/base", "core/model", "core/definition", "core/machine", "core/store", "core/service"],
    "core/engine": ["core/base", "core/model", "core/definition", "core/machine", "core/store", "core/service", "core/query"],
    "core/exchange": ["core/base", "core/model", "core/definition", "core/machine", "core/store", "core/service", "core/query"],
    "core/report": ["core/base", "core/model", "core/definition", "core/machine", "core/store", "core/service", "core/query",
                    "core/engine", "core/exchange"],
    "app/common": ["core"],
    "app/cairn": ["core", "app/common"],
    "app/cairn-exec": ["core/base"],
    "app/console": ["core", "ui", "app/common"],
    "ui/data": ["core/base", "core/model", "core/machine", "core/store", "core/service", "core/query", "core/exchange", "core/report"],
    "ui/widgets": ["ui/data"],
    "ui/models": ["ui/data", "ui/widgets"],
    "ui/dialogs": ["ui/data", "ui/models", "ui/widgets"],
    "ui/pages": ["ui/data", "ui/models", "ui/widgets", "ui/dialogs"],
}

# Files over the size limits, each with its reason.
SIZE_EXCEPTIONS = {
    "core/model/fact.h": "the list of all facts is the stored format; it is read, and kept, as one page",
}
CPP_LIMIT, HEADER_LIMIT = 600, 300


def sources(root, *tops):
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                yield path, path.relative_to(root).as_posix()


def layer_of(name):
    best = ""
    for layer in ARROWS:
        if name.startswith(layer + "/") and len(layer) > len(best):
            best = layer
    return best


def lines_of(path):
    return enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)


def layering(root):
    """Includes follow the arrows; no Qt in core; sqlite3.h only behind the SQLite store; JSON trees not in headers."""
    found = []
    for path, name in sources(root, "core", "app", "ui"):
        layer = layer_of(name)
        if not layer:
            found.append(f"{name}: stands in no known layer")
            continue
        for number, line in lines_of(path):
            match = re.match(r'\s*#\s*include\s+[<"]([^>"]+)[>"]', line)
            if not match:
                continue
            target = match.group(1)
            if re.match(r"(core|ui|app)/", target):
                to = layer_of(target)
                allowed = ARROWS[layer] + [layer]
                if not any(to == a or ("/" not in a and to.startswith(a + "/")) for a in allowed):
                    found.append(f"{name}:{number}: {layer} may not include {target}")
            if layer.startswith("core/") and re.match(r"Q[A-Z]|Qt", target):
                found.append(f"{name}:{number}: core knows no Qt, but includes {target}")
            if target == "sqlite3.h" and layer != "core/store/sqlite":
                found.append(f"{name}:{number}: sqlite3.h is included in core/store/sqlite only")
            if target.startswith("nlohmann/") and path.suffix == ".h" and layer != "app/cairn":
                found.append(f"{name}:{number}: nlohmann/json stays out of headers (compile time)")
    return found


def filesize(root):
    """No source over 600 lines, no header over 300."""
    found = []
    for path, name in sources(root, "core", "app", "ui", "tests"):
        limit = CPP_LIMIT if path.suffix == ".cpp" else HEADER_LIMIT
        count = sum(1 for _ in lines_of(path))
        if count > limit and name not in SIZE_EXCEPTIONS:
            found.append(f"{name}: {count} lines, the limit is {limit}")
    return found


def registered(root):
    """Every tests/**/tst_*.cpp is named in a CMakeLists.txt of its folder."""
    found = []
    for path, name in sources(root, "tests"):
        if path.name.startswith("tst_") and path.suffix == ".cpp":
            cmake = path.parent / "CMakeLists.txt"
            text = cmake.read_text() if cmake.exists() else ""
            if not re.search(r"\b" + re.escape(path.stem) + r"\b", text):
                found.append(f"{name}: is in no CMakeLists.txt, so it never runs")
    return found


RICH = [
    (re.compile(r"\bnew\s+QLabel\s*\(\s*[^)\s]"), "a QLabel made with text takes it for markup; use the SafeText helpers"),
    (re.compile(r"\bQLabel\s+\w+\s*\(\s*[\"t]"), "a QLabel made with text takes it for markup; use the SafeText helpers"),
    (re.compile(r"\bQMessageBox\b"), "message boxes take text for markup; use a dialog of ui/dialogs"),
    (re.compile(r"(->|\.)setToolTip\s*\("), "tool tips take text for markup; use the SafeText helpers"),
    (re.compile(r"\bQ(ErrorMessage|InputDialog|ProgressDialog)\b"), "takes text for markup; use a dialog of ui/dialogs"),
    (re.compile(r"\bQTextEdit\b|\bQTextBrowser\b"), "takes text for markup; use QPlainTextEdit"),
    (re.compile(r"setOpenExternalLinks\s*\(\s*true"), "links of run data are never opened by themselves"),
]


def qt_text(root):
    """Run data reaches widgets through ui/widgets/safetext only."""
    found = []
    for path, name in sources(root, "ui", "app/console"):
        if path.stem == "safetext":
            continue
        for number, line in lines_of(path):
            code = line.split("//")[0]
            if "#include" in code or re.match(r"\s*class Q\w+;", code):
                continue
            for pattern, text in RICH:
                if pattern.search(code.replace("new QLabel(this)", "").replace("new QLabel(parent)", "")):
                    if not re.search(r"new\s+QLabel\s*\(\s*\w+\s*\)", code):
                        found.append(f"{name}:{number}: {text}")
    return found


SQL_WORDS = r"(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|ATTACH)\b"


def sql(root):
    """SQL is text constants; data is bound, never pasted."""
    found = []
    pasted = re.compile(r'"\s*' + SQL_WORDS + r'[^"]*"\s*\+|fmt::format\s*\(\s*"\s*' + SQL_WORDS)
    printed = re.compile(r"sqlite3_v?m?s?n?printf|sqlite3_mprintf")
    for path, name in sources(root, "core", "app", "ui"):
        for number, line in lines_of(path):
            if pasted.search(line) or printed.search(line):
                found.append(f"{name}:{number}: SQL is put together from text; bind values instead")
    return found


SLEEPS = re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep|qWait|qSleep)\s*\(|\bsleep\s*\(\s*\d")


def no_sleep(root):
    """Tests await signals and conditions, never the clock."""
    found = []
    for path, name in sources(root, "tests"):
        for number, line in lines_of(path):
            if SLEEPS.search(line.split("//")[0]):
                found.append(f"{name}:{number}: waits by the clock; await a signal or a condition")
    return found


RULES = {"layering": layering, "filesize": filesize, "registered": registered, "qt-text": qt_text, "sql": sql, "no-sleep": no_sleep}

PLANTED = {
    "layering": [("core/base/x.cpp", '#include "core/store/store.h"\n'), ("core/model/x.h", "#include <QString>\n"),
                 ("core/service/x.cpp", "#include <sqlite3.h>\n"), ("core/query/x.h", "#include <nlohmann/json.hpp>\n"),
                 ("ui/models/x.cpp", '#include "ui/pages/page.h"\n'), ("elsewhere/x.cpp", None)],
    "filesize": [("core/base/x.cpp", "\n" * 601), ("ui/data/x.h", "\n" * 301)],
    "registered": [("tests/base/tst_lost.cpp", "int x;\n")],
    "qt-text": [("ui/pages/x.cpp", 'auto* l = new QLabel(run.name, this);\n'), ("ui/pages/y.cpp", 'w->setToolTip(text);\n'),
                ("ui/dialogs/z.cpp", 'QMessageBox::warning(this, a, b);\n')],
    "sql": [("core/store/sqlite/x.cpp", 'run("DELETE FROM runs WHERE key = \'" + key);\n')],
    "no-sleep": [("tests/base/x.cpp", "std::this_thread::sleep_for(1s);\n")],
}


def self_test():
    failed = 0
    for rule, files in PLANTED.items():
        for name, text in files:
            if text is None:
                continue
            with tempfile.TemporaryDirectory() as folder:
                root = pathlib.Path(folder)
                (root / name).parent.mkdir(parents=True)
                (root / name).write_text(text)
                if not RULES[rule](root):
                    print(f"{rule}: the violation planted in {name} was not found")
                    failed += 1
    return failed


def main(arguments):
    if len(arguments) < 2 or arguments[1] not in list(RULES) + ["self-test"]:
        print(__doc__)
        return 2
    if arguments[1] == "self-test":
        return 1 if self_test() else 0
    root = pathlib.Path(arguments[2] if len(arguments) > 2 else ".")
    found = RULES[arguments[1]](root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
