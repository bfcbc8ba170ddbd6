"""The packages of PyPI that rows need.

    peers.py [ROW,ROW...]

Prints those of these rows, by default of all, one a line.
"""

import re
import sys

# By package with its version: the rows that need it.
ROWS = {
    "pillow==13.0.0": ".*",
    "numpy==2.4.6": ".*",
    "pyvips[binary]==3.2.0": (
        r"jpeg-(thumb|decode|progressive).*|(webp|avif)-thumb.*|svg-render|(gif|webp-anim)-decode.*"
        r"|png-.*|resize-.*|blur|sharpen|color-controls|service-.*|zoom-open|(webp|avif|jxl|jpeg)-encode"
    ),
    "aiohttp==3.14.5": "download-small|service-.*",
    "opencv-python-headless==5.0.0.93": "blur",
    "diskcache==5.6.3": "disk-.*",
    "blurhash-python==1.2.2": "blurhash",
    "thumbhash-python==1.0.1": "thumbhash",
    "pillow-jxl-plugin==1.3.8": "jxl-.*|(webp|avif|jpeg)-encode",
    "ssimulacra2==0.3.0": "(webp|avif|jxl|jpeg)-encode",
    "redis==5.3.1": "redis-get|shared-hit",
    "pillow-heif==1.8.1": ".*heic.*",
}
# Installed with a package, in this version.
PARTS = {"pyvips[binary]==3.2.0": ["pyvips-binary==8.18.7"]}


def packages(rows):
    """The packages of these rows; of all if there are none."""
    needed = [
        package
        for package, pattern in ROWS.items()
        if not rows or any(re.fullmatch(pattern, row) for row in rows)
    ]
    return [name for package in needed for name in [package, *PARTS.get(package, [])]]


if __name__ == "__main__":
    print(*packages(sys.argv[1].split(",") if len(sys.argv) > 1 else []), sep="\n")
