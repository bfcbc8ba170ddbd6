"""All rows by name; each is created with its images when it is run."""

import sys
from pathlib import Path

import body_rows
import color_rows
import desktop_rows
import disk_rows
import downloads
import drawing_rows
import encode_rows
import first_pixels_rows
import images
import jpeg_rows
import kernel_rows
import placeholder_rows
import png_rows
import service_rows
import shared_rows
import video_row
import zoom_row
from loading_rows import CoalescingRow, MemoryHitRow, load_cold, load_disk, load_disk_hit
from measures import MemoryRow, Row

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent.parent / "Sources/Core/KingfisherTestSupport/Fixtures"


def engines(executable, job, path, *options):
    """Our engine and the peers in Python, which all run `job` with the file at `path`."""
    return {
        "kingfisher": [executable, job, path, *options],
        "libvips": [sys.executable, HERE / f"libvips_{job}.py", path, *options],
        "pillow": [sys.executable, HERE / f"pillow_{job}.py", path, *options],
    }


def thumb(name, image, what, targets, side=300):
    def make(executable, cache):
        path, origin = image(cache, FIXTURES)
        reference = images.full_lanczos(path, side)
        return Row(
            name,
            f"a 12-megapixel {what} in memory to {side}x{side * 3 // 4} RGBA; {origin}. "
            "Decibels against full decode and Lanczos by Pillow",
            rounds=21,
            unit="ms",
            per_run=1e6,
            engines={
                name: engine
                for name, engine in engines(executable, "thumb", path, side).items()
                if name == "kingfisher" or name in targets
            },
            targets=targets,
            quality=lambda raw: images.psnr(raw, reference),
        )

    return make


def animation(name, suffix, what):
    def make(executable, cache):
        path, origin = images.animation(cache, FIXTURES, suffix)
        reference = images.every_frame(path)
        return Row(
            name,
            f"all frames of {what} in memory, decoded and composed to RGBA, one after another; {origin}",
            rounds=21,
            unit="ms",
            per_run=1e6,
            engines=engines(executable, "frames", path),
            targets={"libvips": 0.95, "pillow": 0.95},
            quality=lambda raw: images.difference(raw, reference),
        )

    return make


def first_frame(name, suffix, what):
    def make(executable, cache):
        path, origin = images.animation(cache, FIXTURES, suffix)
        return Row(
            name,
            f"{what} in memory to an image with its first frame, ready to be shown and played, compared with "
            f"decoding all its frames; {origin}",
            rounds=21,
            unit="ms",
            per_run=1e6,
            engines={
                "kingfisher": [executable, "first-frame", path],
                "all-frames": [executable, "frames", path],
            },
            targets={"all-frames": 10},
        )

    return make


def memory_get(executable, cache):
    return Row(
        "memory-get",
        "an image from MemoryStorage.Backend, with expiration and extension, compared with Foundation's "
        "NSCache and a typical LRU of Swift programs (a dictionary of linked objects with an NSLock), both "
        "without; 10,000 entries, keys of 64 characters, a new string for each get, one thread",
        rounds=21,
        unit="ns a get",
        per_run=100_000,
        engines=memory_engines(executable, "memory-get"),
        targets={"nscache": 10, "dictionary-lru": 2},
    )


def memory_mixed(executable, cache):
    return MixedRow(
        "memory-mixed",
        "get an image, or store it after a miss: MemoryStorage.Backend with expiration and extension, "
        "NSCache and a typical LRU of Swift programs without; 100,000 images of 10 KB to 20 MB "
        "(lognormal), requested by Zipf's law with exponent 0.9, with room for a tenth of the bytes; "
        "100,000 requests, each with a new key string, starting with an empty cache, one thread",
        rounds=11,
        unit="ns a request",
        per_run=100_000,
        engines=memory_engines(executable, "memory-mixed"),
        targets={"nscache": 15, "dictionary-lru": 2},
    )


def memory_engines(executable, job):
    return {
        "kingfisher": [executable, job],
        "nscache": [executable, f"{job}-nscache"],
        "dictionary-lru": [executable, f"{job}-dictionary"],
    }


class MixedRow(Row):
    """Also reports the hit ratio, because a cache that keeps little could be faster."""

    def note(self, engine):
        return f"{super().note(engine)}, {int(engine.ask('count')) / 10:.1f} % hits"


def memory_of(make):
    return lambda executable, cache: MemoryRow(make(executable, cache))


webp_thumb = thumb("webp-thumb", images.photo12_webp, "WebP", {"libvips": 1.0, "pillow": 1.7})
avif_thumb = thumb("avif-thumb", images.photo12_avif, "AVIF", {"libvips": 1.25, "pillow": 1.6})
# The libvips of PyPI reads no JPEG XL.
jxl_thumb = thumb("jxl-thumb", images.photo12_jxl, "JPEG XL", {"pillow": 1.0})
# The libvips of PyPI reads no HEVC.
heic_thumb = thumb("heic-thumb", images.photo12_heic, "HEIC", {"pillow": 1.2})


def svg_render(executable, cache, side=600):
    path, origin = images.drawing_svg(cache)
    return Row(
        "svg-render",
        f"an SVG in memory to {side}x{side * 3 // 4} RGBA, larger than its own size; {origin}",
        rounds=21,
        unit="ms",
        per_run=1e6,
        engines={
            "kingfisher": [executable, "thumb", path, side],
            "libvips": [sys.executable, HERE / "libvips_svg.py", path, side],
        },
        targets={"libvips": 1.0},
    )


gif_decode = animation("gif-decode", ".gif", "an animated GIF")
webp_anim_decode = animation("webp-anim-decode", ".webp", "an animated WebP")

ROWS = {
    **jpeg_rows.rows(thumb, engines),
    "webp-thumb": webp_thumb,
    "webp-thumb-memory": memory_of(webp_thumb),
    "avif-thumb": avif_thumb,
    "avif-thumb-memory": memory_of(avif_thumb),
    "jxl-thumb": jxl_thumb,
    "jxl-thumb-memory": memory_of(jxl_thumb),
    "heic-thumb": heic_thumb,
    "heic-thumb-memory": memory_of(heic_thumb),
    "svg-render": svg_render,
    "gif-decode": gif_decode,
    "gif-decode-memory": memory_of(gif_decode),
    "gif-first-frame": first_frame("gif-first-frame", ".gif", "an animated GIF"),
    "webp-anim-decode": webp_anim_decode,
    "webp-anim-decode-memory": memory_of(webp_anim_decode),
    "webp-first-frame": first_frame("webp-first-frame", ".webp", "an animated WebP"),
    **encode_rows.rows(FIXTURES),
    "memory-get": memory_get,
    "memory-mixed": memory_mixed,
    "memory-hit": lambda executable, cache: MemoryHitRow(executable),
    "coalescing": lambda executable, cache: CoalescingRow(executable, cache, FIXTURES),
    "load-cold": lambda executable, cache: load_cold(executable, cache, FIXTURES),
    "load-disk": lambda executable, cache: load_disk(executable, cache, FIXTURES),
    "load-disk-hit": lambda executable, cache: load_disk_hit(executable, cache, FIXTURES),
    **disk_rows.ROWS,
    **kernel_rows.ROWS,
    **png_rows.rows(thumb),
    **downloads.ROWS,
    **body_rows.rows(FIXTURES),
    "video-frame": lambda executable, cache: video_row.VideoFrameRow(cache),
    "zoom-open": zoom_row.ZoomRow,
    **drawing_rows.ROWS,
    **color_rows.ROWS,
    **placeholder_rows.ROWS,
    **first_pixels_rows.ROWS,
    **desktop_rows.rows(FIXTURES),
    **shared_rows.rows(FIXTURES),
    **service_rows.rows(FIXTURES),
}
