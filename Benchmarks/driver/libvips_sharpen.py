"""libvips: `libvips_sharpen.py FILE WIDTH HEIGHT`. sharpen of raw RGBA; one thread."""

import os
import sys

os.environ["VIPS_CONCURRENCY"] = "1"

import pyvips

import worker

pyvips.cache_set_max(0)
width, height = int(sys.argv[2]), int(sys.argv[3])
source = pyvips.Image.new_from_memory(open(sys.argv[1], "rb").read(), width, height, 4, "uchar")
source = source.copy(interpretation="srgb")

worker.serve(lambda: source.sharpen(sigma=1, x1=0, m1=1, m2=1, y2=100, y3=100).write_to_memory())
