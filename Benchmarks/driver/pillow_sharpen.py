"""Pillow: `pillow_sharpen.py FILE WIDTH HEIGHT`. UnsharpMask of raw RGBA."""

import sys

from PIL import Image, ImageFilter

import worker

size = int(sys.argv[2]), int(sys.argv[3])
source = Image.frombytes("RGBA", size, open(sys.argv[1], "rb").read())
mask = ImageFilter.UnsharpMask(radius=1, percent=100, threshold=0)

worker.serve(lambda: source.filter(mask).tobytes())
