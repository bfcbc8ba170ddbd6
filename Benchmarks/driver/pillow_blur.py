"""Pillow-SIMD: `pillow_blur.py FILE WIDTH HEIGHT SIGMA`. GaussianBlur (three box blurs) of raw RGBA."""

import sys

from PIL import Image, ImageFilter

import worker

width, height = int(sys.argv[2]), int(sys.argv[3])
blur = ImageFilter.GaussianBlur(float(sys.argv[4]))
source = Image.frombytes("RGBa", (width, height), open(sys.argv[1], "rb").read())


def blurred():
    return source.filter(blur)


worker.serve(blurred, lambda: blurred().tobytes())
