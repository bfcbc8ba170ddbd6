"""Network namespaces for machines that reach each other, where they are allowed."""

import ctypes
import os
import subprocess

CLONE_NEWNET = 0x40000000


def ip(*arguments, check=True):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True, check=check)


class Namespaces:
    """A network of machines with the addresses 10.199.0.1, 10.199.0.2 and so on; the first has the bridge.

    Without permission, `is_real` is false, and all machines are this one.
    """

    def __init__(self, machines):
        self.names = {machine: f"kf{os.getpid()}-{machine}" for machine in machines}
        self.is_real = False
        try:
            for name in self.names.values():
                ip("netns", "add", name)
                ip("-n", name, "link", "set", "lo", "up")
            hub, *others = self.names.values()
            ip("-n", hub, "link", "add", "bridge", "type", "bridge")
            ip("-n", hub, "addr", "add", "10.199.0.1/24", "dev", "bridge")
            ip("-n", hub, "link", "set", "bridge", "up")
            for number, name in enumerate(others, 2):
                ip("-n", hub, "link", "add", f"port{number}", "type", "veth", "peer", "eth", "netns", name)
                ip("-n", hub, "link", "set", f"port{number}", "master", "bridge", "up")
                ip("-n", name, "addr", "add", f"10.199.0.{number}/24", "dev", "eth")
                ip("-n", name, "link", "set", "eth", "up")
            self.is_real = True
        except (OSError, subprocess.CalledProcessError):
            self.close()

    @property
    def hub_address(self):
        return "10.199.0.1" if self.is_real else "127.0.0.1"

    def prefix(self, machine):
        """What is put before a command that runs on a machine."""
        return ["ip", "netns", "exec", self.names[machine]] if self.is_real else []

    def enter(self, machine):
        """A function that moves the current thread to a machine; None without namespaces."""
        if not self.is_real:
            return None

        def enter():
            libc = ctypes.CDLL(None, use_errno=True)
            with open(f"/run/netns/{self.names[machine]}") as file:
                if libc.setns(file.fileno(), CLONE_NEWNET) != 0:
                    raise OSError(ctypes.get_errno(), "setns")

        return enter

    def close(self):
        for name in self.names.values():
            ip("netns", "delete", name, check=False)
