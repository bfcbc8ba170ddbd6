"""Runs all engines of a row alternately on one core, and prints how much slower the other libraries are.

    bench.py EXECUTABLE CACHE_FOLDER [ROW,ROW...]

For each peer of a row: `bench NAME PEER RATIO TARGET`. RATIO is the median, over the rounds, of the peer's
CPU time divided by ours in the same round, so above 1 we are faster. In rows whose names end in -memory it is
the peer's peak memory divided by ours, so above 1 we use less. Rows of downloads, disk caches and first
pixels state what they compare. Lines that start with # are comments. The rows are written to
Benchmarks/RESULTS.md with date and commit, unless ROUNDS is set.
"""

import datetime
import os
import platform
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import PIL.features

from engine import ROUNDS
from rows import ROWS

ROOT = Path(__file__).resolve().parent.parent.parent
# By library of ours: its name for pkg-config.
LIBRARIES = {"libjpeg-turbo": "libjpeg", "libwebp": "libwebp", "libaom": "aom", "libjxl": "libjxl"}


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def server():
    """The version of nginx, which it prints to standard error."""
    return subprocess.run(["nginx", "-v"], capture_output=True, text=True).stderr.strip().rpartition(" ")[2]


def pillow_simd(cache):
    """The version of Pillow-SIMD and its build options in scripts/bench."""
    version = output(cache / "pillow-simd/bin/python", "-c", "import PIL; print(PIL.__version__)")
    return "not installed" if version == "unknown" else f"{version} (AVX2, Debian's libraries)"


def thumbor(cache):
    """The versions that scripts/bench has installed for the rows of the service."""
    file = cache / "thumbor/peers"
    return file.read_text().strip() if file.exists() else "not installed"


def head(cache):
    """Machine and versions, on which the figures depend."""
    model = next(
        (line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
        platform.machine(),
    )
    kernel = ".".join(platform.release().split(".")[:2])
    distribution = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    swift = output("swift", "--version").splitlines()[0]
    libraries = ", ".join(
        f"{name} {output('pkg-config', '--modversion', module)}"
        for name, module in LIBRARIES.items()
    )
    return [
        f"machine: {model}, {os.cpu_count()} cores, {distribution}, Linux {kernel}",
        f"kingfisher: {swift}, {libraries}",
        f"libvips: {version('pyvips-binary')} (PyPI pyvips-binary), one thread; in the rows of lossy files "
        f"{output('dpkg-query', '-W', '-f', '${Version}', 'libvips42')} of Debian with the encoders of ours",
        f"pillow: {version('pillow')} (libjpeg-turbo {PIL.features.version('libjpeg_turbo')}, "
        f"libwebp {PIL.features.version('webp')})",
        f"pillow-simd: {pillow_simd(cache)}; opencv: {version('opencv-python-headless')}, one thread",
        f"curl-multi: libcurl {output('pkg-config', '--modversion', 'libcurl')}, also ours; "
        f"aiohttp: {version('aiohttp')}; async-http-client: 1.37; url-session: Foundation of the same Swift; "
        f"server: {server()}",
        f"gdk-pixbuf: {output('pkg-config', '--modversion', 'gdk-pixbuf-2.0')}, "
        f"libsoup {output('pkg-config', '--modversion', 'libsoup-3.0')}, "
        f"GTK {output('pkg-config', '--modversion', 'gtk4')}, also ours",
        f"thumbor: {thumbor(cache)}; client of the service: wrk",
        f"nscache, port: Foundation of the same Swift; diskcache: {version('diskcache')}",
        f"python: {platform.python_version()}, numpy {version('numpy')}",
    ]


def section(row, ratios, notes, measured):
    """The section of one row in the results."""
    text = [f"## {row.name}", "", row.what + ".", "", "| peer | ratio | target |", "| --- | --- | --- |"]
    text += [f"| {peer} | {ratio:.2f} | {target} |" for peer, ratio, target in ratios]
    text += ["", "; ".join(notes) + f". Measured {measured}.", ""]
    return "\n".join(text)


def report(lines, results):
    """Replaces the sections of these rows in Benchmarks/RESULTS.md."""
    file = ROOT / "Benchmarks/RESULTS.md"
    old = re.split(r"^(?=## )", file.read_text(), flags=re.MULTILINE)[1:] if file.exists() else []
    sections = {text.split("\n", 1)[0].removeprefix("## "): text.rstrip("\n") + "\n" for text in old}
    commit = output("git", "describe", "--always", "--dirty")
    for row, ratios, notes in results:
        sections[row.name] = section(row, ratios, notes, f"{datetime.date.today()} at {commit}")
    text = [
        "# Results of the last runs of `make bench`",
        "",
        "Ratios of CPU time on one core, engines alternating, median of the rounds; above 1 Kingfisher is "
        "faster. Rows that end in -memory: ratios of peak memory; above 1 Kingfisher uses less. Rows of "
        "downloads, of disk caches, of first pixels and of the service state what they compare.",
        "",
        *(f"- {line}" for line in lines),
        "",
        "![Requests a second and latencies of the image servers](../docs/images/service-figures.svg)",
        "",
        "![Bytes and CPU time of lossy files of equal quality](../docs/images/encode-figures.svg)",
        "",
        # A row may have a second section, which follows it.
        *(sections[name] for name in sorted(sections, key=place)),
    ]
    file.write_text("\n".join(text))


def place(name):
    """The sort key of a section: the order of the rows."""
    names = list(ROWS)
    base = name.removesuffix("-memory")
    return (names.index(name) if name in names else names.index(base) if base in names else len(names), name)


def main():
    executable, cache = Path(sys.argv[1]), Path(sys.argv[2])
    only = sys.argv[3].split(",") if len(sys.argv) > 3 else list(ROWS)
    for name in only:
        if name not in ROWS:
            sys.exit(f"bench: unknown row {name}; rows are {', '.join(ROWS)}")
    core = max(os.sched_getaffinity(0))
    # Peers of other rows may be missing if nothing is written.
    lines = [] if ROUNDS else head(cache)
    for line in lines:
        print(f"# {line}", flush=True)
    results = []
    for name, make in ROWS.items():
        if name not in only:
            continue
        row = make(executable, cache)
        ratios, notes = row.measure(core)
        for note in notes:
            print(f"# {name}: {note}")
        for peer, ratio, target in ratios:
            print(f"bench {name} {peer} {ratio:.2f} {target}", flush=True)
        results.append((row, ratios, notes))
    if not ROUNDS:
        report(lines, results)


main()
