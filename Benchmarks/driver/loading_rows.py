"""The rows of loads through a manager, which also check allocations, requests and decodes."""

import statistics
import sys
from contextlib import ExitStack

from PIL import Image

import images
from engine import Engine, in_turns, number_of
from measures import Row


class MemoryHitRow:
    """A memory hit through the manager, compared with ten gets of the bare storage; and its allocations."""

    MOST_ALLOCATIONS = 12

    name = "memory-hit"
    what = (
        "KingfisherManager.retrieveImage with a URL and a completion handler, the image in memory, "
        "completed on the calling thread, compared with ten gets of the bare MemoryStorage.Backend, each "
        "of another image (ten-gets: those of memory-get); 10,000 entries, keys of 64 characters. "
        "allocations: 12 divided by the allocations of one hit, counted on the calling thread by functions "
        "that override malloc, calloc, realloc and memalign of glibc"
    )

    def __init__(self, executable):
        self.executable = executable
        self.times = Row(
            self.name,
            self.what,
            rounds=21,
            unit="ns a hit, or ten gets",
            per_run=10_000,
            engines={
                "kingfisher": [executable, "memory-hit"],
                "ten-gets": [executable, "memory-get"],
            },
            targets={"ten-gets": 1.0},
        )

    def measure(self, core):
        ratios, notes = self.times.measure(core)
        with Engine("kingfisher", [self.executable, "memory-hit"], core) as engine:
            allocations = int(engine.ask("count"))
        ratios.append(("allocations", self.MOST_ALLOCATIONS / max(allocations, 1), 1.0))
        return ratios, notes + [f"{allocations} allocations a hit"]


class LoadRow:
    """A load through the manager, compared with its parts called directly: the overhead of the manager."""

    ROUNDS = 15

    def __init__(self, name, target, what, executable, cache, fixtures):
        self.name, self.target, self.executable = name, target, executable
        self.file, origin = small_photo(cache, fixtures)
        self.what = (
            f"100 loads, one after another, {what}, compared with the same parts called directly on one "
            f"thread. CPU time of the loading process; the server is another process on loopback. {origin}, "
            "to 100x75"
        )

    def measure(self, core):
        with ExitStack() as stack:
            server = stack.enter_context(
                Engine("server", [self.executable, "image-server", self.file], core)
            )
            port = server.ask("port")
            engines = [
                stack.enter_context(Engine(name, [self.executable, job, port], core))
                for name, job in [("kingfisher", self.name), ("parts", f"{self.name}-parts")]
            ]
            times = in_turns(engines, self.ROUNDS, Engine.run, 2)
        pairs = zip(times["parts"], times["kingfisher"], strict=True)
        ratio = statistics.median(parts / own for parts, own in pairs)
        notes = [f"{name}: {statistics.median(values) / 1e5:.1f} µs a load" for name, values in times.items()]
        return [("parts", ratio, self.target)], notes


def load_cold(executable, cache, fixtures):
    what = "from a server with nothing cached, downsampled, stored in memory and on disk"
    return LoadRow("load-cold", 0.85, what, executable, cache, fixtures)


def load_disk(executable, cache, fixtures):
    what = "from the file of the original on disk, downsampled, stored in memory"
    return LoadRow("load-disk", 0.85, what, executable, cache, fixtures)


def load_disk_hit(executable, cache, fixtures):
    # Two changes of thread take a third of the time of decoding such a small image.
    what = "from the file of the downsampled image on disk, stored in memory"
    return LoadRow("load-disk-hit", 0.65, what, executable, cache, fixtures)


class CoalescingRow:
    """Coalesced requests, compared with separate ones. Fails if an image is requested or decoded twice."""

    ROUNDS = 7
    REQUESTS, IMAGES = 1_000, 100

    name = "coalescing"

    def __init__(self, executable, cache, fixtures):
        self.executable = executable
        self.file, origin = avatar(cache, fixtures)
        self.what = (
            "1,000 concurrent requests of a manager for 100 URLs, nothing cached, until every file is "
            "written: one download and one decode for each URL, otherwise the row fails. separate: each "
            "request with a separate downloader and cache, 16 concurrent. CPU time of the loading process; "
            f"the server is another process on loopback. Avatars of 96x96; {origin}"
        )

    def measure(self, core):
        with ExitStack() as stack:
            server = stack.enter_context(
                Engine("server", [self.executable, "image-server", self.file], core)
            )
            port = server.ask("port")
            engines = [
                (stack.enter_context(Engine(name, [self.executable, job, port], core)), requests)
                for name, job, requests in [
                    ("kingfisher", "coalescing", self.IMAGES),
                    ("separate", "coalescing-separate", self.REQUESTS),
                ]
            ]
            for round in range(number_of(self.ROUNDS) + 1):
                for engine, expected in engines:
                    time = engine.run()
                    requested = int(server.ask("requests"))
                    if requested != expected:
                        sys.exit(f"bench: {engine.name} made {requested} requests instead of {expected}")
                    if round > 0:
                        engine.times.append(time)
            (ours, _), (theirs, _) = engines
        pairs = zip(theirs.times, ours.times, strict=True)
        ratio = statistics.median(their / own for their, own in pairs)
        notes = [
            f"{engine.name}: {statistics.median(engine.times) / 1e6:.1f} ms, {requests} requests and decodes"
            for engine, requests in engines
        ]
        return [("separate", ratio, 20)], notes


def small_photo(cache, fixtures):
    """A photograph in the size of a web page."""
    photo, name = images.photograph(cache, fixtures)
    path = cache / f"small-{photo.stem}.jpg"
    if not path.exists():
        Image.open(photo).convert("RGB").resize((400, 300)).save(path, quality=65)
    return path, f"{name}, {images.described(path)}"


def avatar(cache, fixtures):
    """A small image in the size of an avatar."""
    photo, name = images.photograph(cache, fixtures)
    path = cache / f"avatar-{photo.stem}.jpg"
    if not path.exists():
        Image.open(photo).convert("RGB").crop((0, 0, 960, 960)).resize((96, 96)).save(path, quality=85)
    return path, f"{name}, {images.described(path)}"
