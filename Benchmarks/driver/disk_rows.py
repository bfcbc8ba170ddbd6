"""The rows of disk caches: files in fresh folders on the disk that holds the cache folder."""

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
# Names of engines and the policies that they stand for.
DISKCACHE = {"diskcache": "least-recently-stored", "diskcache-lru": "least-recently-used"}
# How often a job does in a run what its figures are about.
TIMES = {"put": ENTRIES, "get": 5 * ENTRIES, "hit": ENTRIES, "miss": ENTRIES, "evict": 10_000}
# The folders of all rows, removed after the last: for minutes after many files were removed, ext4 without a
# journal makes files ten times slower.
FOLDERS = ExitStack()
atexit.register(FOLDERS.close)


def sizes():
    """Lognormal, 4 to 200 KB, 36 KB in the mean."""
    numbers = random.Random(7)
    found = []
    while len(found) < ENTRIES:
        size = int(numbers.lognormvariate(10.2, 0.83))
        if 4_000 <= size <= 200_000:
            found.append(size)
    return found


class DiskRow:
    """Jobs of disk caches, engines in turns; each engine has a folder of its own for each job."""

    def __init__(self, name, what, executable, cache, rounds, jobs, warm_up=1):
        self.warm_up = warm_up
        self.name, self.what, self.rounds = name, what, rounds
        self.executable, self.cache = executable, cache
        # By job: by peer: what it is called in the line, which of the answers to `clocks` is
        # compared, the target.
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
                pairs = zip(clocks[peer], clocks["kingfisher"])
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
    "10,000 entries of 4 to 200 KB (lognormal, 36 KB in the mean), keys of 80 characters, through "
    "DiskStorage.Backend<Data> with its defaults, one thread. "
)
PORT = (
    "port: the original's design on Linux's Foundation, without checksums; names by SHA-256 of libcrypto and "
    "String(format:) for each byte, as there. "
)


def put(executable, cache):
    return DiskRow(
        "disk-put",
        WHAT + "Into a new folder each time. " + PORT + "Against it the wall time counts, because Foundation's "
        "Data.write waits for the disk (fsync) on Linux, which takes no CPU time; against bare, CPU time. bare: a "
        "temporary file, its bytes, rename; no hash, no attribute, no times. 0.67 means at most 1.5 times its time",
        executable,
        cache,
        rounds=3,
        jobs={"put": {"port": ("port", WALL, 5), "bare": ("bare", CPU, 0.67)}},
    )


def get(executable, cache):
    return DiskRow(
        "disk-get",
        WHAT + "50,000 gets at random, all from the page cache, each verified by its checksum. CPU time of the "
        "process until the expirations and access times that are written later are on file: ours waits for them "
        "1.5 s a run, which the wall time tells and nothing counts. " + PORT + "bare: open, read into new memory of the "
        "size that it knows, close. 0.5 means at most twice its time",
        executable,
        cache,
        rounds=5,
        jobs={"get": {"port": ("port", CPU, 8), "bare": ("bare", CPU, 0.5)}},
    )


def exists(executable, cache):
    return DiskRow(
        "disk-exists",
        WHAT + "isCached of keys that are there (port) and that are not (port-miss). CPU time. " + PORT + "A name that "
        "it does not know of is a miss without a look at the disk, as in the original; ours looks each time, because "
        "other processes write, too",
        executable,
        cache,
        rounds=9,
        jobs={"hit": {"port": ("port", CPU, 25)}, "miss": {"port": ("port-miss", CPU, 8)}},
    )


def evict(executable, cache):
    return DiskRow(
        "disk-evict",
        "removeSizeExceededValues() of 100,000 files, of which the least recently used tenth takes half of the bytes (files "
        "of 9,000 and of 1,000 bytes), so that halving the total removes 10,000 files. CPU time, time of each removed file. "
        "port: the original's design on Linux's Foundation: the sum of all sizes, then the resource values of all files, "
        "sorted by creation date, which on Linux is the time of the last change",
        executable,
        cache,
        rounds=3,
        # Making 10,000 files anew takes minutes on ext4 without a journal.
        warm_up=0,
        jobs={"evict": {"port": ("port", CPU, 15)}},
    )


def peer(executable, cache):
    return DiskRow(
        "disk-peer",
        WHAT + "Into a new folder each time, and got warm as in disk-get. CPU time. diskcache: PyPI's, in Python, values up "
        "to 32 KB in SQLite, larger ones in files, no checksums. diskcache-lru: told to evict what was used longest ago, "
        "and so noting each access, as ours does. diskcache: with its defaults, which evict what was stored first and note "
        "no access; a get of that kind is twice as fast only where it is no more than open, read and close (decision 044), "
        "so there ours has to be no slower",
        executable,
        cache,
        rounds=3,
        jobs={
            "put": {"diskcache": ("diskcache-put", CPU, 3)},
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
