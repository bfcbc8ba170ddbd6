"""The worker protocol for peers in Python; see Worker.swift."""

import sys
import time


def serve(work, raw=None, prepare=lambda: None):
    """Runs commands from standard input. `work()` does the work once.

    `raw()` returns its result as RGBA rows, by default the result of `work()`. `prepare()` is called before
    each run and not measured.
    """
    for line in sys.stdin:
        command, _, path = line.strip().partition(" ")
        if command == "run":
            prepare()
            start = time.process_time_ns()
            work()
            print(time.process_time_ns() - start, flush=True)
        elif command == "clocks":
            prepare()
            wall, processor = time.monotonic_ns(), time.process_time_ns()
            work()
            print(time.monotonic_ns() - wall, time.process_time_ns() - processor, flush=True)
        elif command == "peak":
            print(peak(work), flush=True)
        elif command == "save":
            with open(path, "wb") as file:
                file.write((raw or work)())
            print("ok", flush=True)
        else:
            sys.exit(f"unknown command: {line}")


def peak(work):
    """The peak memory growth of this process in bytes."""
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    before = status("VmRSS")
    work()
    return (status("VmHWM") - before) * 1024


def status(name):
    """A value from /proc/self/status, in kB."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(name + ":"))
