// Pixel kernels. The caller checks sizes, tables and scratch memory; nothing here parses or allocates.
//
// Strides are in bytes and need no alignment. All levels of a function give the same bytes.
#pragma once

#include <stddef.h>
#include <stdint.h>

/// The instructions that a kernel may use. On processors other than x86, KF_SSE2 and KF_AVX2 are translated
/// by SIMDe if its headers were found at build time.
typedef enum {
    KF_SCALAR = 0,
    KF_SSE2 = 1,
    KF_AVX2 = 2,
} kf_level;

/// Whether the compiler has optimized these kernels, which it does not in debug builds.
_Bool kf_is_optimized(void);

/// Whether the kernels are compiled for Address Sanitizer.
_Bool kf_is_sanitized(void);

/// Whether this build can run `level` on this processor.
_Bool kf_supports(kf_level level);

// MARK: Resampling

/// The weights of one axis in fixed point.
///
/// Output i is the sum of `taps` inputs from `first[i]` on, times `weights[i * stride...]`, shifted right by
/// `shift` with rounding. `first[i]` is even and does not fall. `stride` is `taps` rounded up to a multiple
/// of four; the padding is zero. The last inputs may be beyond the image, with zero weights.
typedef struct {
    const int32_t *_Nonnull first;
    const int16_t *_Nonnull weights;
    int32_t count;
    int32_t taps;
    int32_t stride;
    int32_t shift;
} kf_taps;

/// Fraction bits of the intermediate samples. They are not clamped to 0...255, otherwise overshoot at an edge
/// would be clipped along one axis only.
#define KF_RESIZE_FRACTION 6
/// Samples that `kf_resize_rows` computes at a time.
#define KF_RESIZE_BLOCK 128
/// Output rows for which rows are expanded once. More would need more rows than the L2 cache holds.
#define KF_RESIZE_GROUP 4

/// Input rows of `kf_resize_rows`, of 1, 2 or 4 interleaved channels.
typedef struct {
    const uint8_t *_Nonnull const *_Nonnull rows;
    /// An even number.
    int32_t count;
    int32_t channels;
    size_t samples;
} kf_row_window;

/// The samples in memory of a row of `samples` intermediate samples.
static inline size_t kf_resize_row_samples(size_t samples) {
    return (samples + KF_RESIZE_BLOCK - 1) / KF_RESIZE_BLOCK * KF_RESIZE_BLOCK;
}

/// Resamples rows along y: computes `outputs` rows from `row` on. The window begins with row `first[row]` and
/// has all inputs.
///
/// The target has the samples of two neighbour pixels side by side, channel by channel, because one
/// instruction multiplies and adds pairs. A row has `kf_resize_row_samples` samples; those after the last
/// pixel are 0. `scratch` has 2 * KF_RESIZE_BLOCK samples for each two rows of the window. `target_stride`
/// counts samples.
void kf_resize_rows(
    kf_level level, const kf_row_window *_Nonnull window, const kf_taps *_Nonnull taps, int32_t row,
    int32_t outputs, int16_t *_Nonnull scratch, int16_t *_Nonnull target, size_t target_stride);

/// Resamples one to four rows from `kf_resize_rows` along x. `source_stride` counts samples.
///
/// Reads `stride` inputs from each `first[i]` on, including those with zero weight.
void kf_resize_columns(
    kf_level level, const int16_t *_Nonnull source, size_t source_stride, int32_t rows, int32_t channels,
    const kf_taps *_Nonnull taps, uint8_t *_Nonnull target, size_t target_stride);

/// The weights of one axis in floating point, without padding.
typedef struct {
    const int32_t *_Nonnull first;
    const float *_Nonnull weights;
    int32_t count;
    int32_t taps;
} kf_float_taps;

/// Computes one output row of 16-bit samples: first sums rows into `scratch` (`width * channels` floats),
/// then columns.
///
/// If `premultiplied` is not NULL, it has room for a row, and each row is premultiplied there first.
void kf_resize_row16(
    const uint16_t *_Nonnull source, size_t stride, int32_t width, int32_t channels,
    const kf_float_taps *_Nonnull rows, int32_t row, const kf_float_taps *_Nonnull columns,
    uint16_t *_Nullable premultiplied, float *_Nonnull scratch, uint16_t *_Nonnull target);

/// Averages boxes of `across` x `rows` pixels into one row; the last box may be narrower.
///
/// `rows` is at most 256. `scratch` holds `width * channels` 16-bit sums.
void kf_shrink_row(
    kf_level level, const uint8_t *_Nonnull source, size_t stride, int32_t width, int32_t rows,
    int32_t across, int32_t channels, uint16_t *_Nonnull scratch, uint8_t *_Nonnull target);

/// The same for 16-bit samples; `scratch` holds `width * channels` sums.
void kf_shrink_row16(
    const uint16_t *_Nonnull source, size_t stride, int32_t width, int32_t rows, int32_t across,
    int32_t channels, uint32_t *_Nonnull scratch, uint16_t *_Nonnull target);

// MARK: Blur

/// The maximum reach for which sums fit in 16 bits, as the vector kernels require.
#define KF_BLUR_REACH_IN_16_BITS 127

/// Bytes of scratch memory for blurring an image whose longer side is `side`.
static inline size_t kf_blur_scratch(size_t side, size_t passes) {
    return 32 * side + 32 * passes * (KF_BLUR_REACH_IN_16_BITS + 1) + 4 * side * passes;
}

/// Blurs RGBA by `passes` box filters of 2 * `reach` + 1 pixels along each axis, edges extended.
///
/// `reach` is 1...2^20, `scratch` has `kf_blur_scratch` bytes. `target` may be `source`.
void kf_box_blur(
    kf_level level, const uint8_t *_Nonnull source, size_t source_stride, int32_t width, int32_t height,
    int32_t reach, int32_t passes, uint8_t *_Nonnull scratch, uint8_t *_Nonnull target, size_t target_stride);

/// Bytes of scratch memory for `kf_box_blur16`.
static inline size_t kf_blur_scratch16(size_t side) { return 64 * side; }

/// The same for 16-bit samples. `target` is not `source`.
void kf_box_blur16(
    const uint16_t *_Nonnull source, size_t source_stride, int32_t width, int32_t height, int32_t reach,
    int32_t passes, uint16_t *_Nonnull scratch, uint16_t *_Nonnull target, size_t target_stride);

// MARK: Sharpening

/// Bytes of scratch memory for `kf_sharpen_row`.
size_t kf_sharpen_scratch(int32_t width, int32_t taps);

/// Sharpens a row of RGBA: each colour sample plus `amount` / 1,024 times its difference to the weighted mean
/// around it. Alpha is copied, and colours may exceed it.
///
/// `rows` are `taps` rows, the one to sharpen in the middle; `taps` is odd. `weights` are the weights of one
/// axis and add up to 256. `amount` is at most 32,767. `scratch` is aligned for uint16_t; `target` is none of
/// the rows.
void kf_sharpen_row(
    kf_level level, const uint8_t *_Nonnull const *_Nonnull rows, const uint8_t *_Nonnull weights,
    int32_t taps, int32_t width, int32_t amount, uint16_t *_Nonnull scratch, uint8_t *_Nonnull target);

/// Bytes of scratch memory for `kf_sharpen_row16`.
static inline size_t kf_sharpen_scratch16(int32_t width, int32_t taps) {
    return 4 * sizeof(float) * ((size_t)width + (size_t)taps);
}

/// The same for 16-bit samples, and limits colours to alpha. `scratch` is aligned to 16 bytes.
void kf_sharpen_row16(
    const uint16_t *_Nonnull const *_Nonnull rows, const uint8_t *_Nonnull weights, int32_t taps,
    int32_t width, int32_t amount, float *_Nonnull scratch, uint16_t *_Nonnull target);

// MARK: Alpha

/// Multiplies the colours of RGBA by alpha, rounding to nearest. `target` may be `source`.
void kf_premultiply_rgba8(
    kf_level level, const uint8_t *_Nonnull source, size_t pixels, uint8_t *_Nonnull target);

/// The same for 2 or 4 interleaved channels of 8 bits.
void kf_premultiply8(
    const uint8_t *_Nonnull source, size_t pixels, int32_t channels, uint8_t *_Nonnull target);

/// The same for 2 or 4 channels of 16 bits.
void kf_premultiply16(
    const uint16_t *_Nonnull source, size_t pixels, int32_t channels, uint16_t *_Nonnull target);

/// Divides the colours by alpha, rounding to nearest; 0 where alpha is 0.
void kf_unpremultiply8(
    const uint8_t *_Nonnull source, size_t pixels, int32_t channels, uint8_t *_Nonnull target);
void kf_unpremultiply16(
    const uint16_t *_Nonnull source, size_t pixels, int32_t channels, uint16_t *_Nonnull target);

/// Limits colours that exceed alpha after a filter's overshoot. 2 or 4 channels, in place.
void kf_clamp_to_alpha8(kf_level level, uint8_t *_Nonnull pixels, size_t count, int32_t channels);
void kf_clamp_to_alpha16(uint16_t *_Nonnull pixels, size_t count, int32_t channels);

// MARK: Layout and depth

/// Expands `from` channels (1 grey, 2 grey and alpha) to `to` channels (2 or 4); missing alpha is opaque.
void kf_expand8(
    const uint8_t *_Nonnull source, size_t pixels, int32_t from, int32_t to, uint8_t *_Nonnull target);
void kf_expand16(
    const uint16_t *_Nonnull source, size_t pixels, int32_t from, int32_t to, uint16_t *_Nonnull target);

/// Rounds 16-bit samples to 8 bits.
void kf_narrow(const uint16_t *_Nonnull source, size_t samples, uint8_t *_Nonnull target);

/// Converts 8-bit samples to 16 bits; 255 becomes 65,535.
void kf_widen(const uint8_t *_Nonnull source, size_t samples, uint16_t *_Nonnull target);

#include "CKernelsBlend.h"
#include "CKernelsJPEG.h"
#include "CKernelsPNG.h"
#include "CKernelsCover.h"
