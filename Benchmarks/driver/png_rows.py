"""The rows of PNG: the 12-megapixel photograph as PNG, to a thumbnail and in full size."""

import sys
from pathlib import Path

import numpy
from PIL import Image

import images
from measures import Row

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent.parent / "Sources/Core/KingfisherTestSupport/Fixtures"


def photo12_png(cache, fixtures):
    """The photograph as RGB, written by Pillow: zlib's level 6, a filter for each row (nearly all Paeth)."""
    source, name = images.photo12(cache, fixtures)
    path = source.with_suffix(".png")
    if not path.exists():
        Image.open(source).save(path)
    return path, f"{name}; as RGB PNG, {images.described(path)}"


def photo12_alpha_png(cache, fixtures):
    """The photograph with an alpha that decreases from 255 in the middle to 0 in the corners."""
    source, name = images.photo12(cache, fixtures)
    path = source.with_name(f"{source.stem}-alpha.png")
    if not path.exists():
        photo = Image.open(source)
        y, x = numpy.ogrid[-1 : 1 : photo.height * 1j, -1 : 1 : photo.width * 1j]
        distance = numpy.sqrt((x**2 + y**2) / 2)
        photo.putalpha(Image.fromarray((255 * (1 - distance)).round().astype(numpy.uint8)))
        photo.save(path)
    return path, f"{name}; as RGBA PNG with soft corners, {images.described(path)}"


def png_decode(executable, cache):
    path, origin = photo12_alpha_png(cache, FIXTURES)
    with Image.open(path) as image:
        reference = image.tobytes()
    return Row(
        "png-decode",
        "a 12-megapixel PNG in memory to RGBA with straight alpha, which is also the format of the file "
        f"and of `Image`; {origin}",
        rounds=11,
        unit="ms",
        per_run=1e6,
        engines={
            "kingfisher": [executable, "decode", path],
            "libvips": [sys.executable, HERE / "libvips_decode.py", path],
            "pillow": [sys.executable, HERE / "pillow_decode.py", path],
        },
        targets={"libvips": 2.0, "pillow": 2.0},
        quality=lambda raw: images.difference(raw, reference),
    )


def rows(thumb):
    """`thumb` makes a row of thumbnails."""
    return {
        "png-thumb": thumb("png-thumb", photo12_png, "PNG", {"libvips": 2.0, "pillow": 3.5}),
        "png-decode": png_decode,
    }
