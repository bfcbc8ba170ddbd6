"""Pillow: encodes an RGB image, as it decodes opaque photographs, to PNG (fastest level), JPEG or AVIF."""

import io
import sys

from PIL import Image

import worker

OPTIONS = {"png": {"compress_level": 1}, "jpeg": {"quality": 85},
           "avif": {"quality": 75, "speed": 8, "subsampling": "4:2:0", "max_threads": 1}}
name, path = sys.argv[1:]
image = Image.open(path).convert("RGB")


def encode():
    output = io.BytesIO()
    image.save(output, name, **OPTIONS[name])
    return output.getvalue()


worker.serve(encode)
