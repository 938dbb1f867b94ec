#!/usr/bin/env python3
"""Rules about the source that a compiler does not check.

    lint.py RULE [--root DIR] [--build DIR]    checks one rule
    lint.py self-test                          plants violations of every rule, and clean text beside them

Exit 0: clean, 1: violations (one a line: file, line, what to do), 2: usage. Only Python's own library is used.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from lint_planted import CLEAN, PLANTED
from lint_rules import RULES


def check(rule, files, registered=()):
    """Runs one rule over a temporary tree made of files: {name: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        return RULES[rule](root, registered)


def self_test():
    """Every planted violation is found, at its place; clean text is left alone; no rule is without both."""
    failures = []
    for rule in RULES:
        if not PLANTED.get(rule) or not CLEAN.get(rule):
            failures.append(f"{rule}: has no planted violation or no clean text")
        for name, text in PLANTED.get(rule, []):
            found = check(rule, {name: text})
            if not any(line.startswith(name) for line in found):
                failures.append(f"{rule}: the violation planted in {name} was not found: {text.strip()[:70]}")
        for name, text in CLEAN.get(rule, []):
            for line in check(rule, {name: text}, {pathlib.Path(name).stem}):
                failures.append(f"{rule}: clean text was taken for a violation: {line}")
    return failures


def registered_tests(build):
    """The names of all tests that ctest knows in a build folder."""
    listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=build, capture_output=True, text=True, check=True)
    return {test["name"] for test in json.loads(listed.stdout)["tests"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rule", choices=[*RULES, "self-test"])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--without", default="", help="a folder left out of this build, for the rule \"registered\"")
    parser.add_argument("--build", type=pathlib.Path, help="build folder, for the rule \"registered\"")
    arguments = parser.parse_args()
    if arguments.rule == "self-test":
        found = self_test()
    else:
        if arguments.rule == "registered" and not arguments.build:
            parser.error("the rule \"registered\" needs --build")
        known = registered_tests(arguments.build) if arguments.rule == "registered" else ()
        found = RULES[arguments.rule](arguments.root, known)
        if arguments.without:
            found = [line for line in found if not line.startswith(arguments.without + "/")]
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
