#!/usr/bin/env -S python3 -B
"""Makes the fixtures of videos, and the frames that FFmpeg itself decodes from them.

    Tests/Fixtures/generate/video.py    needs Debian's ffmpeg

Videos have 50 frames at 25 frames a second and a keyframe every 12 frames, unless their name says otherwise.
`NAME-N.png` is frame N as the program ffmpeg decodes it, counted from 0.
"""

import subprocess
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "Sources/Core/KingfisherTestSupport/Fixtures/Video"
SIZE = "96x64"
X264 = "-c:v libx264 -preset veryfast -bf 2 -g 12 -pix_fmt yuv420p"
X265 = "-c:v libx265 -preset veryfast -x265-params log-level=none:info=0:keyint=12:bframes=2"
SOURCE = f"testsrc2=size={SIZE}:rate=25,format=yuv420p"
TAGS = "-color_primaries bt709 -color_trc bt709 -colorspace bt709 -color_range tv"


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *" ".join(arguments).split()], check=True)


def video(name, options, source=SOURCE, more="", frames=50, end=""):
    """One video without metadata, so that the same FFmpeg makes the same bytes."""
    exact = "-fflags +bitexact -flags:v +bitexact -flags:a +bitexact -map_metadata -1"
    ffmpeg(f"-f lavfi -i {source}", more, options, TAGS if "-color_trc" not in options else "",
           f"-frames:v {frames}", exact, end, str(FOLDER / name))


def frame(name, number):
    # Without the flags, chroma is not interpolated; with its colours, a PNG states the curve of television,
    # which readers convert.
    scale = "scale=flags=full_chroma_int+accurate_rnd+bicubic,format=rgb24"
    scale += ",setparams=color_primaries=unknown:color_trc=unknown"
    ffmpeg("-i", str(FOLDER / name), "-vf", f"select=eq(n\\,{number}),{scale}",
           "-frames:v 1 -fps_mode passthrough", str(FOLDER / f"{name.split('.')[0]}-{number}.png"))


def main():
    FOLDER.mkdir(exist_ok=True)
    audio = "-f lavfi -i sine=frequency=440:sample_rate=8000"
    video("h264.mp4", f"{X264} -c:a aac -b:a 16k -shortest -movflags +faststart", more=audio)
    video("h264-end.mov", X264)
    video("h264-fragments.mp4", f"{X264} -movflags +frag_keyframe+empty_moov")
    video("h264-start.mkv", X264, end="-output_ts_offset 3600")
    video("hevc.mp4", f"{X265} -pix_fmt yuv420p -tag:v hvc1")
    video("vp8.webm", "-c:v libvpx -b:v 200k -g 12 -auto-alt-ref 1")
    video("vp9.webm", "-c:v libvpx-vp9 -b:v 200k -g 12 -deadline realtime -cpu-used 8")
    video("av1.mp4", "-c:v libaom-av1 -b:v 200k -g 12 -cpu-used 8 -usage realtime")
    video("odd.webm", "-c:v libvpx-vp9 -b:v 200k -g 12 -deadline realtime -cpu-used 8",
          source="testsrc2=size=97x65:rate=25,format=yuv420p", frames=3)
    # Frames 0, 1, 2, ... are shown at 0, 0.04, 0.16, 0.36 ... seconds.
    video("variable.mkv", X264, source=f"{SOURCE},setpts=N*N*0.04/TB", frames=8, end="-fps_mode vfr")
    video("anamorphic.mp4", X264, source=f"{SOURCE},setsar=2", frames=3)
    video("rotated.mp4", X264, frames=3)
    ffmpeg("-i", str(FOLDER / "rotated.mp4"), "-c copy -metadata:s:v:0 rotate=90 -fflags +bitexact",
           str(FOLDER / "turned.mp4"))
    (FOLDER / "turned.mp4").replace(FOLDER / "rotated.mp4")
    # Grey of 203 nits: 0.5807 of PQ, which is 573 in the narrow range of 10 bits.
    pq = "-color_primaries bt2020 -color_trc smpte2084 -colorspace bt2020nc -color_range tv"
    video("pq.mp4", f"{X265} -pix_fmt yuv420p10le {pq}", frames=2,
          source=f"nullsrc=size={SIZE}:rate=25,format=yuv420p10le,geq=lum=573:cb=512:cr=512")
    # For the gallery: from one side of a photograph to the other.
    photo = FOLDER.parent / "Photos/coffee.jpg"
    ffmpeg("-loop 1 -framerate 25 -i", str(photo), "-frames:v 50 -vf crop=iw*2/3:ih*2/3:n*iw/150:n*ih/150",
           X264, "-crf 28 -fflags +bitexact -flags:v +bitexact -map_metadata -1",
           str(FOLDER / "panorama.mp4"))
    video("mpeg4.mp4", "-c:v mpeg4 -b:v 100k", frames=3)
    ffmpeg("-f lavfi -i sine=frequency=440:sample_rate=8000:duration=1 -c:a aac -b:a 16k",
           "-fflags +bitexact -flags:a +bitexact -map_metadata -1", str(FOLDER / "audio.mp4"))
    for name in ["h264.mp4", "hevc.mp4", "vp8.webm", "vp9.webm", "av1.mp4"]:
        frame(name, 26)
    for number in [0, 25, 49]:
        frame("h264.mp4", number)
    for name, number in [("variable.mkv", 3), ("variable.mkv", 7), ("odd.webm", 2), ("rotated.mp4", 0)]:
        frame(name, number)


main()
