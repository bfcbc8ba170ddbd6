#!/usr/bin/env python3
"""Makes JPEG files with gain maps, and what Pillow computes for changed ones.

Usage, in a virtual environment:

    pip install pillow==13.0.0 imagecodecs==2026.3.6 numpy
    python gain_maps.py OUTPUT_FOLDER DEBIAN13     # Sources/Core/KingfisherTestSupport/Fixtures

Writes into GainMaps. The containers are written here from their specifications: the index of several images
(CIPA DC-007), "Ultra HDR Image Format" version 1 (XMP) and ISO 21496-1 (binary). Pillow writes the images.
`libultrahdr.jpg` is made by libultrahdr 1.4.0 alone, the AVIF files by avifgainmaputil of libavif 1.2.1 in
DEBIAN13, the root folder of a Debian 13 with libavif-bin. `references.json` has, for each file, its
parameters and the levels of its gain map by Pillow; `changes` has what Pillow's Lanczos filter makes of the
gain map of `ultra-hdr.jpg` for steps of `kingfisher get`.
"""

import io
import json
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import imagecodecs
import numpy
from PIL import Image

FIXTURES = Path(sys.argv[1])
OUT = FIXTURES / "GainMaps"
ISO = b"urn:iso:std:iso:ts:21496:-1\0"
XMP = b"http://ns.adobe.com/xap/1.0/\0"
RDF = (
    '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    "%s</rdf:RDF></x:xmpmeta>"
)
HDRGM = 'xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/"'


def jpeg(image, **options):
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=95, subsampling=0, **options)
    return stream.getvalue()


def base_image(size=(48, 32)):
    image = Image.new("RGB", size)
    image.putdata([(5 * x, 7 * y, 128 + x - y) for y in range(size[1]) for x in range(size[0])])
    return image


def gray_map(size=(12, 8)):
    image = Image.new("L", size)
    image.putdata([20 + 9 * x + 13 * y for y in range(size[1]) for x in range(size[0])])
    return image


def color_map(size=(24, 16)):
    image = Image.new("RGB", size)
    places = [(x, y) for y in range(size[1]) for x in range(size[0])]
    image.putdata([(20 + 9 * x, 30 + 12 * y, 220 - 4 * x - 4 * y) for x, y in places])
    return image


def segment(code, data):
    return bytes([0xFF, code]) + struct.pack(">H", len(data) + 2) + data


def xmp(properties):
    return segment(0xE1, XMP + (RDF % properties).encode())


def iso(capacity, channels, flags=0x40, common=None):
    """Each channel: minimum, maximum, gamma, offset of the base and of the alternate image, as fractions."""
    def fraction(pair):
        return struct.pack(">i", pair[0]) + (b"" if common else struct.pack(">I", pair[1]))

    flags |= 0x80 if len(channels) == 3 else 0
    data = struct.pack(">HHB", 0, 0, flags | (8 if common else 0))
    data += struct.pack(">I", common) if common else b""
    data += fraction((0, 1)) + fraction(capacity)
    data += b"".join(fraction(pair) for channel in channels for pair in channel)
    return segment(0xE2, ISO + data)


def exif(orientation, latitude=None):
    """A directory with the orientation, and one with a latitude north."""
    entries = [struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0)]
    gps = b""
    if latitude is not None:
        entries.append(struct.pack(">HHII", 0x8825, 4, 1, 8 + 2 + 24 + 4))
        at = 8 + 2 + 24 + 4 + 2 + 24 + 4
        gps = struct.pack(">H", 2) + struct.pack(">HHI", 1, 2, 2) + b"N\0\0\0"
        gps += struct.pack(">HHII", 2, 5, 3, at) + struct.pack(">I", 0)
        gps += struct.pack(">IIIIII", latitude, 1, 30, 1, 0, 1)
    body = struct.pack(">H", len(entries)) + b"".join(entries) + struct.pack(">I", 0)
    return segment(0xE1, b"Exif\0\0MM\0\x2a" + struct.pack(">I", 8) + body + gps)


def index(order, first, second, offset):
    """An index of two images (CIPA DC-007, 5.2); `offset` is from its TIFF header to the second one."""
    data = (b"II*\0" if order == "<" else b"MM\0*") + struct.pack(order + "I", 8)
    data += struct.pack(order + "H", 3)
    data += struct.pack(order + "HHI4s", 0xB000, 7, 4, b"0100")
    data += struct.pack(order + "HHII", 0xB001, 4, 1, 2)
    data += struct.pack(order + "HHII", 0xB002, 7, 32, 50)
    data += struct.pack(order + "I", 0)
    data += struct.pack(order + "IIIHH", 0x030000, first, 0, 0, 0)
    data += struct.pack(order + "IIIHH", 0, second, offset, 0, 0)
    return segment(0xE2, b"MPF\0" + data)


def joined(base, marks, second, order=">"):
    """The base image with segments before its tables, the index last, and the gain map after it."""
    length = 2 + 18 + sum(len(mark) for mark in marks)
    assert base[2:4] == b"\xff\xe0"
    size = len(index(order, 0, 0, 0))
    first = len(base) + sum(len(mark) for mark in marks) + size
    mpf = index(order, first, len(second), first - (length + 8))
    return base[:20] + b"".join(marks) + mpf + base[20:] + second


def after_start(file, *segments):
    return file[:20] + b"".join(segments) + file[20:]


def directory(length):
    return (
        f'<rdf:Description rdf:about="" {HDRGM} '
        'xmlns:Container="http://ns.google.com/photos/1.0/container/" '
        'xmlns:Item="http://ns.google.com/photos/1.0/container/item/" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="sea" hdrgm:Version="1.0">'
        "<Container:Directory>"
        '<rdf:Seq><rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" '
        'Item:Mime="image/jpeg"/></rdf:li><rdf:li rdf:parseType="Resource"><Container:Item '
        f'Item:Semantic="GainMap" Item:Mime="image/jpeg" Item:Length="{length}"/></rdf:li></rdf:Seq>'
        "</Container:Directory></rdf:Description>"
    )


SINGLE = (
    f'<rdf:Description rdf:about="" {HDRGM} hdrgm:Version="1.0" hdrgm:GainMapMin="-0.25" '
    'hdrgm:GainMapMax="2.3000002" hdrgm:Gamma="1.5" hdrgm:OffsetSDR="0.015625" hdrgm:OffsetHDR="0.03125" '
    'hdrgm:HDRCapacityMin="0" hdrgm:HDRCapacityMax="2.3" hdrgm:BaseRenditionIsHDR="False"%s/>'
)


def sequence(name, values):
    items = "".join(f"<rdf:li>{value}</rdf:li>" for value in values)
    return f"<hdrgm:{name}>\n <rdf:Seq>\n {items}\n </rdf:Seq>\n</hdrgm:{name}>"


SEVERAL = (
    f'<rdf:Description rdf:about="" {HDRGM}><hdrgm:Version>1.0</hdrgm:Version>'
    + sequence("GainMapMin", ["0.0", "-0.1", "-0.2"])
    + sequence("GainMapMax", ["2.0", "2.1", "2.2"])
    + "<hdrgm:HDRCapacityMax>2.5</hdrgm:HDRCapacityMax></rdf:Description>"
)
CHANNEL = [(-1, 4), (23, 10), (3, 2), (1, 64), (1, 32)]


def files():
    small = after_start(jpeg(gray_map()), xmp(SINGLE % ""))
    yield "ultra-hdr", joined(jpeg(base_image()), [xmp(directory(len(small)))], small, "<"), {
        "forms": ["ultra-hdr"], "capacity": 2.3, "map": gray_map()}

    several = after_start(jpeg(color_map()), xmp(SEVERAL))
    yield "channels", joined(jpeg(base_image()), [xmp(directory(len(several)))], several), {
        "forms": ["ultra-hdr"], "capacity": 2.5, "map": color_map()}

    channels = [
        [(0, 1), (2, 1), (1, 1), (1, 64), (1, 64)], CHANNEL, [(-5, 7), (9, 4), (1, 1), (0, 1), (0, 1)]]
    colors = after_start(jpeg(color_map()), iso((5, 2), channels))
    yield "iso", joined(jpeg(base_image()), [segment(0xE2, ISO + bytes(4))], colors), {
        "forms": ["iso-21496-1"], "capacity": 2.5, "map": color_map()}

    # As libultrahdr writes it.
    common = [[(-250_000, 0), (2_300_000, 0), (1_500_000, 0), (15_625, 0), (31_250, 0)]]
    draft = after_start(jpeg(gray_map()), iso((2_300_000, 0), common, common=1_000_000))
    yield "common", joined(jpeg(base_image()), [segment(0xE2, ISO + bytes(4))], draft), {
        "forms": ["iso-21496-1"], "capacity": 2.3, "map": gray_map()}

    # Turned; the gain map is progressive and has an orientation and locations of its own.
    location = ' xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="33,51.4N"'
    both = after_start(
        jpeg(gray_map(), progressive=True), exif(3, latitude=33), xmp(SINGLE % location),
        iso((23, 10), [CHANNEL]))
    marks = [exif(6, latitude=47), xmp(directory(len(both))), segment(0xE2, ISO + bytes(4))]
    yield "both", joined(jpeg(base_image()), marks, both, "<"), {
        "forms": ["ultra-hdr", "iso-21496-1"], "capacity": 2.3, "map": gray_map()}

    # In the colours of Display P3, which also the brighter image has.
    profile = Image.open(FIXTURES / "Color/display-p3.png").info["icc_profile"]
    for name, image in [("p3-gray", gray_map()), ("p3-color", color_map())]:
        second = after_start(jpeg(image, icc_profile=profile), iso((23, 10), [CHANNEL], flags=0))
        file = joined(jpeg(base_image(), icc_profile=profile), [segment(0xE2, ISO + bytes(4))], second)
        yield name, file, {"forms": ["iso-21496-1"], "capacity": 2.3, "map": image}


def by_libultrahdr():
    """Linear light of up to 4 times white, by an encoder that computes base image and gain map."""
    y, x = numpy.mgrid[0:64, 0:96]
    light = numpy.stack([x / 95 * 4, y / 63 * 4, (x + y) / 158], axis=-1)
    rgba = numpy.concatenate([light, numpy.ones_like(light[..., :1])], axis=-1).astype(numpy.float16)
    return imagecodecs.ultrahdr_encode(rgba, scale=2, gamut=imagecodecs.ULTRAHDR.CG.BT_709)


def by_libavif():
    """Gain maps of a gradient and the same brightened, in PQ with white at 203 cd/m2, computed by libavif."""
    y, x = numpy.mgrid[0:32, 0:48]
    base = numpy.stack([40 + 4 * x, 60 + 5 * y, 200 - 2 * x - 2 * y], -1).clip(0, 255).astype(numpy.uint8)
    level = base / 255
    light = numpy.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    bright = light * 2 ** (x / 47 * 1.5 + y / 31 * 0.8)[..., None] * 203 / 10_000
    m1, m2, c1, c2, c3 = 2610 / 16384, 2523 / 32, 3424 / 4096, 2413 / 128, 2392 / 128
    pq = ((c1 + c2 * bright**m1) / (1 + c3 * bright**m1)) ** m2
    with tempfile.TemporaryDirectory(dir=Path(sys.argv[2]) / "tmp") as folder:
        def run(*arguments):
            place = "/tmp/" + Path(folder).name
            command = " ".join(["cd", place, "&&", "avifgainmaputil", *arguments])
            subprocess.run(
                ["chroot", sys.argv[2], "sh", "-c", command], check=True, stdout=subprocess.DEVNULL)

        (Path(folder) / "base.png").write_bytes(imagecodecs.png_encode(base))
        bright = (pq * 65_535).round().astype(numpy.uint16)
        (Path(folder) / "bright.png").write_bytes(imagecodecs.png_encode(bright))
        for name, options in [("gray", "--downscaling 4 --yuv-gain-map 400"), ("color", "--downscaling 2")]:
            run("combine base.png bright.png", f"{name}.avif", options,
                "--qgain-map 100 --cicp-alternate 1/16/1 -s 8 -q 90")
            run("extractgainmap", f"{name}.avif", f"{name}.png", "-q 100")
            shutil.copy(Path(folder) / f"{name}.avif", OUT)
            image = Image.open(Path(folder) / f"{name}.png")
            yield f"{name}.avif", image.convert("L" if name == "gray" else "RGB")


def changes():
    image = gray_map()
    yield "resize:24x16", image.resize((6, 4), Image.LANCZOS)
    yield "resize:96x64", image.resize((24, 16), Image.LANCZOS)
    yield "resize:10x32", image.resize((3, 8), Image.LANCZOS)
    yield "downsample:12x12", image.resize((3, 2), Image.LANCZOS)
    yield "fit:24x24", image.resize((6, 4), Image.LANCZOS)
    yield "cut:10,6,20x12", image.resize((5, 3), Image.LANCZOS, box=(2.5, 1.5, 7.5, 4.5))
    yield "crop:16x16,0,0.5", image.resize((4, 4), Image.LANCZOS, box=(0, 2, 4, 6))
    yield "cover:16x16", image.resize((4, 4), Image.LANCZOS, box=(2, 0, 10, 8))
    yield "focus:16x16,0,0", image.resize((4, 4), Image.LANCZOS, box=(0, 0, 8, 8))
    yield "rotate:90", image.transpose(Image.ROTATE_270)
    yield "rotate:180", image.transpose(Image.ROTATE_180)
    yield "flip:horizontal", image.transpose(Image.FLIP_LEFT_RIGHT)
    yield "flip:vertical", image.transpose(Image.FLIP_TOP_BOTTOM)
    # The part (4, 8) to (32, 28) of the source, turned, mirrored, and halved.
    part = image.resize((7, 5), Image.LANCZOS, box=(1, 2, 8, 7))
    turned = part.transpose(Image.ROTATE_270).transpose(Image.FLIP_LEFT_RIGHT)
    yield "cut:4,8,28x20 rotate:90 flip:horizontal", turned
    yield "cut:4,8,28x20 rotate:90 flip:horizontal resize:10x14", turned.resize((3, 4), Image.LANCZOS)
    yield "rotate:270 cut:0,8,32x20", image.transpose(Image.ROTATE_90).resize(
        (8, 5), Image.LANCZOS, box=(0, 2, 8, 7))


def main():
    OUT.mkdir(exist_ok=True)
    references = {}
    for name, data, facts in files():
        (OUT / f"{name}.jpg").write_bytes(data)
        image = facts.pop("map")
        references[name] = facts | {"size": list(image.size), "levels": list(image.tobytes())}
    (OUT / "libultrahdr.jpg").write_bytes(by_libultrahdr())
    for name, image in by_libavif():
        references[name] = {
            "forms": ["iso-21496-1"], "size": list(image.size), "levels": list(image.tobytes()),
            "capacity": {"gray.avif": 1.53226, "color.avif": 2.01017}[name]}
    steps = {step: {"size": list(image.size), "levels": list(image.tobytes())} for step, image in changes()}
    references = {"files": references, "changes": steps}
    (OUT / "references.json").write_text(json.dumps(references, sort_keys=True) + "\n")


main()
