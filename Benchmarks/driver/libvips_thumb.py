"""libvips: `thumbnail_buffer`, which scales while loading; one thread, no operation cache."""

import os
import sys

os.environ["VIPS_CONCURRENCY"] = "1"

import pyvips

import worker

pyvips.cache_set_max(0)
data = open(sys.argv[1], "rb").read()
side = int(sys.argv[2])


def thumbnail():
    image = pyvips.Image.thumbnail_buffer(data, side, height=side, size="down")
    return image.addalpha().write_to_memory()


worker.serve(thumbnail)
