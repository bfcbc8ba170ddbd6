"""The chart of the service rows: requests a second, and latencies at about 80 % of that, as SVG."""

import re

NOTE = re.compile(
    r"(\w+) serves (\d+) a second; at (\d+) % of that p50 ([\d.]+) ms, p99 ([\d.]+) ms"
)
ROWS = {
    "service-miss": "A 12-megapixel JPEG is fetched, made 300 pixels wide and stored",
    "service-hit": "A JPEG of 20 KB that was requested before",
}
NAMES = {
    "kingfisher": "kingfisher-server",
    "aiohttp": "aiohttp and libvips",
    "image_filter": "nginx image_filter",
    "proxy_cache": "nginx proxy_cache",
}
WIDTH, LINE, LEFT, BAR = 760, 30, 200, 300
STYLE = """
text { font: 14px system-ui, sans-serif; fill: #57606a }
.title, .own { font-weight: 600; fill: #24292f }
.number { text-anchor: end }
.own-bar { fill: #1f7a8c } .bar { fill: #8c959f }
@media (prefers-color-scheme: dark) {
  text { fill: #9ea7b3 } .title, .own { fill: #e6edf3 } .own-bar { fill: #3fa7bd } .bar { fill: #6e7681 }
}
"""


def chart(results):
    """The SVG for the text of RESULTS.md; the rows must be in it."""
    parts, y = [], 0
    for row, title in ROWS.items():
        section = results.split(f"\n## {row}\n", 1)[1].split("\n## ", 1)[0]
        servers = NOTE.findall(section)
        most = max(int(rate) for _, rate, *_ in servers)
        parts += panel(title, servers, most, y)
        y += LINE * (len(servers) + 2) + 10
    label = "Requests a second and latencies of image servers on one core; the figures are in RESULTS.md."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}" height="{y}" '
        f'role="img" aria-label="{label}"><style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def panel(title, servers, most, y):
    yield f'<text class="title" x="0" y="{y + 18}">{title}</text>'
    y += LINE
    for x, heading, kind in (
        (LEFT, "requests a second on one core", ""),
        (WIDTH, "p50 and p99 at about 80 % of that, ms", "number"),
    ):
        yield f'<text class="{kind}" x="{x}" y="{y + 16}">{heading}</text>'
    for name, rate, _, p50, p99 in sorted(servers, key=lambda one: -int(one[1])):
        y += LINE
        own = "own" if name == "kingfisher" else ""
        width = max(BAR * int(rate) / most, 1)
        yield f'<text class="{own}" x="0" y="{y + 16}">{NAMES.get(name, name)}</text>'
        yield (f'<rect class="{own and "own-"}bar" x="{LEFT}" y="{y + 3}" width="{width:.1f}" height="18" '
               'rx="2"/>')
        yield f'<text class="{own}" x="{LEFT + width + 8:.1f}" y="{y + 16}">{int(rate):,}</text>'
        yield f'<text class="number {own}" x="{WIDTH - 90}" y="{y + 16}">{p50}</text>'
        yield f'<text class="number {own}" x="{WIDTH}" y="{y + 16}">{p99}</text>'
