"""Pillow: multiplies an image with one of a single colour, forty times."""

import numpy
from PIL import Image, ImageChops

import worker

noise = numpy.random.default_rng(33).integers(0, 256, (1000, 1000, 4), numpy.uint8)
noise[..., 3] = 255
image, canvas = Image.fromarray(noise, "RGBA"), Image.new("RGBA", (1000, 1000), (230, 128, 51, 255))


def multiply():
    for _ in range(40):
        made = ImageChops.multiply(image, canvas)
    return made.tobytes()


worker.serve(multiply)
