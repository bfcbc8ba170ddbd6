"""blurhash-python, which calls the reference in C: a hash of an image and back."""

import sys

import blurhash
from PIL import Image

import worker

image, count = Image.open(sys.argv[1]).convert("RGB"), int(sys.argv[2])


def round_trip():
    for _ in range(count):
        # The reference closes the image that it encodes.
        made = blurhash.decode(blurhash.encode(image.copy(), 4, 3), 32, 32)
    return made.tobytes()


worker.serve(round_trip)
