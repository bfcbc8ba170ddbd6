// Compositing and colour kernels for premultiplied RGBA of 8 and of 16 bits. See CKernels.h.
#pragma once

#include "CKernels.h"

// MARK: Blending over one colour

/// 1.0 in the factors of `kf_hinge_blend`.
#define KF_BLEND_ONE 8192

/// A blend mode over one colour as a hinge function of the pixel's sample s and alpha a. For red, green, blue
/// and alpha:
///
///     slope s + lift a + offset + max(0, hinge_slope s + hinge_lift a + hinge_offset)
///
/// in units of 1 / KF_BLEND_ONE. The last term is subtracted if `hinge_sign` is -1, added if it is 0. The
/// result is clamped to 0...255, and colours to alpha. The absolute value of a factor is below 4.
typedef struct {
    int16_t slope[4];
    int16_t lift[4];
    int32_t offset[4];
    int16_t hinge_slope[4];
    int16_t hinge_lift[4];
    int32_t hinge_offset[4];
    int32_t hinge_sign[4];
    /// Whether any channel has the last term.
    _Bool has_hinge;
} kf_hinge_blend;

/// Blends pixels with a colour. `target` may be `source`.
void kf_blend_hinge(
    kf_level level, const uint8_t *_Nonnull source, size_t pixels, const kf_hinge_blend *_Nonnull blend,
    uint8_t *_Nonnull target);

/// The same for 16-bit samples. `factors` are slope, lift and offset, the same three of the hinge, then its
/// sign 1 or -1, for four channels each; offsets are in samples.
void kf_blend_hinge16(
    const uint16_t *_Nonnull source, size_t pixels, const float *_Nonnull factors,
    uint16_t *_Nonnull target);

/// The modes that `kf_hinge_blend` cannot express, because they divide or mix channels.
typedef enum {
    KF_COLOR_DODGE,
    KF_COLOR_BURN,
    KF_HUE,
    KF_SATURATION,
    KF_COLOR,
    KF_LUMINOSITY,
} kf_curved_mode;

/// Blends pixels, weighted by `opacity` (0...1), with a premultiplied colour in floating point. `target` may
/// be `source`.
void kf_blend_curved(
    kf_level level, kf_curved_mode mode, const uint8_t *_Nonnull source, size_t pixels,
    const uint8_t *_Nonnull backdrop, float opacity, uint8_t *_Nonnull target);
void kf_blend_curved16(
    kf_curved_mode mode, const uint16_t *_Nonnull source, size_t pixels, const uint16_t *_Nonnull backdrop,
    float opacity, uint16_t *_Nonnull target);

// MARK: Filters in linear light

/// Entries of a table of `kf_linear_filter`: one per sample value; the last is repeated.
#define KF_LINEAR_ENTRIES 257
/// The number of linear light values in 0...1 in the table `encoded`.
#define KF_LINEAR_STEPS 16384
/// 1.0 of linear light in sums: a step is four units.
#define KF_LINEAR_ONE 65532

/// A linear combination of a pixel's channels under one translucent colour. All values are linear light in
/// units of 1 / KF_LINEAR_ONE, at most 2^28 in absolute value.
typedef struct {
    /// Three tables, for red, green and blue, of KF_LINEAR_ENTRIES each: the contribution of a straight
    /// sample to red, green and blue; the fourth number is zero.
    const int32_t *_Nonnull tables;
    /// Added light, weighted by the pixel's alpha.
    int32_t bias[3];
    /// The light of the colour on top, multiplied by its alpha.
    int32_t veil[3];
    /// The alpha of the colour on top, 0...1. The tables and `bias` are already multiplied by 1 - veil_alpha.
    float veil_alpha;
    /// The sRGB bytes of the KF_LINEAR_STEPS light values.
    const uint8_t *_Nonnull encoded;
} kf_linear_filter;

/// Filters pixels. `target` may be `source`.
void kf_filter_linear(
    kf_level level, const uint8_t *_Nonnull source, size_t pixels, const kf_linear_filter *_Nonnull filter,
    uint8_t *_Nonnull target);

/// Entries of the table `light` of `kf_filter_linear16`.
#define KF_LINEAR_ENTRIES16 1026

/// Filters pixels of 16-bit samples in floating point. `target` may be `source`.
///
/// `light` has the linear light of equidistant samples from black to white, `encoded` the sRGB samples in
/// 0...65,535 of KF_LINEAR_STEPS light values; both have their last entry twice, because values between two
/// entries are interpolated. `factors` are the contributions of red, green and blue to the result and the
/// added light, all multiplied by 1 - veil_alpha; then the colour on top, multiplied by its alpha, and
/// veil_alpha. Four numbers each.
void kf_filter_linear16(
    const uint16_t *_Nonnull source, size_t pixels, const double *_Nonnull light,
    const double *_Nonnull encoded, const double *_Nonnull factors, uint16_t *_Nonnull target);
