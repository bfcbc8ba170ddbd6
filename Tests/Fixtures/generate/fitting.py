#!/usr/bin/env python3
"""Makes twenty photographs as JPEG, and each one decoded at full size and reduced by Pillow.

Usage, in a virtual environment:

    pip install pillow==13.0.0 scikit-image==0.26.0
    python fitting.py OUTPUT_FOLDER      # Sources/Core/KingfisherTestSupport/Fixtures

`Fitting/NN.jpg` is a part of 480 x 320 pixels of an image of scikit-image, baseline, with one of the usual
resolutions of chroma, or in greys. `Fitting/NN.png` is Pillow's decoded image after its Lanczos filter to
96 x 64 pixels: the result of `fit:96x96`, and the one of `cover:64x64` before it is cropped.
"""
import sys
from pathlib import Path

import skimage
from PIL import Image

FOLDER = Path(sys.argv[1]) / "Fitting"
SIZE, REDUCED = (480, 320), (96, 64)
# Name, left and top of the part, and how many pixels of the image are one of the part.
PARTS = [
    ("astronaut", 16, 0, 1), ("astronaut", 0, 180, 1), ("brick", 0, 0, 1), ("camera", 20, 10, 1),
    ("camera", 32, 190, 1), ("cat", 0, 0, 0.9), ("coffee", 60, 40, 1), ("coffee", 0, 0, 1.2),
    ("coins", 0, 0, 0.8), ("grass", 10, 100, 1), ("gravel", 0, 0, 1), ("gravel", 30, 190, 1),
    ("hubble_deep_field", 100, 100, 1), ("hubble_deep_field", 0, 0, 2), ("immunohistochemistry", 0, 50, 1),
    ("moon", 0, 0, 1), ("retina", 300, 400, 1), ("retina", 0, 300, 2.5), ("rocket", 80, 60, 1),
    ("rocket", 0, 0, 1.3),
]


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    for number, (name, left, top, step) in enumerate(PARTS):
        whole = Image.fromarray(getattr(skimage.data, name)())
        box = (left, top, left + round(SIZE[0] * step), top + round(SIZE[1] * step))
        if box[2] > whole.width or box[3] > whole.height:
            sys.exit(f"{name} has {whole.size}, too small for {box}")
        file = FOLDER / f"{number:02}.jpg"
        part = whole.resize(SIZE, Image.Resampling.LANCZOS, box)
        part.save(file, quality=88, subsampling=number % 3, optimize=True)
        reduced = Image.open(file).resize(REDUCED, Image.Resampling.LANCZOS)
        reduced.save(file.with_suffix(".png"), optimize=True)


if __name__ == "__main__":
    main()
