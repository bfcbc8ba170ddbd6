"""Packaging/nginx.conf, run with other ports, files and certificate."""
import contextlib
import os
import re
import socket
import subprocess
import sys
import threading
import time

TLS = "Sources/Core/KingfisherTestSupport/Fixtures/TLS"
FOLDERS = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
S, H = "S" * 43, "https://e.com"
# The examples of the grammar: clients send them in this spelling, and a signature is of these bytes.
PATHS = [f"/{S}/{rest}" for rest in [
    f"plain/{H}/a.jpg", f"fit:300x200/plain/{H}/a.jpg", f"fit:300x0/plain/{H}/a.jpg",
    f"cover:300x200,top/plain/{H}/a.jpg@webp", f"cover:300x200,0.3,0.6/plain/{H}/a.jpg",
    f"crop:800x800/fit:300x300/plain/{H}/a.jpg", f"cut:10,20,200x100/plain/{H}/a.jpg",
    f"trim/bw/fit:64x64/plain/{H}/a.png", f"round:20,tl+br,%23fff/plain/{H}/a.jpg",
    "pad:600x600,", f"round:50%25w/plain/{H}/a.jpg", f"watermark:logo,bottomRight,0.5/plain/{H}/a.jpg",
    f"preset:card/quality:60/plain/{H}/a.jpg", f"preset:card,small/plain/{H}/a.jpg",
    f"quality:75/format:avif/plain/{H}/a.jpg", f"format:avif/plain/{H}/a.jpg@webp",
    f"quality:60/quality:70/plain/{H}/a.jpg", f"maximumBytes:20000/plain/{H}/a.jpg@jpeg",
    f"version:7/plain/{H}/a.jpg", f"expires:1893456000/plain/{H}/a.jpg",
    f"tag:product-17,home/plain/{H}/a.jpg", f"fallback:grey/plain/{H}/gone.jpg",
    f"frames:all/fit:200x200/plain/{H}/a.gif@webp", f"filename:p%20q.jpg/attachment/plain/{H}/a.jpg",
    f"plain/{H}/a%2520b.jpg", f"plain/{H}/a%20b.jpg", f"plain/{H}/100%25.jpg",
    f"plain/{H}/%E4%B8%AD.jpg", f"plain/{H}/a+b.jpg", f"plain/{H}/a.jpg?w=1",
    f"plain/{H}/a.jpg%3Fw=1%26h=2", f"plain/{H}/@user/a.jpg", f"plain/{H}/%40user/a.jpg@png",
    "plain/https://e.com%40evil.org/a.jpg", "plain/https%3A%2F%2Fe.com%2Fa.jpg@jpeg",
    "plain/https:/e.com/a.jpg", f"fit%3A300x300/plain/{H}/a.jpg",
    "b64/aHR0cHM6Ly9lLmNvbS9h/LmpwZw==.png", "plain/s3://photos/2026/a%20b.jpg",
    "plain/local:///2026/../a.jpg", "fit:300x300/expires:1893456000/upload@webp",
]] + [f"/info/{S}/plain/{H}/a.jpg", f"/unsafe/fit:300x300/plain/{H}/a.jpg"]
# nginx responds 400: no client of HTTP may send this escape.
REFUSED = [f"/{S}/round:50%w/plain/{H}/a.jpg"]


def fail(text):
    sys.exit(f"check-deployment: nginx: {text}")


@contextlib.contextmanager
def nginx(place, upstream):
    """Runs nginx with this port of a server; gives its port."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder = os.path.realpath(place)
    with open("Packaging/nginx.conf") as file:
        text = file.read()
    for pattern, new in [(r"127\.0\.0\.1:8080", f"127.0.0.1:{upstream}"),
                         ("listen 443", f"listen 127.0.0.1:{port}"), (r"\n *listen \[::\]:443.*", ""),
                         ("/etc/ssl/certs/images.pem", f"{os.getcwd()}/{TLS}/server.pem"),
                         ("/etc/ssl/private/images.key", f"{os.getcwd()}/{TLS}/server.key"),
                         ("/var/cache/nginx-kingfisher", f"{folder}/nginx-cache-{port}")]:
        text, count = re.subn(pattern, new, text)
        if count != 1:
            fail(f"{pattern} is {count} times in nginx.conf")
    with open(f"{folder}/nginx.conf", "w") as file:
        paths = [f"{name}_temp_path {folder}/{name};" for name in FOLDERS]
        file.write(f"daemon off; master_process off; pid {folder}/nginx.pid; events {{}}\n"
                   f"http {{ access_log off; {' '.join(paths)}\n{text} }}\n")
    process = subprocess.Popen(["nginx", "-c", f"{folder}/nginx.conf", "-e", f"{folder}/error.log"],
                               env=os.environ | {"PATH": os.environ["PATH"] + ":/usr/sbin"})
    try:
        for _ in range(100):
            with socket.socket() as client:
                if client.connect_ex(("127.0.0.1", port)) == 0:
                    break
            if process.poll() is not None:
                with open(f"{folder}/error.log") as file:
                    fail(file.read())
            time.sleep(0.05)
        yield port
    finally:
        process.kill()
        process.wait()


def curl(port, path, *options):
    """Status, fields and body of a response over HTTP/2; the path is sent as it is."""
    output = subprocess.run(
        ["curl", "-sk", "--http2", "--max-time", "60", "-D-", "-o", "-", "--request-target", path, *options,
         f"https://127.0.0.1:{port}/"], check=True, stdout=subprocess.PIPE).stdout
    head, body = output.split(b"\r\n\r\n", 1)
    lines = head.decode("latin-1").split("\r\n")
    if not lines[0].startswith("HTTP/2 "):
        fail(f"{path}: {lines[0]}")
    return int(lines[0].split()[1]), dict(line.lower().split(": ", 1) for line in lines[1:]), body


class Recorder:
    """A server that responds 200, not to be cached, and records the targets of requests."""

    def __init__(self):
        self.targets = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            connection, _ = self.listener.accept()
            with connection, connection.makefile("rb") as stream:
                self.targets.append(stream.readline().split(b" ")[1].decode("latin-1"))
                while stream.readline().strip():
                    pass
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nCache-Control: no-store\r\n"
                                   b"Connection: close\r\n\r\nx")


def check_paths(place):
    recorder = Recorder()
    with nginx(place, recorder.port) as port:
        for path in PATHS:
            status = curl(port, path)[0]
            if status != 200 or recorder.targets[-1] != path:
                fail(f"{path} arrives as {recorder.targets[-1:]}, status {status}")
        count = len(recorder.targets)
        for path in REFUSED:
            if curl(port, path)[0] != 400 or len(recorder.targets) != count:
                fail(f"{path} is not refused")
    print(f"check-deployment: nginx: {len(PATHS)} paths arrive as they were sent", flush=True)


def check_cache(place, upstream, path):
    """A second request is a hit, by Accept; another status than 200 is not a hit."""
    with nginx(place, upstream) as port:
        for accept, kind in (("image/webp", "image/webp"), ("image/jpeg", "image/jpeg")):
            for wanted in ("miss", "hit", "hit"):
                status, fields, body = curl(port, path, "-H", f"Accept: {accept}")
                found = (status, fields.get("x-cache-status"), fields.get("content-type"))
                if found != (200, wanted, kind) or "accept" not in fields.get("vary", "") or not body:
                    fail(f"{accept}: {found} {fields}")
        status, fields, body = curl(port, path, "-H", "Accept: image/webp", "-H", "Range: bytes=0-9")
        if (status, len(body), fields["x-cache-status"]) != (206, 10, "hit"):
            fail(f"range: {status} {fields}")
        tag = curl(port, path, "-H", "Accept: image/webp")[1]["etag"]
        if curl(port, path, "-H", "Accept: image/webp", "-H", f"If-None-Match: {tag}")[0] != 304:
            fail("no 304 from the cache")
        for _ in range(2):
            status, fields, _ = curl(port, path.replace("/fit", "x/fit"))
            if status != 403:
                fail(f"a changed signature: {status} {fields}")
    print("check-deployment: nginx: cache hits, also by Accept and of ranges; 304; 403", flush=True)
