"""A copy of the source tree for planting faults, and the results of its tests."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import scan

COPY = scan.ROOT / ".build-proof/tree"
# The faults are in modules below GTK and WebP.
ENVIRONMENT = {**os.environ, "KINGFISHER_WITHOUT": "GTK,WebP", "NO_COLOR": "1"}
# As in scripts/test, so that tests that measure time do not wait for others.
ENVIRONMENT["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] = "8"
LIMIT = 300  # seconds for one run of tests; the slowest run takes a tenth of it


def refresh():
    """Updates the copy. Unchanged files keep their times, so they are not built again."""
    command = ["git", "ls-files", "-zco", "--exclude-standard"]
    listing = subprocess.check_output(command, cwd=scan.ROOT, text=True)
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
        sys.exit("\n".join(["prove: the build failed, which is inconclusive", *dict.fromkeys(errors)]))


def bundle():
    """The test executable of the copy."""
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
            [bundle(), "--testing-library", "swift-testing", *arguments],
            cwd=COPY, env=ENVIRONMENT, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT,
        )
    except subprocess.TimeoutExpired:
        sys.exit(f"prove: the tests did not finish within {LIMIT} s")
    ends = re.findall(r"^\S+ +Test (?!run with).+ (passed|failed) after ", done.stdout, re.MULTILINE)
    passed, failed = ends.count("passed"), ends.count("failed")
    if done.returncode not in (0, 1) or (done.returncode == 0) != (failed == 0) or not ends:
        output = done.stdout[-4000:]
        sys.exit(f"prove: the tests exited with {done.returncode}, which is inconclusive\n{output}")
    return passed, failed
