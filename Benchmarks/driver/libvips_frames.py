"""libvips: decodes all frames of an animation, one after another; one thread, no operation cache."""

import os
import sys

os.environ["VIPS_CONCURRENCY"] = "1"

import pyvips

import worker

pyvips.cache_set_max(0)
data = open(sys.argv[1], "rb").read()


def frames():
    """The frames are below each other in one tall image, of which one frame at a time is in memory."""
    image = pyvips.Image.new_from_buffer(data, "", n=-1, access="sequential")
    image = image if image.hasalpha() else image.addalpha()
    height = image.get("page-height")
    region = pyvips.Region.new(image)
    for top in range(0, image.height, height):
        yield region.fetch(0, top, image.width, height)


def every_frame():
    for _ in frames():
        pass


worker.serve(every_frame, lambda: b"".join(bytes(frame) for frame in frames()))
