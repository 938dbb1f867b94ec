#!/usr/bin/env python3
"""What the console tells desktops, and what packages hold, agree with one another and with the programs.

    desktop.py [--root DIR]

Exit 0: they do, 1: findings, one a line. Uses desktop-file-validate, appstreamcli, xmllint, update-mime-database and systemd-analyze
where they are installed; packaging/test-deb has what it needs of them always, in a clean system. Only Python's own library is used.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

MIME = "{http://www.freedesktop.org/standards/shared-mime-info}"
OURS = "application/x-cairn-"


def desktop_entry(root):
    lines = (root / "packaging/cairn-console.desktop").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def mime_findings(root, entry):
    """Each type that the console opens is declared, and each that is declared has its icon."""
    types = [node.get("type") for node in tree.parse(root / "packaging/mime/cairn.xml").getroot().iter(MIME + "mime-type")]
    found = [f"packaging/cairn-console.desktop: opens {name}, which packaging/mime/cairn.xml does not declare"
             for name in entry["MimeType"].strip(";").split(";") if name.startswith(OURS) and name not in types]
    for name in types:
        icon = root / "resources/icons" / (name.replace("/", "-") + ".svg")
        if not icon.is_file():
            found.append(f"packaging/mime/cairn.xml: {name} has no icon {icon.relative_to(root)}")
    identity = re.search(r"kApplicationId = (0x[0-9A-F]+)", (root / "core/store/sqlite/schema.h").read_text(encoding="utf-8"))
    if identity.group(1) not in (root / "packaging/mime/cairn.xml").read_text(encoding="utf-8"):
        found.append("packaging/mime/cairn.xml: does not know stores by the id of core/store/sqlite/schema.h")
    return found


def metainfo_findings(root, entry):
    """The AppStream page is about this desktop entry, this version and these types."""
    path = root / "packaging/org.cairn.Console.metainfo.xml"
    page, name = tree.parse(path).getroot(), path.relative_to(root)
    found = []
    version = re.search(r"project\(cairn VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
    if page.findtext("launchable") != "cairn-console.desktop":
        found.append(f"{name}: starts another desktop entry")
    if page.find("releases/release").get("version") != version:
        found.append(f"{name}: its newest release is not {version}")
    if f"cairn ({version}-1)" not in (root / "packaging/debian/changelog").read_text(encoding="utf-8").splitlines()[0]:
        found.append(f"packaging/debian/changelog: does not begin with {version}-1")
    if page.findtext("id") + ".metainfo.xml" != path.name:
        found.append(f"{name}: is not named after its id")
    types = {node.text for node in page.findall("provides/mediatype")}
    if types != set(entry["MimeType"].strip(";").split(";")):
        found.append(f"{name}: its media types are not those of the desktop entry")
    if page.findtext("name") != entry["Name"] or page.findtext("summary") != entry["Comment"]:
        found.append(f"{name}: its name or summary is not that of the desktop entry")
    return found


def manual_findings(root):
    """Every program that is installed has its page, and that of the console names every option."""
    installed = (root / "packaging/cmake/CairnInstall.cmake").read_text(encoding="utf-8")
    found = []
    for programs in re.findall(r"install\(TARGETS ([\w\- ]+?) RUNTIME", installed):
        for program in programs.split():
            pages = re.findall(rf"[/ ]{program}\.[18]\b", installed)
            if not pages:
                found.append(f"packaging/cmake/CairnInstall.cmake: installs {program}, and no manual page of it")
    page = (root / "packaging/man/cairn-console.1").read_text(encoding="utf-8").replace("\\-", "-")
    source = (root / "app/console/main.cpp").read_text(encoding="utf-8")
    added = source.split("parser.addOptions({", 1)[1].split("});", 1)[0]
    for option in re.findall(r'\{u"([a-z-]+)"_s', added):
        if f"--{option}" not in page:
            found.append(f"packaging/man/cairn-console.1: says nothing of --{option}")
    return found


# What systemd-analyze security may say of the system's unit at most, in tenths (0: no exposure at all, 100: all of it). What is left
# open is named in the unit, with the reason.
EXPOSURE = 20


def said_against(command, root):
    """What a program that is installed says against what it is shown, or nothing."""
    if not shutil.which(command[0]):
        return ""
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    return "" if answer.returncode == 0 else answer.stdout.strip() or answer.stderr.strip() or "refused"


def unit_findings(root):
    """An instance of each unit is understood, and that of the system keeps what it says about rights."""
    found = []
    for name in ("packaging/system/cairn-engine@.service", "packaging/cairn-engine@.service"):
        text = (root / name).read_text(encoding="utf-8")
        # Here neither the program nor its pages are installed.
        text = re.sub(r"^ExecStart=cairn", f"ExecStart={shutil.which('true')}", text, flags=re.MULTILINE)
        text = re.sub(r"^Documentation=.*\n", "", text, flags=re.MULTILINE)
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "cairn-engine@test.service"
            unit.write_text(text, encoding="utf-8")
            commands = [["systemd-analyze", "verify", str(unit)]]
            if "/system/" in name:
                commands.append(["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE}", str(unit)])
            found += [f"{name}: {said}" for said in (said_against(command, folder) for command in commands) if said]
    return found


def type_findings(root):
    """The types are taken by the program that makes a desktop's database of them."""
    with tempfile.TemporaryDirectory() as folder:
        packages = pathlib.Path(folder) / "packages"
        packages.mkdir()
        shutil.copy(root / "packaging/mime/cairn.xml", packages)
        said = said_against(["update-mime-database", folder], folder)
        made = not shutil.which("update-mime-database") or (pathlib.Path(folder) / "application/x-cairn-store.xml").is_file()
    return [] if made and not said else [f"packaging/mime/cairn.xml: {said or 'no type came of it'}"]


def validated(root):
    """What the validators of the desktop say, where they are installed."""
    found = []
    for command in (["desktop-file-validate", "packaging/cairn-console.desktop"],
                    ["appstreamcli", "validate", "--no-net", "packaging/org.cairn.Console.metainfo.xml"],
                    ["xmllint", "--noout", "packaging/org.cairn.Console.metainfo.xml"],
                    ["xmllint", "--noout", "packaging/mime/cairn.xml"]):
        if said := said_against(command, root):
            found.append(f"{command[-1]}: {said}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    root = parser.parse_args().root
    entry = desktop_entry(root)
    found = mime_findings(root, entry) + metainfo_findings(root, entry) + manual_findings(root) + validated(root)
    found += unit_findings(root) + type_findings(root)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
