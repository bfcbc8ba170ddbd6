#include "CTIFF.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if TIFFLIB_VERSION < 20221213
#error "libtiff is older than 4.5"
#endif

KF_DEFINE_LIBRARY(kf_tiff, kf_tiff_functions, KF_TIFF_FUNCTIONS, "libtiff.so.6", "libtiff6")

struct kf_tiff_file {
    TIFF *tiff;
    const uint8_t *bytes;
    uint64_t count, position;
    char message[256];
};

static tmsize_t read_bytes(thandle_t handle, void *target, tmsize_t size) {
    kf_tiff_file *file = handle;
    if (size <= 0 || file->position >= file->count) return 0;
    const uint64_t rest = file->count - file->position;
    const uint64_t length = (uint64_t)size < rest ? (uint64_t)size : rest;
    memcpy(target, file->bytes + file->position, length);
    file->position += length;
    return (tmsize_t)length;
}

static tmsize_t write_bytes(thandle_t handle, void *source, tmsize_t size) {
    (void)handle;
    (void)source;
    (void)size;
    return 0;
}

static toff_t seek(thandle_t handle, toff_t offset, int whence) {
    kf_tiff_file *file = handle;
    const uint64_t start = whence == SEEK_CUR ? file->position : whence == SEEK_END ? file->count : 0;
    file->position = start + offset;
    return file->position;
}

static int close_file(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size_of(thandle_t handle) { return ((kf_tiff_file *)handle)->count; }

// libtiff only reads what it maps in mode "r".
static int map(thandle_t handle, void **base, toff_t *size) {
    kf_tiff_file *file = handle;
    *base = (void *)file->bytes;
    *size = file->count;
    return 1;
}

static void unmap(thandle_t handle, void *base, toff_t size) {
    (void)handle;
    (void)base;
    (void)size;
}

static int keep_message(
    TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)module;
    kf_tiff_file *file = user;
    if (!file->message[0]) vsnprintf(file->message, sizeof(file->message), format, arguments);
    return 1;
}

static int ignore_warning(
    TIFF *tiff, void *user, const char *module, const char *format, va_list arguments) {
    (void)tiff;
    (void)user;
    (void)module;
    (void)format;
    (void)arguments;
    return 1;
}

static TIFF *open_tiff(kf_tiff_file *file, size_t limit) {
    const kf_tiff_functions *tiff = kf_tiff();
    TIFFOpenOptions *options = tiff->TIFFOpenOptionsAlloc();
    if (!options) return NULL;
    tiff->TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)limit);
    tiff->TIFFOpenOptionsSetErrorHandlerExtR(options, keep_message, file);
    tiff->TIFFOpenOptionsSetWarningHandlerExtR(options, ignore_warning, file);
    // Without the first directory, which may be another one.
    TIFF *result = tiff->TIFFClientOpenExt(
        "memory", "rh", file, read_bytes, write_bytes, seek, close_file, size_of, map, unmap, options);
    tiff->TIFFOpenOptionsFree(options);
    return result;
}

kf_tiff_file *kf_tiff_open(
    const uint8_t *bytes, size_t count, uint64_t offset, size_t limit, int jpeg_rgb, char message[256]) {
    const kf_tiff_functions *tiff = kf_tiff();
    kf_tiff_file *file = tiff ? calloc(1, sizeof(kf_tiff_file)) : NULL;
    if (!file) {
        snprintf(message, 256, "no memory");
        return NULL;
    }
    file->bytes = bytes;
    file->count = count;
    file->tiff = open_tiff(file, limit);
    if (!file->tiff || !tiff->TIFFSetSubDirectory(file->tiff, offset)) {
        snprintf(message, 256, "%s", file->message);
        kf_tiff_close(file);
        return NULL;
    }
    // Errors of single fields, which libtiff has replaced by defaults.
    file->message[0] = 0;
    tiff->TIFFSetField(file->tiff, TIFFTAG_ORIENTATION, ORIENTATION_TOPLEFT);
    if (jpeg_rgb) tiff->TIFFSetField(file->tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    return file;
}

void kf_tiff_close(kf_tiff_file *file) {
    if (file->tiff) kf_tiff()->TIFFClose(file->tiff);
    free(file);
}

const char *kf_tiff_message(const kf_tiff_file *file) { return file->message; }

void kf_tiff_size(const kf_tiff_file *file, uint32_t *width, uint32_t *height) {
    *width = *height = 0;
    kf_tiff()->TIFFGetField(file->tiff, TIFFTAG_IMAGEWIDTH, width);
    kf_tiff()->TIFFGetField(file->tiff, TIFFTAG_IMAGELENGTH, height);
}

uint64_t kf_tiff_row_bytes(const kf_tiff_file *file, int of_tile) {
    return of_tile ? kf_tiff()->TIFFTileRowSize64(file->tiff) : kf_tiff()->TIFFScanlineSize64(file->tiff);
}

uint64_t kf_tiff_tile_bytes(const kf_tiff_file *file) { return kf_tiff()->TIFFTileSize64(file->tiff); }

uint32_t kf_tiff_rows_per_strip(const kf_tiff_file *file) {
    uint32_t rows = 0;
    kf_tiff()->TIFFGetField(file->tiff, TIFFTAG_ROWSPERSTRIP, &rows);
    return rows;
}

int kf_tiff_read_row(kf_tiff_file *file, void *target, uint32_t row, uint16_t plane) {
    return kf_tiff()->TIFFReadScanline(file->tiff, target, row, plane) == 1 && !file->message[0];
}

int kf_tiff_read_tile(
    kf_tiff_file *file, void *target, size_t size, uint32_t x, uint32_t y, uint16_t plane) {
    const uint32_t tile = kf_tiff()->TIFFComputeTile(file->tiff, x, y, 0, plane);
    return kf_tiff()->TIFFReadEncodedTile(file->tiff, tile, target, (tmsize_t)size) == (tmsize_t)size
        && !file->message[0];
}

int kf_tiff_can_read_rgba(kf_tiff_file *file) {
    char message[1024] = "";
    const int result = kf_tiff()->TIFFRGBAImageOK(file->tiff, message);
    if (!result && !file->message[0])
        snprintf(file->message, sizeof(file->message), "%.255s", message);
    return result;
}

int kf_tiff_read_rgba(kf_tiff_file *file, uint32_t *target, int is_tile, uint32_t x, uint32_t row) {
    const int result = is_tile ? kf_tiff()->TIFFReadRGBATileExt(file->tiff, x, row, target, 1)
                               : kf_tiff()->TIFFReadRGBAStripExt(file->tiff, row, target, 1);
    return result && !file->message[0];
}
