"""Peers with glycin, which run in the Debian 13 where scripts/bench has compiled them."""

import os
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent.parent / "scripts"


def inside(path):
    """The path of a file of this system in that Debian."""
    return f"/mnt{path}"


def command(cache, name, environment=()):
    """The command of a peer with more variables in its environment; nothing if it is not compiled."""
    program = cache / f"glycin_{name}"
    if not program.exists():
        return []
    return [
        SCRIPTS / "in-debian", "trixie", os.environ["KINGFISHER_DEBIAN13"], "",
        "env", *environment, inside(program),
    ]  # fmt: skip
