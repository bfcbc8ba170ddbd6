"""Pillow or Pillow-SIMD: `pillow_resize.py FILE WIDTH HEIGHT TO_WIDTH TO_HEIGHT`. Resizes raw RGBA with
Lanczos.

The mode is RGBa: premultiplied, like ours. For RGBA, Pillow would convert to RGBa and back in every resize.
"""

import sys

from PIL import Image

import worker

width, height, to_width, to_height = map(int, sys.argv[2:6])
source = Image.frombytes("RGBa", (width, height), open(sys.argv[1], "rb").read())


def resized():
    return source.resize((to_width, to_height), Image.Resampling.LANCZOS)


worker.serve(resized, lambda: resized().tobytes())
