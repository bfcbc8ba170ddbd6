"""Pillow: decodes all frames of an animation, one after another, with `load` and `convert`."""

import io
import sys

from PIL import Image

import worker

data = open(sys.argv[1], "rb").read()


def frames():
    with Image.open(io.BytesIO(data)) as image:
        for number in range(image.n_frames):
            image.seek(number)
            image.load()
            yield image if image.mode == "RGBA" else image.convert("RGBA")


def every_frame():
    for _ in frames():
        pass


worker.serve(every_frame, lambda: b"".join(frame.tobytes() for frame in frames()))
