#!/usr/bin/env python3
"""Makes the reference values for the tests of BlurHash and ThumbHash.

Usage, in a virtual environment:

    pip install pillow==10.4.0 numpy blurhash-python==1.2.2 thumbhash-python==1.0.1
    python placeholders.py FIXTURES_FOLDER      # Sources/Core/KingfisherTestSupport/Fixtures

Reads Photos, writes into Placeholders:

1. NAME.png: small images: parts of photographs, noise, flat colours, gradients, transparency. Those up to
   32x32 have both hashes, larger ones a ThumbHash.
2. hashes.json: the hashes of each image, by the two references. Transparency is drawn over white for a
   BlurHash, which has none; numbers are rounded down. `photos` has the hashes of whole photographs, without
   (BlurHash) and with a reduction by Pillow (ThumbHash).
3. NAME.blur.rgb, NAME.thumb.rgba: the image that the reference decodes from the first hash, at the size and
   with the punch in hashes.json.

thumbhash-python differs from the reference in JavaScript in two rules, which are replaced here: it rounds
half to even instead of half up, and it computes the aspect ratio after the minimum of three components.
"""

import base64
import json
import math
import sys
from pathlib import Path

import blurhash
import numpy
import thumbhash.decode
import thumbhash.encode
import thumbhash.hash
from PIL import Image

FIXTURES = Path(sys.argv[1])
OUT = FIXTURES / "Placeholders"
OUT.mkdir(parents=True, exist_ok=True)
rng = numpy.random.default_rng(83)


def half_up(value):
    return math.floor(value + 0.5)


def size_of_image(self, base):
    most = 5 if self.has_alpha else 7
    x, y = (most, self.l_count) if self.is_landscape else (self.l_count, most)
    return (base, half_up(base * y / x)) if x > y else (half_up(base * x / y), base)


decode_hash = thumbhash.hash.Hash.decode


def decode_with_count(data, boost):
    found = decode_hash(data, boost)
    found.l_count = data[3] & 7
    return found


for module in (thumbhash.encode, thumbhash.hash, thumbhash.decode):
    module.round = half_up
thumbhash.hash.Hash.decode = staticmethod(decode_with_count)
thumbhash.hash.Hash.size = size_of_image


def part(photo, box, size):
    return Image.open(FIXTURES / "Photos" / photo).crop(box).resize(size, Image.Resampling.BOX)


def noise(mode, size, spread=255):
    shape = (size[1], size[0]) + ((len(mode),) if len(mode) > 1 else ())
    return Image.fromarray(rng.integers(255 - spread, 256, shape, numpy.uint8), mode)


def painted(size, color):
    """An image whose pixels are `color(x, y)` with x and y of 0...1, clamped to bytes."""
    width, height = size
    x, y = numpy.meshgrid((numpy.arange(width) + 0.5) / width, (numpy.arange(height) + 0.5) / height)
    planes = numpy.stack([numpy.broadcast_to(plane, x.shape) for plane in color(x, y)], axis=-1)
    pixels = numpy.clip(numpy.rint(planes), 0, 255).astype(numpy.uint8)
    return Image.fromarray(pixels, "RGBA" if pixels.shape[2] == 4 else "RGB")


def disc(x, y):
    return numpy.where((x - 0.5) ** 2 + (y - 0.5) ** 2 < 0.16, 255, 0)


IMAGES = {
    "coffee-32x21": part("coffee.jpg", (0, 0, 512, 341), (32, 21)),
    "coffee-21x32": part("coffee.jpg", (100, 0, 320, 335), (21, 32)),
    "chelsea-32x32": part("chelsea.jpg", (0, 0, 256, 256), (32, 32)),
    "rocket-31x17": part("rocket.jpg", (0, 0, 310, 170), (31, 17)),
    "hubble-17x31": part("hubble.jpg", (0, 0, 170, 310), (17, 31)),
    "retina-30x30": part("retina.jpg", (0, 0, 300, 300), (30, 30)),
    "astronaut-24x32": part("astronaut.jpg", (0, 0, 240, 320), (24, 32)),
    "brick-32x8": part("brick.jpg", (0, 0, 320, 80), (32, 8)),
    "grass-8x32": part("grass.jpg", (0, 0, 80, 320), (8, 32)),
    "camera-32x24": part("camera.jpg", (0, 0, 320, 240), (32, 24)).convert("L"),
    "badge-32x32": part("badge.png", (0, 0, 256, 256), (32, 32)),
    "badge-19x23": part("badge.png", (30, 20, 220, 250), (19, 23)),
    "noise-29x13": noise("RGB", (29, 13)),
    "noise-5x7": noise("RGB", (5, 7)),
    "noise-3x2": noise("RGB", (3, 2)),
    "noise-gray-11x32": noise("L", (11, 32)),
    "noise-alpha-23x19": noise("RGBA", (23, 19)),
    "noise-faint-16x32": noise("RGBA", (16, 32), spread=40),
    "noise-gray-alpha-14x9": noise("LA", (14, 9)),
    "red-32x32": painted((32, 32), lambda x, y: (255, 0, 0)),
    "white-16x9": painted((16, 9), lambda x, y: (255, 255, 255)),
    "black-9x16": painted((9, 16), lambda x, y: (0, 0, 0)),
    "teal-32x20": painted((32, 20), lambda x, y: (18, 132, 141)),
    "clear-20x20": painted((20, 20), lambda x, y: (0, 0, 0, 0)),
    "half-clear-20x12": painted((20, 12), lambda x, y: (200, 90, 30, 255 * (x < 0.5))),
    "sunset-32x18": painted((32, 18), lambda x, y: (250 - 90 * y, 120 * (1 - y), 60 + 120 * y)),
    "ramp-32x1": painted((32, 1), lambda x, y: (255 * x, 255 * x, 255 * x)),
    "ramp-1x32": painted((1, 32), lambda x, y: (255 * y, 128, 255 * (1 - y))),
    "pixel-1x1": painted((1, 1), lambda x, y: (90, 180, 30)),
    "two-2x1": painted((2, 1), lambda x, y: (255 * (x < 0.5), 0, 255 * (x > 0.5))),
    "checks-8x8": painted((8, 8), lambda x, y: [255 * ((x * 8).astype(int) + (y * 8).astype(int) & 1)] * 3),
    "disc-32x32": painted((32, 32), lambda x, y: (255 * x, 80, 255 * y, disc(x, y))),
    "glow-25x32": painted((25, 32), lambda x, y: (255, 200 * y, 0, 255 * (1 - x) * y)),
    "halves-16x32": painted((16, 32), lambda x, y: (40, 255 * (y < 0.5), 90, 255 - 155 * (x < 0.5))),
    # Larger than a BlurHash is made of.
    "coffee-100x67": part("coffee.jpg", (0, 0, 512, 341), (100, 67)),
    "rocket-67x100": part("rocket.jpg", (40, 0, 268, 340), (67, 100)),
    "hubble-100x100": part("hubble.jpg", (0, 0, 400, 400), (100, 100)),
    "badge-100x100": part("badge.png", (0, 0, 256, 256), (100, 100)),
    "badge-50x100": part("badge.png", (0, 0, 128, 256), (50, 100)),
    "chelsea-100x14": part("chelsea.jpg", (0, 0, 200, 28), (100, 14)),
    "glow-100x50": painted((100, 50), lambda x, y: (255, 200 * y, 0, 255 * (1 - x) * y)),
    "noise-41x99": noise("RGB", (41, 99)),
    "noise-alpha-99x40": noise("RGBA", (99, 40)),
    "teal-100x75": painted((100, 75), lambda x, y: (18, 132, 141)),
}
COMPONENTS = [(4, 3), (1, 1), (9, 9), (3, 4), (1, 9), (5, 5), (9, 1), (2, 2), (6, 8)]
SIZES = [(32, 32), (20, 30), (1, 1), (64, 40), (7, 50), (33, 1)]
PUNCHES = [1, 2, 1, 3]


def over_white(image):
    pixels = numpy.asarray(image.convert("RGBA")).astype(int)
    alpha = pixels[..., 3:]
    mixed = (pixels[..., :3] * alpha + (255 - alpha) * 255) // 255
    return Image.fromarray(mixed.astype(numpy.uint8), "RGB")


def blur_entry(name, image, index):
    pairs = [COMPONENTS[(index + 2 * step) % len(COMPONENTS)] for step in range(3)]
    hashes = [{"x": x, "y": y, "hash": blurhash.encode(over_white(image), x, y)} for x, y in pairs]
    size, punch = SIZES[index % len(SIZES)], PUNCHES[index % len(PUNCHES)]
    made = blurhash.decode(hashes[0]["hash"], *size, punch=punch)
    (OUT / f"{name}.blur.rgb").write_bytes(made.tobytes())
    return {"hashes": hashes, "width": size[0], "height": size[1], "punch": punch}


def thumb_entry(name, image, index):
    rgba = image.convert("RGBA")
    found = thumbhash.encode.rgba_to_thumbhash(*rgba.size, list(rgba.tobytes()))
    side = [32, 32, 20, 45][index % 4]
    width, height, made = thumbhash.decode.thumbhash_to_rgba(found, side)
    (OUT / f"{name}.thumb.rgba").write_bytes(bytes(made))
    return {"hash": base64.b64encode(found).decode(), "side": side, "width": width, "height": height}


entries = []
for index, (name, image) in enumerate(IMAGES.items()):
    image.save(OUT / f"{name}.png", optimize=True)
    entry = {"name": name, "thumb": thumb_entry(name, image, index)}
    if max(image.size) <= 32:
        entry["blur"] = blur_entry(name, image, index)
    entries.append(entry)

photos = []
for name in ["coffee.jpg", "hubble.jpg", "badge.png"]:
    photo = Image.open(FIXTURES / "Photos" / name)
    photos.append({
        "name": name,
        "blur": blurhash.encode(over_white(photo), 4, 3),
        "thumb": thumbhash.encode.image_to_thumbhash(photo.copy()),
    })
text = json.dumps({"images": entries, "photos": photos}, indent=1)
(OUT / "hashes.json").write_text(text + "\n")
