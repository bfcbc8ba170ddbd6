"""Rows compared by time or memory: engines, ours first, and the target ratio for each peer."""

import resource
import statistics
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

from engine import Engine, in_turns, number_of


def median_ratio(theirs, ours):
    return statistics.median(their / own for their, own in zip(theirs, ours, strict=True))


def child_times(command, environment=None):
    """Runs a program; its seconds of wall time and of CPU time."""
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def median_times(times):
    """A note on each program, of the pairs of its runs."""
    return [
        f"{name}: {statistics.median(wall for wall, _ in own):.2f} s of wall time, "
        f"{statistics.median(cpu for _, cpu in own):.2f} s of CPU time"
        for name, own in times.items()
    ]


class Row:
    """CPU time, engines alternating. `quality` describes the output of an engine, given as raw RGBA rows."""

    WARM_UP = 2

    def __init__(self, name, what, rounds, unit, per_run, engines, targets, quality=None):
        self.name, self.what, self.rounds = name, what, rounds
        self.unit, self.per_run = unit, per_run
        self.engines, self.targets, self.quality = engines, targets, quality

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        with ExitStack() as stack:
            engines = [
                stack.enter_context(Engine(name, command, core)) for name, command in self.engines.items()
            ]
            for name, times in in_turns(engines, self.rounds, Engine.run, self.WARM_UP).items():
                next(engine for engine in engines if engine.name == name).times += times
            notes = [self.note(engine) for engine in engines]
        ours = engines[0]
        ratios = [
            (
                peer.name,
                median_ratio(peer.times, ours.times),
                self.targets[peer.name],
            )
            for peer in engines[1:]
        ]
        return ratios, notes

    def note(self, engine):
        median = statistics.median(engine.times) / self.per_run
        text = (
            f"{engine.name}: {median:.1f} {self.unit}"
            if median >= 1
            else f"{engine.name}: {median:.3f} {self.unit}"
        )
        if self.quality:
            text += f", {self.quality(engine.saved())}"
        return text


class MemoryRow:
    """Peak memory growth of a new process while it runs the work of another row once."""

    ROUNDS = 5
    # Below this, the allocator's behaviour matters more than the work.
    LEAST = 100_000

    def __init__(self, of):
        self.name = f"{of.name}-memory"
        self.what = f"peak memory growth of a new process during its first {of.name}, with the file in memory"
        self.engines = of.engines
        self.targets = {peer: 1.0 for peer in of.targets}

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        peaks = {name: self.peak(name, command, core) for name, command in self.engines.items()}
        ours, *peers = peaks
        ratios = [(peer, peaks[peer] / peaks[ours], self.targets[peer]) for peer in peers]
        return ratios, [f"{name}: {peak / 1e6:.1f} MB" for name, peak in peaks.items()]

    def peak(self, name, command, core):
        peaks = []
        for _ in range(number_of(self.ROUNDS)):
            with Engine(name, command, core) as engine:
                peaks.append(engine.peak())
        return max(statistics.median(peaks), self.LEAST)


class BoundRow(MemoryRow):
    """Peak memory compared with a limit instead of a peer: the ratio is the limit divided by our value."""

    def __init__(self, of, megabytes):
        super().__init__(of)
        self.what += f"; `limit` is {megabytes} MB, including the bytes of the file"
        self.bound = megabytes * 1_000_000
        self.targets = {"limit": 1.0}

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        peaks = {
            name: self.peak(name, command, core) + Path(command[2]).stat().st_size
            for name, command in self.engines.items()
        }
        ratio = self.bound / next(iter(peaks.values()))
        notes = [f"{name}: {peak / 1e6:.1f} MB including the file" for name, peak in peaks.items()]
        return [("limit", ratio, self.targets["limit"])], notes
