#pragma once
#if !__has_include(<tiffio.h>)
#error "<tiffio.h> is missing: run `make setup` (it installs libtiff-dev)"
#endif
#include <stdint.h>
#include <tiffio.h>
#include "CLibraryLoader.h"

#define KF_TIFF_FUNCTIONS(X) \
    X(TIFFGetVersion) X(TIFFClientOpenExt) X(TIFFClose) X(TIFFOpenOptionsAlloc) X(TIFFOpenOptionsFree) \
    X(TIFFOpenOptionsSetMaxSingleMemAlloc) X(TIFFOpenOptionsSetErrorHandlerExtR) \
    X(TIFFOpenOptionsSetWarningHandlerExtR) X(TIFFSetSubDirectory) X(TIFFGetField) X(TIFFSetField) \
    X(TIFFScanlineSize64) X(TIFFTileRowSize64) X(TIFFTileSize64) X(TIFFReadScanline) X(TIFFComputeTile) \
    X(TIFFReadEncodedTile) X(TIFFRGBAImageOK) X(TIFFReadRGBAStripExt) X(TIFFReadRGBATileExt)

KF_LIBRARY_TABLE(kf_tiff, kf_tiff_functions, KF_TIFF_FUNCTIONS)

/// A directory of a file in memory, opened by libtiff. Not for concurrent use.
typedef struct kf_tiff_file kf_tiff_file;

/// Opens the directory at `offset`. `bytes` must outlive the file. Allocations above `limit` bytes fail.
///
/// Samples in JPEG compression are converted to RGB by libjpeg, if `jpeg_rgb` is not 0. The stored
/// orientation is ignored. NULL if libtiff is missing or rejects the file; then `message` has its reason.
kf_tiff_file *_Nullable kf_tiff_open(
    const uint8_t *_Nonnull bytes, size_t count, uint64_t offset, size_t limit, int jpeg_rgb,
    char message[_Nonnull 256]);

void kf_tiff_close(kf_tiff_file *_Nonnull file);

/// libtiff's first error; empty without one.
const char *_Nonnull kf_tiff_message(const kf_tiff_file *_Nonnull file);

/// Width and height as libtiff reads them.
void kf_tiff_size(const kf_tiff_file *_Nonnull file, uint32_t *_Nonnull width, uint32_t *_Nonnull height);

/// Bytes of a row of the image, or of a tile.
uint64_t kf_tiff_row_bytes(const kf_tiff_file *_Nonnull file, int of_tile);
uint64_t kf_tiff_tile_bytes(const kf_tiff_file *_Nonnull file);

/// The rows of a strip as libtiff delivers it. It divides one
/// uncompressed strip into strips of about 8 KB.
uint32_t kf_tiff_rows_per_strip(const kf_tiff_file *_Nonnull file);

/// Reads a row of a plane of a file of strips; rows must be read in order. 0 on failure.
int kf_tiff_read_row(kf_tiff_file *_Nonnull file, void *_Nonnull target, uint32_t row, uint16_t plane);

/// Reads the tile of a plane that contains a pixel. 0 on failure.
int kf_tiff_read_tile(
    kf_tiff_file *_Nonnull file, void *_Nonnull target, size_t size, uint32_t x, uint32_t y, uint16_t plane);

/// Whether libtiff's interface for RGBA reads the directory.
int kf_tiff_can_read_rgba(kf_tiff_file *_Nonnull file);

/// Reads the strip that begins at `row`, or the tile at `x` and `row` if `is_tile` is not 0, as RGBA with
/// associated alpha, last row first. 0 on failure.
int kf_tiff_read_rgba(
    kf_tiff_file *_Nonnull file, uint32_t *_Nonnull target, int is_tile, uint32_t x, uint32_t row);

// MARK: Samples

typedef enum { kf_tiff_unsigned = 1, kf_tiff_signed = 2, kf_tiff_float = 3 } kf_tiff_kind;

/// Where the samples of a channel are in a row.
typedef struct {
    const void *_Nonnull row;
    int bits;  // 1, 2, 4, 8, 16, 32 or 64
    kf_tiff_kind kind;
    size_t first, step;  // in samples
    int inverted;
} kf_tiff_samples;

/// Converts samples to the range of 8 or 16 bits, `step` samples apart: integers by their most significant
/// bits or by repetition, floating point from 0...1, clipped; NaN becomes 0.
void kf_tiff_unpack8(const kf_tiff_samples *_Nonnull samples, size_t count, uint8_t *_Nonnull target, size_t step);
void kf_tiff_unpack16(
    const kf_tiff_samples *_Nonnull samples, size_t count, uint16_t *_Nonnull target, size_t step);

/// Copies indices of 1 to 8 bits without scaling them.
void kf_tiff_indices(const kf_tiff_samples *_Nonnull samples, size_t count, uint8_t *_Nonnull target);

/// Multiplies inverted inks: CMYK with 255 for no ink becomes opaque RGB, in place.
void kf_tiff_mix_inks(uint8_t *_Nonnull pixels, size_t count);
