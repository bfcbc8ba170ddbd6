#!/usr/bin/env python3
"""Makes the reference pixels for the tests of colour controls and tints.

Usage, in a virtual environment:

    pip install numpy==2.3.5
    python filters.py FIXTURES_FOLDER      # Sources/Core/KingfisherTestSupport/Fixtures

Writes into Filters:

1. source.rgba: 512 premultiplied pixels, the first half opaque.
2. controls-BRIGHTNESS_CONTRAST_SATURATION_EV.rgba: CIColorControls, then CIExposureAdjust, by the formulas in
   Apple's "Core Image Filter Reference": luminance by Rec. 709 mixed in, + brightness, (c - 0.5) * contrast +
   0.5, * 2 ** ev.
3. tint-R_G_B_A.rgba: CISourceOverCompositing of a constant colour on it; R, G, B and A in percent.

Everything is computed in floating point in the working space of Core Image: linear light with the primaries
of sRGB. Colours are straight unless a filter is about alpha. The result is clamped to 0...1, encoded with the
curve of IEC 61966-2-1, multiplied by alpha and rounded to nearest.
"""

import sys
from pathlib import Path

import numpy

OUT = Path(sys.argv[1]) / "Filters"
CONTROLS = [
    (0.0, 1.0, 0.0, 0.7), (0.1, 1.0, 1.0, 0.0), (-0.2, 1.0, 1.0, 0.0), (0.0, 1.5, 1.0, 0.0),
    (0.0, 0.25, 1.0, 0.0), (0.0, 1.0, 2.0, 0.0), (0.0, 1.0, -1.0, 0.0), (0.0, 1.0, 1.0, -2.0),
    (0.05, 1.2, 0.6, 0.5), (0.3, 4.0, 1.5, -1.5), (0.0, -1.0, 1.0, 0.0), (0.5, 1.0, 1.0, -10.0),
    (0.0, 4.0, 2.0, 10.0), (0.0, 10.0, 1.0, 10.0),
]
TINTS = [(100, 0, 0, 50), (20, 60, 100, 30), (0, 100, 0, 100), (50, 50, 50, 1), (120, -20, 40, 70)]


def linear(value):
    size = abs(value)
    return numpy.sign(value) * numpy.where(size <= 0.04045, size / 12.92, ((size + 0.055) / 1.055) ** 2.4)


def encoded(value):
    value = numpy.clip(value, 0, 1)
    return numpy.where(value <= 0.0031308, value * 12.92, 1.055 * value ** (1 / 2.4) - 0.055)


def straight(color, alpha):
    return numpy.divide(color, alpha, out=numpy.zeros_like(color), where=alpha > 0)


def save(name, light, alpha):
    pixels = numpy.concatenate([encoded(light) * alpha, alpha], axis=1)
    (OUT / f"{name}.rgba").write_bytes(numpy.rint(pixels * 255).astype(numpy.uint8).tobytes())


rng = numpy.random.default_rng(6)
levels = rng.choice([0, 1, 2, 20, 64, 127, 128, 200, 254], 256)
alpha = numpy.concatenate([numpy.full(256, 255), levels])[:, None]
color = rng.integers(0, 256, (512, 3))
color[:64] = numpy.arange(0, 64)[:, None]
color[64:96] = rng.choice([0, 1, 254, 255], (32, 3))
color = numpy.rint(color * alpha / 255).astype(int)

OUT.mkdir(parents=True, exist_ok=True)
(OUT / "source.rgba").write_bytes(numpy.concatenate([color, alpha], axis=1).astype(numpy.uint8).tobytes())
alpha = alpha / 255
light = linear(straight(color / 255, alpha))
for brightness, contrast, saturation, ev in CONTROLS:
    luminance = light @ [[0.2126], [0.7152], [0.0722]]
    made = luminance + (light - luminance) * saturation
    made = (made + brightness - 0.5) * contrast + 0.5
    save(f"controls-{brightness}_{contrast}_{saturation}_{ev}", made * 2.0 ** ev, alpha)
for tint in TINTS:
    *over, own = [v / 100 for v in tint]
    covered = own + alpha * (1 - own)
    made = linear(numpy.array(over)) * own + light * alpha * (1 - own)
    save("tint-" + "_".join(map(str, tint)), straight(made, covered), covered)
