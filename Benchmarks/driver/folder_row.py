"""The row of a folder, which whole programs read."""

import sys
import tempfile
from pathlib import Path

import images
from engine import number_of
from measures import child_times, median_ratio, median_times

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
            times = child_times(self.commands(place)[name])
            made = len(list(Path(place).iterdir()))
            if made != len(self.files):
                sys.exit(f"bench: {name} made {made} thumbnails of {len(self.files)} files")
        return times

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        times = {name: [] for name in self.commands("")}
        for _ in range(number_of(self.ROUNDS)):
            for name, own in times.items():
                own.append(self.run(name))
        ratios = []
        for peer, target in self.TARGETS.items():
            for index, suffix in enumerate(["", "-cpu"]):
                theirs, ours = ([pair[index] for pair in times[name]] for name in (peer, "kingfisher"))
                ratios.append((peer + suffix, median_ratio(theirs, ours), target))
        return ratios, median_times(times)
