"""Creates the files in Golden with Pillow 12 or later: NAME.qoi, and its pixels as NAME.rgba.

    pip install pillow && python3 make-golden.py

The script checks that Pillow reads the same pixels back.
"""

import pathlib
import random

from PIL import Image

folder = pathlib.Path(__file__).parent / "Golden"
random.seed(1)


def pixel(x, y):
    """Rows of one colour, slow gradients, steep gradients, few colours, noise, fading alpha, transparency."""
    return [
        (200, 30, 30, 255),
        (x, 2 * (x // 2), 255 - x, 255),
        (x * 5 % 256, x * 6 % 256, x * 5 % 256, 255),
        random.choice([(0, 0, 0, 255), (255, 255, 255, 255), (9, 99, 199, 255)]),
        tuple(random.randrange(256) for _ in range(3)) + (255,),
        (50, 100, 150, x * 3 % 256),
        (0, 0, 0, 0),
    ][y % 7]


def chunks(data):
    """The kinds of chunks in a file."""
    kinds, offset = set(), 14
    while offset < len(data) - 8:
        tag = data[offset]
        kind, length = {
            0xFE: ("rgb", 4), 0xFF: ("rgba", 5),
        }.get(tag) or [("index", 1), ("diff", 1), ("luma", 2), ("run", 1)][tag >> 6]
        kinds.add(kind)
        offset += length
    return kinds


def save(name, image):
    path = folder / f"{name}.qoi"
    image.save(path, colorspace="sRGB")
    assert Image.open(path).tobytes() == image.tobytes()
    (folder / f"{name}.rgba").write_bytes(image.convert("RGBA").tobytes())
    return chunks(path.read_bytes())


folder.mkdir(exist_ok=True)
every = Image.new("RGBA", (83, 21))
every.putdata([pixel(x, y) for y in range(21) for x in range(83)])
assert save("rgba", every) == {"rgb", "rgba", "index", "diff", "luma", "run"}
assert save("rgb", every.convert("RGB")) == {"rgb", "index", "diff", "luma", "run"}
save("1x1", Image.new("RGBA", (1, 1), (1, 2, 3, 4)))
save("black", Image.new("RGB", (63, 2)))
