"""The rows of JPEG files other than `jpeg-thumb`."""

import images
from measures import BoundRow


def rows(thumb):
    """`thumb` makes a row of thumbnails."""
    memory = thumb("thumb", images.photo12, "JPEG", {})
    return {
        "jpeg-progressive-thumb": thumb(
            "jpeg-progressive-thumb",
            images.photo12_progressive,
            "progressive JPEG, ours from its DC coefficients at an eighth of the size,",
            {"libvips": 5.0, "pillow": 5.0},
        ),
        "thumb-memory": lambda executable, cache: BoundRow(memory(executable, cache), megabytes=15),
    }
