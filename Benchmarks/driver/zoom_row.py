"""The row of large images in a window."""

from pathlib import Path

import images
from measures import Row

FIXTURES = Path(__file__).resolve().parent.parent.parent / "Sources/Core/KingfisherTestSupport/Fixtures"
# Pixels of the image, and of its view: the whole image in a window of 1,600 x 900.
SIZE, VIEW = (30_000, 20_000), (1350, 900)


def photo600(cache):
    """The photograph of 12 megapixels, repeated to 600; libvips streams it."""
    photo, origin = images.photo12(cache, FIXTURES)
    path = photo.with_stem(photo.stem + "-600")
    if not path.exists():
        import pyvips

        new = path.with_stem(path.stem + ".new")
        tile = pyvips.Image.new_from_file(str(photo))
        across, down = (-(-side // own) for side, own in zip(SIZE, (tile.width, tile.height), strict=True))
        tile.replicate(across, down).crop(0, 0, *SIZE).jpegsave(str(new), Q=90)
        new.rename(path)
    return path, f"{origin}; repeated to 30000x20000, {path.stat().st_size / 1e6:.0f} MB"


def zoom_open(executable, cache):
    path, origin = photo600(cache)
    return Row(
        "zoom-open",
        "a baseline JPEG of 600 megapixels in the page cache, from its path to the first pixels of the whole "
        "image at the size of a window, 1350x900 or more; ours with the index for tiles, theirs by "
        f"gdk_pixbuf_new_from_file_at_scale; {origin}",
        rounds=5,
        unit="s",
        per_run=1e9,
        engines={
            "kingfisher": [executable, "zoom-open", path, *VIEW],
            "gdk-pixbuf": [cache / "pixbuf_scaled", path, *VIEW],
        },
        targets={"gdk-pixbuf": 3.0},
    )
