"""libvips: `libvips_blur.py FILE WIDTH HEIGHT SIGMA`. gaussblur of raw RGBA in integers; one thread."""

import os
import sys

os.environ["VIPS_CONCURRENCY"] = "1"

import pyvips

import worker

pyvips.cache_set_max(0)
width, height, sigma = int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
source = pyvips.Image.new_from_memory(open(sys.argv[1], "rb").read(), width, height, 4, "uchar")

worker.serve(lambda: source.gaussblur(sigma).write_to_memory())
