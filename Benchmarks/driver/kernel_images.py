"""Input of the pixel loop rows as raw RGBA, and reference output in floating point without rounding."""

import numpy
from PIL import Image

import images

SIDE = 1000


def photo(cache, fixtures):
    """The decoded 12-megapixel photograph: file, size and origin."""
    source, origin = images.photo12(cache, fixtures)
    path = source.with_suffix(".rgba")
    with Image.open(source) as image:
        if not path.exists() or path.stat().st_size != image.width * image.height * 4:
            path.write_bytes(image.convert("RGBA").tobytes())
        return path, image.size, origin


def square(cache, fixtures):
    """The middle of the photograph, SIDE x SIDE pixels."""
    source, (width, height), origin = photo(cache, fixtures)
    path = source.with_name(f"{source.stem}-{SIDE}.rgba")
    pixels = numpy.fromfile(source, numpy.uint8).reshape(height, width, 4)
    top, left = (height - SIDE) // 2, (width - SIDE) // 2
    pixels[top : top + SIDE, left : left + SIDE].tofile(path)
    return path, (SIDE, SIDE), origin


def planes(path, size, change):
    """Red, green and blue after `change`, which maps one plane of floating point."""
    pixels = numpy.fromfile(path, numpy.uint8).reshape(size[1], size[0], 4)
    return numpy.stack([change(pixels[..., plane].astype(numpy.float32)) for plane in range(3)], axis=-1)


def lanczos(path, size, target):
    """Lanczos only, in Pillow's floating-point mode."""
    return planes(
        path,
        size,
        lambda plane: numpy.asarray(Image.fromarray(plane).resize(target, Image.Resampling.LANCZOS)),
    )


def gaussian(path, size, sigma):
    """A Gaussian out to six sigma, edges extended."""
    reach = int(6 * sigma)
    weights = numpy.exp(-(numpy.arange(-reach, reach + 1) ** 2) / (2 * sigma * sigma))
    weights /= weights.sum()

    def along(plane):
        padded = numpy.pad(plane, ((0, 0), (reach, reach)), mode="edge")
        return sum(weight * padded[:, i : i + plane.shape[1]] for i, weight in enumerate(weights))

    return planes(path, size, lambda plane: along(along(plane).T).T)


def unsharp(path, size, sigma):
    """Twice the image minus its Gaussian."""
    whole = planes(path, size, lambda plane: plane)
    return numpy.clip(2 * whole - gaussian(path, size, sigma), 0, 255)


def decibels(raw, reference):
    """The PSNR of RGBA rows and a reference as text; the sizes must be equal."""
    ours = numpy.frombuffer(raw, numpy.uint8).reshape(*reference.shape[:2], 4)[..., :3]
    return f"{10 * numpy.log10(255**2 / ((ours - reference) ** 2).mean()):.1f} dB"
