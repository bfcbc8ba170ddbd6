"""libvips: `thumbnail_buffer` of an SVG, which renders at the size of the result; one thread, no cache."""

import os
import sys

os.environ["VIPS_CONCURRENCY"] = "1"

import pyvips

import worker

pyvips.cache_set_max(0)
data = open(sys.argv[1], "rb").read()
side = int(sys.argv[2])


def render():
    return pyvips.Image.thumbnail_buffer(data, side, height=side).write_to_memory()


worker.serve(render)
