"""Debian's libvips: encodes an RGB image to a file of an ending with options, such as `.webp[Q=80]`."""

import os
import sys

os.environ["VIPS_CONCURRENCY"] = "1"
# Without the module of PyPI's pyvips-binary, pyvips loads the libvips of the system.
sys.modules["_libvips"] = None

import pyvips  # noqa: E402

import worker  # noqa: E402

pyvips.cache_set_max(0)
path, target = sys.argv[1:]
image = pyvips.Image.new_from_file(path).copy_memory()

worker.serve(lambda: image.write_to_buffer(target))
