"""The rows of JPEG files, and of two threads."""

import statistics
import sys
from contextlib import ExitStack
from pathlib import Path

import images
from engine import ROUNDS, Engine, number_of
from folder_row import FolderRow
from measures import BoundRow, Row

FIXTURES = Path(__file__).resolve().parent.parent.parent / "Sources/Core/KingfisherTestSupport/Fixtures"


class ParallelRow(Row):
    """Wall time of an engine that uses two cores, compared with the same on one.

    Virtual cores are now and then hyperthreads of one core. So two processes with one thread each run before
    and after a round, at the same time; rounds in which they take more than 1.1 times as long as one do not
    count.
    """

    ATTEMPTS = 400

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        alone = self.engines["one-thread"]
        with ExitStack() as stack:
            ours, peer = (
                stack.enter_context(Engine(name, command, "0,1")) for name, command in self.engines.items()
            )
            probes = [stack.enter_context(Engine("probe", alone, core)) for core in (0, 1)]
            for engine in (ours, peer, *probes):
                engine.clocks()
            rounds, attempts = [], 0
            while len(rounds) < number_of(self.rounds) and attempts < self.ATTEMPTS:
                attempts += 1
                before, pair = self.at_once(probes), (ours.clocks(), peer.clocks())
                most = 1.1 * pair[1][0]
                if ROUNDS or max(*before, *self.at_once(probes)) < most:
                    rounds.append(pair)
        if not rounds:
            sys.exit(f"bench: {self.name}: there are no two cores")
        ratio = statistics.median(peer[0] / ours[0] for ours, peer in rounds)
        notes = [
            f"{name}: {self.middle(rounds, index, 0)} {self.unit} of wall time, "
            f"{self.middle(rounds, index, 1)} of CPU time"
            for index, name in enumerate(self.engines)
        ]
        return [("one-thread", ratio, self.targets["one-thread"])], [
            *notes, f"{len(rounds)} of {attempts} rounds had two cores"
        ]

    def middle(self, rounds, engine, clock):
        return f"{statistics.median(pair[engine][clock] for pair in rounds) / self.per_run:.1f}"

    @staticmethod
    def at_once(engines):
        """The wall time of each engine, all running at the same time."""
        for engine in engines:
            engine.send("clocks")
        return [int(engine.receive().split()[0]) for engine in engines]


def against_alone(name, photo, work, row, ours, peer, target, rounds=41):
    """A thumbnail of a photo in memory by the command `ours`; the peer is one thread of this process."""
    def make(executable, cache):
        path, origin = photo(cache, FIXTURES)
        return row(
            name,
            f"{work}; {origin}",
            rounds=rounds,
            unit="ms",
            per_run=1e6,
            engines={
                "kingfisher": [executable, ours, path, 300],
                peer: [executable, "thumb-alone", path, 300],
            },
            targets={peer: target},
        )

    return make


def thumb_parallel(name, photo, kind, rounds=41):
    work = (
        f"wall time for a 12-megapixel {kind} in memory to 300x225 RGBA, with a second thread if a core is "
        "idle and with one thread, on two cores")
    return against_alone(name, photo, work, ParallelRow, "thumb", "one-thread", 1.6, rounds)


def isolated(name, photo, kind):
    work = (
        f"a 12-megapixel {kind} in memory to 300x225 RGBA in a decoder process, the CPU time of both "
        "processes, and in this process")
    return against_alone(name, photo, work, Row, "thumb-isolated", "in-process", 0.95)


def step(name, step, same, target):
    """A step compared with `downsample` to the pixels that are decoded for it."""
    def make(executable, cache):
        path, origin = images.photo12(cache, FIXTURES)
        return Row(
            name,
            f"`{step}` of a 12-megapixel JPEG in memory, compared with `{same}`; {origin}",
            rounds=21,
            unit="ms",
            per_run=1e6,
            engines={
                "kingfisher": [executable, "step", path, step],
                "downsample": [executable, "step", path, same],
            },
            targets={"downsample": target},
        )

    return make


def decode(engines):
    def make(executable, cache):
        path, origin = images.photo12(cache, FIXTURES)
        other = images.photo12_refused(cache, FIXTURES)
        return Row(
            "jpeg-decode",
            "a 12-megapixel JPEG in memory to pixels, theirs by libjpeg-turbo. libjpeg-turbo: the same "
            "through this library, with a segment in the file for which our decoder leaves it to "
            f"libjpeg-turbo; {origin}",
            rounds=11,
            unit="ms",
            per_run=1e6,
            engines={
                **engines(executable, "decode", path),
                "libjpeg-turbo": [executable, "decode", other],
            },
            targets={"libvips": 1.5, "pillow": 1.5, "libjpeg-turbo": 1.15},
        )

    return make


def rows(thumb, engines):
    """`thumb` makes a row of thumbnails, `engines` the commands of ours and the peers for a job."""
    memory = thumb("thumb", images.photo12, "JPEG", {})
    both = {"libvips": 2.0, "pillow": 2.0}
    return {
        "jpeg-thumb": thumb("jpeg-thumb", images.photo12, "JPEG", {"libvips": 2.2, "pillow": 2.2}),
        "jpeg-thumb-444": thumb("jpeg-thumb-444", images.photo12_444, "JPEG", both),
        "jpeg-thumb-q60": thumb("jpeg-thumb-q60", images.photo12_q60, "JPEG", both),
        "jpeg-thumb-restart": thumb("jpeg-thumb-restart", images.photo12_restart, "JPEG", both),
        "jpeg-thumb-1000": thumb(
            "jpeg-thumb-1000", images.photo12, "JPEG", {"libvips": 1.3, "pillow": 1.3}, side=1000
        ),
        "jpeg-thumb-parallel": thumb_parallel("jpeg-thumb-parallel", images.photo12, "JPEG"),
        "avif-thumb-parallel": thumb_parallel("avif-thumb-parallel", images.photo12_avif, "AVIF", 15),
        "heic-thumb-parallel": thumb_parallel("heic-thumb-parallel", images.photo12_heic, "HEIC", 15),
        "jpeg-fit": step("jpeg-fit", "fit:300x200", "downsample:267x267", 0.97),
        "jpeg-cover": step("jpeg-cover", "cover:300x200", "downsample:300x300", 0.91),
        "isolated-thumb": isolated("isolated-thumb", images.photo12, "JPEG"),
        "isolated-heic": isolated("isolated-heic", images.photo12_heic, "HEIC"),
        "folder": lambda executable, cache: FolderRow(cache, FIXTURES),
        "jpeg-decode": decode(engines),
        "jpeg-progressive-thumb": thumb(
            "jpeg-progressive-thumb",
            images.photo12_progressive,
            "progressive JPEG, ours from its DC coefficients at an eighth of the size,",
            {"libvips": 5.0, "pillow": 5.0},
        ),
        "thumb-memory": lambda executable, cache: BoundRow(memory(executable, cache), megabytes=8),
    }
