"""The rows of encoding: a photograph of 1000 x 1000 pixels in memory to the bytes of a file."""

import io
import sys
import tempfile
from pathlib import Path

import numpy
from PIL import Image, ImageOps

import images
import libpng
from engine import Engine
from measures import MemoryRow, Row

HERE = Path(__file__).resolve().parent


def photo1000(cache, fixtures):
    """The middle of the photograph at 1000 x 1000; a PNG that both sides decode before the measurement."""
    source, name = images.photograph(cache, fixtures)
    path = cache / f"photo1000-{source.stem}.png"
    if not path.exists():
        image = Image.open(source).convert("RGB")
        ImageOps.fit(image, (1000, 1000), Image.Resampling.LANCZOS).save(path)
    return path, f"{name}, at 1000x1000, opaque, ours from RGBA, Pillow's from RGB, {images.described(path)}"


def photo300(cache, fixtures):
    """The middle of the photograph at 300 x 225, a thumbnail."""
    source, name = images.photograph(cache, fixtures)
    path = cache / f"photo300-{source.stem}.png"
    if not path.exists():
        image = Image.open(source).convert("RGB")
        ImageOps.fit(image, (300, 225), Image.Resampling.LANCZOS).save(path)
    return path, f"{name}, at 300x225, opaque, ours from RGBA, Pillow's from RGB, {images.described(path)}"


def engines(executable, name, path):
    return {
        "kingfisher": [executable, "encode", name, path],
        "pillow": [sys.executable, HERE / "pillow_encode.py", name, path],
    }


class PNGRow(Row):
    """Also compares the file size: the ratio is libpng's size divided by ours."""

    LEAST = 0.95

    def __init__(self, *arguments, image, **options):
        super().__init__(*arguments, **options)
        self.image = image
        self.libpng = libpng.size(image)

    def measure(self, core):
        ratios, notes = super().measure(core)
        name, command = next(iter(self.engines.items()))
        with Engine(name, command, core) as engine, tempfile.NamedTemporaryFile() as file:
            engine.ask(f"save {file.name}")
            ours = len(Path(file.name).read_bytes())
        return ratios + [("libpng-level-6-size", self.libpng / ours, self.LEAST)], notes + [
            f"libpng level 6: {self.libpng} bytes"
        ]


def png_quality(image):
    def quality(data):
        same = numpy.array_equal(numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB")), image)
        if not same:
            raise SystemExit("png-encode: the pixels of a file differ from the image")
        return f"{len(data)} bytes, the same pixels"

    return quality


def jpeg_quality(image):
    def quality(data):
        error = numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(float) - image
        return f"{len(data)} bytes, {10 * numpy.log10(255**2 / (error**2).mean()):.1f} dB"

    return quality


def rows(fixtures):
    def png(executable, cache):
        path, origin = photo1000(cache, fixtures)
        image = Image.open(path)
        return PNGRow(
            "png-encode",
            f"a photograph in memory to PNG, Pillow with compress_level=1; {origin}. The file size is "
            "compared with libpng's at level 6; above 1 ours is smaller",
            image=image,
            rounds=21,
            unit="ms",
            per_run=1e6,
            engines=engines(executable, "png", path),
            targets={"pillow": 6.0},
            quality=png_quality(numpy.asarray(image)),
        )

    def jpeg(executable, cache):
        path, origin = photo1000(cache, fixtures)
        return Row(
            "jpeg-encode",
            f"a photograph in memory to JPEG with quality 85, 4:2:0; {origin}",
            rounds=41,
            unit="ms",
            per_run=1e6,
            engines=engines(executable, "jpeg", path),
            targets={"pillow": 0.95},
            quality=jpeg_quality(numpy.asarray(Image.open(path)).astype(float)),
        )

    def avif(executable, cache):
        path, origin = photo300(cache, fixtures)
        return Row(
            "avif-encode",
            f"a thumbnail in memory to AVIF with quality 75, 4:2:0, libaom's speed 8; {origin}",
            rounds=21,
            unit="ms",
            per_run=1e6,
            engines=engines(executable, "avif", path),
            targets={"pillow": 1.0},
            quality=jpeg_quality(numpy.asarray(Image.open(path)).astype(float)),
        )

    return {
        "avif-encode": avif,
        "png-encode": png,
        "png-encode-memory": lambda executable, cache: MemoryRow(png(executable, cache)),
        "jpeg-encode": jpeg,
    }
