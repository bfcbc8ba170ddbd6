#!/usr/bin/env python3
"""Makes the fixtures of camera RAW files, and the pixels of their largest previews.

Usage, in a virtual environment:

    pip install pillow==13.0.0
    apt-get install libimage-exiftool-perl   # 12.57
    python raw.py OUTPUT_FOLDER              # Sources/Core/KingfisherTestSupport/Fixtures

The files are written here, field by field, by TIFF 6.0, Adobe's DNG specification, and what ExifTool and
https://github.com/lclevy/canon_cr3 found out about the files of makers; the sensor's data are a few zeros.
Each preview has a colour of its own, and another one in a corner. `NAME.rgba` is the largest preview as
Pillow decodes it, turned by the orientation of the RAW file (of the JPEG where the RAW file has none).
ExifTool must extract the same previews and read the same orientation. Files named `bad-*` have no reference.
"""
import io
import json
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

OUT = Path(sys.argv[1]) / "RAW"
LARGE, MEDIUM, SMALL = ((48, 32), (200, 30, 40)), ((24, 16), (30, 160, 60)), ((16, 12), (40, 60, 190))
SHORT, LONG, ASCII, BYTES, DIRECTORY = 3, 4, 2, 7, 13
TURNS = {2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_270",
         7: "TRANSVERSE", 8: "ROTATE_90"}


class Length:
    """The number of bytes of a block."""

    def __init__(self, block):
        self.block = block


class Directory:
    """Fields by tags: a type, and numbers, bytes or blocks, whose offsets are written."""

    def __init__(self, fields, following=None, count=None):
        self.fields, self.following, self.count = fields, following, count

    def values(self, order, offsets):
        for tag, (kind, value) in sorted(self.fields.items()):
            if isinstance(value, bytes):
                yield tag, kind, len(value), value
                continue
            numbers = [
                offsets.get(id(item), 0) if isinstance(item, (Directory, bytearray))
                else len(item.block) if isinstance(item, Length) else item
                for item in (value if isinstance(value, list) else [value])]
            yield tag, kind, len(numbers), struct.pack(order + ("H" if kind == SHORT else "I") * len(numbers),
                                                       *numbers)

    def write(self, order, offsets, place):
        entries, later = b"", b""
        start = place + 2 + 12 * len(self.fields) + 4
        for tag, kind, count, data in self.values(order, offsets):
            count = (self.count or {}).get(tag, count)
            entries += struct.pack(order + "HHI", tag, kind, count)
            if len(data) <= 4:
                entries += data.ljust(4, b"\0")
            else:
                entries += struct.pack(order + "I", start + len(later))
                later += data + bytes(len(data) % 2)
        following = offsets.get(id(self.following), 0)
        head = struct.pack(order + "H", len(self.fields))
        return head + entries + struct.pack(order + "I", following) + later


def tiff(blocks, head=b"II*\0", order="<", rest=b""):
    """A file of directories and other blocks (`bytearray`), whose first is the main directory."""
    start = len(head) + 4 + len(rest) if head[:2] in (b"II", b"MM") else len(head)
    offsets = {}
    for final in (False, True):
        body, place = b"", start
        for block in blocks:
            offsets[id(block)] = place
            data = block.write(order, offsets, place) if isinstance(block, Directory) else bytes(block)
            body += data + bytes(len(data) % 2)
            place = start + len(body)
        if final:
            pointer = struct.pack(order + "I", start) if len(head) < start else b""
            return head + pointer + rest + body
    return None


def jpeg(kind, orientation=None):
    size, color = kind
    image = Image.new("RGB", size, color)
    image.paste((250, 250, 250), (0, 0, size[0] // 2, size[1] // 2))
    exif = Image.Exif()
    if orientation:
        exif[0x112] = orientation
    data = io.BytesIO()
    image.save(data, "JPEG", quality=92, subsampling=0, optimize=True, exif=exif if orientation else b"")
    return bytearray(data.getvalue())


def patched(data, marker=None, precision=None):
    """A JPEG with another frame marker or precision, which is not what its scan has."""
    data = bytearray(data)
    frame = data.index(b"\xff\xc0")
    if marker:
        data[frame + 1] = marker
    if precision:
        data[frame + 4] = precision
    return data


def save(name, data, largest=None, orientation=1):
    OUT.mkdir(parents=True, exist_ok=True)
    (OUT / name).write_bytes(data)
    if largest is None:
        return
    image = Image.open(io.BytesIO(bytes(largest))).convert("RGBA")
    if orientation in TURNS:
        image = image.transpose(getattr(Image.Transpose, TURNS[orientation]))
    (OUT / f"{name}.rgba").write_bytes(image.tobytes())
    check(OUT / name, largest, orientation)


def check(path, largest, orientation):
    """Compares with ExifTool."""
    out = subprocess.run(["exiftool", "-j", "-b", "-n", "-G4", "-a", "-Orientation", "-PreviewImage",
                          "-JpgFromRaw", "-OtherImage", "-ThumbnailImage", path], check=True,
                         capture_output=True).stdout
    fields = json.loads(out)[0]
    turned = [value for key, value in fields.items() if key.endswith("Orientation")]
    # ExifTool does not read the orientation of previews in NEF and RW2.
    assert orientation in turned or not turned, (path, turned, orientation)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        shutil.copy(path, copy)
        found = [subprocess.run(["exiftool", "-b", f"-{tag}", copy], check=True, capture_output=True).stdout
                 for tag in ("JpgFromRaw", "PreviewImage", "OtherImage", "ThumbnailImage")]
    assert bytes(largest) in found, (path, [len(data) for data in found], len(largest))


def preview(data):
    return Directory({254: (LONG, 1), 259: (SHORT, 6), 513: (LONG, data), 514: (LONG, Length(data))})


def strip(data, compression, photometric=None, size=(4_000, 3_000), subfile=0):
    shown = {} if photometric is None else {262: (SHORT, photometric)}
    return Directory({254: (LONG, subfile), 256: (LONG, size[0]), 257: (LONG, size[1]),
                      259: (SHORT, compression), 273: (LONG, data), 277: (SHORT, 1), 278: (LONG, size[1]),
                      279: (LONG, Length(data)), **shown})


def camera(make, model, orientation):
    fields = {271: (ASCII, make + b"\0"), 272: (ASCII, model + b"\0")}
    return {**fields, 274: (SHORT, orientation)} if orientation else fields


EXPOSURE = {0x829A: (5, [1, 125]), 0x8827: (SHORT, 400), 0x9003: (ASCII, b"2026:11:22 10:20:30\0")}
SENSOR = bytearray(64)


def rational(directory):
    """Directories have no type for fractions, so their numbers become bytes of that type."""
    directory.fields[0x829A] = (5, struct.pack("<II", 1, 125))
    directory.count = {0x829A: 1}
    return directory


def make_cr2(name, orientation):
    large, small = jpeg(LARGE), jpeg(SMALL)
    lossless = patched(jpeg(((64, 48), (9, 9, 9))), marker=0xC3)
    exif = rational(Directory(EXPOSURE))
    raw = strip(lossless, 6)
    plain = strip(bytearray(bytes(6 * 48)), 1, 2, (8, 6), 1)
    plain.following = raw
    second = Directory({513: (LONG, small), 514: (LONG, Length(small))}, plain)
    first = strip(large, 6, None, LARGE[0])
    first.fields.update({**camera(b"Canon", b"Canon EOS 0D", orientation), 34_665: (LONG, exif)})
    first.following = second
    blocks = [first, exif, second, plain, raw, large, small, plain.fields[273][1], lossless]
    save(name, tiff(blocks, rest=b"CR\x02\0" + bytes(4)), large, orientation)


def nikon_note(data, place=None):
    shown = Directory({259: (SHORT, 6), 513: (LONG, place or data), 514: (LONG, Length(data))})
    main = Directory({1: (BYTES, b"0210"), 0x11: (LONG, shown)})
    return b"Nikon\0\x02\x10\0\0" + tiff([main, shown, data])


def make_nef(name, orientation, largest=None, inner=None, note=True, place=None, tail=b""):
    large, medium = largest or jpeg(LARGE, inner), jpeg(MEDIUM)
    exif = rational(Directory({**EXPOSURE, 0x927C: (BYTES, nikon_note(medium, place))} if note else EXPOSURE))
    full = preview(large)
    raw = strip(SENSOR, 34_713, 32_803)
    first = strip(bytearray(bytes(3 * 16 * 12)), 1, 2, SMALL[0], 1)
    first.fields.update({**camera(b"NIKON CORPORATION", b"NIKON D0", orientation),
                         330: (LONG, [full, raw]), 34_665: (LONG, exif)})
    data = tiff([first, full, raw, exif, first.fields[273][1], large, SENSOR]) + tail
    save(name, data, *([large, orientation or inner] if largest is None else []))


def make_nef_with_note_only(name):
    """As old cameras write it: the preview is in the maker note alone."""
    medium = jpeg(MEDIUM)
    exif = rational(Directory({**EXPOSURE, 0x927C: (BYTES, nikon_note(medium))}))
    raw = strip(SENSOR, 34_713, 32_803)
    first = Directory({**camera(b"NIKON CORPORATION", b"NIKON D00", 3), 330: (LONG, raw),
                       34_665: (LONG, exif)})
    save(name, tiff([first, raw, exif, SENSOR]), medium, 3)


def make_arw(name, orientation):
    large, medium, small = jpeg(LARGE), jpeg(MEDIUM), jpeg(SMALL)
    raw = strip(SENSOR, 32_767, 32_803)
    third = preview(large)
    second = preview(small)
    second.following = third
    first = preview(medium)
    first.fields.update({**camera(b"SONY", b"ILCE-0", orientation), 330: (LONG, raw)})
    first.following = second
    save(name, tiff([first, second, third, raw, medium, small, large, SENSOR]), large, orientation)


def dng(parts, orientation=1, fields=None, first=None):
    first = first or strip(bytearray(bytes(3 * 16 * 12)), 1, 2, SMALL[0], 1)
    first.fields.update({**camera(b"Google", b"Pixel 0", orientation), 330: (LONG, parts),
                         50_706: (1, bytes((1, 4, 0, 0))), **(fields or {})})
    data = [part.fields[tag][1] for part in [first, *parts] for tag in (273, 513) if tag in part.fields]
    return [first, *parts, *[item for item in data if isinstance(item, bytearray)]]


def raw_strip():
    return strip(patched(jpeg(((64, 48), (9, 9, 9))), marker=0xC3), 7, 32_803)


def make_dng(name, orientation, head=b"II*\0", order="<"):
    large, medium = jpeg(LARGE), jpeg(MEDIUM)
    # Linear sensor data and a mask may be ordinary JPEGs, with more pixels than the previews have.
    linear = strip(jpeg(((80, 64), (1, 2, 3))), 7, 34_892)
    mask = strip(jpeg(((80, 56), (255, 255, 255))), 7, 52_527, subfile=0x10004)
    parts = [raw_strip(), strip(medium, 7, 6, MEDIUM[0], 1), strip(large, 7, 6, LARGE[0], 1), linear, mask]
    save(name, tiff(dng(parts, orientation), head, order), large, orientation)


def make_raf(name, orientation):
    large = jpeg(LARGE, orientation)
    head = b"FUJIFILMCCD-RAW 0201FF000000X-T0".ljust(60, b"\0") + b"0100" + bytes(20)
    save(name, head + struct.pack(">6I", 148, len(large), 148 + len(large), 64, 0, 0) + bytes(40) + large
         + SENSOR, large, orientation)


def make_orf(name, orientation, head, note_head, kind):
    order = "<" if head[:2] == b"II" else ">"
    large = jpeg(LARGE)
    settings = Directory({0x100: (LONG, 1), 0x101: (LONG, large), 0x102: (LONG, Length(large))})
    main = Directory({0: (BYTES, b"0100"), 0x2020: (kind, settings)})
    if kind == BYTES:
        # The directory itself is the value.
        main.count = {0x2020: 42}
    note = tiff([main, settings, large], note_head, order)
    exif = Directory({0x8827: (SHORT, 400), 0x927C: (BYTES, note)})
    first = strip(SENSOR, 1, 32_803)
    first.fields.update({**camera(b"OLYMPUS CORPORATION", b"E-M0", orientation), 34_665: (LONG, exif)})
    save(name, tiff([first, exif, SENSOR], head, order), large, orientation)


def make_rw2(name, orientation, inner):
    large = jpeg(LARGE, inner)
    exif = rational(Directory(EXPOSURE))
    fields = {1: (BYTES, b"0310"), 2: (SHORT, 4_000), 0x2E: (BYTES, bytes(large)), 34_665: (LONG, exif)}
    first = Directory({**fields, **camera(b"Panasonic", b"DMC-0", orientation)})
    save(name, tiff([first, exif], b"IIU\0", rest=bytes(16)), large, orientation or inner)


def box(kind, *content):
    data = b"".join(content)
    return struct.pack(">I", 8 + len(data)) + kind + data


def make_cr3(name, orientation, tracks=True, end=None):
    large, medium, small = jpeg(LARGE), jpeg(MEDIUM), jpeg(SMALL)
    first = tiff([Directory(camera(b"Canon", b"Canon EOS R0", orientation))])
    exif = tiff([rational(Directory(EXPOSURE))])
    gps = tiff([Directory({1: (ASCII, b"N\0")})])
    canon = bytes.fromhex("85c0b687820f11e08111f4ce462b6a48")
    thumbnail = struct.pack(">IHHIHH", 0, *SMALL[0], len(small), 1, 0) + small

    def track(offset, length, coding):
        entry = box(b"CRAW", bytes(82), box(coding, bytes(4)))
        table = box(b"stbl", box(b"stsd", struct.pack(">II", 0, 1), entry),
                    box(b"stts", struct.pack(">IIII", 0, 1, 1, 1)),
                    box(b"stsc", struct.pack(">IIIII", 0, 1, 1, 1, 1)),
                    box(b"stsz", struct.pack(">III", 0, length, 1)),
                    box(b"co64", struct.pack(">IIQ", 0, 1, offset)))
        handler = box(b"hdlr", struct.pack(">II4s", 0, 0, b"vide"), bytes(13))
        return box(b"trak", box(b"mdia", handler, box(b"minf", table)))

    def movie(offset):
        parts = [box(b"uuid", canon, box(b"CMT1", first), box(b"CMT2", exif), box(b"CMT4", gps),
                     box(b"THMB", thumbnail))]
        if tracks:
            parts += [track(offset, len(large), b"JPEG"), track(offset + len(large), len(SENSOR), b"CMP1")]
        return box(b"moov", *parts)

    head = box(b"ftyp", b"crx \0\0\0\1crx isom")
    shown = struct.pack(">IHHHHI", 0, 1, *MEDIUM[0], 1, len(medium)) + medium
    place = box(b"uuid", bytes.fromhex("eaf42b5e1c984b88b9fbb7dc406e4d16"), struct.pack(">II", 0, 1),
                box(b"PRVW", shown))
    before = len(head) + len(movie(0)) + len(place)
    data = head + movie(before + 8) + place + box(b"mdat", large, SENSOR)
    save(name, data, large if tracks else medium, orientation)


def make_editor():
    """What an editor makes of a RAW file: TIFF with the camera's name, and a smaller version."""
    image = Image.new("RGB", LARGE[0], LARGE[1])
    pixels = bytearray(image.tobytes())
    shown = strip(bytearray(bytes(3 * 24 * 16)), 1, 2, MEDIUM[0], 1)
    first = strip(pixels, 1, 2, LARGE[0])
    for directory in (first, shown):
        directory.fields.update({258: (SHORT, [8, 8, 8]), 277: (SHORT, 3)})
    first.fields.update({**camera(b"NIKON CORPORATION", b"NIKON D0", 6), 330: (LONG, shown)})
    save("editor.tif", tiff([first, shown, pixels, shown.fields[273][1]]))


def make_bad():
    large, medium = jpeg(LARGE), jpeg(MEDIUM)
    save("bad-none.dng", tiff(dng([strip(SENSOR, 1, 32_803)])))
    save("bad-lossless.dng", tiff(dng([raw_strip(), strip(patched(large, marker=0xC3), 7, 6)])))
    save("bad-deep.dng", tiff(dng([strip(patched(large, marker=0xC1, precision=12), 7, 6)])))
    tiled = strip(large, 7, 6)
    tiled.fields[273] = (LONG, [large, medium])
    tiled.fields[279] = (LONG, [Length(large), Length(medium)])
    save("bad-strips.dng", tiff([*dng([tiled]), large, medium]))
    # Loops of the chain and of sub-directories.
    parts = [strip(medium, 7, 6)]
    blocks = dng(parts)
    blocks[0].following = parts[0]
    parts[0].following = blocks[0]
    parts[0].fields[330] = (LONG, [blocks[0], parts[0]])
    save("bad-loop.dng", tiff(blocks))
    chain = [strip(medium if index == 80 else SENSOR, 7, 6) for index in range(100)]
    for one, other in zip(chain, chain[1:], strict=False):
        one.following = other
    blocks = dng([strip(SENSOR, 1, 32_803)])
    blocks[0].following = chain[0]
    save("bad-chain.dng", tiff([*blocks, *chain, medium]))
    # Numbers that no file reaches: the number of sub-directories, the length and the place of a preview.
    first = Directory({330: (LONG, 8), **camera(b"Google", b"Pixel 0", 1), 50_706: (1, bytes((1, 4, 0, 0)))},
                      count={330: 0xFFFFFFFF})
    save("bad-count.dng", tiff([first]))
    long = strip(medium, 7, 6)
    long.fields[279] = (LONG, 0xFFFFFFFF)
    save("bad-length.dng", tiff(dng([long])))
    far = strip(SENSOR, 7, 6)
    far.fields[273] = (LONG, 0xFFFFFFF0)
    save("bad-offset.dng", tiff(dng([far, strip(medium, 7, 6)])))
    # The largest preview is no JPEG, or has no end, so that the smaller one counts.
    make_nef("bad-dummy.nef", 6, bytearray(b"<no JPEG>".ljust(64)), tail=bytes(8))
    make_nef("bad-header.nef", 6, bytearray(large[:2] + b"\xff\xda" + large[4:]), tail=bytes(8))
    make_nef("bad-end.nef", 6, bytearray(large[:-2] + bytes(2)), tail=bytes(80))
    # Some program has moved the maker note, but not its offsets.
    make_nef("bad-note.nef", 8, bytearray(large), place=0x10000, tail=bytes(8))
    make_nef("bad-alone.nef", 6, bytearray(b"<no JPEG>".ljust(64)), note=False)


def main():
    make_cr2("canon.cr2", 6)
    make_nef("nikon.nef", 8)
    make_nef("nikon-twice.nef", 6, inner=3)
    make_nef("nikon-inner.nef", None, inner=5)
    make_nef_with_note_only("nikon-note.nef")
    make_arw("sony.arw", 3)
    for orientation in range(1, 9):
        make_dng(f"adobe-{orientation}.dng", orientation)
    make_dng("adobe-big-endian.dng", 6, b"MM\0*", ">")
    make_raf("fuji.raf", 6)
    make_orf("olympus.orf", 8, b"IIRO", b"OLYMPUS\0II\x03\0", DIRECTORY)
    make_orf("olympus-rs.orf", 6, b"IIRS", b"OLYMPUS\0II\x03\0", BYTES)
    make_orf("olympus-big-endian.orf", 3, b"MMOR", b"OLYMPUS\0MM\0\x03", DIRECTORY)
    make_orf("om-system.orf", 6, b"IIRO", b"OM SYSTEM\0\0\0II\x04\0", DIRECTORY)
    make_rw2("panasonic.rw2", 6, 6)
    make_rw2("panasonic-inner.rw2", None, 8)
    make_cr3("canon.cr3", 6)
    make_cr3("canon-preview.cr3", 8, tracks=False)
    make_editor()
    make_bad()


main()
