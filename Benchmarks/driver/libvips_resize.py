"""libvips: `libvips_resize.py FILE WIDTH HEIGHT TO_WIDTH TO_HEIGHT GAP`. Resizes raw RGBA; one thread.

Uses its Lanczos3. GAP is the size after averaging boxes, in multiples of the target; 0 means no boxes.
"""

import os
import sys

os.environ["VIPS_CONCURRENCY"] = "1"

import pyvips

import worker

pyvips.cache_set_max(0)
width, height, to_width, to_height = map(int, sys.argv[2:6])
gap = float(sys.argv[6])
source = pyvips.Image.new_from_memory(open(sys.argv[1], "rb").read(), width, height, 4, "uchar")


def resized():
    across, down = to_width / width, to_height / height
    return source.resize(across, vscale=down, kernel="lanczos3", gap=gap).write_to_memory()


worker.serve(resized)
