"""A worker process, which runs the work of a row on request; see Worker.swift and worker.py."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

# The rounds of a run that only shows that rows run (ROUNDS of scripts/bench); 0 for a measurement.
ROUNDS = int(os.environ.get("ROUNDS") or 0)


def number_of(rounds):
    """How many of the rounds of a row are run."""
    return min(rounds, ROUNDS) if ROUNDS else rounds


class Engine:
    """One process of an engine, pinned to one core; a context manager that ends it."""

    def __init__(self, name, command, core):
        self.name = name
        self.times = []
        self.process = subprocess.Popen(
            ["taskset", "-c", str(core), *map(str, command)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def ask(self, line):
        self.send(line)
        return self.receive()

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def receive(self):
        answer = self.process.stdout.readline().strip()
        if not answer:
            sys.exit(f"bench: {self.name} did not respond")
        return answer

    def run(self):
        """Nanoseconds of CPU time."""
        return int(self.ask("run"))

    def saved(self):
        """The bytes of the result."""
        with tempfile.NamedTemporaryFile() as file:
            self.ask(f"save {file.name}")
            return Path(file.name).read_bytes()

    def clocks(self):
        """Nanoseconds of wall time and of CPU time."""
        wall, processor = self.ask("clocks").split()
        return int(wall), int(processor)

    def peak(self):
        """The peak memory growth of the process in bytes."""
        return int(self.ask("peak"))


def in_turns(engines, rounds, measure, warm_up):
    """The results of `measure` for each engine in every round, by name.

    Each round starts with the next engine, so that changes on the machine affect all engines equally.
    """
    for _ in range(number_of(warm_up)):
        for engine in engines:
            measure(engine)
    times = {engine.name: [] for engine in engines}
    for round in range(number_of(rounds)):
        shift = round % len(engines)
        for engine in engines[shift:] + engines[:shift]:
            times[engine.name].append(measure(engine))
    return times
