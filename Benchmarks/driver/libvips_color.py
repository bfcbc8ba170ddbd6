"""libvips: colour controls in linear light, forty times; one thread, no operation cache."""

import os

os.environ["VIPS_CONCURRENCY"] = "1"

import numpy
import pyvips

import worker

BRIGHTNESS, CONTRAST, SATURATION, EV = 0.05, 1.2, 1.5, 0.3
LUMINANCE = numpy.array([0.2126, 0.7152, 0.0722])
GAIN = 2 ** EV

pyvips.cache_set_max(0)
noise = numpy.random.default_rng(33).integers(0, 256, (1000, 1000, 3), numpy.uint8)
image = pyvips.Image.new_from_memory(noise.tobytes(), 1000, 1000, 3, "uchar").copy(interpretation="srgb")
matrix = ((1 - SATURATION) * numpy.tile(LUMINANCE, (3, 1)) + SATURATION * numpy.eye(3)) * (CONTRAST * GAIN)
matrix = pyvips.Image.new_from_array(matrix.tolist())
bias = ((BRIGHTNESS - 0.5) * CONTRAST + 0.5) * GAIN


def controls():
    for _ in range(40):
        made = image.colourspace("scrgb").recomb(matrix) + bias
        made = made.copy(interpretation="scrgb").colourspace("srgb").write_to_memory()
    return made


worker.serve(controls)
