"""The size of a PNG from libpng with default settings: zlib's level 6, filters by least sum."""

import ctypes


class PNGImage(ctypes.Structure):
    """`png_image` of libpng's simplified interface (png.h, 1.6)."""

    _fields_ = [
        ("opaque", ctypes.c_void_p),
        ("version", ctypes.c_uint32),
        ("width", ctypes.c_uint32),
        ("height", ctypes.c_uint32),
        ("format", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("colormap_entries", ctypes.c_uint32),
        ("warning_or_error", ctypes.c_uint32),
        ("message", ctypes.c_char * 64),
    ]


VERSION = 1
FORMAT_RGB = 2


def size(image):
    """The number of bytes of an RGB image as PNG."""
    library = ctypes.CDLL("libpng16.so.16")
    pixels = image.tobytes()
    header = PNGImage(version=VERSION, width=image.width, height=image.height, format=FORMAT_RGB)
    count = ctypes.c_size_t(0)
    written = library.png_image_write_to_memory(
        ctypes.byref(header), None, ctypes.byref(count), 0, pixels, image.width * 3, None
    )
    if not written:
        raise OSError(header.message.decode())
    return count.value
