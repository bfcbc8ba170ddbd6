"""Redis or Valkey servers on free ports, single or as a cluster of six. All end with their object."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

# Another engine with Redis's protocol and options, such as valkey-server.
PROGRAM = os.environ.get("KINGFISHER_ENGINE", "redis-server")


class Failure(Exception):
    """A problem that ends the run with its text."""


def wait(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failure(f"{what}: not within {seconds} s")
        time.sleep(0.05)


def free_port(offset=0):
    """A port on 127.0.0.1 that is free, as is the one that is `offset` higher."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            if port + offset > 65535 or not 1024 < port:
                continue
            try:
                second.bind(("127.0.0.1", port + offset) if offset else ("127.0.0.1", 0))
            except OSError:
                continue
            return port


class Node:
    """One server. `prefix` is put before its command, for example to run it in a network namespace."""

    def __init__(self, folder, host="127.0.0.1", port=None, prefix=(), options=()):
        self.host, self.prefix = host, list(prefix)
        # The cluster bus has the port that is 10,000 higher.
        self.port = port or free_port(10_000)
        self.folder = Path(folder) / str(self.port)
        self.folder.mkdir(exist_ok=True)
        self.options = list(options)
        self.process = None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [*self.prefix, PROGRAM, "--port", str(self.port), "--bind", self.host, "--protected-mode", "no",
             "--save", "", "--dir", str(self.folder), "--logfile", "log", *self.options])
        wait(lambda: self.answers() or self.process.poll() is not None, 20, f"port {self.port}")
        if self.process.poll() is not None:
            raise Failure(f"{PROGRAM} on port {self.port} has ended")

    def answers(self):
        return "PONG" in self.cli("ping", check=False) or "NOAUTH" in self.cli("ping", check=False)

    def cli(self, *command, check=True):
        result = subprocess.run(
            [*self.prefix, "redis-cli", "-h", self.host, "-p", str(self.port), *command],
            capture_output=True, text=True, timeout=60)
        if check and result.returncode != 0:
            raise Failure(f"redis-cli {' '.join(command)}: {result.stdout[-500:]}{result.stderr[-500:]}")
        return result.stdout + result.stderr

    def kill(self):
        # An ip-netns prefix replaces itself by the server, so this is the server's process.
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def suspend(self):
        self.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.process.send_signal(signal.SIGCONT)


class Cluster:
    """Three primaries, each with a replica. The first three nodes are primaries."""

    def __init__(self, folder, host="127.0.0.1", ports=None, prefix=()):
        options = ["--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
                   "--cluster-require-full-coverage", "no", "--repl-diskless-sync-delay", "0"]
        self.nodes = []
        try:
            for number in range(6):
                self.nodes.append(Node(folder, host, ports and ports[number], prefix, options))
            self.nodes[0].cli("--cluster", "create", *(f"{host}:{node.port}" for node in self.nodes),
                              "--cluster-replicas", "1", "--cluster-yes")
            wait(self.is_ready, 30, "the cluster")
        except BaseException:
            self.kill()
            raise

    def is_ready(self):
        """All nodes know all slots, and the replicas have their primary's data."""
        text = "".join(node.cli("cluster", "info") + node.cli("info", "replication") for node in self.nodes)
        return text.count("cluster_state:ok") == 6 and text.count("master_link_status:up") == 3

    def has_failed_over(self):
        """All nodes that run know that those that do not run have no slots."""
        alive = [node for node in self.nodes if node.process.poll() is None]
        dead = [f"{node.host}:{node.port}@" for node in self.nodes if node not in alive]
        for node in alive:
            for line in node.cli("cluster", "nodes").splitlines():
                fields = line.split()
                # Slots are the fields after the eighth.
                if fields[1].startswith(tuple(dead)) and len(fields) > 8:
                    return False
        return True

    @property
    def url(self):
        nodes = ",".join(f"{node.host}:{node.port}" for node in self.nodes)
        return f"redis://{nodes}/?cluster=true"

    def kill(self):
        for node in self.nodes:
            node.kill()


class Folder:
    """A temporary folder, removed at the end."""

    def __enter__(self):
        self.path = Path(tempfile.mkdtemp(prefix="kingfisher-fleet."))
        return self.path

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)
