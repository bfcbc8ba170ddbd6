"""Which behaviours there are, and which tests and deviations name them.

A test names its behaviours in its display name: @Test("M-16: ..."), @Test("N-1, N-2: ..."), @Test("C-26 to
C-28: ..."). A test that is disabled counts for nothing. A deviation is a row of docs/deviations.md whose
first cell has the number in parentheses: "a symbolic link in an entry's place (C-29)".
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIST = Path(__file__).resolve().parent / "list.txt"
NUMBER = r"[A-Z]-[0-9]+"

# What a scan of Swift has to tell apart: comments and strings first, so that a test in a comment is none, and
# a parenthesis in a string closes nothing.
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r'''|(?P<string>(?P<pounds>\#*)"""(?:.*?)"""(?P=pounds)|(?P<hashes>\#*)"(?:\\.|[^"\\\n])*"(?P=hashes))'''
    r"""|(?P<test>@Test\b)|(?P<disabled>\.disabled\()|(?P<open>\()|(?P<close>\))|\bfunc +(?P<function>\w+)""",
    re.DOTALL,
)


@dataclass
class Test:
    file: Path  # relative to the root
    name: str  # the display name
    function: str

    def __str__(self):
        return f"{self.file}: {self.name}"


def behaviours():
    """The classes of all numbers, in the order of the list."""
    lines = LIST.read_text().splitlines()
    rows = [line.split(None, 2) for line in lines if line and not line.startswith("#")]
    classes = {number: kind for number, kind, _ in rows}
    if len(classes) != len(rows) or not set(classes.values()) <= set("TSX"):
        sys.exit(f"{LIST}: a number stands there twice, or has a class that is none of T, S, X")
    return classes


def named_tests(source):
    """Display name and function of the tests of a Swift file that have a name and are not disabled.

    The name is the first string of the attribute's arguments, where it has any; the function is the next one.
    """
    depth = 0
    name = None
    disabled = False
    waiting = False  # for the parenthesis that opens the attribute's arguments
    for token in TOKEN.finditer(source):
        kind = "string" if token.lastgroup in ("pounds", "hashes") else token.lastgroup
        if kind == "test":
            waiting, depth, name, disabled = source[token.end() : token.end() + 1] == "(", 0, None, False
        elif kind == "string" and depth == 1 and name is None:
            name = token.group()
        elif kind in ("open", "disabled") and (waiting or depth):
            disabled = disabled or kind == "disabled"
            waiting, depth = False, depth + 1
        elif kind == "close" and depth:
            depth -= 1
        elif kind == "function" and depth == 0:
            if name and not disabled:
                yield name.strip('#"'), token.group("function")
            name = None


def numbers(text, classes):
    """The numbers that a text names, ranges unrolled; those of letters that are no area are not meant."""
    found = set()
    for first, last in re.findall(rf"\b({NUMBER})(?: to ({NUMBER}))?\b", text):
        area, start = first.split("-")
        end = last.split("-")[1] if last else start
        found |= {f"{area}-{number}" for number in range(int(start), int(end) + 1)}
    areas = {number.split("-")[0] for number in classes}
    return {number for number in found if number.split("-")[0] in areas}


def tests(classes):
    """For each number the tests that name it."""
    files = [file for folder in ("Tests", "CommandLine", "Examples") for file in (ROOT / folder).rglob("*.swift")]
    named = {}
    for file in sorted(files):
        path = file.relative_to(ROOT)
        if any(part.startswith(".build") for part in path.parts):
            continue
        for name, function in named_tests(file.read_text()):
            for number in numbers(name, classes):
                named.setdefault(number, []).append(Test(path, name, function))
    return named


def deviations(classes):
    """For each number the rows of docs/deviations.md that answer it."""
    answered = {}
    for line in (ROOT / "docs/deviations.md").read_text().splitlines():
        if not line.startswith("| "):
            continue
        what = line.split("|")[1].strip()
        for group in re.findall(r"\(([^()]*)\)", what):
            for number in numbers(group, classes):
                answered.setdefault(number, []).append(f"docs/deviations.md: {what}")
    return answered
