"""The row of frames of videos, which programs write."""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from engine import number_of
from measures import child_times, median_ratio, median_times

ROOT = Path(__file__).resolve().parent.parent.parent
# Frames of one video for the warm decoder.
WARM = 9


def video(cache):
    """30 s of 1,920 x 1,080 pixels with noise, H.264 at about 20 Mbit/s, a keyframe every 2 seconds."""
    path = cache / "video-frame.mp4"
    if not path.exists():
        new = cache / "video-frame.new.mp4"
        source = "testsrc2=size=1920x1080:rate=30,noise=all_strength=12:all_flags=t"
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", source, "-t", "30", "-c:v", "libx264",
             "-preset", "veryfast", "-b:v", "20M", "-g", "60", "-bf", "2", "-pix_fmt", "yuv420p",
             "-movflags", "+faststart", str(new)],
            check=True)
        new.rename(path)
    return path


class VideoFrameRow:
    """Programs that write a frame, in turns, on one core: a decoder's CPU time is no child's."""

    name = "video-frame"
    ROUNDS = 11
    TARGETS = {"ffmpeg": 1.0, "ffmpeg-warm": 1.3}

    def __init__(self, cache):
        self.file = video(cache)
        self.what = (
            "the frame at 13.5 s of a video of 1,920x1,080 pixels (H.264, 30 frames a second, 45 after "
            "its keyframe) to a JPEG of the same size by the command line tool, compared with `ffmpeg -ss T "
            "-i F -frames:v 1` of Debian with one thread, by wall time on one core. Warm: each of "
            f"{WARM} frames in one run, without the start of the tool and of its decoder"
        )

    def commands(self, place):
        options = ["--no-cache", "--quiet", "--jobs", "1", "-f", "jpeg", "-o", f"{place}/"]
        tool = [ROOT / "bin/kingfisher", "get", *options]
        times = [f"{self.file}#t={13.5 + 0.001 * number}" for number in range(WARM + 1)]
        source = ["-threads", "1", "-ss", "13.5", "-i", self.file]
        ffmpeg = ["ffmpeg", "-v", "error", *source, "-frames:v", "1", "-q:v", "2", f"{place}/frame.jpg"]
        commands = {"kingfisher": [*tool, times[0]], "warm": [*tool, *times], "ffmpeg": ffmpeg}
        return {name: [*map(str, command)] for name, command in commands.items()}

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        times = {name: [] for name in self.commands("")}
        for _ in range(number_of(self.ROUNDS)):
            for name, own in times.items():
                with TemporaryDirectory() as place:
                    own.append(child_times(["taskset", "-c", str(core), *self.commands(place)[name]]))
        theirs, ours, runs = ([wall for wall, _ in times[name]] for name in ("ffmpeg", "kingfisher", "warm"))
        warm = [(run - one) / WARM for run, one in zip(runs, ours, strict=True)]
        ratios = [
            (peer, median_ratio(theirs, own), self.TARGETS[peer])
            for peer, own in (("ffmpeg", ours), ("ffmpeg-warm", warm))
        ]
        return ratios, median_times(times)
