"""The rows of placeholder hashes: a small photograph to a hash, and the hash to an image of 32 pixels."""

import sys
from pathlib import Path

from PIL import Image

from measures import Row

HERE = Path(__file__).resolve().parent
PHOTO = HERE.parent.parent / "Sources/Core/KingfisherTestSupport/Fixtures/Photos/coffee.jpg"


def row(kind, size, count, peer, what):
    def make(executable, cache):
        path = cache / f"placeholder-{size[0]}x{size[1]}.png"
        Image.open(PHOTO).resize(size, Image.Resampling.BOX).save(path)
        return Row(
            kind,
            f"{what} of {size[0]}x{size[1]} decoded pixels as text, and that text to an image of 32 pixels; "
            f"peer: PyPI's {peer} with the same pixels",
            rounds=21,
            unit="ms",
            per_run=count * 1e6,
            engines={
                "kingfisher": [executable, "placeholder", kind, path, count],
                peer: [sys.executable, HERE / f"python_{kind}.py", path, count],
            },
            targets={peer: 10},
        )

    return make


ROWS = {
    "blurhash": row("blurhash", (32, 21), 100, "blurhash-python", "BlurHash (4 x 3 components)"),
    "thumbhash": row("thumbhash", (100, 67), 4, "thumbhash-python", "ThumbHash"),
}
