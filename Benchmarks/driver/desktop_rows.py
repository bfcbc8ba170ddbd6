"""The rows of whole programs: the first image of a program, the memory of held images, and the start of the
tool."""

import os
import statistics
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import images
from engine import Engine, number_of
from loading_rows import small_photo
from measures import child_times, median_ratio

ROOT = Path(__file__).resolve().parent.parent.parent


def first_image(cache):
    """FirstImage, which is linked and stripped like the tool, and its peer."""
    return {"kingfisher": ROOT / "bin/first-image", "gdk-pixbuf": cache / "first_image"}


@contextmanager
def fresh_caches():
    """An environment in which a program finds nothing cached."""
    with TemporaryDirectory() as folder:
        yield {**os.environ, "XDG_CACHE_HOME": folder}


@contextmanager
def on_core(core):
    """Runs the driver and the programs that it starts on one core: taskset would be a part of their times."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class StartRow:
    """Whole programs with one small job, in turns, on one core."""

    ROUNDS = 101

    def __init__(self, name, what, commands, target):
        self.name, self.what, self.target = name, what, target
        # By engine, ours first: its command in a folder that is removed after the run.
        self.commands = commands

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        times = {name: [] for name in self.commands("")}
        with on_core(core):
            for round in range(number_of(self.ROUNDS) + 1):
                for name, own in times.items():
                    with fresh_caches() as environment, TemporaryDirectory() as place:
                        spent = child_times([*map(str, self.commands(place)[name])], environment)
                    # The first run of a program reads it from the disk.
                    if round > 0:
                        own.append(spent)
        ours, (peer, theirs) = times["kingfisher"], list(times.items())[1]
        ratios = [
            (peer + suffix, median_ratio(*([pair[index] for pair in own] for own in (theirs, ours))), target)
            for index, suffix, target in ((1, "", self.target), (0, "-wall", self.target))
        ]
        return ratios, [
            f"{name}: {1000 * statistics.median(cpu for _, cpu in own):.1f} ms of CPU time, "
            f"{1000 * statistics.median(wall for wall, _ in own):.1f} ms of wall time"
            for name, own in times.items()
        ]


def start_image(cache, fixtures):
    file, origin = images.photo12(cache, fixtures)
    what = (
        "a program from its start to its exit, which decodes a 12-megapixel JPEG in a file to 300 pixels, by "
        "CPU time and by wall time (-wall), on one core, the file in the page cache. Ours: KingfisherManager"
        ".retrieveImage with a DownsamplingImageProcessor and otherwise the default options, with nothing "
        "cached, linked like the tool: the Swift libraries statically, stripped. Peer: a C program, "
        f"gdk_pixbuf_new_from_file_at_scale. {origin}"
    )
    programs = first_image(cache)
    return StartRow(
        "start-image", what, lambda _: {name: [path, file, 300] for name, path in programs.items()}, 1.3)


def start_tool(cache, fixtures):
    file, origin = small_photo(cache, fixtures)
    what = (
        "`kingfisher get` of one small file to a JPEG of 100 pixels and quality 85, from the start of the "
        "process to its exit, compared with vipsthumbnail of Debian, by CPU time and by wall time (-wall), "
        f"on one core; 0.77 means at most 1.3 times its time. {origin}"
    )
    tool = [ROOT / "bin/kingfisher", "get", "--no-cache", "--quiet", "-p", "downsample:100x100"]

    def commands(place):
        return {
            "kingfisher": [*tool, "-f", "jpeg", "--quality", "85", "-o", f"{place}/", file],
            "vipsthumbnail": ["vipsthumbnail", "-s", "100x100", "-o", f"{place}/%s.jpg[Q=85]", file],
        }

    return StartRow("start-tool", what, commands, 0.77)


class HeldImagesRow:
    """Memory of thumbnails that are held, compared with their pixels."""

    ROUNDS = 5
    MOST = 1150

    name = "memory-per-image"

    def __init__(self, executable, cache, fixtures):
        file, origin = small_photo(cache, fixtures)
        self.command = [executable, "held-images", file]
        self.what = (
            "growth of the resident memory of a process that loads 1,000 thumbnails of 300 pixels through "
            "KingfisherManager at the same time and holds them in the memory cache; `limit` is 1.15 times "
            f"the bytes of their pixels. {origin}"
        )

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note."""
        shares = []
        for _ in range(number_of(self.ROUNDS)):
            with Engine("kingfisher", self.command, "0,1") as engine:
                engine.run()
                shares.append(int(engine.ask("count")))
        share = statistics.median(shares)
        note = f"kingfisher: {share / 1000:.3f} bytes of memory for each byte of pixels"
        return [("limit", self.MOST / share, 1.0)], [note]


def rows(fixtures):
    return {
        "memory-per-image": lambda executable, cache: HeldImagesRow(executable, cache, fixtures),
        "start-image": lambda _, cache: start_image(cache, fixtures),
        "start-tool": lambda _, cache: start_tool(cache, fixtures),
    }
