"""The behaviours, and the tests and deviations that have their numbers.

A test has its numbers in a trait: @Test("...", .behaviours("M-16", "M-17")). Disabled tests are ignored. A
deviation is a row of docs/deviations.md whose first cell has the number in parentheses: "a symbolic link in
place of an entry (C-29)".
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIST = ROOT / "docs/behaviours.md"
NUMBER = r"[A-Z]-[0-9]+"

# Comments and strings are matched first, so that tests and parentheses in them are ignored.
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)"""
    r'''|(?P<string>(?P<pounds>\#*)"""(?:.*?)"""(?P=pounds)|(?P<hashes>\#*)"(?:\\.|[^"\\\n])*"(?P=hashes))'''
    r"""|(?P<test>@Test\b)|\.behaviours\((?P<trait>[^()]*)\)|(?P<disabled>\.disabled\()"""
    r"""|(?P<open>\()|(?P<close>\))|\bfunc +(?P<function>\w+)""",
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
    """The class of each number, in the order of the page."""
    rows = re.findall(rf"^\| ({NUMBER}) \| (\w) \|", LIST.read_text(), re.MULTILINE)
    classes = dict(rows)
    if len(classes) != len(rows) or not set(classes.values()) <= set("TSX"):
        sys.exit(f"{LIST}: a number appears twice, or has a class other than T, S and X")
    return classes


def named_tests(source):
    """Display name, function and numbers of the enabled tests in a Swift file that have the trait.

    The name is the first string in the attribute's arguments, if any. The function is the next function.
    """
    depth = 0
    name = None
    named = set()
    disabled = False
    waiting = False  # for the parenthesis that opens the attribute's arguments
    for token in TOKEN.finditer(source):
        kind = "string" if token.lastgroup in ("pounds", "hashes") else token.lastgroup
        if kind == "test":
            waiting, depth, name, disabled = source[token.end() : token.end() + 1] == "(", 0, None, False
            named = set()
        elif kind == "trait" and depth == 1:
            named |= set(re.findall(rf'"({NUMBER})"', token.group("trait")))
        elif kind == "string" and depth == 1 and name is None:
            name = token.group()
        elif kind in ("open", "disabled") and (waiting or depth):
            disabled = disabled or kind == "disabled"
            waiting, depth = False, depth + 1
        elif kind == "close" and depth:
            depth -= 1
        elif kind == "function" and depth == 0:
            if named and not disabled:
                yield (name or token.group("function")).strip('#"'), token.group("function"), named
            name, named = None, set()


def numbers(text, classes):
    """The numbers in a text, with ranges expanded; letters that are not an area are ignored."""
    found = set()
    for first, last in re.findall(rf"\b({NUMBER})(?: to ({NUMBER}))?\b", text):
        area, start = first.split("-")
        end = last.split("-")[1] if last else start
        found |= {f"{area}-{number}" for number in range(int(start), int(end) + 1)}
    areas = {number.split("-")[0] for number in classes}
    return {number for number in found if number.split("-")[0] in areas}


def tests(classes):
    """The tests of each number."""
    folders = ("Tests", "CommandLine", "Examples")
    files = [file for folder in folders for file in (ROOT / folder).rglob("*.swift")]
    named = {}
    for file in sorted(files):
        path = file.relative_to(ROOT)
        if any(part.startswith(".build") for part in path.parts):
            continue
        for name, function, numbers_of_test in named_tests(file.read_text()):
            for number in numbers_of_test:
                named.setdefault(number, []).append(Test(path, name, function))
    return named


def deviations(classes):
    """The rows of docs/deviations.md for each number."""
    answered = {}
    for line in (ROOT / "docs/deviations.md").read_text().splitlines():
        if not line.startswith("| "):
            continue
        what = line.split("|")[1].strip()
        for group in re.findall(r"\(([^()]*)\)", what):
            for number in numbers(group, classes):
                answered.setdefault(number, []).append(f"docs/deviations.md: {what}")
    return answered
