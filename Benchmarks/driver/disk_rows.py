"""The rows of disk caches: files in new folders on the disk of the cache folder."""

import atexit
import random
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from engine import Engine, in_turns

HERE = Path(__file__).resolve().parent
WALL, CPU = 0, 1
ENTRIES = 10_000
# Eviction policies of diskcache, by engine.
DISKCACHE = {"diskcache": "least-recently-stored", "diskcache-lru": "least-recently-used"}
# Operations of a run, by job.
TIMES = {"put": ENTRIES, "get": 5 * ENTRIES, "hit": ENTRIES, "miss": ENTRIES, "evict": 10_000}
# The folders of all rows, removed after the last row: for minutes after many files were removed, ext4 without
# a journal creates files ten times slower.
FOLDERS = ExitStack()
atexit.register(FOLDERS.close)


def sizes():
    """File sizes: lognormal, 4 to 200 KB, mean 36 KB."""
    numbers = random.Random(7)
    found = []
    while len(found) < ENTRIES:
        size = int(numbers.lognormvariate(10.2, 0.83))
        if 4_000 <= size <= 200_000:
            found.append(size)
    return found


class DiskRow:
    """Jobs of disk caches, engines alternating; each engine has a separate folder for each job."""

    def __init__(self, name, what, executable, cache, rounds, jobs, warm_up=1):
        self.warm_up = warm_up
        self.name, self.what, self.rounds = name, what, rounds
        self.executable, self.cache = executable, cache
        # By job and peer: its name in the output, the compared clock (WALL or CPU), the target.
        self.jobs = jobs

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and notes on each engine."""
        ratios, notes = [], []
        folder = Path(FOLDERS.enter_context(tempfile.TemporaryDirectory(dir=self.cache, prefix="disk-")))
        listing = folder / "sizes"
        listing.write_text("".join(f"{size}\n" for size in sizes()))
        for job, peers in self.jobs.items():
            clocks = self.clocks(job, peers, folder, listing, core)
            notes += [f"{job}, {name}: {words(times, TIMES[job])}" for name, times in clocks.items()]
            for peer, (label, index, target) in peers.items():
                pairs = zip(clocks[peer], clocks["kingfisher"], strict=True)
                ratio = statistics.median(theirs[index] / ours[index] for theirs, ours in pairs)
                ratios.append((label, ratio, target))
        return ratios, notes

    def clocks(self, job, peers, folder, listing, core):
        """Wall and CPU time of every run, in nanoseconds, by engine."""
        with ExitStack() as stack:
            engines = [
                stack.enter_context(Engine(name, self.command(name, job, folder, listing), core))
                for name in ["kingfisher", *peers]
            ]
            return in_turns(engines, self.rounds, Engine.clocks, self.warm_up)

    def command(self, name, job, folder, listing):
        own = folder / f"{name}-{job}"
        own.mkdir()
        if name in DISKCACHE:
            return [sys.executable, HERE / "diskcache_files.py", DISKCACHE[name], job, own, listing]
        return [self.executable, "disk", name, job, own, listing]


def words(times, count):
    wall, cpu = (statistics.median(time[index] for time in times) / count / 1e3 for index in (WALL, CPU))
    return f"{wall:.1f} us, {cpu:.1f} us of CPU each"


WHAT = (
    "10,000 entries of 4 to 200 KB (lognormal, mean 36 KB), keys of 80 characters, through "
    "DiskStorage.Backend<Data> with default settings, one thread. "
)
PORT = (
    "port: the original's design on Foundation for Linux, without checksums; names by SHA-256 of libcrypto "
    "and String(format:) for each byte, as in the original. "
)


def put(executable, cache):
    return DiskRow(
        "disk-put",
        WHAT + "Stores into a new folder each time. "
        + PORT
        + "Compared with port by wall time, because Foundation's Data.write waits for the disk (fsync) on "
        "Linux, which takes no CPU time; with bare by CPU time. bare: writes a temporary file and "
        "renames it; no hash, no attribute, no times",
        executable,
        cache,
        rounds=3,
        jobs={"put": {"port": ("port", WALL, 5), "bare": ("bare", CPU, 0.95)}},
    )


def get(executable, cache):
    return DiskRow(
        "disk-get",
        WHAT + "50,000 random gets, all from the page cache, each verified by its checksum. CPU time of "
        "the process until the delayed expirations and access times are written: ours waits 1.5 s "
        "for them in each run, which is only in the wall time. "
        + PORT
        + "bare: open, read into new memory of known size, close; decision 044 has what a checksum and "
        "access times cost at least",
        executable,
        cache,
        rounds=5,
        jobs={"get": {"port": ("port", CPU, 8), "bare": ("bare", CPU, 0.6)}},
    )


def exists(executable, cache):
    return DiskRow(
        "disk-exists",
        WHAT + "isCached of keys that exist (port) and do not exist (port-miss). CPU time. "
        + PORT
        + "For an unknown name it reports a miss without disk access, like the original; ours accesses the "
        "disk each time, because other processes write, too",
        executable,
        cache,
        rounds=9,
        jobs={"hit": {"port": ("port", CPU, 25)}, "miss": {"port": ("port-miss", CPU, 8)}},
    )


def evict(executable, cache):
    return DiskRow(
        "disk-evict",
        "removeSizeExceededValues() of 100,000 files, of which the least recently used tenth has half of "
        "the bytes (files of 9,000 and 1,000 bytes), so that halving the total removes 10,000 files. CPU "
        "time for each removed file. port: the original's design on Foundation for Linux: the sum of all "
        "sizes, then the resource values of all files, sorted by creation date, which on Linux is the time "
        "of the last change",
        executable,
        cache,
        rounds=3,
        # Creating 10,000 files again takes minutes on ext4 without a journal.
        warm_up=0,
        jobs={"evict": {"port": ("port", CPU, 15)}},
    )


def peer(executable, cache):
    return DiskRow(
        "disk-peer",
        WHAT + "Stores into a new folder each time, gets as in disk-get. CPU time. diskcache: from PyPI, "
        "in Python; values up to 32 KB in SQLite, larger ones in files, no checksums. "
        "diskcache-lru: evicts the least recently used entry, and so records each access, like "
        "ours. diskcache: with default settings, which evict the first stored entry and record no "
        "access. A get can be twice as fast as that only if it consists of no more than open, read "
        "and close (decision 044), so ours must be at least as fast",
        executable,
        cache,
        rounds=3,
        jobs={
            "put": {"diskcache": ("diskcache-put", CPU, 1.8)},
            "get": {"diskcache-lru": ("diskcache-lru-get", CPU, 2), "diskcache": ("diskcache-get", CPU, 1)},
        },
    )


ROWS = {
    "disk-put": put,
    "disk-get": get,
    "disk-exists": exists,
    "disk-evict": evict,
    "disk-peer": peer,
}
