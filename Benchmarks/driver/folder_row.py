"""The row of a folder, which whole programs read."""

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import images
from engine import number_of
from measures import median_ratio

ROOT = Path(__file__).resolve().parent.parent.parent


class FolderRow:
    """Programs that make thumbnails of a folder, in turns; two cores, files in the page cache."""

    name = "folder"
    ROUNDS = 3
    TARGETS = {"vipsthumbnail": 2.5, "imagemagick": 5}

    def __init__(self, cache, fixtures):
        self.files, origin = images.folder(cache, fixtures)
        self.what = (
            "1,000 photographs in files to JPEG thumbnails of 300 pixels by the command line tool, compared "
            "with vipsthumbnail and mogrify -thumbnail of Debian, all with quality 85, by wall time on two "
            "cores and by CPU time (-cpu). The tool uses both cores, the others one, so ratios of wall time "
            "compare two cores with one. One file in twelve is a progressive JPEG, and of these every other "
            "one has 12 megapixels and is decoded from its DC scans by the tool (44 dB, row "
            f"jpeg-progressive-thumb); {origin}"
        )

    def commands(self, place):
        tool = [ROOT / "bin/kingfisher", "get", "--no-cache", "--quiet", "-p", "downsample:300x300"]
        mogrify = ["mogrify", "-define", "jpeg:size=600x600", "-thumbnail", "300x300"]
        options = {
            "kingfisher": [*tool, "-f", "jpeg", "--quality", "85", "-o", f"{place}/"],
            "vipsthumbnail": ["vipsthumbnail", "-s", "300x300", "-o", f"{place}/%s.jpg[Q=85]"],
            "imagemagick": [*mogrify, "-format", "jpg", "-quality", "85", "-path", place],
        }
        return {name: [*map(str, command), *map(str, self.files)] for name, command in options.items()}

    def run(self, name):
        """Seconds of wall time and of CPU time."""
        with tempfile.TemporaryDirectory() as place:
            started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(self.commands(place)[name], check=True, stdout=subprocess.DEVNULL)
            wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
            made = len(list(Path(place).iterdir()))
            if made != len(self.files):
                sys.exit(f"bench: {name} made {made} thumbnails of {len(self.files)} files")
        return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        times = {name: [] for name in self.commands("")}
        for _ in range(number_of(self.ROUNDS)):
            for name, own in times.items():
                own.append(self.run(name))
        notes = [
            f"{name}: {statistics.median(wall for wall, _ in own):.2f} s of wall time, "
            f"{statistics.median(time for _, time in own):.2f} s of CPU time"
            for name, own in times.items()
        ]
        ratios = []
        for peer, target in self.TARGETS.items():
            for index, suffix in enumerate(["", "-cpu"]):
                theirs, ours = ([pair[index] for pair in times[name]] for name in (peer, "kingfisher"))
                ratios.append((peer + suffix, median_ratio(theirs, ours), target))
        return ratios, notes
