"""The rows of JPEG files."""

import statistics
from pathlib import Path

import images
from engine import Engine, in_turns
from measures import BoundRow, Row, median_ratio

FIXTURES = Path(__file__).resolve().parent.parent.parent / "Sources/KingfisherTestSupport/Fixtures"


class WallRow(Row):
    """Wall time of engines that may use two cores."""

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        engines = [Engine(name, command, "0,1") for name, command in self.engines.items()]
        clocks = in_turns(engines, self.rounds, Engine.clocks, self.WARM_UP)
        for engine in engines:
            engine.__exit__()
        walls = {name: [wall for wall, _ in times] for name, times in clocks.items()}
        ours, *peers = walls
        notes = [
            f"{name}: {statistics.median(wall for wall, _ in times) / self.per_run:.1f} {self.unit} of wall time, "
            f"{statistics.median(time for _, time in times) / self.per_run:.1f} of CPU time"
            for name, times in clocks.items()
        ]
        return [(peer, median_ratio(walls[peer], walls[ours]), self.targets[peer]) for peer in peers], notes


def thumb_parallel(executable, cache):
    path, origin = images.photo12(cache, FIXTURES)
    return WallRow(
        "jpeg-thumb-parallel",
        "wall time for a 12-megapixel JPEG in memory to 300x225 RGBA, with a second thread if a core is idle "
        f"and with one thread, on two cores; {origin}",
        rounds=41,
        unit="ms",
        per_run=1e6,
        engines={
            "kingfisher": [executable, "thumb", path, 300],
            "one-thread": [executable, "thumb-alone", path, 300],
        },
        targets={"one-thread": 1.6},
    )


def decode(engines):
    def make(executable, cache):
        path, origin = images.photo12(cache, FIXTURES)
        return Row(
            "jpeg-decode",
            f"a 12-megapixel JPEG in memory to pixels, all by libjpeg-turbo; {origin}",
            rounds=11,
            unit="ms",
            per_run=1e6,
            engines=engines(executable, "decode", path),
            targets={"libvips": 0.95, "pillow": 0.95},
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
        "jpeg-thumb-parallel": thumb_parallel,
        "jpeg-decode": decode(engines),
        "jpeg-progressive-thumb": thumb(
            "jpeg-progressive-thumb",
            images.photo12_progressive,
            "progressive JPEG, ours from its DC coefficients at an eighth of the size,",
            {"libvips": 5.0, "pillow": 5.0},
        ),
        "thumb-memory": lambda executable, cache: BoundRow(memory(executable, cache), megabytes=15),
    }
