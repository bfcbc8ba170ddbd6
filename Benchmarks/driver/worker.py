"""The workers' protocol for peers in Python; see Worker.swift."""

import sys
import time


def serve(thumbnail):
    """`thumbnail()` does the work once and returns raw RGBA rows."""
    for line in sys.stdin:
        command, _, path = line.strip().partition(" ")
        if command == "run":
            start = time.process_time_ns()
            thumbnail()
            print(time.process_time_ns() - start, flush=True)
        elif command == "save":
            with open(path, "wb") as file:
                file.write(thumbnail())
            print("ok", flush=True)
        else:
            sys.exit(f"unknown command: {line}")
