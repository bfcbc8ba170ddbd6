"""Pillow: decodes all pixels of a file into memory."""

import io
import sys

from PIL import Image

import worker

data = open(sys.argv[1], "rb").read()


def decode():
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


worker.serve(decode, raw=lambda: decode().convert("RGBA").tobytes())
