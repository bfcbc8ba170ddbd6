"""The images of the rows, created once in the cache folder."""

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy
from PIL import Image, ImageOps, ImageSequence

PACKAGE = "lomiri-wallpapers-16.04"
PHOTO = "usr/share/backgrounds/picosdeeuropa_by_Aitzol_Berasategi.jpg"


def photograph(cache, fixtures):
    """A real photograph and its name: from Debian, or a fixture if apt does not have the package."""
    path = cache / PHOTO
    if not path.exists():
        try:
            subprocess.run(["apt-get", "download", "-q", PACKAGE], cwd=cache, check=True, capture_output=True)
            for package in cache.glob(f"{PACKAGE}_*.deb"):
                subprocess.run(["dpkg-deb", "-x", package, cache], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            return fixtures / "Photos" / "coffee.jpg", "coffee.jpg of the fixtures"
    return path, f"{path.name} of Debian's {PACKAGE} (Aitzol Berasategi, CC-BY-4.0)"


def photo12(cache, fixtures, kind="baseline 4:2:0 q90", **options):
    """4000 x 3000 with the noise of a small sensor, as a JPEG of this kind; deterministic."""
    source, name = photograph(cache, fixtures)
    suffix = "" if kind == "baseline 4:2:0 q90" else "-" + kind.replace(" ", "-").replace(":", "")
    path = cache / f"photo12-{source.stem}{suffix}.jpg"
    if not path.exists():
        image = ImageOps.fit(Image.open(source).convert("RGB"), (4000, 3000), Image.Resampling.LANCZOS)
        noise = numpy.random.default_rng(12).normal(0, 2, (3000, 4000, 3))
        pixels = numpy.clip(numpy.asarray(image) + noise, 0, 255).astype(numpy.uint8)
        Image.fromarray(pixels).save(path, **{"quality": 90, "subsampling": "4:2:0", **options})
    return path, f"{name}, up to 4000x3000 with noise, {kind}, {described(path)}"


def photo3(cache, fixtures, suffix):
    """1920 x 1440 with noise, as JPEG of quality 90 or as PNG."""
    photo, name = photograph(cache, fixtures)
    path = cache / f"photo3-{photo.stem}{suffix}"
    if not path.exists():
        image = ImageOps.fit(Image.open(photo).convert("RGB"), (1920, 1440), Image.Resampling.LANCZOS)
        noise = numpy.random.default_rng(3).normal(0, 2, (1440, 1920, 3))
        pixels = numpy.clip(numpy.asarray(image) + noise, 0, 255).astype(numpy.uint8)
        Image.fromarray(pixels).save(path, quality=90)
    return path, f"{name}, down to 1920x1440 with noise, {described(path)}"


def photo12_refused(cache, fixtures):
    """The baseline file with an empty segment of arithmetic coding (ITU-T T.81, B.2.4.3).

    Our decoder refuses the file, and libjpeg, which skips the segment, decodes it.
    """
    path, _ = photo12(cache, fixtures)
    refused = path.with_stem(path.stem + "-refused")
    data = path.read_bytes()
    refused.write_bytes(data[:2] + b"\xff\xcc\x00\x02" + data[2:])
    return refused


def photo12_progressive(cache, fixtures):
    """The same coefficients in ten scans."""
    return photo12(cache, fixtures, "progressive 4:2:0 q90", progressive=True)


def photo12_444(cache, fixtures):
    return photo12(cache, fixtures, "baseline 4:4:4 q90", subsampling="4:4:4")


def photo12_q60(cache, fixtures):
    return photo12(cache, fixtures, "baseline 4:2:0 q60", quality=60)


def photo12_restart(cache, fixtures):
    """A restart marker for each row of MCUs."""
    return photo12(cache, fixtures, "baseline 4:2:0 q90 with restarts", restart_marker_rows=1)


def photo12_webp(cache, fixtures):
    """The same image as lossy WebP of quality 80, written by Pillow's libwebp."""
    source, name = photo12(cache, fixtures)
    path = source.with_suffix(".webp")
    if not path.exists():
        Image.open(source).save(path, quality=80)
    return path, f"{name}; as WebP q80, {described(path)}"


def photo12_avif(cache, fixtures):
    """The same image as AVIF of quality 60 in 4:2:0, written by Pillow's libavif."""
    source, name = photo12(cache, fixtures)
    path = source.with_suffix(".avif")
    if not path.exists():
        Image.open(source).save(path, quality=60, speed=8, subsampling="4:2:0")
    return path, f"{name}; as AVIF q60, {described(path)}"


def photo12_jxl(cache, fixtures):
    """The same image as lossy JPEG XL of quality 85, written by the libjxl of pillow-jxl-plugin."""
    import pillow_jxl  # noqa: F401, adds the format to Pillow

    source, name = photo12(cache, fixtures)
    path = source.with_suffix(".jxl")
    if not path.exists():
        Image.open(source).save(path, quality=85, effort=5, lossless_jpeg=False)
    return path, f"{name}; as JPEG XL q85, {described(path)}"


def photo12_heic(cache, fixtures):
    """The same image as HEIC of quality 60 without a thumbnail, written by the x265 of pillow-heif."""
    import pillow_heif

    pillow_heif.register_heif_opener()
    source, name = photo12(cache, fixtures)
    path = source.with_suffix(".heic")
    if not path.exists():
        Image.open(source).save(path, quality=60)
    return path, f"{name}; as HEIC q60, {described(path)}"


def drawing_svg(cache):
    """A drawing of 400 shapes with gradients, curves and text, 100 x 75 units; deterministic."""
    path = cache / "drawing.svg"
    if not path.exists():
        shapes = []
        for number in range(200):
            x, y = number * 37 % 100, number * 53 % 75
            opacity, color = number % 9 + 1, number * 4919 % 4096
            shapes.append(
                f'<path d="M{x} {y} c4 -9 12 -3 9 5 s-11 7 -9 -5z" fill="url(#g)" '
                f'fill-opacity="0.{opacity}" stroke="#{color:03x}" stroke-width="0.3"/>'
            )
            center = f'cx="{y}" cy="{x * 3 // 4}"'
            shapes.append(f'<circle {center} r="{number % 5 + 1}" fill="#0{number % 10}8"/>')
        font = 'font-family="DejaVu Sans" font-size="6"'
        texts = [f'<text x="4" y="{row * 9 + 9}" {font}>Row {row} of a drawing</text>' for row in range(8)]
        path.write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="75"><defs><linearGradient id="g">'
            '<stop stop-color="#e33"/><stop offset="1" stop-color="#33e"/></linearGradient></defs>'
            f"{''.join(shapes + texts)}</svg>"
        )
    return path, f"a drawing of 400 shapes and eight lines of text, {path.stat().st_size // 1000} KB"


def animation(cache, fixtures, suffix):
    """40 frames of 480 x 360 in which every pixel moves, in the format of `suffix`.

    A camera pans across the photograph and zooms in. Pillow writes both files: the GIF with a palette for
    each frame, the WebP lossy with quality 80.
    """
    photo, name = photograph(cache, fixtures)
    path = cache / f"animation-{photo.stem}{suffix}"
    if not path.exists():
        first, *others = camera_ride(Image.open(photo).convert("RGB"))
        options = {"quality": 80} if suffix == ".webp" else {}
        first.save(path, save_all=True, append_images=others, duration=40, loop=0, **options)
    return path, f"40 frames of 480x360 from {name}, {described(path)}"


# Side lengths of the photographs of `folder`, and how many there are of each.
FOLDER_SIZES = {(4000, 3000): 20, (3000, 2000): 8, (1920, 1440): 8, (1024, 768): 6, (640, 480): 6}


def folder(cache, fixtures, count=1000):
    """`count` photographs in a folder: 48 different ones under many names, four in five baseline JPEG.

    Of the others, a third each is progressive JPEG, PNG and WebP. Crops of the photograph, with noise.
    """
    photo, name = photograph(cache, fixtures)
    place = cache / f"folder-{photo.stem}"
    if not place.exists():
        new = cache / "folder.new"
        new.mkdir(exist_ok=True)
        source = Image.open(photo).convert("RGB")
        sizes = [size for size, number in FOLDER_SIZES.items() for _ in range(number)]
        originals = [write_photograph(new, source, size, number) for number, size in enumerate(sizes)]
        for number in range(len(originals), count):
            original = originals[number % len(originals)]
            (new / f"{number:04}{original.suffix}").hardlink_to(original)
        new.rename(place)
    origin = f"48 crops of {name} with noise, of 0.3 to 12 megapixels, under {count} names"
    return sorted(place.iterdir()), origin


def write_photograph(place, source, size, number):
    random = numpy.random.default_rng(number)
    width = int(source.width * random.uniform(0.5, 1))
    height = min(width * size[1] // size[0], source.height)
    left, top = random.integers(source.width - width + 1), random.integers(source.height - height + 1)
    box = (left, top, left + width, top + height)
    image = source.resize(size, Image.Resampling.LANCZOS, box=box)
    pixels = numpy.asarray(image) + random.normal(0, 2, (size[1], size[0], 3))
    image = Image.fromarray(numpy.clip(pixels, 0, 255).astype(numpy.uint8))
    others = {
        1: (".jpg", {"quality": 90, "progressive": True}),
        2: (".png", {}),
        3: (".webp", {"quality": 80}),
    }
    suffix, options = others.get(number % 15, (".jpg", {"quality": 90}))
    path = place / f"{number:04}{suffix}"
    image.save(path, **options)
    return path


def camera_ride(photo, count=40, size=(480, 360)):
    wide = ImageOps.fit(photo, (1920, 1440), Image.Resampling.LANCZOS)
    for number in range(count):
        progress = number / (count - 1)
        width = 1200 - 480 * progress
        height = width * size[1] / size[0]
        left, top = (wide.width - width) * progress, (wide.height - height) * (1 - progress)
        yield wide.resize(size, Image.Resampling.LANCZOS, box=(left, top, left + width, top + height))


def described(path):
    return f"{path.stat().st_size} bytes, {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"


def every_frame(path):
    """The reference for animations: all frames as raw RGBA, composed by Pillow."""
    with Image.open(path) as image:
        frames = ImageSequence.Iterator(image)
        return b"".join(frame.convert("RGBA").tobytes() for frame in frames)


def difference(raw, reference):
    """The maximum difference of two images as text; the sizes must be equal."""
    ours, theirs = (numpy.frombuffer(bytes, numpy.uint8).astype(int) for bytes in (raw, reference))
    most = numpy.abs(ours - theirs).max()
    return "pixels as Pillow's" if most == 0 else f"at most {most} of 255 from Pillow's"


def psnr(raw, reference):
    """The PSNR of RGBA rows and the colours of an image as text; the sizes must be equal."""
    ours = numpy.frombuffer(raw, numpy.uint8).reshape(reference.height, reference.width, 4)[..., :3]
    error = ours.astype(float) - numpy.asarray(reference)
    return f"{10 * numpy.log10(255**2 / (error**2).mean()):.1f} dB"


def full_lanczos(path, side=300):
    """The quality reference: full decode, then Lanczos."""
    return Image.open(path).convert("RGB").resize((side, side * 3 // 4), Image.Resampling.LANCZOS)


if __name__ == "__main__":
    places = Path(sys.argv[1]), Path(sys.argv[2])
    print(*photo12(*places), *photo12_webp(*places), sep="\n")
    print(*animation(*places, ".gif"), *animation(*places, ".webp"), sep="\n")
