"""The rows of pixel loops: images in memory to images in memory, without files and codecs."""

import sys
from pathlib import Path

import kernel_images
from measures import Row

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent.parent / "Sources/Core/KingfisherTestSupport/Fixtures"

# A radius of 10 means three boxes of 19 pixels, whose variances add up to 90.
RADIUS, SIGMA = 10, 90**0.5


def with_pillow_simd(cache, engines, targets, command):
    """Adds Pillow-SIMD, which needs a separate interpreter, if scripts/bench could build it."""
    python = cache / "pillow-simd/bin/python"
    if python.exists():
        engines["pillow-simd"] = [python, *command]
    else:
        del targets["pillow-simd"]


def resize(name, target, gap, pillow_simd, how):
    def make(executable, cache):
        path, size, origin = kernel_images.photo(cache, FIXTURES)
        reference = kernel_images.lanczos(path, size, target)
        arguments = [path, *size, *target]
        engines = {
            "kingfisher": [executable, "resize", *arguments],
            "libvips": [sys.executable, HERE / "libvips_resize.py", *arguments, gap],
            "pillow": [sys.executable, HERE / "pillow_resize.py", *arguments],
        }
        targets = {"libvips": 1.4, "pillow": 8, "pillow-simd": pillow_simd}
        with_pillow_simd(cache, engines, targets, [HERE / "pillow_resize.py", *arguments])
        return Row(
            name,
            f"RGBA of {size[0]}x{size[1]} in memory to {target[0]}x{target[1]} with Lanczos3, through "
            f"kf.resize(to:); {how}. {origin}. Decibels against Lanczos in floating point",
            rounds=21,
            unit="ms",
            per_run=1e6,
            engines=engines,
            targets=targets,
            quality=lambda raw: kernel_images.decibels(raw, reference),
        )

    return make


def blur(executable, cache):
    path, size, origin = kernel_images.square(cache, FIXTURES)
    reference = kernel_images.gaussian(path, size, SIGMA)
    engines = {
        "kingfisher": [executable, "blur", path, *size, RADIUS],
        "libvips": [sys.executable, HERE / "libvips_blur.py", path, *size, SIGMA],
        "opencv": [sys.executable, HERE / "opencv_blur.py", path, *size, SIGMA],
    }
    targets = {"libvips": 5, "opencv": 5, "pillow-simd": 4}
    with_pillow_simd(cache, engines, targets, [HERE / "pillow_blur.py", path, *size, SIGMA])
    return Row(
        "blur",
        f"RGBA of {size[0]}x{size[1]} in memory, through kf.blurred(withRadius: {RADIUS}): three boxes of "
        f"19 pixels in each direction, a Gaussian of sigma {SIGMA:.2f}. libvips: gaussblur in integers, "
        "truncated at weights below a fifth of the central one; opencv: GaussianBlur; pillow-simd: three "
        f"extended boxes in each direction; all with the same sigma. {origin}. Decibels against a Gaussian "
        "in floating point",
        rounds=31,
        unit="ms",
        per_run=1e6,
        engines=engines,
        targets=targets,
        quality=lambda raw: kernel_images.decibels(raw, reference),
    )


def sharpen(executable, cache):
    path, size, origin = kernel_images.square(cache, FIXTURES)
    reference = kernel_images.unsharp(path, size, 1)
    return Row(
        "sharpen",
        f"RGBA of {size[0]}x{size[1]} in memory, through kf.sharpened(radius: 1, amount: 1). libvips: "
        "sharpen with sigma 1 and one slope for all differences, which changes the lightness of LabS only; "
        "pillow: "
        f"UnsharpMask with radius 1 and 100 %. {origin}. Decibels against an unsharp mask of each channel "
        "in floating point",
        rounds=21,
        unit="ms",
        per_run=1e6,
        engines={
            "kingfisher": [executable, "sharpen", path, *size, 1],
            "libvips": [sys.executable, HERE / "libvips_sharpen.py", path, *size],
            "pillow": [sys.executable, HERE / "pillow_sharpen.py", path, *size],
        },
        targets={"libvips": 2, "pillow": 2},
        quality=lambda raw: kernel_images.decibels(raw, reference),
    )


ROWS = {
    # libvips runs with the faster of two settings, which differs between the sizes.
    "resize-1000": resize(
        "resize-1000",
        (1000, 750),
        0,
        1.15,
        "all run only the filter, libvips with gap=0, which is twice as fast here as its default",
    ),
    "resize-300": resize(
        "resize-300",
        (300, 225),
        2,
        0.9,
        "ours averages boxes of 3x3 first, libvips by default boxes down to twice the target; pillow and "
        "pillow-simd run only the filter",
    ),
    "blur": blur,
    "sharpen": sharpen,
}
