"""What every example tool does: input as JSON on stdin, output as JSON on stdout, and the exit codes that Cairn reads.

Exit codes: 0 done, 65 the input does not fit, 75 try again later, 77 a credential is missing; all others are final.
"""
import json
import sys

EX_DATAERR = 65
EX_TEMPFAIL = 75
EX_NOPERM = 77


def refuse(text, code=1):
    """Ends the tool; the text on stderr is what an operator reads."""
    print(text, file=sys.stderr)
    sys.exit(code)


def read_input(*needed):
    """The input object; refuses one that lacks a needed field. Numbers with a fraction are kept as text."""
    try:
        value = json.loads(sys.stdin.buffer.read().decode("utf-8"), parse_float=str)
    except (UnicodeDecodeError, json.JSONDecodeError) as problem:
        refuse(f"the input is not JSON: {problem}", EX_DATAERR)
    if not isinstance(value, dict):
        refuse("the input is not an object", EX_DATAERR)
    for name in needed:
        if name not in value:
            refuse(f'the input has no "{name}"', EX_DATAERR)
    return value


def give(value):
    """Writes the output."""
    json.dump(value, sys.stdout, ensure_ascii=False, separators=(",", ":"))
    sys.stdout.write("\n")
