"""Runs every engine of a row in turns, on one core, and prints by how much the peers are slower.

    bench.py EXECUTABLE CACHE_FOLDER [ROW]

For each peer of a row: `bench NAME PEER RATIO TARGET`. RATIO is the median, over the rounds, of the peer's CPU
time through ours in the same round, so above 1 we are faster. Lines that begin with # are for people.
"""

import datetime
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy
import PIL
import PIL.features
import pyvips

import pictures

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WARM_UP = 2


class Engine:
    """A worker process, pinned to one core."""

    def __init__(self, name, command, core):
        self.name = name
        self.times = []
        self.process = subprocess.Popen(
            ["taskset", "-c", str(core), *map(str, command)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            sys.exit(f"bench: {self.name} gave no answer to `{line}`")
        return answer

    def run(self):
        return int(self.ask("run"))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Row:
    """What is compared: engines by name, ours first, and the ratio that is asked of us against each peer."""

    def __init__(self, name, what, rounds, unit, per_run, engines, targets, quality=None):
        self.name, self.what, self.rounds = name, what, rounds
        self.unit, self.per_run = unit, per_run
        self.engines, self.targets, self.quality = engines, targets, quality

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        engines = [Engine(name, command, core) for name, command in self.engines.items()]
        for _ in range(WARM_UP):
            for engine in engines:
                engine.run()
        for round in range(self.rounds):
            shift = round % len(engines)
            for engine in engines[shift:] + engines[:shift]:
                engine.times.append(engine.run())
        notes = [self.note(engine) for engine in engines]
        for engine in engines:
            engine.close()
        ours = engines[0]
        ratios = [
            (
                peer.name,
                statistics.median(theirs / own for theirs, own in zip(peer.times, ours.times)),
                self.targets[peer.name],
            )
            for peer in engines[1:]
        ]
        return ratios, notes

    def note(self, engine):
        time = statistics.median(engine.times) / self.per_run
        text = (
            f"{engine.name}: {time:.1f} {self.unit}"
            if time >= 1
            else f"{engine.name}: {time:.3f} {self.unit}"
        )
        if self.quality:
            with tempfile.NamedTemporaryFile() as file:
                engine.ask(f"save {file.name}")
                text += f", {self.quality(Path(file.name).read_bytes()):.1f} dB"
        return text


def jpeg_thumb(executable, cache):
    path, origin = pictures.photo12(cache, ROOT / "Sources/KingfisherTestSupport/Fixtures")
    reference = pictures.full_lanczos(path)
    return Row(
        "jpeg-thumb",
        f"a 12-megapixel JPEG in memory to 300x225 RGBA; {origin}. "
        "Decibels against full decode and Lanczos by Pillow",
        rounds=21,
        unit="ms",
        per_run=1e6,
        engines={
            "kingfisher": [executable, "jpeg-thumb", path],
            "libvips": [sys.executable, HERE / "libvips_thumb.py", path],
            "pillow": [sys.executable, HERE / "pillow_thumb.py", path],
        },
        targets={"libvips": 1.15, "pillow": 1.15},
        quality=lambda raw: pictures.psnr(raw, reference),
    )


def memory_get(executable, cache):
    return Row(
        "memory-get",
        "a picture from MemoryStorage.Backend, with expiration and extension, against Foundation's NSCache "
        "without; 10,000 entries, keys of 64 characters, one thread",
        rounds=11,
        unit="ns a get",
        per_run=100_000,
        engines={"kingfisher": [executable, "memory-get"], "nscache": [executable, "memory-get-nscache"]},
        targets={"nscache": 10},
    )


ROWS = {"jpeg-thumb": jpeg_thumb, "memory-get": memory_get}


def output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def head():
    """What the figures depend on."""
    model = next(
        (line.split(":", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")),
        platform.machine(),
    )
    distribution = platform.freedesktop_os_release().get("PRETTY_NAME", "Linux")
    vips = ".".join(str(pyvips.version(part)) for part in range(3))
    swift = output("swift", "--version").splitlines()[0]
    turbo = output("pkg-config", "--modversion", "libjpeg")
    return [
        f"date: {datetime.date.today()}",
        f"machine: {model}, {os.cpu_count()} cores, {distribution}, Linux {platform.release()}",
        f"kingfisher: {output('git', 'describe', '--always', '--dirty')}, {swift}, libjpeg-turbo {turbo}",
        f"libvips: {vips} (PyPI pyvips-binary), one thread",
        f"pillow: {PIL.__version__} (libjpeg-turbo {PIL.features.version('libjpeg_turbo')})",
        "nscache: Foundation of the same Swift",
        f"python: {platform.python_version()}, numpy {numpy.__version__}",
    ]


def report(lines, results):
    """Benchmarks/RESULTS.md: the table of the last full run."""
    text = ["# Results of the last `make bench`", ""]
    text += [
        "Ratios of CPU time, one core, engines in turns, median of the rounds; above 1 Kingfisher is faster.",
        "",
    ]
    text += [f"- {line}" for line in lines]
    for row, ratios, notes in results:
        text += [
            "",
            f"## {row.name}",
            "",
            row.what + ".",
            "",
            "| peer | ratio | target |",
            "| --- | --- | --- |",
        ]
        text += [f"| {peer} | {ratio:.2f} | {target} |" for peer, ratio, target in ratios]
        text += ["", "; ".join(notes) + "."]
    (ROOT / "Benchmarks/RESULTS.md").write_text("\n".join(text) + "\n")


def main():
    executable, cache = Path(sys.argv[1]), Path(sys.argv[2])
    only = sys.argv[3] if len(sys.argv) > 3 else ""
    if only and only not in ROWS:
        sys.exit(f"bench: no row {only}; there are {', '.join(ROWS)}")
    core = max(os.sched_getaffinity(0))
    lines = head()
    for line in lines:
        print(f"# {line}", flush=True)
    results = []
    for name, make in ROWS.items():
        if only and name != only:
            continue
        row = make(executable, cache)
        ratios, notes = row.measure(core)
        for note in notes:
            print(f"# {name}: {note}")
        for peer, ratio, target in ratios:
            print(f"bench {name} {peer} {ratio:.2f} {target}", flush=True)
        results.append((row, ratios, notes))
    if not only:
        report(lines, results)


main()
