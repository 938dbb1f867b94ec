"""Calls git on the checkout that the input names."""
import os
import subprocess

from cairn_tool import EX_DATAERR, EX_TEMPFAIL, refuse


def checkout(value):
    """The path, checked."""
    if not isinstance(value, str) or not value.startswith("/"):
        refuse('"repository" is not an absolute path', EX_DATAERR)
    if not os.path.isdir(value):
        refuse(f"there is no folder {value}", EX_DATAERR)
    return value


def git(repository, *args, stdin=None, may_fail=False):
    """Output of a git command as text; None where it failed and may."""
    env = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": os.environ.get("HOME", "/nonexistent"), "LC_ALL": "C.UTF-8",
           "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0",
           "GIT_COMMITTER_NAME": os.environ.get("GIT_COMMITTER_NAME", "Cairn"),
           "GIT_COMMITTER_EMAIL": os.environ.get("GIT_COMMITTER_EMAIL", "cairn@localhost")}
    try:
        done = subprocess.run(["git", "-c", "safe.directory=*", "-c", "tag.gpgSign=false", "-C", repository, *args],
                              input=stdin, capture_output=True, env=env, check=False)
    except FileNotFoundError:
        refuse("git is not installed")
    if done.returncode == 0:
        return done.stdout.decode("utf-8", "replace")
    if may_fail:
        return None
    text = done.stderr.decode("utf-8", "replace").strip()
    refuse(f"git {args[0]}: {text}", EX_TEMPFAIL if ".lock" in text else 1)


def tag_state(repository, tag):
    """None where there is no such tag; else (kind, object it points to, text without the final line feed)."""
    ref = "refs/tags/" + tag
    found = git(repository, "rev-parse", "--verify", "--quiet", ref, may_fail=True)
    if found is None:
        return None
    kind = git(repository, "cat-file", "-t", ref).strip()
    target = git(repository, "rev-parse", ref + "^{}").strip()
    if kind != "tag":
        return kind, target, ""
    body = git(repository, "cat-file", "tag", ref)
    return kind, target, body.split("\n\n", 1)[1].rstrip("\n") if "\n\n" in body else ""
