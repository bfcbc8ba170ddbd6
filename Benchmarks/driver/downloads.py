"""The rows with a local nginx, which runs on another core than the engines if there is one."""

import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

from engine import Engine, in_turns, number_of

HERE = Path(__file__).resolve().parent

CONFIGURATION = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    keepalive_requests 1000000;
    default_type application/octet-stream;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port}{tls};
        root {folder};
        location / {{ try_files /body.bin =404; }}
    }}
}}
"""


@contextmanager
def authority():
    """Yields a PEM file with a certificate for 127.0.0.1 that is its own authority, and one with its key."""
    with tempfile.TemporaryDirectory() as name:
        certificate, key = Path(name, "certificate.pem"), Path(name, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
            + ["-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
            + ["-keyout", key, "-out", certificate],
            check=True,
            stderr=subprocess.DEVNULL,
        )
        yield certificate, key


@contextmanager
def nginx(body, core, size=0, tls=None):
    """A server that returns `body`, padded to `size` with zeros, for every path; yields its base URL.

    With `tls`, a certificate and its key, by HTTP/2.
    """
    with tempfile.TemporaryDirectory() as name, socket.socket() as probe:
        folder = Path(name)
        folder.chmod(0o755)  # its worker may run as another user
        with (folder / "body.bin").open("wb") as file:
            file.write(body)
            file.truncate(max(size, len(body)))
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        secured = f" ssl http2; ssl_certificate {tls[0]}; ssl_certificate_key {tls[1]}" if tls else ""
        (folder / "nginx.conf").write_text(CONFIGURATION.format(folder=folder, port=port, tls=secured))
        others = os.sched_getaffinity(0) - {core} or {core}
        server = subprocess.Popen(
            ["taskset", "-c", ",".join(map(str, others)), "nginx", "-p", name, "-c", folder / "nginx.conf"]
        )
        try:
            wait_for(port, server)
            yield f"http{'s' if tls else ''}://127.0.0.1:{port}/"
        finally:
            server.terminate()
            server.wait()


def wait_for(port, server):
    for _ in range(200):
        if server.poll() is not None:
            break
        try:
            return socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
    sys.exit("bench: nginx did not start")


# URLSession on Linux takes no authority from a program: a mount namespace in which the system has this one.
TRUSTING = 'mount --bind "$0" /etc/ssl/certs/ca-certificates.crt && exec "$@"'


class DownloadRow:
    """Many bodies of one size. The result is our worst ratio over all levels of concurrency."""

    WARM_UP = 1
    # Built by scripts/bench.
    PEERS = HERE.parent / "Peers/.build/release/DownloadPeers"

    def __init__(self, name, what, executable, size, count, at_a_time, rounds, targets, sink=(), tls=False):
        self.sink, self.tls = sink, tls
        self.name, self.what, self.rounds = name, what, rounds
        self.executable, self.size, self.count, self.at_a_time = executable, size, count, at_a_time
        # By peer: the compared clocks, of which the worse one counts, and the target ratio.
        self.targets = targets

    @contextmanager
    def server(self, core):
        """Yields the base URL, and the files of certificates that commands need."""
        with ExitStack() as stack:
            tls = stack.enter_context(authority()) if self.tls else None
            yield stack.enter_context(nginx(os.urandom(self.size), core, tls=tls)), tls[:1] if tls else ()

    def commands(self, url, concurrency, certificates=()):
        arguments = [url, self.count, concurrency, *certificates]
        trusting = ["unshare", "--map-root-user", "--mount", "sh", "-c", TRUSTING] if certificates else []
        commands = {
            "kingfisher": [self.executable, "download", *arguments],
            "aiohttp": [sys.executable, HERE / "aiohttp_download.py", *arguments],
            "curl-multi": [self.executable.parent / "CurlMultiLoop", *arguments, *self.sink],
            "async-http-client": [self.PEERS, "async-http-client", *arguments],
            "url-session": [*trusting, *certificates, self.PEERS, "url-session", *arguments],
        }
        return {name: command for name, command in commands.items() if name in ["kingfisher", *self.targets]}

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and notes on each engine."""
        ratios, notes = {}, []
        with self.server(core) as (url, certificates):
            for concurrency in self.at_a_time:
                clocks = self.clocks(self.commands(url, concurrency, certificates), core)
                for name, times in clocks.items():
                    notes.append(f"{concurrency} concurrent, {name}: {self.words(times)}")
                for peer, (clock, _) in self.targets.items():
                    pairs = list(zip(clocks[peer], clocks["kingfisher"], strict=True))
                    ratio = min(
                        statistics.median(theirs[index] / ours[index] for theirs, ours in pairs)
                        for index in clock
                    )
                    ratios.setdefault(peer, []).append(ratio)
                    notes.append(f"{concurrency} concurrent, against {peer}: {ratio:.2f}")
        lines = [(peer, min(ratios[peer]), target) for peer, (_, target) in self.targets.items()]
        return lines, notes

    def clocks(self, commands, core):
        """Wall and CPU time of every run, in nanoseconds, by engine."""
        with ExitStack() as stack:
            engines = [stack.enter_context(Engine(name, command, core)) for name, command in commands.items()]
            return in_turns(engines, self.rounds, Engine.clocks, self.WARM_UP)

    def words(self, times):
        wall, cpu = (statistics.median(time[index] for time in times) for index in (0, 1))
        rate = self.count * self.size / 1e6 / (wall / 1e9)
        each = cpu / self.count / 1e3
        return f"{self.count / (wall / 1e9):.0f} a second, {rate:.0f} MB/s, {each:.1f} us of CPU each"


class DownloadMemoryRow:
    """Peak memory of a download row, compared with twice the size of all concurrent bodies."""

    ROUNDS = 3

    def __init__(self, of):
        self.of = of
        self.name = f"{of.name}-memory"
        self.what = (
            "peak memory growth of a new process, compared with twice the size of all concurrent bodies; "
            f"all bodies together are {of.count * of.size / 1e6:.0f} MB"
        )

    def measure(self, core):
        """Lines for the report: (peer, ratio, target), and a note."""
        concurrency = max(self.of.at_a_time)
        peaks = []
        with nginx(os.urandom(self.of.size), core) as url:
            command = self.of.commands(url, concurrency)["kingfisher"]
            for _ in range(number_of(self.ROUNDS)):
                with Engine("kingfisher", command, core) as engine:
                    peaks.append(engine.peak())
        peak = statistics.median(peaks)
        allowed = 2 * concurrency * self.of.size
        return [("under-way", allowed / peak, 1.0)], [f"kingfisher: {peak / 1e6:.1f} MB"]


WALL, CPU, BOTH = (0,), (1,), (0, 1)

# What Swift programs would use in place of ours: 1.5 times the better one, by throughput and by CPU time.
CLIENTS = {"async-http-client": (BOTH, 1.5), "url-session": (BOTH, 1.5)}


def small(executable, cache):
    return DownloadRow(
        "download-small",
        "10,000 bodies of 20 KB through ImageDownloader without decoding, 1, 16 and 64 concurrent, from "
        "nginx on another core; compared with AsyncHTTPClient and Foundation's URLSession by throughput and "
        "by CPU time, with aiohttp by throughput, with a bare curl_multi loop, whose heap is warm and whose "
        "buffers have the same size, by CPU time; the worst ratio of all levels",
        executable,
        size=20_000,
        count=10_000,
        at_a_time=[1, 16, 64],
        rounds=7,
        targets={"aiohttp": (WALL, 2.5), "curl-multi": (CPU, 0.68), **CLIENTS},
    )


def large(executable, cache):
    return DownloadRow(
        "download-large",
        "200 bodies of 5 MB through ImageDownloader without decoding, 1, 16 and 64 concurrent, from nginx on "
        "another core; compared with a bare curl_multi loop that writes each body to a file without a name, "
        "in the same folder, by throughput, with AsyncHTTPClient and Foundation's URLSession, which keep "
        "bodies in memory, by throughput and CPU time; the worst ratio of all levels",
        executable,
        size=5_000_000,
        count=200,
        at_a_time=[1, 16, 64],
        rounds=9,
        targets={"curl-multi": (WALL, 0.95), **CLIENTS},
        sink=["file"],
    )


def h2(executable, cache):
    return DownloadRow(
        "download-h2",
        "5,000 bodies of 20 KB by HTTP/2 over TLS 1.3, as in download-small",
        executable,
        size=20_000,
        count=5_000,
        at_a_time=[1, 16, 64],
        rounds=7,
        targets=CLIENTS,
        tls=True,
    )


ROWS = {
    "download-small": small,
    "download-large": large,
    "download-h2": h2,
    "download-large-memory": lambda executable, cache: DownloadMemoryRow(large(executable, cache)),
}
