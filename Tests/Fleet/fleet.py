"""Servers, the origin that they load from, and clients that send requests to them."""

import asyncio
import collections
import hashlib
import http.server
import os
import random
import re
import signal
import struct
import subprocess
import threading
import time
import zlib
from pathlib import Path

from engine import Failure

SIDE = 48


def png(number):
    """An image with the number in its pixels, so that every thumbnail differs from every other."""
    size = 120
    generator = random.Random(number)
    blocks = [[bytes(generator.randrange(256) for _ in range(3)) for _ in range(6)] for _ in range(6)]
    rows = b"".join(
        b"\0" + b"".join(blocks[y * 6 // size][x * 6 // size] for x in range(size)) for y in range(size))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


class Origin:
    """An HTTP server with `count` images at /0.png and so on, which counts their requests.

    `enter` is called on the thread that opens the socket, for example to enter a network namespace.
    """

    def __init__(self, count, host="127.0.0.1", port=0, enter=None):
        images = [png(number) for number in range(count)]
        self.requests = collections.Counter()
        lock = threading.Lock()

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # One packet for head and body: a second one would wait for the acknowledgement of the first.
            wbufsize = 1 << 16

            def do_GET(handler):
                match = re.fullmatch(r"/(\d+)\.png", handler.path)
                number = int(match[1]) if match else count
                if number >= count:
                    return handler.send_error(404)
                with lock:
                    self.requests[number] += 1
                handler.send_response(200)
                handler.send_header("Content-Type", "image/png")
                handler.send_header("Content-Length", str(len(images[number])))
                handler.end_headers()
                handler.wfile.write(images[number])

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            # Many servers connect at the same time.
            request_queue_size = 1024

        opened = threading.Event()

        def serve():
            if enter:
                enter()
            self.server = Server((host, port), Handler)
            opened.set()
            self.server.serve_forever()

        threading.Thread(target=serve, daemon=True).start()
        if not opened.wait(20):
            raise Failure("the origin cannot open its socket")
        self.host, self.port = host, self.server.server_port

    def target(self, number):
        return f"/unsafe/fit:{SIDE}x{SIDE}/plain/http://{self.host}:{self.port}/{number}.png"

    @property
    def total(self):
        return sum(self.requests.values())

    def close(self):
        self.server.shutdown()


class Server:
    """A process of kingfisher-server, with an empty cache folder."""

    OPTIONS = ("--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0", "--signing", "off",
               "--allow-addresses", "127.0.0.0/8,10.199.0.0/24", "--allowed-ports", "all")

    def __init__(self, program, folder, name, shared=None, prefix=(), environment=None, options=()):
        self.name = name
        command = [*prefix, str(program), *self.OPTIONS, "--cache-folder", f"{folder}/{name}"]
        if shared:
            command += ["--shared", shared]
        # Variables of the test scripts are no settings.
        own = {name: value for name, value in os.environ.items() if not name.startswith("KINGFISHER_")}
        self.process = subprocess.Popen(
            [*command, *options], stderr=subprocess.PIPE, text=True, env=own | (environment or {}))
        self.lines = []
        self.port = self._port("serving")
        self.admin = self._port("operators")
        threading.Thread(target=self._read, daemon=True).start()

    def _port(self, listener):
        """The port in the line of a listener; lines of the server's log may come before it."""
        for line in self.process.stderr:
            self.lines.append(line.strip())
            if match := re.search(rf"{listener} at http://127\.0\.0\.1:(\d+)/", line):
                return int(match[1])
        self.process.wait()
        raise Failure(f"server {self.name}: {self.lines[-1:] or 'no output'}")

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.strip())

    @property
    def cpu(self):
        """CPU time of the process in seconds."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class Metrics(collections.Counter):
    """The metrics of a server: values by series."""

    LINE = re.compile(r"(\w+)(?:\{(.*)\})? (\S+)")

    def __init__(self, text=""):
        super().__init__()
        for line in text.splitlines():
            match = self.LINE.fullmatch(line)
            if match:
                self[match[1], tuple(sorted(re.findall(r'(\w+)="(.*?)"', match[2] or "")))] = float(match[3])

    def sum(self, name, **labels):
        """The sum of the series of `name` that have these labels."""
        wanted = set(labels.items())
        return round(sum(value for (label, pairs), value in self.items()
                         if label == name and wanted <= set(pairs)))

    def values(self, name, label):
        """The sums of `name` by the values of a label."""
        sums = collections.Counter()
        for (own, pairs), value in self.items():
            if own == name:
                sums[dict(pairs).get(label, "")] += round(value)
        return dict(sums)


class Client:
    """A connection to a server that stays open as long as the server keeps it."""

    def __init__(self, port):
        self.port, self.writer = port, None

    async def get(self, target, timeout=30):
        """The status and body; an error of the connection is status 0."""
        try:
            return await asyncio.wait_for(self._get(target), timeout)
        except (OSError, asyncio.IncompleteReadError, TimeoutError) as error:
            self.close()
            return 0, repr(error).encode()

    async def _get(self, target):
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(f"GET {target} HTTP/1.1\r\nHost: a\r\n\r\n".encode())
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(re.search(r"content-length: (\d+)", head)[1])
        body = await self.reader.readexactly(length)
        if "connection: close" in head:
            self.close()
        return int(head.split()[1]), body

    def close(self):
        if self.writer:
            self.writer.close()
        self.writer = None


class Load:
    """The outcome of requests: digests of the bodies by image, and what has failed."""

    def __init__(self):
        self.requests = 0
        self.digests = collections.defaultdict(set)
        self.failures = []
        self.slowest = 0.0
        self.seconds = 0.0

    def add(self, number, status, body, seconds):
        self.requests += 1
        self.slowest = max(self.slowest, seconds)
        if status == 200:
            self.digests[number].add(hashlib.sha256(body).hexdigest())
        else:
            self.failures.append(f"{number}: {status} {body[:100]!r}")

    def wrong(self, reference):
        """The images with another body than in the reference."""
        return [number for number, found in self.digests.items() if found != reference.digests[number]]

    async def _run(self, port, targets, width):
        pending = iter(targets)

        async def work():
            client = Client(port)
            for number, target in pending:
                start = time.monotonic()
                status, body = await client.get(target)
                self.add(number, status, body, time.monotonic() - start)
            client.close()

        await asyncio.gather(*(work() for _ in range(width)))

    async def run(self, port, origin, numbers, width=4):
        start = time.monotonic()
        await self._run(port, [(number, origin.target(number)) for number in numbers], width)
        self.seconds = time.monotonic() - start
        return self


def load(port, origin, numbers, width=4, enter=None):
    """Requests images from one server. `enter` is called on the thread that opens the sockets."""
    result = {}

    def run():
        try:
            if enter:
                enter()
            result["load"] = asyncio.run(Load().run(port, origin, numbers, width))
        except BaseException as error:
            result["error"] = error

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if "error" in result:
        raise result["error"]
    return result["load"]


def metrics(server, enter=None):
    """The metrics of a server."""
    result = {}

    def run():
        if enter:
            enter()
        result["reply"] = asyncio.run(Client(server.admin).get("/metrics"))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    status, body = result["reply"]
    if status != 200:
        raise Failure(f"/metrics of {server.name}: status {status}")
    return Metrics(body.decode())


def load_all(servers, origin, numbers_of, width=2):
    """Requests images from several servers at the same time; one load for each."""

    async def run():
        return await asyncio.gather(
            *(Load().run(server.port, origin, numbers_of(server), width) for server in servers))

    return asyncio.run(run())
