#!/usr/bin/env python3
"""Makes the reference pixels for the tests of round corners, borders and overlays.

Usage, in a virtual environment:

    pip install pillow==13.0.0 numpy
    python shapes.py FIXTURES_FOLDER      # Sources/Core/KingfisherTestSupport/Fixtures

Reads Drawing/source.png, takes its top left 61 x 45 pixels, and writes premultiplied RGBA into Drawing:

1. round-NAME.rgba: round corners. Coverage counts 64 x 64 points of each pixel.
2. border-NAME.rgba: a line between two shapes, counted in the same way and composed in floating point.
3. overlay-NAME.rgba: Pillow's blend of the colours, with the alpha of the image.

The names and their arguments are also in Tests/KingfisherImageTests/Drawing/ShapeReferenceTests.swift.
"""

import sys
from pathlib import Path

import numpy
from PIL import Image

OUT = Path(sys.argv[1]) / "Drawing"
WIDTH, HEIGHT, POINTS = 61, 45, 64
ALL = "tl tr bl br"

image = Image.open(OUT / "source.png").crop((0, 0, WIDTH, HEIGHT))
pixels = numpy.asarray(image.convert("RGBa")).astype(numpy.float64) / 255

ROUND = {
    "10-all": (10, ALL),
    "7.3-all": (7.3, ALL),
    "22.5-all": (22.5, ALL),
    "15.5-diagonal": (15.5, "tl br"),
    "0.6-all": (0.6, ALL),
}
BORDER = {
    "4-square": (4, 0, ALL, (0, 0, 0, 1)),
    "2.5-square": (2.5, 0, ALL, (0.2, 0.6, 1, 1)),
    "3-10-all": (3, 10, ALL, (1, 0, 0, 1)),
    "3.25-22.5-half": (3.25, 22.5, ALL, (0, 0.5, 0, 0.5)),
    "0.5-6-two": (0.5, 6, "tr bl", (1, 1, 1, 1)),
    "8-5-all": (8, 5, ALL, (0, 0, 0, 0.25)),
    "22-22.5-all": (22, 22.5, ALL, (1, 0.5, 0, 1)),
}
OVERLAY = {"solid": ((1, 0.5, 0), 0), "half": ((0, 0, 1), 0.5), "faint": ((0, 1, 0.25), 0.9)}


def coverage(inset, radius, corners):
    """The fraction of points of each pixel that are inside a rectangle with round corners."""
    y, x = numpy.mgrid[0 : HEIGHT * POINTS, 0 : WIDTH * POINTS]
    x, y = (x + 0.5) / POINTS, (y + 0.5) / POINTS
    inside = (x >= inset) & (x <= WIDTH - inset) & (y >= inset) & (y <= HEIGHT - inset)
    # Distances from the two sides at each corner.
    for name, across, down in (
        ("tl", x, y),
        ("tr", WIDTH - x, y),
        ("bl", x, HEIGHT - y),
        ("br", WIDTH - x, HEIGHT - y),
    ):
        if name in corners.split() and radius > 0:
            center = inset + radius
            near = (across < center) & (down < center)
            inside &= ~near | ((across - center) ** 2 + (down - center) ** 2 <= radius**2)
    return inside.reshape(HEIGHT, POINTS, WIDTH, POINTS).mean(axis=(1, 3))


def write(name, premultiplied):
    (OUT / f"{name}.rgba").write_bytes(numpy.rint(premultiplied * 255).astype(numpy.uint8).tobytes())


for name, (radius, corners) in ROUND.items():
    write(f"round-{name}", pixels * coverage(0, radius, corners)[..., None])

for name, (width, radius, corners, (red, green, blue, alpha)) in BORDER.items():
    line = coverage(0, radius, corners) - coverage(width, max(radius - width, 0), corners)
    ink = numpy.array([red * alpha, green * alpha, blue * alpha, alpha]) * line[..., None]
    write(f"border-{name}", ink + pixels * (1 - ink[..., 3:]))

for name, (color, fraction) in OVERLAY.items():
    layer = Image.new("RGB", image.size, tuple(round(part * 255) for part in color))
    mixed = Image.blend(image.convert("RGB"), layer, 1 - fraction)
    mixed.putalpha(image.getchannel("A"))
    write(f"overlay-{name}", numpy.asarray(mixed.convert("RGBa")).astype(numpy.float64) / 255)
