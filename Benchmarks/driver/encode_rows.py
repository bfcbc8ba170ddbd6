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


def photo(cache, fixtures, width, height):
    """The middle of the photograph at a size; a PNG that both sides decode before the measurement."""
    source, name = images.photograph(cache, fixtures)
    path = cache / f"photo{width}-{source.stem}.png"
    if not path.exists():
        image = Image.open(source).convert("RGB")
        ImageOps.fit(image, (width, height), Image.Resampling.LANCZOS).save(path)
    described = images.described(path)
    return path, f"{name}, at {width}x{height}, opaque, ours from RGBA, Pillow's from RGB, {described}"


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


def lossy_quality(image):
    def quality(data):
        error = numpy.asarray(Image.open(io.BytesIO(data)).convert("RGB")).astype(float) - image
        return f"{len(data)} bytes, {10 * numpy.log10(255**2 / (error**2).mean()):.1f} dB"

    return quality


def rows(fixtures):
    def png(executable, cache):
        path, origin = photo(cache, fixtures, 1000, 1000)
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

    def lossy(name, what, size, rounds, target):
        def row(executable, cache):
            path, origin = photo(cache, fixtures, *size)
            return Row(
                f"{name}-encode",
                f"{what}; {origin}",
                rounds=rounds,
                unit="ms",
                per_run=1e6,
                engines=engines(executable, name, path),
                targets={"pillow": target},
                quality=lossy_quality(numpy.asarray(Image.open(path)).astype(float)),
            )

        return row

    return {
        "avif-encode": lossy(
            "avif",
            "a thumbnail in memory to AVIF with quality 75, 4:2:0, libaom's speed 8",
            (300, 225),
            rounds=21,
            target=1.0,
        ),
        "png-encode": png,
        "png-encode-memory": lambda executable, cache: MemoryRow(png(executable, cache)),
        "jpeg-encode": lossy(
            "jpeg",
            "a photograph in memory to JPEG with quality 85, 4:2:0",
            (1000, 1000),
            rounds=41,
            target=0.95,
        ),
    }
