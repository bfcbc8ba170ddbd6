"""The rows of drawing on decoded images."""

from measures import Row


def round_corner(executable, cache):
    return Row(
        "round-corner",
        "kf.image(withRoundRadius: 50, fit: its size) of 1000x1000 opaque pixels; the new image reuses the "
        "memory of the previous one; peer: memcpy of the pixels, always to the same memory",
        rounds=31,
        unit="ms an image",
        per_run=40e6,
        engines={"kingfisher": [executable, "round-corner"], "memcpy": [executable, "image-copy"]},
        targets={"memcpy": 0.67},
    )


ROWS = {"round-corner": round_corner}
