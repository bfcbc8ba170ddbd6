#!/usr/bin/env -S python3 -B
"""Makes the fixtures of HEIF sequences (ISO/IEC 23008-12, 7), and the frames that FFmpeg decodes from them.

    Tests/Fixtures/generate/heic_sequence.py    needs Debian's ffmpeg

FFmpeg codes the frames and writes an MP4 file; this script makes a sequence of its boxes: other brands,
tracks of images (`pict`) and of alpha (`auxv`), a repeated edit, a still image. `NAME-N.png` is frame N as
FFmpeg decodes it from the MP4 file, counted from 0 in the order in which frames are shown.
"""

import struct
import subprocess
import tempfile
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[3] / "Sources/Core/KingfisherTestSupport/Fixtures/HEIC"
SIZE = (96, 64)
SOURCE = f"testsrc2=size={SIZE[0]}x{SIZE[1]}:rate=25"
# Open groups: the frames that follow a keyframe, and are shown before it, refer to frames before it.
X265 = "-c:v libx265 -preset veryfast -tag:v hvc1"
OPTIONS = "log-level=none:info=0:keyint=8:min-keyint=8:scenecut=0:bframes=2:open-gop=1"
EXACT = "-fflags +bitexact -flags:v +bitexact -map_metadata -1"
ALPHA = b"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0"


def ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-v", "error", "-y", *" ".join(arguments).split()], check=True)


def box(kind, *content):
    data = b"".join(content)
    return struct.pack(">I", 8 + len(data)) + kind + data


def full(kind, *content, flags=0):
    return box(kind, struct.pack(">I", flags), *content)


def boxes(data, start=0):
    """The kinds, offsets and lengths of boxes."""
    while start < len(data):
        length, kind = struct.unpack_from(">I4s", data, start)
        yield kind, start, length
        start += length


CONTAINERS = {b"moov": 0, b"trak": 0, b"mdia": 0, b"minf": 0, b"stbl": 0, b"stsd": 8, b"hvc1": 78}


def edit(data, change, path=()):
    """The boxes after `change(path, content)`, which returns the new content, or all of the box in a list."""
    result = b""
    for kind, start, length in boxes(data):
        content = data[start + 8:start + length]
        if kind in CONTAINERS:
            skip = CONTAINERS[kind]
            content = content[:skip] + edit(content[skip:], change, path + (kind,))
        changed = change(path + (kind,), content)
        result += changed[0] if isinstance(changed, list) else box(kind, changed)
    return result


def find(data, *path):
    for kind, start, length in boxes(data):
        if kind == path[0]:
            skip = CONTAINERS.get(kind, 0)
            content = data[start + 8:start + length]
            return content if len(path) == 1 else find(content[skip:], *path[1:])
    raise KeyError(path)


def still(movie):
    """The list of items with the first frame as a still image."""
    table = find(movie, b"moov", b"trak", b"mdia", b"minf", b"stbl")
    size = struct.unpack_from(">I", find(table, b"stsz"), 12)[0]
    offset = struct.unpack_from(">I", find(table, b"stco"), 8)[0]
    return full(
        b"meta",
        full(b"hdlr", bytes(4), b"pict", bytes(13)),
        full(b"pitm", struct.pack(">H", 1)),
        full(b"iloc", struct.pack(">HHHHHII", 0x4400, 1, 1, 0, 1, offset, size)),
        full(b"iinf", struct.pack(">H", 1),
             box(b"infe", bytes([2, 0, 0, 0]), struct.pack(">HH", 1, 0), b"hvc1\0")),
        box(b"iprp",
            box(b"ipco", box(b"hvcC", find(table, b"stsd", b"hvc1", b"hvcC")),
                full(b"ispe", struct.pack(">II", *SIZE))),
            full(b"ipma", struct.pack(">IHBBB", 1, 1, 2, 0x81, 0x02))))


def sequence(video, name, brand=b"msf1", plays=None, has_still=False, matrix=None, premultiplied=False):
    """A sequence of the streams of an MP4 file: images, and alpha if there is a second one."""
    data = video.read_bytes()
    kind, start, length = next(boxes(data))
    brands = box(b"ftyp", brand, bytes(4), (4 * b"msf1hevcmif1heic")[:length - 16])
    assert kind == b"ftyp"
    movie = next(data[s:s + n] for k, s, n in boxes(data) if k == b"moov")
    rest = data[length:len(data) - len(movie)]
    assert data.endswith(movie)
    track = 0

    def change(path, content):
        nonlocal track
        if path[-1] == b"hdlr":
            track += 1
            return content[:8] + (b"pict" if track == 1 else b"auxv") + content[12:]
        if path[-1] == b"hvc1" and track == 2:
            return content + full(b"auxi", ALPHA)
        if path[-1] == b"edts":
            return [b""]
        if path[-1] == b"tkhd":
            # Version 0: a number of units of the movie, and the matrix.
            duration = struct.unpack_from(">I", content, 20)[0]
            if plays:
                content = content[:20] + struct.pack(">I", duration * plays) + content[24:]
            if matrix:
                content = content[:40] + struct.pack(">9i", *matrix) + content[76:]
            edits = full(b"elst", struct.pack(">IIiI", 1, duration, 0, 1 << 16), flags=1)
            return [box(b"tkhd", content) + (box(b"edts", edits) if plays else b"")]
        if path == (b"moov", b"trak") and track == 1 and premultiplied:
            return content + box(b"tref", box(b"prem", struct.pack(">I", 2)))
        if path == (b"moov", b"trak") and track == 2:
            return content + box(b"tref", box(b"auxl", struct.pack(">I", 1)))
        return content

    items = still(movie) if has_still else b""
    (FOLDER / name).write_bytes(brands + rest + edit(movie, change) + items)


def frame(video, name, number):
    scale = "scale=flags=full_chroma_int+accurate_rnd+bicubic,format=rgb24"
    scale += ",setparams=color_primaries=unknown:color_trc=unknown"
    ffmpeg("-i", str(video), "-map 0:0 -vf", f"select=eq(n\\,{number}),{scale}",
           "-frames:v 1 -fps_mode passthrough", str(FOLDER / f"{name}-{number}.png"))


def main():
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        video, deep, alpha = (Path(folder) / name for name in ["video.mp4", "deep.mp4", "alpha.mp4"])
        x265 = f"{X265} -x265-params {OPTIONS}"
        # Frames are shown for 1, 2, 3 ... 25ths of a second.
        ffmpeg("-f lavfi -i", f"{SOURCE},setpts=N*(N+1)/2*0.04/TB", x265, "-pix_fmt yuv420p -frames:v 20",
               "-fps_mode vfr", EXACT, str(video))
        ffmpeg("-f lavfi -i", SOURCE, x265, "-pix_fmt yuv420p10le -frames:v 2", EXACT, str(deep))
        # Alpha rises from left to right, and is 255 minus 40 times the number of the frame at the most.
        ffmpeg("-f lavfi -i", SOURCE, "-f lavfi -i",
               f"nullsrc=size={SIZE[0]}x{SIZE[1]}:rate=25,format=gray,geq=lum=X*(255-40*N)/95",
               "-map 0 -map 1", x265, "-pix_fmt:v:0 yuv420p -pix_fmt:v:1 gray -qp 10 -t 0.12",
               EXACT, str(alpha))
        sequence(video, "sequence.heics", plays=3)
        sequence(video, "still.heic", brand=b"heic", has_still=True)
        sequence(video, "both.heics", brand=b"hevc", has_still=True)
        sequence(deep, "deep.heics", matrix=(0, 1 << 16, 0, -1 << 16, 0, 0, 0, 0, 1 << 30))
        sequence(alpha, "alpha.heics")
        sequence(alpha, "premultiplied.heics", premultiplied=True)
        for number in [0, 6, 7, 8, 13, 19]:
            frame(video, "sequence", number)
        frame(alpha, "alpha", 2)


main()
