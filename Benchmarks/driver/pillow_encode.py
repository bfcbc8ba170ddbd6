"""Pillow: encodes an RGB image, as it decodes opaque photographs, to PNG (fastest level) or a lossy format.

    pillow_encode.py FORMAT FILE [QUALITY]

Efforts are those that Kingfisher takes for a megapixel.
"""

import io
import sys

from PIL import Image

import worker

OPTIONS = {
    "png": {"compress_level": 1},
    "jpeg": {"subsampling": "4:2:0"},
    "webp": {"method": 4},
    "avif": {"speed": 9, "subsampling": "4:2:0", "max_threads": 1},
    "jxl": {"effort": 3, "lossless_jpeg": False, "num_threads": 1},
}
name, path, *quality = sys.argv[1:]
options = OPTIONS[name] | ({"quality": int(quality[0])} if quality else {})
if name == "jxl":
    import pillow_jxl  # noqa: F401, adds the format to Pillow
image = Image.open(path).convert("RGB")


def encode():
    output = io.BytesIO()
    image.save(output, name, **options)
    return output.getvalue()


worker.serve(encode)
