"""The pictures that the rows work on, made once into the cache folder."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy
from PIL import Image, ImageOps

PACKAGE = "lomiri-wallpapers-16.04"
PHOTO = "usr/share/backgrounds/picosdeeuropa_by_Aitzol_Berasategi.jpg"


def photograph(cache, fixtures):
    """A real photograph and what to call it: Debian's, or a fixture where apt does not have the package."""
    path = cache / PHOTO
    if not path.exists():
        try:
            subprocess.run(["apt-get", "download", "-q", PACKAGE], cwd=cache, check=True, capture_output=True)
            for package in cache.glob(f"{PACKAGE}_*.deb"):
                subprocess.run(["dpkg-deb", "-x", package, cache], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return fixtures / "Photos" / "coffee.jpg", "coffee.jpg of the fixtures"
    return path, f"{path.name} of Debian's {PACKAGE} (Aitzol Berasategi, CC-BY-4.0)"


def photo12(cache, fixtures):
    """4000 x 3000, baseline, 4:2:0, quality 90, with a small sensor's noise; the same bytes every time."""
    source, name = photograph(cache, fixtures)
    path = cache / f"photo12-{source.stem}.jpg"
    if not path.exists():
        image = ImageOps.fit(Image.open(source).convert("RGB"), (4000, 3000), Image.Resampling.LANCZOS)
        noise = numpy.random.default_rng(12).normal(0, 2, (3000, 4000, 3))
        pixels = numpy.clip(numpy.asarray(image) + noise, 0, 255).astype(numpy.uint8)
        Image.fromarray(pixels).save(path, quality=90, subsampling="4:2:0", progressive=False)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:12]
    return (
        path,
        f"{name}, up to 4000x3000 with noise, baseline 4:2:0 q90, {path.stat().st_size} bytes, {digest}",
    )


def psnr(raw, reference):
    """Decibels between RGBA rows and the colours of a picture; refuses other sizes."""
    ours = numpy.frombuffer(raw, numpy.uint8).reshape(reference.height, reference.width, 4)[..., :3]
    difference = ours.astype(float) - numpy.asarray(reference)
    return 10 * numpy.log10(255**2 / (difference**2).mean())


def full_lanczos(path):
    """The reference of quality: full decode, then Lanczos."""
    return Image.open(path).convert("RGB").resize((300, 225), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    print(*photo12(Path(sys.argv[1]), Path(sys.argv[2])), sep="\n")
