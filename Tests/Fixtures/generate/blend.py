#!/usr/bin/env python3
"""Makes the reference pixels for the tests of blend modes.

Usage, in a virtual environment:

    pip install numpy==2.3.5
    python blend.py FIXTURES_FOLDER      # Sources/Core/KingfisherTestSupport/Fixtures

Writes into Blend:

1. source.rgba: 125 premultiplied pixels, 25 colours of the straight levels 0, 1, 127, 254 and 255 at each
   alpha of 0, 1, 127, 254 and 255.
2. canvases.rgba: premultiplied colours that they are drawn on.
3. MODE.rgba: for each canvas and each opacity of 1 and 0.29 the 125 results, premultiplied and rounded to
   nearest.

The formulas are those of W3C "Compositing and Blending Level 1", sections 9 and 10, in floating point, for
straight colours of 0...1. plusLighter and plusDarker are those of Apple's CGBlendMode, min(1, S + D) and
max(0, 1 - ((1 - D) + (1 - S))), of premultiplied colours. The latter is defined for opaque colours; for
others it is extended with the same sum of differences: Ra = min(1, Sa + Da), R = max(0, Ra - ((Da - D) + (Sa
- S))).
"""

import sys
from pathlib import Path

import numpy

OUT = Path(sys.argv[1]) / "Blend"
LEVELS = [0, 1, 127, 254, 255]
CANVASES = [
    (0, 0, 0, 0), (0, 0, 0, 255), (255, 255, 255, 255), (255, 127, 1, 255), (40, 100, 220, 255), (0, 1, 1, 1),
    (127, 64, 0, 127), (10, 254, 90, 254),
]
OPACITIES = [1.0, 0.29]


def by_channel(function):
    """A separable blend function of one backdrop and one source number, for whole arrays."""
    return lambda cb, cs: numpy.vectorize(function, otypes=[float])(cb, cs)


def hard_light(cb, cs):
    return cb * 2 * cs if cs <= 0.5 else cb + (2 * cs - 1) - cb * (2 * cs - 1)


def color_dodge(cb, cs):
    return 0 if cb == 0 else 1 if cs == 1 else min(1, cb / (1 - cs))


def color_burn(cb, cs):
    return 1 if cb == 1 else 0 if cs == 0 else 1 - min(1, (1 - cb) / cs)


def soft_light(cb, cs):
    if cs <= 0.5:
        return cb - (1 - 2 * cs) * cb * (1 - cb)
    d = ((16 * cb - 12) * cb + 4) * cb if cb <= 0.25 else cb ** 0.5
    return cb + (2 * cs - 1) * (d - cb)


def lum(c):
    return 0.3 * c[0] + 0.59 * c[1] + 0.11 * c[2]


def clip_color(c):
    light, least, most = lum(c), min(c), max(c)
    if least < 0:
        c = [light + (v - light) * light / (light - least) for v in c]
    if most > 1:
        c = [light + (v - light) * (1 - light) / (most - light) for v in c]
    return c


def set_lum(c, light):
    return clip_color([v + light - lum(c) for v in c])


def sat(c):
    return max(c) - min(c)


def set_sat(c, s):
    least, middle, greatest = sorted(range(3), key=lambda i: c[i])
    result = [0.0, 0.0, 0.0]
    if c[greatest] > c[least]:
        result[middle] = (c[middle] - c[least]) * s / (c[greatest] - c[least])
        result[greatest] = s
    return result


def of_colors(function):
    """A blend function of two colours, for whole arrays."""
    return lambda cb, cs: numpy.array([function(list(b), list(s)) for b, s in zip(cb, cs, strict=True)])


BLEND = {
    "multiply": by_channel(lambda cb, cs: cb * cs),
    "screen": by_channel(lambda cb, cs: cb + cs - cb * cs),
    "overlay": by_channel(lambda cb, cs: hard_light(cs, cb)),
    "darken": by_channel(min),
    "lighten": by_channel(max),
    "colorDodge": by_channel(color_dodge),
    "colorBurn": by_channel(color_burn),
    "softLight": by_channel(soft_light),
    "hardLight": by_channel(hard_light),
    "difference": by_channel(lambda cb, cs: abs(cb - cs)),
    "exclusion": by_channel(lambda cb, cs: cb + cs - 2 * cb * cs),
    "hue": of_colors(lambda cb, cs: set_lum(set_sat(cs, sat(cb)), lum(cb))),
    "saturation": of_colors(lambda cb, cs: set_lum(set_sat(cb, sat(cs)), lum(cb))),
    "color": of_colors(lambda cb, cs: set_lum(cs, lum(cb))),
    "luminosity": of_colors(lambda cb, cs: set_lum(cb, lum(cs))),
}

# Fa and Fb by the alpha of source and backdrop.
PORTER_DUFF = {
    "normal": lambda a, b: (1, 1 - a),
    "clear": lambda a, b: (0, 0),
    "copy": lambda a, b: (1, 0),
    "sourceIn": lambda a, b: (b, 0),
    "sourceOut": lambda a, b: (1 - b, 0),
    "sourceAtop": lambda a, b: (b, 1 - a),
    "destinationOver": lambda a, b: (1 - b, 1),
    "destinationIn": lambda a, b: (0, a),
    "destinationOut": lambda a, b: (0, 1 - a),
    "destinationAtop": lambda a, b: (1 - b, a),
    "xor": lambda a, b: (1 - b, 1 - a),
}


def straight(color, alpha):
    return numpy.divide(color, alpha, out=numpy.zeros_like(color), where=alpha > 0)


def drawn(mode, source, canvas, opacity):
    """Premultiplied pixels of 0...1, drawn on a premultiplied colour."""
    backdrop = numpy.broadcast_to(canvas, source.shape)
    cs, cb = straight(source[:, :3], source[:, 3:]), straight(backdrop[:, :3], backdrop[:, 3:])
    a, b = source[:, 3:] * opacity, backdrop[:, 3:]
    if mode in PORTER_DUFF:
        fa, fb = PORTER_DUFF[mode](a, b)
        color, alpha = a * fa * cs + b * fb * cb, a * fa + b * fb
    elif mode in BLEND:
        mixed = (1 - b) * cs + b * BLEND[mode](cb, cs)
        color, alpha = a * mixed + (1 - a) * b * cb, a + b * (1 - a)
    else:
        alpha = numpy.minimum(1, a + b)
        if mode == "plusLighter":
            color = numpy.minimum(1, a * cs + b * cb)
        else:
            color = numpy.maximum(0, alpha - ((b - b * cb) + (a - a * cs)))
    return numpy.concatenate([color, numpy.broadcast_to(alpha, a.shape)], axis=1)


pixels = []
for alpha in LEVELS:
    for i in range(5):
        for j in range(5):
            color = [LEVELS[i], LEVELS[j], LEVELS[(i * 2 + j * 3 + 1) % 5]]
            pixels.append([round(v * alpha / 255) for v in color] + [alpha])

OUT.mkdir(parents=True, exist_ok=True)
(OUT / "source.rgba").write_bytes(numpy.array(pixels, numpy.uint8).tobytes())
(OUT / "canvases.rgba").write_bytes(numpy.array(CANVASES, numpy.uint8).tobytes())
source = numpy.array(pixels) / 255
for mode in [*PORTER_DUFF, *BLEND, "plusDarker", "plusLighter"]:
    results = [drawn(mode, source, numpy.array(canvas) / 255, o) for canvas in CANVASES for o in OPACITIES]
    values = numpy.rint(numpy.concatenate(results) * 255)
    assert values.min() >= 0 and values.max() <= 255, mode
    (OUT / f"{mode}.rgba").write_bytes(values.astype(numpy.uint8).tobytes())
