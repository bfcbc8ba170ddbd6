"""diskcache from PyPI with default settings except the eviction policy: stores into new folders, or gets."""

import os
import random
import sys
from pathlib import Path

from diskcache import Cache

from worker import serve

policy, job, folder, sizes = *sys.argv[1:3], Path(sys.argv[3]), [int(line) for line in open(sys.argv[4])]
keys = [f"https://images.example.org/albums/{number:044d}" for number in range(len(sizes))]
block = os.urandom(max(sizes))
caches = []


def open_cache():
    caches.append(Cache(folder / str(len(caches)), eviction_policy=policy))


def put():
    cache = caches[-1]
    for key, size in zip(keys, sizes, strict=True):
        cache.set(key, block[:size])


def get():
    cache = caches[-1]
    found = sum(len(cache.get(keys[number])) for number in requested)
    if found != sum(sizes[number] for number in requested):
        sys.exit(f"{found} bytes found")


if job == "put":
    serve(put, prepare=open_cache)
else:
    open_cache()
    put()
    os.sync()
    requested = random.Random(20).choices(range(len(keys)), k=5 * len(keys))
    serve(get)
