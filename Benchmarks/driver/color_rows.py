"""The rows of blend modes and colour controls, on 1000x1000 opaque decoded pixels."""

import sys
from pathlib import Path

from measures import Row

HERE = Path(__file__).parent


def blend(executable, cache):
    return Row(
        "blend",
        "kf.image(withBlendMode: .multiply) of 1000x1000 opaque pixels on a colour; peers: Pillow's "
        "ImageChops.multiply of the same pixels with an image of that colour, and memcpy of the pixels",
        rounds=31,
        unit="ms an image",
        per_run=40e6,
        engines={
            "kingfisher": [executable, "colors", "multiply"],
            "pillow": [sys.executable, HERE / "pillow_blend.py"],
            "memcpy": [executable, "image-copy"],
        },
        targets={"pillow": 4, "memcpy": 0.2},
    )


def blend_hue(executable, cache):
    return Row(
        "blend-hue",
        "the same with .hue, which mixes channels; peer: memcpy of the pixels",
        rounds=31,
        unit="ms an image",
        per_run=40e6,
        engines={"kingfisher": [executable, "colors", "hue"], "memcpy": [executable, "image-copy"]},
        targets={"memcpy": 0.03},
    )


def color_controls(executable, cache):
    return Row(
        "color-controls",
        "kf.adjusted(brightness:contrast:saturation:inputEV:) of 1000x1000 opaque pixels in linear light; "
        "libvips: to scRGB, the same matrix and sum, back to sRGB",
        rounds=31,
        unit="ms an image",
        per_run=40e6,
        engines={
            "kingfisher": [executable, "colors", "controls"],
            "libvips": [sys.executable, HERE / "libvips_color.py"],
        },
        targets={"libvips": 8},
    )


ROWS = {"blend": blend, "blend-hue": blend_hue, "color-controls": color_controls}
