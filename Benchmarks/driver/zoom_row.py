"""The row of large images in a window."""

import statistics
from contextlib import ExitStack
from pathlib import Path

import images
from engine import Engine, in_turns

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "Sources/Core/KingfisherTestSupport/Fixtures"
# Pixels of the image, and of its view: the whole image in a window of 1,600 x 900.
SIZE, VIEW = (30_000, 20_000), (1350, 900)


def photo600(cache):
    """The photograph of 12 megapixels, repeated to 600, by libvips, which streams it."""
    photo, origin = images.photo12(cache, FIXTURES)
    path = photo.with_stem(photo.stem + "-600")
    if not path.exists():
        import pyvips

        new = path.with_stem(path.stem + ".new")
        tile = pyvips.Image.new_from_file(str(photo))
        across, down = (-(-side // own) for side, own in zip(SIZE, (tile.width, tile.height), strict=True))
        whole = tile.replicate(across, down).crop(0, 0, *SIZE)
        whole.jpegsave(str(new), Q=90, subsample_mode="on")
        new.rename(path)
    return path, f"{origin}; repeated to 30000x20000, {path.stat().st_size / 1e6:.0f} MB"


class ZoomRow:
    """Wall time on two cores, engines alternating: ours uses a second thread."""

    name = "zoom-open"
    ROUNDS, WARM_UP = 9, 1

    def __init__(self, executable, cache):
        path, origin = photo600(cache)
        self.engines = {
            "kingfisher": [executable, "zoom-open", path, *VIEW],
            "gdk-pixbuf": [cache / "peer_scaled", path, *VIEW],
        }
        # scripts/bench compiles it for a Debian 13, where this system is at /mnt.
        if (program := cache / "glycin_scaled").exists():
            inside = [ROOT / "scripts/in-debian", "trixie", cache / "debian13", ""]
            self.engines["glycin"] = [*inside, f"/mnt{program}", f"/mnt{path}", *VIEW]
            origin = (
                "glycin of Debian 13 decodes all pixels in another process, whose CPU time is not counted; "
                f"{origin}"
            )
        self.what = (
            "wall time on two cores from the path of a baseline JPEG of 600 megapixels in the page cache to "
            "the pixels of the whole image for a window, 1350x900; ours with the index for tiles and of "
            f"1875x1250 pixels, theirs by gdk_pixbuf_new_from_file_at_scale; {origin}"
        )

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        with ExitStack() as stack:
            engines = [
                stack.enter_context(Engine(name, command, "0,1")) for name, command in self.engines.items()
            ]
            clocks = in_turns(engines, self.ROUNDS, Engine.clocks, self.WARM_UP)
        walls = {name: statistics.median(wall for wall, _ in pairs) for name, pairs in clocks.items()}
        notes = [
            f"{name}: {walls[name] / 1e9:.2f} s, "
            f"{statistics.median(cpu for _, cpu in pairs) / 1e9:.2f} s of CPU time"
            for name, pairs in clocks.items()
        ]
        ours = walls.pop("kingfisher")
        return [(name, theirs / ours, 3.0) for name, theirs in walls.items()], notes
