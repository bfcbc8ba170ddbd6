"""diskcache of PyPI with its defaults, which evict what was stored first: puts into fresh folders, or gets."""

import os
import random
import sys
from pathlib import Path

from diskcache import Cache

from worker import serve

job, folder, sizes = sys.argv[1], Path(sys.argv[2]), [int(line) for line in open(sys.argv[3])]
keys = [f"https://pictures.example.org/albums/{number:044d}" for number in range(len(sizes))]
block = os.urandom(max(sizes))
caches = []


def open_cache():
    caches.append(Cache(folder / str(len(caches))))


def put():
    cache = caches[-1]
    for key, size in zip(keys, sizes):
        cache.set(key, block[:size])


def get():
    cache = caches[-1]
    found = sum(len(cache.get(key)) for key in order)
    if found != sum(sizes):
        sys.exit(f"{found} bytes found")


if job == "put":
    serve(put, prepare=open_cache)
else:
    open_cache()
    put()
    os.sync()
    order = random.Random(20).sample(keys, len(keys))
    serve(get)
