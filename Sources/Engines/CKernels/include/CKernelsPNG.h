// Filtering and unfiltering of PNG rows (W3C PNG, section 9). See CKernels.h.
#pragma once

#include "CKernels.h"

/// The filter types of PNG.
enum {
    KF_PNG_NONE = 0,
    KF_PNG_SUB = 1,
    KF_PNG_UP = 2,
    KF_PNG_AVERAGE = 3,
    KF_PNG_PAETH = 4,
};

/// Filters `row` with the filter of the smallest sum of absolute values; writes the filter's number and
/// `count` bytes to `target`.
///
/// `step` is the bytes of a pixel. `row` and `above` are preceded by `step` zeroes; above the first row is a
/// row of zeroes.
void kf_png_filter(
    kf_level level, const uint8_t *_Nonnull row, const uint8_t *_Nonnull above, size_t count, size_t step,
    uint8_t *_Nonnull target);

/// Filters `count` bytes inside a row with `filter`; `row` and `above` are preceded by the pixel to the left.
/// Writes only the filtered bytes to `target`.
void kf_png_filter_piece(
    kf_level level, int32_t filter, const uint8_t *_Nonnull row, const uint8_t *_Nonnull above, size_t count,
    size_t step, uint8_t *_Nonnull target);

/// Converts pixels of `from` channels to a PNG row of `to` channels. Alpha is the last channel if the number
/// is even. Drops alpha, or green and blue of greyscale images.
void kf_png_pack8(
    const uint8_t *_Nonnull source, size_t pixels, int32_t from, int32_t to, uint8_t *_Nonnull target);

/// The same for 16-bit samples, which PNG stores in big-endian order.
void kf_png_pack16(
    const uint16_t *_Nonnull source, size_t pixels, int32_t from, int32_t to, uint8_t *_Nonnull target);

/// Unfilters `rows` rows of 8-bit pixels, each preceded by its filter byte of 0...4.
///
/// `channels` is 1, 2, 3 or 4; three become four in `target`, the fourth 255. `above` is the row above the
/// first in the layout of `target`, zeros at the top of an image; it must not be one of the target rows. Up
/// to three bytes after the last row of `source` must be readable.
void kf_png_unfilter(
    kf_level level, const uint8_t *_Nonnull source, size_t source_stride, int32_t rows, int32_t width,
    int32_t channels, const uint8_t *_Nonnull above, uint8_t *_Nonnull target, size_t target_stride);

/// Looks up each of `count` indices in `colors`, 256 pixels of RGBA.
void kf_png_look_up(
    const uint8_t *_Nonnull source, size_t count, const uint8_t *_Nonnull colors, uint8_t *_Nonnull target);
