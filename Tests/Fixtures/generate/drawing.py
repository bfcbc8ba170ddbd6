#!/usr/bin/env python3
"""Makes the reference pixels for the drawing tests.

Usage, in a virtual environment:

    pip install pillow==13.0.0 numpy
    python drawing.py FIXTURES_FOLDER      # Sources/Core/KingfisherTestSupport/Fixtures

Reads Photos/badge.png (RGBA) and Photos/coffee.jpg, writes into Drawing:

1. source.png, source-gray.png, source-16.png, source-gray16.png: a part of the badge as RGBA, fading to the
   right, and as grey; the 16-bit versions are the 8-bit samples times 257 plus noise.
2. resize-WxH.rgba, resize-gray-WxH.gray: Pillow's Lanczos resize of each premultiplied plane in 32-bit
   floating point (mode F), rounded. Overshoot of the filter is clamped: samples to white, and colours to
   alpha.
3. resize-16-WxH.rgba16, resize-gray16-WxH.gray16: the same for the 16-bit images; little-endian.
4. blur-REACH.rgba: Pillow's BoxBlur(REACH) applied three times to the premultiplied image; BoxBlur extends
   edges.
5. photo-WxH.rgba: whole photographs, resized like the source in 2.
6. over-120x90.rgba: the source composed over (200, 30, 90) by Pillow's alpha_composite.
"""

import sys
from pathlib import Path

import numpy
from PIL import Image, ImageChops, ImageFilter

FIXTURES = Path(sys.argv[1])
OUT = FIXTURES / "Drawing"
OUT.mkdir(parents=True, exist_ok=True)
rng = numpy.random.default_rng(16)

SIZES = [(150, 97), (50, 60), (37, 29), (13, 9), (120, 1), (1, 90), (1, 1)]
SIZES_16 = [(150, 30), (37, 29), (1, 1)]
REACHES = [2, 9, 40, 200]


def write_png16(path, planes):
    """A 16-bit PNG with one IDAT and no filters; Pillow cannot write these in colour."""
    import struct
    import zlib

    height, width, channels = planes.shape
    color = {1: 0, 4: 6}[channels]
    rows = planes.astype(">u2").tobytes()
    stride = width * channels * 2
    raw = b"".join(b"\0" + rows[y * stride : (y + 1) * stride] for y in range(height))

    def chunk(kind, body):
        crc = zlib.crc32(kind + body)
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", crc)

    header = struct.pack(">IIBBBBB", width, height, 16, color, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", header)
        + chunk(b"IDAT", zlib.compress(raw, 9))
        + chunk(b"IEND", b"")
    )


def limited(premultiplied):
    return numpy.concatenate(
        [numpy.minimum(premultiplied[..., :3], premultiplied[..., 3:]), premultiplied[..., 3:]], axis=-1
    )


badge = Image.open(FIXTURES / "Photos" / "badge.png")
assert badge.mode == "RGBA"
left, top = (badge.width - 240) // 2, badge.height // 12
source = badge.crop((left, top, left + 240, top + 180)).resize((120, 90), Image.Resampling.BOX)
ramp = Image.fromarray(numpy.tile(numpy.linspace(255, 40, 120).astype(numpy.uint8), (90, 1)))
source.putalpha(ImageChops.multiply(source.getchannel("A"), ramp))
gray = source.convert("RGB").convert("L")
source.save(OUT / "source.png", optimize=True)
gray.save(OUT / "source-gray.png", optimize=True)

rgba16 = numpy.asarray(source).astype(numpy.int64) * 257
noise = rng.integers(-128, 128, rgba16.shape) * (rgba16 > 0) * (rgba16 < 65535)
rgba16 = numpy.clip(rgba16 + noise, 0, 65535)[:45, :60]
gray16 = numpy.clip(
    numpy.asarray(gray).astype(numpy.int64) * 257 + rng.integers(-128, 128, (90, 120)), 0, 65535
)[:45, :60, None]
write_png16(OUT / "source-16.png", rgba16)
write_png16(OUT / "source-gray16.png", gray16)


def resized(planes, size, white):
    """Each plane resampled in floating point, because Pillow's 8-bit resize clamps between its two passes."""
    result = [
        numpy.asarray(
            Image.fromarray(planes[..., c].astype(numpy.float32), mode="F").resize(
                size, Image.Resampling.LANCZOS
            )
        )
        for c in range(planes.shape[2])
    ]
    return numpy.clip(numpy.rint(numpy.stack(result, axis=-1)), 0, white)


premultiplied = source.convert("RGBa")
for size in SIZES:
    name = f"{size[0]}x{size[1]}"
    color = limited(resized(numpy.asarray(premultiplied), size, 255)).astype(numpy.uint8)
    (OUT / f"resize-{name}.rgba").write_bytes(color.tobytes())
    plain = resized(numpy.asarray(gray)[..., None], size, 255).astype(numpy.uint8)
    (OUT / f"resize-gray-{name}.gray").write_bytes(plain.tobytes())

alpha = rgba16[..., 3:]
premultiplied16 = numpy.concatenate([numpy.rint(rgba16[..., :3] * alpha / 65535), alpha], axis=-1)
for size in SIZES_16:
    name = f"{size[0]}x{size[1]}"
    (OUT / f"resize-16-{name}.rgba16").write_bytes(
        limited(resized(premultiplied16, size, 65535)).astype("<u2").tobytes()
    )
    (OUT / f"resize-gray16-{name}.gray16").write_bytes(resized(gray16, size, 65535).astype("<u2").tobytes())

for photo, size in {"coffee.jpg": (100, 67), "badge.png": (64, 64)}.items():
    planes = numpy.asarray(Image.open(FIXTURES / "Photos" / photo).convert("RGBA").convert("RGBa"))
    small = limited(resized(planes, size, 255)).astype(numpy.uint8)
    (OUT / f"photo-{size[0]}x{size[1]}.rgba").write_bytes(small.tobytes())

for reach in REACHES:
    blurred = premultiplied
    for _ in range(3):
        blurred = blurred.filter(ImageFilter.BoxBlur(reach))
    (OUT / f"blur-{reach}.rgba").write_bytes(blurred.tobytes())

ground = Image.new("RGBA", source.size, (200, 30, 90, 255))
(OUT / "over-120x90.rgba").write_bytes(Image.alpha_composite(ground, source).tobytes())
