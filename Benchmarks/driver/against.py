"""Compares two builds of this library, row by row, alternating on one core.

    against.py EXECUTABLE EARLIER_EXECUTABLE CACHE_FOLDER [ROW,ROW...]

For each row: `bench NAME earlier RATIO 0.97`. RATIO is the median, over the rounds of eight pairs of
processes, of the earlier build's CPU time divided by this build's in the same round: above 1 this build is
faster, at 0.97 it is 3 % slower. Rows that measure memory or hit ratios are skipped. Fails if a row is below
0.97.
"""

import os
import statistics
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from pathlib import Path

from disk_rows import DiskRow, sizes
from downloads import DownloadRow
from engine import Engine, in_turns
from loading_rows import CoalescingRow, LoadRow, MemoryHitRow
from measures import Row
from rows import ROWS

LEAST = 0.97
# Two processes of one build differ by up to 5 %; the median of many pairs differs less.
PAIRS = 8


@contextmanager
def jobs(row, core):
    """The jobs of a row: by label, a function from an executable to its command."""
    row = row.times if isinstance(row, MemoryHitRow) else row
    with ExitStack() as stack:
        if isinstance(row, Row):
            arguments = row.engines["kingfisher"][1:]
            yield {row.name: lambda executable, _: [executable, *arguments]}
        elif isinstance(row, DownloadRow):
            url, certificates = stack.enter_context(row.server(core))
            yield {
                f"{row.name}-{number}": lambda executable, _, number=number: [
                    executable, "download", url, row.count, number, *certificates
                ]
                for number in row.at_a_time
            }
        elif isinstance(row, CoalescingRow | LoadRow):
            server = stack.enter_context(Engine("server", [row.executable, "image-server", row.file], core))
            port = server.ask("port")
            yield {row.name: lambda executable, _: [executable, row.name, port]}
        elif isinstance(row, DiskRow):
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(dir=row.cache, prefix="disk-")))
            (folder / "sizes").write_text("".join(f"{size}\n" for size in sizes()))

            def command(executable, name, job):
                own = folder / f"{name}-{job}"
                own.mkdir()
                return [executable, "disk", "kingfisher", job, own, folder / "sizes"]

            yield {
                f"{row.name}-{job}": lambda executable, name, job=job: command(executable, name, job)
                for job in row.jobs
            }
        else:
            yield {}


def compared(builds, command, rounds, core):
    """CPU times of every round in nanoseconds, by build."""
    times = {name: [] for name in builds}
    for number in range(PAIRS):
        order = list(builds) if number % 2 == 0 else list(reversed(builds))
        with ExitStack() as stack:
            engines = [
                stack.enter_context(Engine(name, command(builds[name], f"{name}-{number}"), core))
                for name in order
            ]
            for name, values in in_turns(engines, rounds, lambda engine: engine.clocks()[1], 1).items():
                times[name] += values
    return times


def main():
    executable, earlier, cache = (Path(argument) for argument in sys.argv[1:4])
    only = sys.argv[4].split(",") if len(sys.argv) > 4 else list(ROWS)
    core = max(os.sched_getaffinity(0))
    slower = []
    for name in only:
        if name not in ROWS:
            sys.exit(f"bench: unknown row {name}; rows are {', '.join(ROWS)}")
        row = ROWS[name](executable, cache)
        with jobs(row, core) as found:
            for label, command in found.items():
                rounds = max(2, getattr(row, "rounds", 8) // 2)
                times = compared({"now": executable, "earlier": earlier}, command, rounds, core)
                pairs = zip(times["now"], times["earlier"], strict=True)
                ratio = statistics.median(old / new for new, old in pairs)
                medians = {name: statistics.median(values) / 1e6 for name, values in times.items()}
                print(f"# {label}: {medians['now']:.3f} ms, earlier {medians['earlier']:.3f} ms")
                print(f"bench {label} earlier {ratio:.3f} {LEAST}", flush=True)
                if ratio < LEAST:
                    slower.append(label)
    if slower:
        sys.exit(f"bench: slower than the earlier build: {', '.join(slower)}")


if __name__ == "__main__":
    main()
