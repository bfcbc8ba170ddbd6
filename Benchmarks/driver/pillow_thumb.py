"""Pillow: `thumbnail`, which lets libjpeg scale first (draft mode), then resamples with Lanczos."""

import io
import sys

from PIL import Image

import worker

if sys.argv[1].endswith(".jxl"):
    import pillow_jxl  # noqa: F401, adds the format to Pillow
if sys.argv[1].endswith(".heic"):
    import pillow_heif

    pillow_heif.register_heif_opener()
    pillow_heif.options.DECODE_THREADS = 1

data = open(sys.argv[1], "rb").read()
side = int(sys.argv[2])


def thumbnail():
    image = Image.open(io.BytesIO(data))
    image.thumbnail((side, side), Image.Resampling.LANCZOS)
    return image.convert("RGBA").tobytes()


worker.serve(thumbnail)
