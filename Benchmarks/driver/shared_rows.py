"""The rows of the cache that machines share, on a redis-server on loopback."""

import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import images
from engine import Engine, in_turns
from measures import median_ratio

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Built by scripts/bench, with the package trait SharedCache.
PROGRAM = ROOT / ".build-shared/release/shared-rows"


@contextmanager
def redis_server(core):
    """Starts redis-server on the core of the engines and yields its port."""
    port = 21_000 + (time.time_ns() // 1000) % 20_000
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            ["taskset", "-c", str(core), "redis-server", "--port", str(port), "--bind",
             "127.0.0.1", "--save", "", "--dir", folder, "--logfile", "log"])
        try:
            for _ in range(100):
                reply = subprocess.run(["redis-cli", "-p", str(port), "ping"], capture_output=True, text=True)
                if "PONG" in reply.stdout:
                    break
                time.sleep(0.05)
            if process.poll() is not None:
                sys.exit(f"bench: redis-server on port {port} has ended")
            subprocess.run(["redis-cli", "-p", str(port), "set", "row", "x" * 20_000], check=True,
                           stdout=subprocess.DEVNULL)
            yield port
        finally:
            process.terminate()
            process.wait()


class RedisGetRow:
    name = "redis-get"
    ROUNDS = 15
    what = (
        "4,096 reads of 20 KB by the client of KingfisherSharedCache, one at a time (-1) and 32 at a time "
        "(-32), on the client's executor as a tier does them; compared with hiredis of Debian by a C program "
        "and with redis-py. CPU time of the client; redis-server is another process on the same core"
    )
    # The peers, with the widths whose ratio has a target.
    TARGETS = {("hiredis", 32): 0.5, ("hiredis", 1): 0.5, ("redis-py", 1): 1.3, ("redis-py", 32): 1.3}

    def __init__(self, cache):
        self.hiredis = cache / "hiredis_get"

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        times = {}
        with redis_server(core) as port:
            for width in (1, 32):
                commands = {
                    "kingfisher": [PROGRAM, "redis-get", port, width],
                    "hiredis": [self.hiredis, port, width],
                    "redis-py": [sys.executable, HERE / "redis_get.py", port, width],
                }
                with ExitStack() as stack:
                    engines = [stack.enter_context(Engine(name, command, core))
                               for name, command in commands.items()]
                    found = in_turns(engines, self.ROUNDS, Engine.run, 2)
                times |= {(name, width): own for name, own in found.items()}
        ratios = [(f"{peer}-{width}", median_ratio(times[peer, width], times["kingfisher", width]), target)
                  for (peer, width), target in self.TARGETS.items()]
        return ratios, [f"{name} {width} at a time: {statistics.median(own) / 4096e3:.1f} µs"
                        for (name, width), own in times.items()]


class SharedHitRow:
    """The image that another machine has made, compared with making it."""

    name = "shared-hit"
    ROUNDS = 9

    def __init__(self, cache, fixtures):
        self.file, origin = images.photo12(cache, fixtures)
        self.what = (
            "20 thumbnails of 300x225 (JPEG, quality 85) of a 12-megapixel JPEG, which another machine has "
            "made, through a manager with empty caches and a RedisTier, decoded and stored on disk; compared "
            "with making them from the file in memory. CPU time of the process; redis-server is another one. "
            + origin
        )

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note on each engine."""
        with redis_server(core) as port, ExitStack() as stack:
            engines = [stack.enter_context(Engine(name, [PROGRAM, name, port, self.file], core))
                       for name in ("shared-hit", "shared-build")]
            times = in_turns(engines, self.ROUNDS, Engine.run, 2)
        notes = [f"{name}: {statistics.median(own) / 20e6:.2f} ms an image" for name, own in times.items()]
        return [("build", median_ratio(times["shared-build"], times["shared-hit"]), 20)], notes


def rows(fixtures):
    return {
        "redis-get": lambda executable, cache: RedisGetRow(cache),
        "shared-hit": lambda executable, cache: SharedHitRow(cache, fixtures),
    }
