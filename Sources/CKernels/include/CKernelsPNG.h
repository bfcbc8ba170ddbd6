// The filters of PNG (W3C PNG, section 9), taken off rows and put on them. See CKernels.h.
#pragma once

#include "CKernels.h"

/// What a row's bytes are differences from, by the number that stands before them.
enum {
    KF_PNG_NONE = 0,
    KF_PNG_SUB = 1,
    KF_PNG_UP = 2,
    KF_PNG_AVERAGE = 3,
    KF_PNG_PAETH = 4,
};

/// Puts on `row` the filter whose bytes are nearest to 0 in sum; `target` gets its number and `count` bytes.
///
/// `step` is the bytes of a pixel. `row` and `above` are preceded by so many zeroes; above the first row is a
/// row of zeroes.
void kf_png_filter(
    kf_level level, const uint8_t *_Nonnull row, const uint8_t *_Nonnull above, size_t count, size_t step,
    uint8_t *_Nonnull target);

/// Puts the filter of number `filter` on `count` bytes within a row, where `row` and `above` are preceded by
/// the pixel to the left; `target` gets the bytes alone.
void kf_png_filter_piece(
    kf_level level, int32_t filter, const uint8_t *_Nonnull row, const uint8_t *_Nonnull above, size_t count,
    size_t step, uint8_t *_Nonnull target);

/// Lays out pixels of `from` channels as PNG has them: `to` channels, alpha among them where that is even, as
/// the last of both. What is dropped is alpha, or green and blue where all three are the same.
void kf_png_pack8(
    const uint8_t *_Nonnull source, size_t pixels, int32_t from, int32_t to, uint8_t *_Nonnull target);

/// The same for samples of 16 bits, which PNG stores most significant byte first.
void kf_png_pack16(
    const uint16_t *_Nonnull source, size_t pixels, int32_t from, int32_t to, uint8_t *_Nonnull target);

/// Takes the filters off `rows` rows of 8-bit pixels, each behind its filter byte of 0...4.
///
/// `channels` is 1, 2, 3 or 4; three become four in `target`, the fourth 255. `above` is the row above the
/// first in the layout of `target`, zeros at the top of an image; it may not be one of the rows that are
/// made. Up to three bytes behind the last row of `source` must be readable.
void kf_png_unfilter(
    kf_level level, const uint8_t *_Nonnull source, size_t source_stride, int32_t rows, int32_t width,
    int32_t channels, const uint8_t *_Nonnull above, uint8_t *_Nonnull target, size_t target_stride);

/// Looks up each of `count` indices in `colors`, 256 pixels of RGBA.
void kf_png_look_up(
    const uint8_t *_Nonnull source, size_t count, const uint8_t *_Nonnull colors, uint8_t *_Nonnull target);
