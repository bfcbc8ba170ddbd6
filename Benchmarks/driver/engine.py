"""A worker process, which does the work of a row as often as it is asked to; see Worker.swift and worker.py."""

import subprocess
import sys


class Engine:
    """One process of an engine, pinned to one core; ended when its block is left."""

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
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            sys.exit(f"bench: {self.name} gave no answer to `{line}`")
        return answer

    def run(self):
        """Nanoseconds of CPU time."""
        return int(self.ask("run"))

    def clocks(self):
        """Nanoseconds of wall time and of CPU time."""
        wall, processor = self.ask("clocks").split()
        return int(wall), int(processor)

    def peak(self):
        """By how many bytes the process grew at most."""
        return int(self.ask("peak"))
