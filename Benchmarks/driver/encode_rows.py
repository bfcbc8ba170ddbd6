"""The rows of encoding: a photograph of 1000 x 1000 pixels in memory to the bytes of a file."""

import io
import sys
from pathlib import Path

import numpy
from PIL import Image, ImageOps

import images
import libpng
from engine import Engine
from measures import MemoryRow, Row

HERE = Path(__file__).resolve().parent


def photo(cache, fixtures):
    """The middle of the photograph; a PNG that all engines decode before the measurement."""
    source, name = images.photograph(cache, fixtures)
    path = cache / f"photo1000-{source.stem}.png"
    if not path.exists():
        image = Image.open(source).convert("RGB")
        ImageOps.fit(image, (1000, 1000), Image.Resampling.LANCZOS).save(path)
    described = images.described(path)
    return path, f"{name}, at 1000x1000, opaque, ours from RGBA, peers' from RGB, {described}"


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
        with Engine(name, command, core) as engine:
            ours = len(engine.saved())
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


def rows(fixtures):
    def png(executable, cache):
        path, origin = photo(cache, fixtures)
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

    def lossy(name, ending, qualities, rounds, targets):
        def row(executable, cache):
            from equal_quality import EqualQualityRow

            path, origin = photo(cache, fixtures)
            own = engines(executable, name, path)
            libvips = [sys.executable, HERE / "libvips_encode.py", path]
            return EqualQualityRow(
                f"{name}-encode",
                f"a photograph in memory to {name.upper()} with our defaults, at kingfisher-server's default "
                f"quality, {qualities[0]}, and two others, compared with files of peers that have the same "
                "score by SSIMULACRA2: Debian's libvips with its defaults, Pillow with the effort of ours. "
                "Ratios at the default quality: -cpu of CPU time, -size of bytes, each of a peer divided by "
                f"ours; {origin}",
                rounds=rounds,
                targets=targets,
                image=path,
                qualities=qualities,
                commands={
                    "kingfisher": lambda quality: [*own["kingfisher"], quality],
                    "libvips": lambda quality: [*libvips, f"{ending}[Q={quality},strip]"],
                    "pillow": lambda quality: [*own["pillow"], quality],
                },
            )

        return row

    return {
        "webp-encode": lossy(
            "webp", ".webp", (79, 60, 90), rounds=11, targets={"libvips-cpu": 0.95, "libvips-size": 1.0}
        ),
        "avif-encode": lossy(
            "avif", ".avif", (63, 45, 80), rounds=5, targets={"libvips-cpu": 10, "libvips-size": 0.8}
        ),
        "jxl-encode": lossy(
            "jxl", ".jxl", (77, 60, 90), rounds=11, targets={"libvips-cpu": 3.0, "libvips-size": 0.9}
        ),
        "png-encode": png,
        "png-encode-memory": lambda executable, cache: MemoryRow(png(executable, cache)),
        "jpeg-encode": lossy(
            "jpeg",
            ".jpg",
            (80, 60, 89),
            rounds=21,
            targets={"libvips-cpu": 1.0, "libvips-size": 0.99, "pillow-cpu": 0.95},
        ),
    }
