"""The rows about drawing on images that are decoded already."""

from measures import Row


def round_corner(executable, cache):
    return Row(
        "round-corner",
        "kf.image(withRoundRadius: 50, fit: its own size) of 1000x1000 opaque pixels, the new image in memory that "
        "the last one left, against memcpy of the pixels to one and the same place",
        rounds=31,
        unit="ms an image",
        per_run=40e6,
        engines={"kingfisher": [executable, "round-corner"], "memcpy": [executable, "image-copy"]},
        targets={"memcpy": 0.67},
    )


ROWS = {"round-corner": round_corner}
