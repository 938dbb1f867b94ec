"""The rules of lint.py. Each takes the tree's root and the names of the registered tests, and returns its findings."""

import re

SOURCES = (".cpp", ".h")

# Which layers a layer may include from, beside itself. What is not here may not be included.
CORE_BELOW_SERVICE = ["core/base", "core/model", "core/definition", "core/machine", "core/store"]
ARROWS = {
    "core/base": [],
    "core/model": ["core/base"],
    # The pages of resources/handbook, by the words of the vocabulary.
    "core/handbook": ["core/base", "core/model"],
    "core/definition": ["core/base", "core/model"],
    "core/machine": ["core/base", "core/model"],
    # The store keeps rows that are projected from the machine's state: it knows that type, and calls none of its rules.
    "core/store": ["core/base", "core/model", "core/machine"],
    "core/store/sqlite": ["core/base", "core/model", "core/machine", "core/store"],
    "core/store/postgres": ["core/base", "core/model", "core/machine", "core/store"],
    "core/store/memory": ["core/base", "core/model", "core/machine", "core/store"],
    "core/store/s3": ["core/base", "core/model", "core/machine", "core/store"],
    # Proves what a store keeps, by the store's own rows; knows no run.
    "core/audit": ["core/base", "core/model", "core/store"],
    "core/service": CORE_BELOW_SERVICE,
    # Queries read through the service's snapshots.
    "core/query": CORE_BELOW_SERVICE + ["core/service"],
    # Acts on many runs: previews and execution by the same service; the engine, or a command line, carries them out.
    "core/plan": CORE_BELOW_SERVICE + ["core/service", "core/query"],
    "core/engine": CORE_BELOW_SERVICE + ["core/service", "core/query", "core/plan"],
    "core/export": CORE_BELOW_SERVICE + ["core/audit", "core/service", "core/query"],
    "core/report": CORE_BELOW_SERVICE + ["core/service", "core/query", "core/plan", "core/engine", "core/export"],
    # Only the programs name a driver.
    "app/common": CORE_BELOW_SERVICE + ["core/store/sqlite", "core/store/postgres", "core/store/memory", "core/store/s3",
                                        "core/service", "core/query"],
    "app/cairn": CORE_BELOW_SERVICE + ["core/store/sqlite", "core/store/postgres", "core/store/memory", "core/service",
                                       "core/query", "core/plan", "core/engine", "core/export", "core/report", "core/audit",
                                       "core/handbook",
                                       "app/common"],
    "app/cairn-exec": ["core/base"],
    "app/cairn-effectd": ["core/base", "core/engine"],
    "app/console": CORE_BELOW_SERVICE + ["core/store/sqlite", "core/store/postgres", "core/store/memory", "core/service",
                                         "core/query", "core/plan", "core/export", "core/report", "app/common",
                                         "ui/data", "ui/models", "ui/widgets", "ui/dialogs", "ui/pages"],
    "ui/data": CORE_BELOW_SERVICE + ["core/audit", "core/handbook", "core/service", "core/query", "core/plan", "core/export", "core/report"],
    "ui/widgets": ["ui/data"],
    "ui/models": ["ui/data"],
    "ui/dialogs": ["ui/data", "ui/models", "ui/widgets"],
    "ui/pages": ["ui/data", "ui/models", "ui/widgets", "ui/dialogs"],
}

# Files over the size limits, each with its reason.
CPP_LIMIT, HEADER_LIMIT = 600, 300
SIZE_EXCEPTIONS = {
    "core/model/fact.h": "the list of all facts is the stored format; it is read, and kept, as one page",
}

# Headers that may include nlohmann/json, each with its reason.
JSON_HEADERS = {
    "app/cairn/json_rows.h": "the stable JSON of --json; each of the few files that include it builds such values",
}

# Files that may put SQL together, each with its reason. Even there no value goes into the text.
SQL_COMPOSERS = {
    "core/store/sqlite/list_sql.cpp": "a filter's condition: fixed fragments chosen by enum, every value bound",
    "core/store/sqlite/lists.cpp": "statements around such a condition; the rest is constant",
    "core/store/postgres/list_sql.cpp": "a filter's condition: fixed fragments chosen by enum, every value bound",
    "core/store/postgres/lists.cpp": "statements around such a condition; the rest is constant",
}

# The helpers that make text safe for widgets; everything else goes through them.
SAFE_TEXT = ("ui/widgets/safetext", "ui/widgets/safe.", "ui/data/safetext")


def sources(root, *tops):
    for top in tops:
        for path in sorted((root / top).rglob("*")):
            if path.suffix in SOURCES and path.is_file():
                yield path, path.relative_to(root).as_posix()


def read(path):
    return path.read_text(encoding="utf-8", errors="replace")


TOKENS = re.compile(r'R"(?P<d>[^()\s\\]{0,16})\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*.*?\*/', re.S)


def without_comments(text):
    """Comments replaced by blanks; strings stay, and every line keeps its number."""
    def blank(match):
        token = match.group(0)
        return re.sub(r"[^\n]", " ", token) if token.startswith("/") else token
    return TOKENS.sub(blank, text)


def without_strings(text):
    """Comments and the insides of strings replaced by blanks."""
    def blank(match):
        token = match.group(0)
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        return '"' + re.sub(r"[^\n]", " ", token[1:-1]) + '"'
    return TOKENS.sub(blank, text)


def line_at(text, offset):
    return text.count("\n", 0, offset) + 1


def layer_of(name):
    return max((layer for layer in ARROWS if name.startswith(layer + "/")), key=len, default="")


INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+([<"])([^>"\n]+)[>"]', re.M)
QT_TYPE = re.compile(r"\bQ(?:String|StringView|Variant|ByteArray|Object|List|Vector|Map|Hash|DateTime|Timer|Thread|Future)\b")


def include_finding(name, layer, form, target):
    """What is wrong with one include, or None."""
    if re.match(r"(core|ui|app|tests)/", target):
        to = layer_of(target)
        if to != layer and to not in ARROWS[layer]:
            return f"{layer} may not include {target}"
        return None
    if form == '"' and not target.startswith("cairn/") and not re.search(r"\.(moc|inc)$|/moc_", target):
        return f"write includes from the top of the tree, not \"{target}\""
    if layer.startswith("core/") and re.match(r"Q[A-Z]|Qt", target):
        return f"core knows no Qt, but includes {target}"
    if target == "sqlite3.h" and layer != "core/store/sqlite":
        return "sqlite3.h is included in core/store/sqlite only"
    if target == "libpq-fe.h" and layer != "core/store/postgres":
        return "libpq-fe.h is included in core/store/postgres only"
    if target.startswith("nlohmann/") and target != "nlohmann/json_fwd.hpp" and name.endswith(".h") \
            and name not in JSON_HEADERS:
        return "nlohmann/json stays out of headers: it costs every file that includes them; name its types by json_fwd.hpp"
    return None


def layering(root, _registered):
    """Includes follow the arrows; no Qt in core; sqlite3.h and libpq-fe.h only behind their stores; JSON trees not in headers."""
    found = []
    for path, name in sources(root, "core", "app", "ui"):
        layer = layer_of(name)
        if not layer:
            found.append(f"{name}:1: stands in no known layer; add the layer and its arrows to tests/tools/lint_rules.py")
            continue
        text = without_comments(read(path))
        for match in INCLUDE.finditer(text):
            finding = include_finding(name, layer, match.group(1), match.group(2))
            if finding:
                found.append(f"{name}:{line_at(text, match.start())}: {finding}")
        if layer.startswith("core/") or layer in ("app/common", "app/cairn", "app/cairn-exec"):
            for match in QT_TYPE.finditer(without_strings(text)):
                found.append(f"{name}:{line_at(text, match.start())}: Qt's {match.group(0)} begins in ui/data, and nowhere lower")
    return found


def filesize(root, _registered):
    """No source over 600 lines, no header over 300; no exception that is not needed any more."""
    found = []
    for path, name in sources(root, "core", "app", "ui", "tests"):
        limit = CPP_LIMIT if path.suffix == ".cpp" else HEADER_LIMIT
        count = len(read(path).splitlines())
        if name in SIZE_EXCEPTIONS:
            if count <= limit:
                found.append(f"{name}:1: is within the limit again; take it off SIZE_EXCEPTIONS")
        elif count > limit:
            found.append(f"{name}:{limit + 1}: has {count} lines, the limit is {limit}; split it by what changes together")
    return found


def registered(root, known):
    """Every tests/**/tst_*.cpp is a test that ctest knows, whole or function by function (tst_x.function)."""
    known = {name.split(".")[0] for name in known}
    return [f"{name}:1: ctest does not know {path.stem}, so it never runs; add it with cairn_test()"
            for path, name in sources(root, "tests")
            if path.name.startswith("tst_") and path.suffix == ".cpp" and path.stem not in known]


RICH = [
    (re.compile(r"\bnew\s+QLabel\s*\((?!\s*(?:this|parent|nullptr|&?\w*[wW]idget|\w*[pP]arent|\w*[bB]ox)?\s*\))"),
     "a QLabel made with text takes it for markup"),
    (re.compile(r"\bQLabel\s+\w+\s*[({]\s*(?:u?\"|tr\b|\w+\s*,)"), "a QLabel made with text takes it for markup"),
    (re.compile(r"\bQMessageBox\s*(?:::|\w|\()"), "a message box takes its text for markup"),
    (re.compile(r"(?:->|\.|\b)setToolTip\s*\("), "a tool tip takes its text for markup"),
    (re.compile(r"\bQToolTip\s*::\s*showText\b"), "a tool tip takes its text for markup"),
    (re.compile(r"\bnew\s+Q(?:ErrorMessage|InputDialog|ProgressDialog)\b|\bQ(?:InputDialog|ProgressDialog)\s*::"),
     "this dialog takes its label for markup"),
    (re.compile(r"\bpublic\s+QText(?:Edit|Browser)\b"), "this takes its text for markup; use QPlainTextEdit"),
    (re.compile(r"\bnew\s+QText(?:Edit|Browser)\b|\bQTextEdit\s*::\s*setText\b"), "this takes its text for markup; use QPlainTextEdit"),
    (re.compile(r"\bsetTextFormat\s*\(\s*Qt::(?:RichText|AutoText|MarkdownText)"), "run data is plain text"),
    (re.compile(r"\bsetOpenExternalLinks\s*\(\s*true"), "links in run data are never opened by themselves"),
]


# Files that may show markup, each with its reason. What they show has to be ours.
MARKUP_OF_OURS = {
    "ui/widgets/handbookview.h": "pages of resources/handbook alone: it takes the name of one, and never a text",
    "ui/widgets/handbookview.cpp": "pages of resources/handbook alone: it takes the name of one, and never a text",
}
# What such a file may include of ours: run data must not come near it.
PAGES_ONLY = re.compile(r'"(?!ui/(?:widgets/handbookview|data/handbook|widgets/theme)\.h")((?:core|ui)/[^"]+)"')


def qt_text(root, _registered):
    """Text reaches widgets through the SafeText helpers only: Qt takes much of it for markup, and opens files named in it."""
    found = []
    for path, name in sources(root, "ui", "app/console"):
        if name.startswith(SAFE_TEXT):
            continue
        code = without_comments(read(path))
        if name in MARKUP_OF_OURS:
            for match in PAGES_ONLY.finditer(code):
                found.append(f"{name}:{line_at(code, match.start())}: shows markup, so it may not know {match.group(1)}")
            continue
        for pattern, reason in RICH:
            for match in pattern.finditer(code):
                found.append(f"{name}:{line_at(code, match.start())}: {reason}; go through ui/widgets/safe.h")
    return found


# Words for people pass through tr(), so that they can be put into another language. A literal is taken for such
# words by its looks: several words, or one that begins with a capital. What looks so and is none is named here.
UTF16 = r'u"(?:\\.|[^"\\\n])*"(?:_s)?'
UTF16S = re.compile(r"(?<![\w])" + UTF16 + r"(?:\s*u?" + UTF16[1:] + ")*")
LATIN = re.compile(r'\bQ(?:StringLiteral|Latin1String)\(\s*"(?:\\.|[^"\\\n])*"\s*\)')
KEY_NAME = r"(?:Ctrl|Shift|Alt|Meta|Enter|Esc|Space|Delete|Del|Backspace|Tab|Home|End|Up|Down|Left|Right|F\d\d?|[A-Z]|[^\w\s]|\d)"
KEYS_ALONE = re.compile(rf"{KEY_NAME}(?:(?:\+|, | ){KEY_NAME})*$")
NOT_SPOKEN = re.compile(r"[^\s]*://|:/|[^\s]*[{}<>\\^]|\S*=\S*$|Q[A-Z]\w+ *[{:#]|(?:-?[a-z0-9_.]+[:/]\S*\s*)+$")
# What stands before a literal that no person reads: names of objects, properties, fields, files; words of a language.
MACHINE_CALL = re.compile(
    r"\b(?:setObjectName|setProperty|property|termOf|value|contains|insert|remove|startsWith|endsWith|compare|indexOf|inherits|"
    r"filePath|QKeySequence|QRegularExpression|create|isSet|section|setStyleSheet|addQueryItem|hasQueryItem|queryItemValue|"
    r"askValues|filter|act|find|setApplicationName|setDesktopFileName)\s*\(\s*(?:[\w.\->()]+\s*,\s*)?$|[=!]=\s*$|\bcase\s*$")
MACHINE_FILES = {
    "ui/widgets/theme.cpp": "names of fonts and of the style, and its sheet",
    "ui/data/actcommand.cpp": "a command and its options",
    "ui/pages/windowviews.cpp": "names of pictures and of acts",
    "ui/widgets/shapes.cpp": "names of files",
    "app/console/shots.cpp": "a tool for whoever works on the console, and what it calls",
}
MACHINE_TEXTS = {
    "app/console/main.cpp": {"STORE", "STORE...", "FILE", "DIR", "RUN", "THEME", "WxH", "FILTER"},  # of its usage
    "ui/data/convert.cpp": {" -wait:none", " -state:cancelling|compensating"},  # the filter's language
    "ui/data/format.cpp": {"yyyy-MM-dd HH:mm:ss", "yyyy-MM-dd HH:mm:ss.zzz", "MM-dd HH:mm"},
    "ui/data/handbook.cpp": {"README"},
    "ui/data/preferences.cpp": {"light", "dark", "system", "new"},  # of its file
    "ui/data/readplans.cpp": {"act ", "plan "},  # a key
    "ui/data/keychain.cpp": {"Cairn"},  # a name under which it keeps
    "ui/data/merge.cpp": {"state:open or state:finished"},
    "ui/data/stores.cpp": {"\\nnewest"},  # of a key
    "ui/pages/compareview.cpp": {"version %1", "now"},  # the language of its boxes
    "ui/pages/runpage_travel.cpp": {"version %1", "attempt %1 of %2"},  # the same
    "ui/pages/mainwindow_acts.cpp": {"audit"},  # of a link
}
# A single small word is for people where a text is made of it, or where it is given to what shows texts.
ALONE = re.compile(r"(?:\breturn|\?|[^:]:|<<|\+|\},|Glyph::\w+[})]*,|"
                   r"\b(?:QVariant|label|button|caption|set\w*(?:Text|Name|Tip|Title|Remark|Description))\()\s*$")


def spoken_literals(code, name):
    """Each UTF-16 literal that people read: (text, start, end)."""
    for match in () if name in MACHINE_FILES else (*UTF16S.finditer(code), *LATIN.finditer(code)):
        text = "".join(re.findall(r'"((?:\\.|[^"\\\n])*)"', match.group(0)))
        words = re.sub(r"%[1-9]|\\u[0-9a-fA-F]{4}|\\.", " ", text).strip()
        before = code[max(0, match.start() - 120):match.start()]
        if not re.search(r"[A-Za-z]{2}", words) or KEYS_ALONE.match(words) or NOT_SPOKEN.match(words) \
                or text in MACHINE_TEXTS.get(name, ()) or MACHINE_CALL.search(before):
            continue
        if re.search(r"\s", text) or re.match(r"[A-Z][a-z]|[A-Z]{4,}", words) \
                or (ALONE.search(before) and re.match(r"[a-z]+[a-z,;… -]*$", words)):
            yield text, match.start(), match.end()


PLURAL_WORDS = re.compile(r'QT_TRANSLATE_N_NOOP\("plural", "([^"]+)"\)')
PLURAL_CALL = re.compile(r'\bplural\((?:[^;"]|\n)*?"([^"]+)",\s*"([^"]+)"\)')


def spoken(root, _registered):
    """What people read in the console passes through tr(); nouns that are counted stand in the table of plural forms."""
    found = []
    table = root / "ui/data/format.cpp"
    known = set(PLURAL_WORDS.findall(read(table))) if table.exists() else set()
    for path, name in sources(root, "ui", "app/console"):
        code = without_comments(read(path))
        for text, start, _end in spoken_literals(code, name):
            found.append(f'{name}:{line_at(code, start)}: "{text[:40]}" is read by people: put it through tr()')
        for match in PLURAL_CALL.finditer(code):
            if match.group(2) not in known:
                found.append(f'{name}:{line_at(code, match.start())}: "{match.group(2)}" is counted: '
                             f'add it to the table of plural forms in ui/data/format.cpp')
    return found


LITERAL = r'(?:u8|L)?(?:R"[^()\s\\]{0,16}\((?:.*?)\)[^()\s\\"]{0,16}"|"(?:\\.|[^"\\\n])*")'
LITERALS = re.compile(LITERAL + r"(?:\s*" + LITERAL + ")*", re.S)
SQL_VERB = re.compile(r'^(?:u8|L)?(?:R"[^(]*\(|")\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|ATTACH|VACUUM|WITH|REPLACE)\b')
SQL_PART = re.compile(r"\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|FROM|WHERE|ORDER BY|GROUP BY|VALUES|LIMIT|PRAGMA|VACUUM|ATTACH|SAVEPOINT)\b")
JOINS_AFTER = re.compile(r'\s*(?:_s|s|sv)?\s*\)?\s*(?:\+|<<)')
JOINS_BEFORE = re.compile(r'(?:\+=?|<<|\b(?:append|format|format_to|snprintf|sprintf)\s*\([^;"]{0,60})\s*(?:std::string(?:_view)?\s*[({]\s*)?$')
SQL_PRINTERS = re.compile(r"\bsqlite3_(?:v?mprintf|v?snprintf|str_v?appendf)\b")
VALUE_IN_TEXT = re.compile(r'"[^"\n]*(?:=|\bLIKE|\bIN \()\s*\'?"\s*\+|\+\s*std::to_string|\+\s*toText\s*\(|\+=\s*std::to_string')


def sql(root, _registered):
    """SQL is constant text; values are bound, never pasted."""
    found = []
    for path, name in sources(root, "core", "app", "ui"):
        code = without_comments(read(path))
        inside = name.startswith(("core/store/sqlite/", "core/store/postgres/"))
        for match in SQL_PRINTERS.finditer(code):
            found.append(f"{name}:{line_at(code, match.start())}: SQL is printed into a text; bind the values instead")
        if name in SQL_COMPOSERS:
            for match in VALUE_IN_TEXT.finditer(code):
                found.append(f"{name}:{line_at(code, match.start())}: a value goes into the text of SQL; bind it")
            continue
        for match in LITERALS.finditer(code):
            literal = match.group(0)
            if not SQL_VERB.match(literal) and not (inside and SQL_PART.search(literal)):
                continue
            if JOINS_AFTER.match(code, match.end()) or JOINS_BEFORE.search(code[max(0, match.start() - 120):match.start()]):
                found.append(f"{name}:{line_at(code, match.start())}: SQL is put together from text; bind the values instead")
    return found


SLEEPS = re.compile(r"\b(?:sleep_for|sleep_until|usleep|nanosleep|clock_nanosleep|qWait|qSleep|msleep)\s*\(|(?<![\w.>])sleep\s*\(")


def no_sleep(root, _registered):
    """Tests await signals and conditions, never the clock. Benches, which measure time, may."""
    found = []
    for path, name in sources(root, "tests"):
        if name.startswith("tests/bench/"):
            continue
        code = without_strings(read(path))
        for match in SLEEPS.finditer(code):
            found.append(f"{name}:{line_at(code, match.start())}: waits by the clock; await a signal or a condition (QTRY_*, a spy)")
    return found


LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.M)
FENCED = re.compile(r"^```.*?^```|^(?: {4}|\t)[^\n]*|`[^`\n]*`", re.S | re.M)
HANDBOOK = "resources/handbook/"


def prose(text):
    """A page with its code replaced by blanks."""
    return FENCED.sub(lambda match: re.sub(r"[^\n]", " ", match.group(0)), text)


def anchors(page):
    """The places of a page that a link may name, as the web pages of a repository make them."""
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(read(page))}


def links(root, _registered):
    """A link of a page leads somewhere, and every page of the handbook is in its index."""
    found, linked = [], set()
    index = root / HANDBOOK / "README.md"
    pages = [root / "README.md", root / "CONTRIBUTING.md"]
    for top in ("app", "core", "packaging", "resources", "tests", "ui"):
        pages += sorted(path for path in (root / top).rglob("*.md") if "node_modules" not in path.parts)
    for page in filter(lambda path: path.is_file(), pages):
        name = page.relative_to(root).as_posix()
        text = prose(read(page))
        for match in LINK.finditer(text):
            file, _, place = match.group(1).partition("#")
            if "://" in match.group(1):
                continue
            target = (page.parent / file).resolve() if file else page
            if page == index and target.exists():
                linked.add(target)
            if not target.exists():
                found.append(f"{name}:{line_at(text, match.start())}: the link to {match.group(1)} leads nowhere")
            elif place and target.suffix == ".md" and place not in anchors(target):
                found.append(f"{name}:{line_at(text, match.start())}: {file or 'this page'} has no heading for #{place}")
    for page in sorted((root / HANDBOOK).glob("*.md")):
        if page != index and page.resolve() not in linked:
            found.append(f"{page.relative_to(root).as_posix()}:1: the handbook's index (README.md beside it) does not name this page")
    return found


PICTURE = re.compile(r"!\[([^\]\n]*)\]\(([^)\s]+)\)")
WRITTEN = re.compile(r'\bpicture\(u?"([\w-]+)"')
PICTURES_MOST, PICTURE_BYTES = 8, 60 * 1024


def pictures(root, _registered):
    """A page of the handbook shows only pictures that a script of the situations writes, so that none is out of date; they are few and small."""
    found, shown = [], set()
    written = {name for path in sorted((root / "tests/ui").glob("situations*.cpp")) for name in WRITTEN.findall(read(path))}
    folder = root / HANDBOOK / "pictures"
    for page in sorted((root / HANDBOOK).rglob("*.md")):
        name, text = page.relative_to(root).as_posix(), prose(read(page))
        for match in PICTURE.finditer(text):
            where, target = f"{name}:{line_at(text, match.start())}", page.parent / match.group(2)
            shown.add(target.resolve())
            if not match.group(1).strip():
                found.append(f"{where}: the picture {match.group(2)} is not told in words, for who does not see it")
            if target.parent.resolve() != folder.resolve() or target.stem not in written:
                found.append(f"{where}: no script of the situations writes {match.group(2)}; see tests/ui/situations.cpp")
            elif not target.is_file():
                found.append(f"{where}: there is no {match.group(2)}; packaging/demo situations --pictures writes it")
    files = sorted(folder.glob("*")) if folder.is_dir() else []
    for place, path in enumerate(files):
        name = path.relative_to(root).as_posix()
        if place >= PICTURES_MOST:
            found.append(f"{name}:1: one picture too many, the limit is {PICTURES_MOST}")
        if path.stat().st_size > PICTURE_BYTES:
            found.append(f"{name}:1: has {path.stat().st_size} bytes, the limit is {PICTURE_BYTES}")
        if path.resolve() not in shown:
            found.append(f"{name}:1: no page shows it")
    return found


LIMITS = HANDBOOK + "limits.md"
COMMAND = re.compile(r"`((?:bench|tst)_\w+)([^`]*)`")


def prints(root, command):
    """Whether a program of tests is there, and has the part that is asked of it."""
    program, options = command
    if not (root / "tests").is_dir():
        return True
    source = next(iter(sorted((root / "tests").rglob(program + ".cpp"))), None)
    part = re.search(r"--only (\S+)", options)
    return source is not None and (part is None or f'"{part.group(1)}"' in read(source))


def figures(root, _registered):
    """A figure on the page of limits names the test or bench that prints it: its row does, or the text of its section."""
    page = root / LIMITS
    if not page.is_file():
        return []
    found, named, text = [], [], read(page)
    sections = re.split(r"(?m)^(?=## )", text)
    for number, section in enumerate(sections):
        start = line_at(text, sum(map(len, sections[:number])))
        rows = [(start + i, line) for i, line in enumerate(section.split("\n")) if line.startswith("| ")]
        by_text = COMMAND.findall("\n".join(line for line in section.split("\n") if not line.startswith("|")))
        for line, row in rows:
            cells = [cell.strip() for cell in row.strip("| ").split(" | ")]
            by_row = COMMAND.findall(cells[-1])
            if len(cells) > 1 and re.search(r"\d", cells[1]):
                named += [(line, command) for command in by_row or by_text]
                if not by_row and not by_text:
                    found.append(f"{LIMITS}:{line}: a figure without the test or bench that prints it: `tst_...` or `bench_...`")
    for line, command in named:
        if not prints(root, command):
            found.append(f"{LIMITS}:{line}: `{''.join(command)}` is no test or bench of tests/, or has no such part")
    return found


RULES = {"layering": layering, "filesize": filesize, "registered": registered, "qt-text": qt_text, "sql": sql, "no-sleep": no_sleep,
         "links": links, "spoken": spoken, "pictures": pictures, "figures": figures}
