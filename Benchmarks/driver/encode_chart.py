"""The chart of the rows of lossy files: bytes by CPU time, at three qualities, as SVG."""

import math
import re

from service_chart import STYLE, WIDTH

POINT = re.compile(
    r"quality (\d+), SSIMULACRA2 ([\d.]+): kingfisher ([\d.]+) ms and (\d+) bytes, "
    r"libvips ([\d.]+) ms and (\d+) bytes"
)
ROWS = {"jpeg-encode": "JPEG", "webp-encode": "WebP", "avif-encode": "AVIF", "jxl-encode": "JPEG XL"}
ENGINES = {"Kingfisher": ("own", slice(2, 4)), "libvips": ("", slice(4, 6))}
# Pixels of the area of points and its margins, and of a panel with them.
ACROSS, DOWN, LEFT, TOP = 270, 170, 56, 32
COLUMN, LINE, LEGEND = WIDTH // 2, TOP + DOWN + 44, 30
LINES = """
polyline, .axis { fill: none; stroke: #8c959f } .own-line { stroke: #1f7a8c; stroke-width: 2 }
@media (prefers-color-scheme: dark) { polyline, .axis { stroke: #6e7681 } .own-line { stroke: #3fa7bd } }
"""


def chart(results):
    """The SVG for the text of RESULTS.md; the rows must be in it."""
    parts = [*legend()]
    for number, (row, title) in enumerate(ROWS.items()):
        section = results.split(f"\n## {row}\n", 1)[1].split("\n## ", 1)[0]
        points = [tuple(map(float, point)) for point in POINT.findall(section)]
        parts.append(f'<g transform="translate({number % 2 * COLUMN} {LEGEND + number // 2 * LINE})">')
        parts += [*panel(title, points), "</g>"]
    height = LEGEND + 2 * LINE
    label = "Bytes and CPU time of lossy files of equal quality; the figures are in RESULTS.md."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" role="img" aria-label="{label}"><style>{STYLE}{LINES}</style>\n'
        + "\n".join(parts) + "\n</svg>\n"
    )


def legend():
    for number, (name, (kind, _)) in enumerate(ENGINES.items()):
        yield f'<circle class="{kind and "own-"}bar" cx="{8 + 120 * number}" cy="13" r="6"/>'
        yield f'<text class="{kind}" x="{20 + 120 * number}" y="18">{name}</text>'
    yield '<text x="250" y="18">three qualities, the default one larger; lower left is better</text>'


def panel(title, points):
    """The files of a format; the first point is the default quality."""
    slowest = rounded_up(max(max(point[2], point[4]) for point in points))
    largest = rounded_up(max(max(point[3], point[5]) for point in points))
    bottom, right = TOP + DOWN, LEFT + ACROSS
    yield f'<text class="title" x="0" y="18">{title}</text>'
    yield f'<path class="axis" d="M{LEFT} {TOP}v{DOWN}h{ACROSS}"/>'
    yield f'<text class="number" x="{LEFT - 6}" y="{TOP + 10}">{largest / 1000:g} KB</text>'
    yield f'<text class="number" x="{LEFT - 6}" y="{bottom}">0</text>'
    yield f'<text x="{LEFT}" y="{bottom + 18}">0</text>'
    yield f'<text class="number" x="{right}" y="{bottom + 18}">{slowest:g} ms of CPU time</text>'
    for kind, part in reversed(ENGINES.values()):
        places = {
            point: (LEFT + ACROSS * time / slowest, bottom - DOWN * size / largest)
            for point in sorted(points)
            for time, size in [point[part]]
        }
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places.values())
        yield f'<polyline class="{kind and "own-line"}" points="{line}"/>'
        for point, (x, y) in places.items():
            radius = 6 if point is points[0] else 4
            yield f'<circle class="{kind and "own-"}bar" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"/>'


def rounded_up(figure):
    """The end of an axis: the next number of one digit and zeros, or half of such a step."""
    step = 10 ** math.floor(math.log10(figure)) / 2
    return math.ceil(figure / step) * step
