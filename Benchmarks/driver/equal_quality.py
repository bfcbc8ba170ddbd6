"""Rows of lossy files: their bytes and CPU time where all engines reach the same quality."""

import io
import statistics
import sys
from contextlib import ExitStack
from functools import cache

import pillow_jxl  # noqa: F401, adds the format to Pillow
from ssimulacra2 import compute_ssimulacra2

from engine import ROUNDS, Engine, in_turns
from measures import Row, median_ratio


class EqualQualityRow(Row):
    """Our files at some qualities, and for each the file of a peer with the same score.

    Peers have whole numbers as qualities: of the two whose scores enclose ours, the size is interpolated, and
    the CPU time is taken at the nearer one. The ratios are for the first of `qualities`, our default.
    `commands` has for each engine, ours first, a function from a quality to its command.
    """

    WARM_UP = 1
    # By how much a score grows with each step of a quality, about.
    SLOPE = 0.5

    def __init__(self, *arguments, image, commands, qualities, **options):
        engines = {name: command(qualities[0]) for name, command in commands.items()}
        super().__init__(*arguments, unit="ms", per_run=1e6, engines=engines, **options)
        self.image, self.commands, self.qualities = image, commands, qualities

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each quality."""
        points = [self.point(quality, core) for quality in self.qualities[: 1 if ROUNDS else None]]
        ratios = points[0][0]
        return [(name, ratios[name], target) for name, target in self.targets.items()], [
            note for _, note in points
        ]

    def point(self, quality, core):
        """The ratios of all peers at a quality of ours, by name, and a note."""
        ours, *peers = self.commands
        score, size = self.encoded(self.commands[ours](quality), core)
        qualities, sizes = {ours: quality}, {ours: size}
        for name in peers:
            qualities[name], sizes[name] = self.equal(name, quality, score, core)
        times = self.times(qualities, core)
        ratios = {f"{name}-cpu": median_ratio(times[name], times[ours]) for name in peers}
        ratios |= {f"{name}-size": sizes[name] / size for name in peers}
        texts = (
            f"{name} {statistics.median(times[name]) / self.per_run:.1f} ms and {sizes[name]:.0f} bytes"
            for name in qualities
        )
        return ratios, f"quality {quality}, SSIMULACRA2 {score:.1f}: {', '.join(texts)}"

    def equal(self, name, guess, score, core):
        """The quality of a peer whose score is nearest to `score`, and the interpolated size."""
        encoded = cache(lambda quality: self.encoded(self.commands[name](quality), core))
        low, high = 1, 100
        quality = guess
        while high - low > 1:
            missing = score - encoded(quality)[0]
            low, high = (quality, high) if missing > 0 else (low, quality)
            step = round(missing / self.SLOPE) or (1 if missing > 0 else -1)
            quality = min(max(quality + step, low + 1), high - 1)
        (below, smaller), (above, larger) = encoded(low), encoded(high)
        if not below <= score <= above:
            sys.exit(f"{self.name}: {name} has no quality with a score of {score:.1f}")
        share = (score - below) / (above - below)
        return (low if share < 0.5 else high), smaller + share * (larger - smaller)

    def encoded(self, command, core):
        """The score and the bytes of a file."""
        with Engine(self.name, command, core) as engine:
            data = engine.saved()
        return compute_ssimulacra2(self.image, io.BytesIO(data)), len(data)

    def times(self, qualities, core):
        with ExitStack() as stack:
            engines = [
                stack.enter_context(Engine(name, self.commands[name](quality), core))
                for name, quality in qualities.items()
            ]
            return in_turns(engines, self.rounds, Engine.run, self.WARM_UP)
