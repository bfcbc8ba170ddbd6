"""libvips: decodes all pixels of a file into memory, row by row; one thread, no operation cache."""

import os
import sys

os.environ["VIPS_CONCURRENCY"] = "1"

import pyvips

import worker

pyvips.cache_set_max(0)
data = open(sys.argv[1], "rb").read()


def decode():
    return pyvips.Image.new_from_buffer(data, "", access="sequential").copy_memory()


worker.serve(decode, raw=lambda: decode().write_to_memory())
