"""A copy of the tree in which the sources may be broken, and what its tests say about that."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import scan

COPY = scan.ROOT / ".build-proof/tree"
# Windows and WebP have suites of their own; what is disabled here is below them.
ENVIRONMENT = {**os.environ, "KINGFISHER_WITHOUT": "GTK,WebP", "NO_COLOR": "1"}
# As scripts/test does it, so that tests with a clock are not starved by the rest.
ENVIRONMENT["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] = "8"
LIMIT = 300  # seconds for one run of tests; the slowest takes a tenth


def refresh():
    """Makes the copy what the tree is; files that are the same keep their times, and so need no building."""
    listing = subprocess.check_output(["git", "ls-files", "-zco", "--exclude-standard"], cwd=scan.ROOT, text=True)
    names = {name for name in listing.split("\0") if name and (scan.ROOT / name).is_file()}
    for name in names:
        source, target = scan.ROOT / name, COPY / name
        if not target.exists() or source.read_bytes() != target.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    for file in COPY.rglob("*"):
        name = file.relative_to(COPY)
        if file.is_file() and name.parts[0] != ".build" and str(name) not in names:
            file.unlink()


def build():
    done = subprocess.run(
        ["swift", "build", "--build-tests"], cwd=COPY, env=ENVIRONMENT, text=True, capture_output=True
    )
    if done.returncode:
        errors = [line for line in (done.stdout + done.stderr).splitlines() if "error:" in line]
        sys.exit("\n".join(["prove: the build failed, which proves nothing", *dict.fromkeys(errors)]))


def bundle():
    """The executable that holds the copy's tests."""
    folder = subprocess.check_output(
        ["swift", "build", "--show-bin-path"], cwd=COPY, env=ENVIRONMENT, text=True
    ).strip()
    return max(Path(folder).glob("*PackageTests.xctest"), key=lambda file: file.stat().st_mtime)


def run(tests):
    """How many of the tests passed and how many failed."""
    filters = [rf"/{test.function}\(.*/{re.escape(test.file.name)}:" for test in tests]
    arguments = [argument for pattern in filters for argument in ("--filter", pattern)]
    try:
        done = subprocess.run(
            [bundle(), "--testing-library", "swift-testing", *arguments], cwd=COPY, env=ENVIRONMENT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT,
        )
    except subprocess.TimeoutExpired:
        sys.exit(f"prove: the tests were not done after {LIMIT} s")
    ends = re.findall(r"^\S+ +Test (?!run with).+ (passed|failed) after ", done.stdout, re.MULTILINE)
    passed, failed = ends.count("passed"), ends.count("failed")
    if done.returncode not in (0, 1) or (done.returncode == 0) != (failed == 0) or not ends:
        sys.exit(f"prove: the tests ended with {done.returncode}, which proves nothing\n{done.stdout[-4000:]}")
    return passed, failed
