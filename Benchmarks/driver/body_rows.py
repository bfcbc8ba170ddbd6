"""The rows of large bodies: memory of a huge one, and bytes of one whose transfer is cut."""

import statistics
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from downloads import nginx
from engine import Engine, number_of


class HugeRow:
    """Anonymous memory of a process while it downloads one huge image into its cache."""

    name = "download-huge"
    SIZE = 1_000_000_000
    LIMIT = 32_000_000
    ROUNDS = 3

    def __init__(self, executable, image):
        self.executable, self.image = executable, image
        self.what = (
            "one body of 1 GB, a JPEG file and padding, from nginx into the disk cache, with a thumbnail of "
            "it; anonymous memory above that of the idle process, sampled every 2 ms; `limit` is 32 MB"
        )

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note."""
        start = Path(self.image).read_bytes()
        peaks = []
        with nginx(start, core, size=self.SIZE) as url:
            for _ in range(number_of(self.ROUNDS)):
                with Engine("kingfisher", [self.executable, "body", url + "huge"], core) as engine:
                    peaks.append(self.growth(engine))
        peak = statistics.median(peaks)
        return [("limit", self.LIMIT / peak, 1.0)], [f"kingfisher: {peak / 1e6:.1f} MB"]

    @staticmethod
    def growth(engine):
        status = Path(f"/proc/{engine.process.pid}/status")
        ended = threading.Event()
        seen = []

        def anonymous():
            lines = status.read_text().splitlines()
            return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon:"))

        def watch():
            while not ended.wait(0.002):
                seen.append(anonymous())

        idle = anonymous()
        watcher = threading.Thread(target=watch)
        watcher.start()
        engine.run()
        ended.set()
        watcher.join()
        return max(max(seen) - idle, 1)


class ResumeRow:
    """Bytes of a transfer that is cut ten times."""

    name = "resume"
    CUTS = 10

    def __init__(self, executable, image, size=20_000_000):
        self.executable, self.image, self.size = executable, image, size
        self.what = (
            "one body of 20 MB whose transfer is cut ten times, with retries; `body` is its size divided by "
            "the bytes that the server sent. The target 0.952 means at most 1.05 times the bytes"
        )

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note."""
        body = Path(self.image).read_bytes().ljust(self.size, b"\1")
        with cutting_server(body, self.CUTS) as (url, sent):
            with Engine("kingfisher", [self.executable, "body", url], core) as engine:
                engine.run()
            note = f"{len(sent)} responses, {sum(sent)} of {self.size} bytes"
            return [("body", self.size / sum(sent), 1 / 1.05)], [note]


@contextmanager
def cutting_server(body, cuts):
    """A server that ends the first `cuts` responses early; yields its URL and the bytes sent by each."""
    sent = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            asked = self.headers.get("Range", "")
            start = int(asked[len("bytes=") : -1]) if self.headers.get("If-Range") == '"1"' else 0
            rest = body[start:]
            part = rest[: len(body) // (cuts + 1)] if len(sent) < cuts else rest
            sent.append(len(part))
            self.send_response(206 if start else 200)
            self.send_header("ETag", '"1"')
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
            self.send_header("Content-Length", str(len(rest)))
            self.end_headers()
            self.wfile.write(part)
            self.close_connection = len(part) < len(rest)

        def log_message(self, *_):
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/image.jpg", sent
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def rows(fixtures):
    image = fixtures / "Photos/chelsea-eyes.jpg"
    return {
        "download-huge": lambda executable, cache: HugeRow(executable, image),
        "resume": lambda executable, cache: ResumeRow(executable, image),
    }
