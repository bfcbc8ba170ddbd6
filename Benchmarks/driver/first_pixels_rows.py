"""The rows of first pixels: from the load of an image to the frame that shows it, in windows."""

import math
import os
import statistics
import subprocess
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import images
from downloads import nginx
from engine import Engine, in_turns

FIXTURES = Path(__file__).resolve().parent.parent.parent / "Sources/Core/KingfisherTestSupport/Fixtures"

WHAT = {
    "memory": "from the memory cache, downsampled; theirs from a table of textures of three bytes a pixel, "
    "which GTK converts faster than our four for a frame of its cairo renderer (decision 019)",
    "disk": "from the file of the original in the disk cache, downsampled and stored in memory and on disk, "
    "as by default; theirs from the same file by gdk_pixbuf_new_from_file_at_scale in a GTask's thread, not "
    "stored",
    "network": "from nginx on loopback with nothing cached, downsampled and stored as by default; theirs by "
    "soup_session_send_and_read_async of libsoup 3, then gdk_pixbuf_new_from_stream_at_scale in a GTask's "
    "thread, not stored",
}


@contextmanager
def display(size="800x600"):
    """Starts a virtual display and yields its name."""
    reading, writing = os.pipe()
    command = ["Xvfb", "-displayfd", str(writing), "-nolisten", "tcp", "-screen", "0", f"{size}x24"]
    with subprocess.Popen(command, pass_fds=[writing], stderr=subprocess.DEVNULL) as server:
        os.close(writing)
        try:
            number = os.fdopen(reading).readline().strip()
            if not number:
                sys.exit("bench: Xvfb did not start")
            yield f":{number}"
        finally:
            server.terminate()


class FirstPixelsRow:
    """Wall time of single loads, engines alternating, all on the same two cores."""

    ROUNDS, WARM_UP = 150, 5
    # By renderer of GTK: the name of the peer.
    PEERS = {"cairo": "gdk-pixbuf", "gl": "gdk-pixbuf-gl"}

    def __init__(self, origin, targets, executable, cache):
        self.name, self.origin, self.targets = f"first-pixels-{origin}", origin, targets
        self.programs = {"kingfisher": executable.parent / "FirstPixels", "gdk-pixbuf": cache / "pixbuf_view"}
        self.file, described = images.photo12(cache, FIXTURES)
        self.what = (
            "wall time from ImageView's kf.setImage to the end of the frame that shows a 12-megapixel JPEG "
            f"in a fresh view of 300x300, {WHAT[origin]}. Peer: a C program that shows the image in a "
            "GtkPicture. Single loads 50 ms after the last frame, in a window under Xvfb on two cores, with "
            "GTK's cairo renderer, and with OpenGL in software (-gl); ratio of the medians. The frame is "
            f"checked: the middle of the view is opaque in it. {described}"
        )

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and notes on each engine."""
        ratios, notes = [], []
        server = nginx(self.file.read_bytes(), core) if self.origin == "network" else nullcontext(self.file)
        with display() as name, server as place:
            for renderer, peer in self.PEERS.items():
                times = self.times(renderer, name, place)
                ours, theirs = (statistics.median(walls) for walls in times.values())
                ratios.append((peer, theirs / ours, self.targets[renderer]))
                notes += [f"{renderer}, {engine}: {words(walls)}" for engine, walls in times.items()]
        return ratios, notes

    def times(self, renderer, display, place):
        """Wall times of all rounds in nanoseconds, by engine."""
        settings = [f"DISPLAY={display}", "GDK_BACKEND=x11", f"GSK_RENDERER={renderer}", "GTK_A11Y=none"]
        with ExitStack() as stack:
            # Entered first, so that it is removed after the engines have ended.
            folder = stack.enter_context(TemporaryDirectory())
            command = ["env", *settings]
            engines = [
                stack.enter_context(Engine(name, [*command, program, self.origin, place, folder], "0,1"))
                for name, program in self.programs.items()
            ]
            clocks = in_turns(engines, self.ROUNDS, Engine.clocks, self.WARM_UP)
        return {name: [wall for wall, _ in pairs] for name, pairs in clocks.items()}


def words(walls):
    p99 = sorted(walls)[math.ceil(0.99 * len(walls)) - 1]
    return f"p50 {statistics.median(walls) / 1e6:.2f} ms, p99 {p99 / 1e6:.2f} ms"


def row(origin, **targets):
    return lambda executable, cache: FirstPixelsRow(origin, targets, executable, cache)


ROWS = {
    "first-pixels-memory": row("memory", cairo=0.3, gl=0.7),
    "first-pixels-disk": row("disk", cairo=1.5, gl=1.5),
    "first-pixels-network": row("network", cairo=1.5, gl=1.5),
}
