"""The rows of the image server: CPU time of a server on one core; client and origin use other cores."""

import io
import itertools
import math
import socket
import statistics
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import NamedTuple

from PIL import Image, ImageOps

import images
import service_servers as servers
from engine import ROUNDS, Engine, in_turns, number_of
from measures import median_ratio
from service_servers import Job, load

THUMBNAIL = Job("fit", 300, 85)
# The part of the rate of two connections at which percentiles are measured.
LOAD = 0.8
# Numbers of sources: each is another URL of the same file.
NUMBERS = itertools.count(1)


def reference(path, job):
    """Full decode, then Lanczos."""
    image = Image.open(path).convert("RGB")
    fitted = {"fit": ImageOps.contain, "cover": ImageOps.fit}[job.mode]
    return fitted(image, (job.side, job.side), Image.Resampling.LANCZOS)


def result(server, path, wanted):
    """The bytes of a result, and what it is. Fails if it is not a JPEG of the wanted size."""
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}") as response:
        data = response.read()
    image = Image.open(io.BytesIO(data))
    if image.format != "JPEG" or image.size != wanted.size:
        sys.exit(f"bench: {server.name} made {image.format} of {image.size} instead of {wanted.size}")
    quality = images.psnr(image.convert("RGBA").tobytes(), wanted)
    return len(data), f"{len(data)} bytes, {quality}"


def spread(server, rate, paths, count, core, **options):
    """Requests at a rate, as from independent clients: many connections, each with pauses."""
    # Servers close connections whose pauses are long.
    connections = max(8, min(64, math.ceil(2 * rate)))
    # A response at this load takes a few times as long as without other requests.
    pause = max(connections / (LOAD * rate) - 4 / rate, 1 / rate) * 1e3
    return load(server, paths, count, core, connections=connections, pause=pause, **options)


def milliseconds(microseconds):
    return f"{microseconds / 1e3:.2f} ms" if microseconds < 10_000 else f"{microseconds / 1e3:.0f} ms"


class MissRow:
    """Results that are made: every request is for another URL of the same file."""

    COUNT, ROUNDS = 24, 9

    def __init__(self, name, what, source, job, cache, targets, reference=None, rates=False, isolation="all"):
        self.file, origin = source
        self.name, self.what, self.job, self.cache = name, f"{what}; {origin}", job, cache
        self.targets, self.rates, self.isolation = targets, rates, isolation
        # The row of the same work without a server: its command, name and target.
        self.reference = reference

    def start(self, stack, url, core):
        """The servers, ours first."""
        origin = url(self.file, 1).removesuffix(f"1/{self.file.name}")
        peers = {
            "thumbor": lambda: servers.thumbor(core, self.cache),
            "aiohttp": lambda: servers.aiohttp(core),
            "image_filter": lambda: servers.image_filter(core, origin),
        }
        ours = stack.enter_context(servers.kingfisher(core, isolation=self.isolation))
        return [ours, *(stack.enter_context(peers[name]()) for name in self.targets if name in peers)]

    def paths(self, server, url, count):
        return [server.path(self.job, url(self.file, number)) for number in itertools.islice(NUMBERS, count)]

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each server."""
        with ExitStack() as stack:
            url = stack.enter_context(servers.origin([self.file], core))
            started = self.start(stack, url, core)
            facts = self.compare(started, url)
            loads = {server.name: [] for server in started}

            def run(server):
                if isinstance(server, Engine):
                    return sum(server.run() for _ in range(self.COUNT)) / self.COUNT
                time, one = servers.cost(server, self.paths(server, url, self.COUNT), self.COUNT, core)
                loads[server.name].append(one)
                return time

            engines = list(started)
            if self.reference:
                command, name, _ = self.reference
                engines.append(stack.enter_context(Engine(name, command, core)))
            times = in_turns(engines, self.ROUNDS, run, 1)
            ours = times[started[0].name]
            notes = [f"{name}: {statistics.median(own) / 1e6:.1f} ms of CPU time" + facts.get(name, "")
                     for name, own in times.items()]
            if self.rates and not ROUNDS:
                notes += [self.rate(server, loads[server.name], url, core) for server in started]
        ratios = [(name, median_ratio(times[name], ours), target) for name, target in self.targets.items()]
        if self.reference:
            _, name, target = self.reference
            ratios.append((name, median_ratio(times[name], ours), target))
        return ratios, notes

    def compare(self, started, url):
        """What the servers make. The sizes of the files must be similar."""
        wanted, sizes, facts = reference(self.file, self.job), [], {}
        for server in started:
            path, = self.paths(server, url, 1)
            size, fact = result(server, path, wanted)
            sizes.append(size)
            facts[server.name] = f", {fact}"
        if max(sizes) > 1.5 * min(sizes):
            sys.exit(f"bench: {self.name}: results differ in size: {facts}")
        return facts

    def rate(self, server, loads, url, core):
        rate = statistics.median(self.COUNT / one.seconds for one in loads)
        count = 300 if rate > 20 else 150
        at = spread(server, rate, self.paths(server, url, count), count, core)
        return words(server.name, rate, count, at)


def words(name, rate, count, at):
    """A note that scripts/figures reads for the chart."""
    return (f"{name} serves {rate:.0f} a second; at {100 * count / at.seconds / rate:.0f} % of that "
            f"p50 {milliseconds(at.p50)}, p99 {milliseconds(at.p99)}")


class CoverRow(MissRow):
    """Also compares the box that is covered with the one in which the image fits."""

    def start(self, stack, url, core):
        fit = stack.enter_context(servers.kingfisher(core, "fit"))
        path = fit.path
        fit.path = lambda job, url: path(job._replace(mode="fit"), url)
        started = super().start(stack, url, core)
        return [*started, fit]

    def compare(self, started, url):
        return super().compare(started[:-1], url)


class SecondSizeRow(MissRow):
    """A first size, for which the original is loaded, compared with a second one."""

    def start(self, stack, url, core):
        server = stack.enter_context(servers.kingfisher(core))
        self.first = servers.Server("first-size", server.process, server.port, server.path)
        # The sources of first sizes that have no second one.
        self.made, self.core = [], core
        return [server, self.first]

    def paths(self, server, url, count):
        if server.name == "first-size":
            self.made.append(list(itertools.islice(NUMBERS, count)))
            return [server.path(self.job, url(self.file, number)) for number in self.made[-1]]
        if not self.made:
            load(server, self.paths(self.first, url, count), count, self.core)
        job = self.job._replace(side=self.job.side - 20)
        return [server.path(job, url(self.file, number)) for number in self.made.pop(0)]

    def compare(self, started, url):
        return {}


class Case(NamedTuple):
    """Requests to a server that are repeated, and the status of their responses."""

    name: str
    server: servers.Server
    paths: list
    status: int = 200


class HitRow:
    """Requests for a few results in memory. `variant` makes other requests of them, compared with them."""

    URLS, COUNT, ROUNDS = 16, 6000, 9

    def __init__(self, name, what, source, cache, targets, variant=None):
        self.file, origin = source
        self.name, self.what, self.cache, self.targets = name, f"{what}; {origin}", cache, targets
        self.variant = variant

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each server."""
        with ExitStack() as stack:
            url = stack.enter_context(servers.origin([self.file], core))
            cases = self.cases(stack, url, core)
            loads = {case.name: [] for case in cases}

            def run(case):
                time, one = servers.cost(case.server, case.paths, self.COUNT, core, status=case.status)
                loads[case.name].append(one)
                return time

            times = in_turns(cases, self.ROUNDS, run, 2)
            notes = [f"{name}: {statistics.median(own) / 1e3:.1f} µs of CPU time"
                     for name, own in times.items()]
            if not self.variant and not ROUNDS:
                notes += [self.rate(case, loads[case.name], core) for case in cases]
        ours = times[cases[0].name]
        return [(name, median_ratio(times[name], ours), target)
                for name, target in self.targets.items()], notes

    def rate(self, case, loads, core):
        rate = statistics.median(self.COUNT / one.seconds for one in loads)
        count = math.ceil(rate * 5)
        return words(case.name, rate, count, spread(case.server, rate, case.paths, count, core))

    def cases(self, stack, url, core):
        """Ours first; all have been requested once."""
        ours = stack.enter_context(servers.kingfisher(core))
        hit = self.hit("hit" if self.variant else "kingfisher", ours, url, core)
        if self.variant:
            return [Case("kingfisher", ours, *self.variant(ours, hit.paths)), hit]
        thumbor = stack.enter_context(servers.thumbor(core, self.cache))
        aiohttp = stack.enter_context(servers.aiohttp(core))
        proxy = stack.enter_context(servers.proxy_cache(core, f"http://127.0.0.1:{ours.port}"))
        return [
            hit, self.hit("aiohttp", aiohttp, url, core), self.hit("thumbor", thumbor, url, core),
            Case("proxy_cache", proxy, hit.paths),
        ]

    def hit(self, name, server, url, core):
        paths = [server.path(THUMBNAIL, url(self.file, number)) for number in range(self.URLS)]
        load(server, paths, self.URLS, core)
        return Case(name, server, paths)


def with_tags(server, paths):
    """Requests that a response without a body answers."""
    lines = []
    for path in paths:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}{path}") as response:
            lines.append(f"{path}\t{response.headers['ETag']}")
    return lines, 304


def with_wrong_signatures(_, paths):
    # A signature has 43 characters.
    return [f"/{path[1:44][::-1]}{path[44:]}" for path in paths], 403


class TailRow:
    """The slowest responses at half load, alone and while a tenth of the origins are silent."""

    ROUNDS, COUNT, HOSTS = 3, 400, 32
    name, targets = "service-tail", {"alone": 0.33}

    def __init__(self, source):
        self.file, origin = source
        self.what = (
            "the 99th percentile of good responses of the row service-miss at half load, without requests "
            "for silent origins and with them, which are a tenth of all and end with status 504 after ten "
            "seconds; "
            f"the origins accept connections and send nothing; {origin}"
        )

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and notes."""
        found = {"kingfisher": [], "alone": []}
        with ExitStack() as stack:
            url = stack.enter_context(servers.origin([self.file], core))
            server = stack.enter_context(servers.kingfisher(core))
            silent = stack.enter_context(socket.create_server(("0.0.0.0", 0), backlog=4096))
            port, pool = silent.getsockname()[1], stack.enter_context(ThreadPoolExecutor())

            def good(count, rate=None):
                paths = [server.path(THUMBNAIL, url(self.file, number))
                         for number in itertools.islice(NUMBERS, count)]
                return spread(server, rate, paths, count, core) if rate else load(server, paths, count, core)

            def bad(rate, seconds):
                count = math.ceil(rate * seconds)
                paths = [server.path(THUMBNAIL, f"http://127.0.1.{number % self.HOSTS + 1}:{port}/{number}")
                         for number in itertools.islice(NUMBERS, count)]
                # Each takes ten seconds.
                connections = math.ceil(12 * rate)
                pause = (connections / rate - 10) * 1e3
                return load(
                    server, paths, count, core, status=504, connections=connections, pause=pause)

            rate = number_of(40) / good(number_of(40)).seconds / 2
            count = number_of(self.COUNT)
            for _ in range(number_of(self.ROUNDS)):
                found["alone"].append(good(count, rate / LOAD).p99)
                task = pool.submit(bad, rate / 9, 12 + count / rate)
                time.sleep(12 if not ROUNDS else 1)
                found["kingfisher"].append(good(count, rate / LOAD).p99)
                task.result()
        notes = [f"{name}: p99 {milliseconds(statistics.median(own))}" for name, own in found.items()]
        ratio = median_ratio(found["alone"], found["kingfisher"])
        return [("alone", ratio, self.targets["alone"])], [*notes, f"{rate:.0f} a second"]


def rows(fixtures):
    def photo12(cache):
        return images.photo12(cache, fixtures)

    def photo3(cache, suffix=".jpg"):
        return images.photo3(cache, fixtures, suffix)

    both = "stores the original and the result; CPU time of the server and its child processes a request. "
    three = (
        "thumbor, with signed URLs and file storages, and a server of aiohttp and libvips do the same; nginx "
        "with image_filter (libgd) stores nothing. Decibels against full decode and Lanczos by Pillow"
    )
    large = {"aiohttp": 2.0, "thumbor": 2.0, "image_filter": 2.0}
    small = {"aiohttp": 1.8, "thumbor": 1.8, "image_filter": 1.8}
    box = Job("fit", 512, 80)

    def miss(executable, cache):
        file, _ = source = photo12(cache)
        return MissRow(
            "service-miss",
            "a signed URL of a 12-megapixel JPEG to a JPEG of 300x225, quality 85, in decoder processes, "
            f"{both}isolated-thumb is the work of that row, without download, encoding and storage. {three}",
            source, THUMBNAIL, cache, targets=large, rates=True,
            reference=([executable, "thumb-isolated", file, 300], "isolated-thumb", 0.625))

    def miss_open(executable, cache):
        file, _ = source = photo12(cache)
        return MissRow(
            "service-miss-open",
            "the same without decoder processes (isolation none), compared with the work of the row "
            "jpeg-thumb",
            source, THUMBNAIL, cache, targets={}, isolation="none",
            reference=([executable, "thumb-alone", file, 300], "jpeg-thumb", 0.69))

    def miss_512(executable, cache):
        return MissRow(
            "service-miss-512", f"a 2.8-megapixel JPEG to 512x384, quality 80, {both}{three}",
            photo3(cache), box, cache, targets=small)

    def cover(executable, cache):
        return CoverRow(
            "service-cover",
            "the same to 512x512, of which the sides are cropped; `fit` is ours to 512x384. " + three,
            photo3(cache), box._replace(mode="cover"), cache, targets={**small, "fit": 0.9})

    def png(executable, cache):
        return MissRow(
            "service-png",
            f"a 2.8-megapixel PNG to a JPEG of 512x384, quality 80, {both}image_filter does not change "
            "formats. " + three, photo3(cache, ".png"), box, cache, targets={"aiohttp": 1.5, "thumbor": 1.5})

    def second_size(executable, cache):
        return SecondSizeRow(
            "service-second-size",
            "a JPEG of 280x210 of a 12-megapixel JPEG whose original is on disk, because a JPEG of 300x225 "
            "was made before; `first-size` is that request, which loads the original",
            photo12(cache), THUMBNAIL, cache, targets={"first-size": 1.18})

    def hit(executable, cache):
        return HitRow(
            "service-hit",
            "a JPEG of 20 KB that was requested before, by signed URLs on connections that stay open; "
            "aiohttp takes it from a dictionary and checks no signature, thumbor reads its result storage, "
            "and proxy_cache is an nginx that has the responses of our server on disk",
            photo12(cache), cache, {"aiohttp": 1.3, "thumbor": 15, "proxy_cache": 0})

    def not_modified(executable, cache):
        return HitRow(
            "service-304", "the requests of service-hit with If-None-Match, and status 304",
            photo12(cache), cache, {"hit": 1.0}, with_tags)

    def wrong_signature(executable, cache):
        return HitRow(
            "service-404-signature", "the requests of service-hit with wrong signatures, and status 403",
            photo12(cache), cache, {"hit": 1.25}, with_wrong_signatures)

    return {
        "service-miss": miss,
        "service-miss-open": miss_open,
        "service-miss-512": miss_512,
        "service-cover": cover,
        "service-png": png,
        "service-second-size": second_size,
        "service-hit": hit,
        "service-304": not_modified,
        "service-404-signature": wrong_signature,
        "service-tail": lambda executable, cache: TailRow(photo12(cache)),
    }
