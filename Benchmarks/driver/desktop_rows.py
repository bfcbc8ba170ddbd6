"""The rows of whole programs on a desktop: a scrolled grid, the first image of a program, the memory of held
images, and the start of the tool."""

import os
import statistics
import subprocess
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import images
from engine import Engine, number_of
from first_pixels_rows import display
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


class ScrollRow:
    """A grid of photographs that is scrolled to its end, by programs in turns."""

    name = "scroll"
    ROUNDS, COUNT, LIMIT = 5, 500, 120
    WIDTH, HEIGHT, HELD = 160, 120, 64 << 20
    # By renderer of GTK: the suffix of the peer.
    RENDERERS = {"cairo": "", "gl": "-gl"}
    FIELDS = ("wall", "cpu", "frames", "late", "longest")

    def __init__(self, executable, cache, fixtures):
        files, origin = images.folder(cache, fixtures)
        # Debian 12 has no loader of GdkPixbuf for WebP. Progressive files and PNG are other rows.
        baseline = [file for number, file in enumerate(files) if number % 48 % 15 not in (1, 2, 3)]
        self.files = baseline[: self.COUNT]
        self.ours, self.pixbuf = executable.parent / "ScrollGrid", cache / "peer_grid"
        self.what = (
            f"a GtkGridView of {self.COUNT} photographs (baseline JPEG) in a window of 1000x700 under Xvfb, "
            "scrolled to its end at 3,000 points a second, page by page, each when all images of the last "
            f"one are shown; thumbnails of {self.WIDTH}x{self.HEIGHT}. CPU time of the process on two cores "
            "until its end. Ours with nothing cached, until all thumbnails are stored on disk, and with the "
            "thumbnails on disk (-warm). Peer: a C program without a disk cache, with GtkPicture, "
            "gdk_pixbuf_new_from_file_at_scale in a thread for each core, and a table of textures with the "
            "limit of our memory cache. With GTK's cairo renderer, and with OpenGL in software (-gl). "
            "frame: 16 ms divided by the CPU time of our main thread for the longest frame and the gap "
            f"before it, after the first page is shown, median of the runs. {origin}"
        )

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on the runs of each engine."""
        ratios, notes = [], []
        with display("1280x1024") as name, TemporaryDirectory() as folder:
            for renderer, suffix in self.RENDERERS.items():
                settings = {"DISPLAY": name, "GDK_BACKEND": "x11", "GTK_A11Y": "none"}
                settings["GSK_RENDERER"] = renderer
                runs = {"cold": [], "warm": [], "gdk-pixbuf": []}
                for _ in range(number_of(self.ROUNDS)):
                    self.round(runs, Path(folder), settings)
                ratios += self.ratios(runs, suffix)
                notes += [f"{renderer}, {words(kind, own)}" for kind, own in runs.items()]
        return ratios, notes

    @staticmethod
    def ratios(runs, suffix):
        ratios = []
        for kind, part in (("cold", ""), ("warm", "-warm")):
            ratio = middle(runs["gdk-pixbuf"], "cpu") / middle(runs[kind], "cpu")
            ratios += [
                (f"gdk-pixbuf{part}{suffix}", ratio, 2.0),
                (f"frame{part}{suffix}", 16e6 / middle(runs[kind], "longest"), 1.0),
            ]
        return ratios

    def round(self, runs, folder, settings):
        listing = folder / "photographs"
        listing.write_text("\n".join(map(str, self.files)))
        with fresh_caches() as environment:
            for kind, own in runs.items():
                program = self.pixbuf if kind == "gdk-pixbuf" else self.ours
                own.append(self.run(program, listing, environment | settings))

    def run(self, program, listing, environment):
        command = ["taskset", "-c", "0,1", program, listing, self.WIDTH, self.HEIGHT, self.HELD]
        output = subprocess.run(
            [*map(str, command)],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            timeout=self.LIMIT,
        ).stdout
        return dict(zip(self.FIELDS, map(int, output.split()), strict=True))


def middle(runs, field):
    return statistics.median(run[field] for run in runs)


def words(kind, runs):
    return (
        f"{kind}: {middle(runs, 'cpu') / 1e9:.2f} s of CPU time, last image after "
        f"{middle(runs, 'wall') / 1e9:.2f} s, {middle(runs, 'late'):.0f} of {middle(runs, 'frames'):.0f} "
        f"frames above 16 ms, the longest {middle(runs, 'longest') / 1e6:.1f} ms"
    )


def rows(fixtures):
    return {
        "scroll": lambda executable, cache: ScrollRow(executable, cache, fixtures),
        "memory-per-image": lambda executable, cache: HeldImagesRow(executable, cache, fixtures),
        "start-image": lambda _, cache: start_image(cache, fixtures),
        "start-tool": lambda _, cache: start_tool(cache, fixtures),
    }
