"""thumbhash-python: a hash of an image and back."""

import sys

from PIL import Image
from thumbhash.decode import thumbhash_to_image
from thumbhash.encode import image_to_thumbhash

import worker

image, count = Image.open(sys.argv[1]).convert("RGB"), int(sys.argv[2])


def round_trip():
    for _ in range(count):
        made = thumbhash_to_image(image_to_thumbhash(image))
    return made.tobytes()


worker.serve(round_trip)
