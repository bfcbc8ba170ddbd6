"""The servers of the service rows, each pinned to the core of the engines, and their client."""

import base64
import hashlib
import hmac
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
# Built by scripts/bench.
PROGRAM = HERE.parent.parent / ".build-shared/release/kingfisher-server"

NGINX = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/errors error;
{modules}
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    types {{ image/jpeg jpg; image/png png; }}
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    {http}
    server {{
        listen 127.0.0.1:{port};
        {server}
    }}
}}
"""

# Every number is another URL of the same file.
ORIGIN = """root {folder}; location ~ ^/[0-9]+/(.+)$ { alias {folder}/$1; }"""

FILTER = """
location ~ ^/(?<mode>resize|crop)/(?<side>[0-9]+)/(?<quality>[0-9]+)/(?<source>.+)$ {
    set $width $side;
    image_filter_buffer 32M;
    image_filter_jpeg_quality $quality;
    if ($mode = crop) { rewrite . /crop-filter last; }
    image_filter resize $side $side;
    proxy_pass {origin}$source;
}
location /crop-filter {
    internal;
    image_filter_buffer 32M;
    image_filter_jpeg_quality $quality;
    image_filter crop $side $side;
    proxy_pass {origin}$source;
}
"""

CACHE = """
location / { proxy_pass {origin}; proxy_cache rows; proxy_cache_valid 200 1h; }
"""

THUMBOR = """
SECURITY_KEY = '{key}'
ALLOW_UNSAFE_URL = False
STORAGE = 'thumbor.storages.file_storage'
FILE_STORAGE_ROOT_PATH = '{folder}/originals'
RESULT_STORAGE = 'thumbor.result_storages.file_storage'
RESULT_STORAGE_FILE_STORAGE_ROOT_PATH = '{folder}/results'
RESULT_STORAGE_STORES_UNSAFE = False
"""


class Job(NamedTuple):
    """What is made of a source: a JPEG in a box."""

    mode: str
    side: int
    quality: int


class Server:
    """A server and the URLs of its jobs."""

    def __init__(self, name, process, port, path):
        self.name, self.process, self.port, self.path = name, process, port, path

    def cpu(self):
        """Nanoseconds of CPU time of the process and its children, including those that have ended."""
        total, pids = 0, [self.process.pid]
        for pid in pids:
            try:
                # The clock of another process (clock_getcpuclockid).
                total += time.clock_gettime_ns((~pid << 3) | 2)
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                total += (int(fields[13]) + int(fields[14])) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
                for children in Path(f"/proc/{pid}/task").glob("*/children"):
                    pids += map(int, children.read_text().split())
            except OSError:
                continue
        return total


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(name, command, port, path, core, **options):
    """A server that has begun to listen; `core` may be a list."""
    process = subprocess.Popen(["taskset", "-c", str(core), *map(str, command)], **options)
    try:
        for _ in range(200):
            if process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                yield Server(name, process, port, path)
                return
            except ConnectionRefusedError:
                time.sleep(0.05)
        sys.exit(f"bench: {name} did not start")
    finally:
        process.terminate()
        process.wait()


@contextmanager
def nginx(name, core, path, server, http="", modules=""):
    with tempfile.TemporaryDirectory(prefix="nginx-") as place:
        folder, port = Path(place), free_port()
        folder.chmod(0o755)  # its worker may run as another user
        server, http = (text.replace("{folder}", place) for text in (server, http))
        (folder / "nginx.conf").write_text(
            NGINX.format(folder=folder, port=port, server=server, http=http, modules=modules)
        )
        command = ["nginx", "-p", folder, "-e", folder / "errors", "-c", folder / "nginx.conf"]
        with running(name, command, port, path, core) as started:
            started.folder = folder
            yield started


@contextmanager
def origin(files, core):
    """A server of files on the other cores; yields a function from file and number to its URL."""
    with nginx("nginx", others(core), None, ORIGIN) as server:
        for file in files:
            copy = server.folder / file.name
            copy.write_bytes(file.read_bytes())
            copy.chmod(0o644)
        yield lambda file, number: f"http://127.0.0.1:{server.port}/{number}/{file.name}"


def others(core):
    return ",".join(map(str, os.sched_getaffinity(0) - {core} or {core}))


@contextmanager
def kingfisher(core, name="kingfisher", *, isolation="all", arguments=()):
    """Our server with its default settings, except that loopback is allowed, and with further arguments."""
    with tempfile.TemporaryDirectory(prefix="kingfisher-") as place:
        folder, port, key = Path(place), free_port(), secrets.token_bytes(32)
        keys = folder / "keys"
        keys.touch(0o600)
        keys.write_text(key.hex() + "\n")

        def sign(text):
            code = hmac.digest(key, b"kingfisher-1\n" + text.encode(), "sha256")
            return f"/{base64.urlsafe_b64encode(code).decode().rstrip('=')}{text}"

        def path(job, url):
            return sign(f"/{job.mode}:{job.side}x{job.side}/quality:{job.quality}/format:jpeg/plain/{url}")

        command = [
            PROGRAM, "--listen", f"127.0.0.1:{port}", "--admin-listen", "none", "--signing-keys-file", keys,
            "--allow-addresses", "127.0.0.0/8", "--allowed-ports", "all", "--cache-folder", folder / "caches",
            "--isolation", isolation, *arguments,
        ]
        with running(name, command, port, path, core, stderr=subprocess.DEVNULL) as server:
            server.sign = sign
            yield server


@contextmanager
def thumbor(core, cache):
    """thumbor with signed URLs and file storages."""
    with tempfile.TemporaryDirectory(prefix="thumbor-") as place:
        folder, port, key = Path(place), free_port(), secrets.token_hex(16)
        (folder / "thumbor.conf").write_text(THUMBOR.format(key=key, folder=folder))

        def path(job, url):
            box = ("fit-in/" if job.mode == "fit" else "") + f"{job.side}x{job.side}"
            text = f"{box}/filters:quality({job.quality}):format(jpeg)/{url}"
            code = hmac.digest(key.encode(), text.encode(), hashlib.sha1)
            return f"/{base64.urlsafe_b64encode(code).decode()}/{text}"

        command = [
            cache / "thumbor/bin/thumbor", "-i", "127.0.0.1", "-p", port, "-l", "error",
            "-c", folder / "thumbor.conf",
        ]
        with running("thumbor", command, port, path, core) as server:
            yield server


@contextmanager
def aiohttp(core):
    with tempfile.TemporaryDirectory(prefix="aiohttp-") as folder:
        port = free_port()
        command = [sys.executable, HERE / "service_peer.py", port, folder]

        def path(job, url):
            return f"/{job.mode}/{job.side}/{job.quality}/{url}"

        environment = {**os.environ, "VIPS_CONCURRENCY": "1"}
        with running("aiohttp", command, port, path, core, env=environment) as server:
            yield server


def image_filter(core, origin):
    """nginx that scales with libgd and stores nothing."""
    def path(job, url):
        mode = {"fit": "resize", "cover": "crop"}[job.mode]
        return f"/{mode}/{job.side}/{job.quality}/{url.removeprefix(origin)}"

    module = "load_module /usr/lib/nginx/modules/ngx_http_image_filter_module.so;"
    return nginx("image_filter", core, path, FILTER.replace("{origin}", origin), modules=module)


def proxy_cache(core, origin):
    """nginx that stores responses of another server."""
    zone = "proxy_cache_path {folder}/cache keys_zone=rows:1m;"
    return nginx("proxy_cache", core, None, CACHE.replace("{origin}", origin), http=zone)


class Load(NamedTuple):
    """What a client has measured."""

    seconds: float
    p50: int
    p99: int


def load(server, paths, count, core, *, status=200, connections=2, pause=0):
    """Requests paths, in turn, by wrk on the other cores. Fails if a response has another status."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write("".join(f"{path}\n" for path in paths))
        file.flush()
        environment = {
            "PATHS": file.name, "COUNT": str(count), "STATUS": str(status), "PAUSE": f"{pause:.3f}",
            "PATH": os.environ["PATH"],
        }
        command = [
            "taskset", "-c", others(core), "wrk", "-t1", f"-c{connections}", "-d600s", "--timeout", "60s",
            "-s", HERE / "service_load.lua", f"http://127.0.0.1:{server.port}",
        ]
        text = subprocess.run(command, env=environment, capture_output=True, text=True).stdout
    for line in text.splitlines():
        if line.startswith("load "):
            seconds, p50, p99, wrong = line.split()[1:]
            if int(wrong):
                sys.exit(f"bench: {wrong} of {count} responses of {server.name} were wrong: {paths[0]}")
            return Load(float(seconds), int(p50), int(p99))
    sys.exit(f"bench: wrk has not measured {server.name}: {text}")


def cost(server, paths, count, core, **options):
    """Nanoseconds of CPU time for a request, and what the client has measured."""
    before = server.cpu()
    measured = load(server, paths, count, core, **options)
    # Results are stored after the response.
    time.sleep(0.1)
    return (server.cpu() - before) / count, measured
