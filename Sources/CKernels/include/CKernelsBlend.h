// Compositing and colour: loops over premultiplied RGBA of 8 bits. See CKernels.h.
#pragma once

#include "CKernels.h"

// MARK: Blending over one colour

/// 1 in the factors of `kf_hinge_blend`.
#define KF_BLEND_ONE 8192

/// What a blend mode makes of a pixel over one colour, where that is piecewise linear in the pixel's sample s
/// and its alpha a. For red, green, blue and alpha:
///
///     slope s + lift a + offset + max(0, hinge_slope s + hinge_lift a + hinge_offset)
///
/// in units of 1 / KF_BLEND_ONE, the last part taken away where `hinge_sign` is -1 and added where it is 0;
/// then limited to 0...255, and colours to alpha. Factors are below 4 in size.
typedef struct {
    int16_t slope[4];
    int16_t lift[4];
    int32_t offset[4];
    int16_t hinge_slope[4];
    int16_t hinge_lift[4];
    int32_t hinge_offset[4];
    int32_t hinge_sign[4];
    /// Whether any channel has the last part.
    _Bool bends;
} kf_hinge_blend;

/// Blends pixels with a colour. `target` may be `source`.
void kf_blend_hinge(
    kf_level level, const uint8_t *_Nonnull source, size_t pixels, const kf_hinge_blend *_Nonnull blend,
    uint8_t *_Nonnull target);

/// The modes that no `kf_hinge_blend` says: those that divide, and those that mix channels.
typedef enum {
    KF_COLOR_DODGE,
    KF_COLOR_BURN,
    KF_HUE,
    KF_SATURATION,
    KF_COLOR,
    KF_LUMINOSITY,
} kf_curved_mode;

/// Blends pixels, weighted by `opacity` of 0...1, with a premultiplied colour, in floating point. `target`
/// may be `source`.
void kf_blend_curved(
    kf_level level, kf_curved_mode mode, const uint8_t *_Nonnull source, size_t pixels,
    const uint8_t *_Nonnull backdrop, float opacity, uint8_t *_Nonnull target);

// MARK: Filters in linear light

/// Entries of a `kf_linear_filter`'s table: one for each sample, and the last again.
#define KF_LINEAR_ENTRIES 257
/// Steps of linear light that are encoded as bytes, from 0 to 1.
#define KF_LINEAR_STEPS 16384
/// 1 of linear light in sums: four parts of a step.
#define KF_LINEAR_ONE 65532

/// A sum of the light of a pixel's channels, under a veil of one colour. All light is linear, in units of
/// 1 / KF_LINEAR_ONE, and at most 2^28 in size.
typedef struct {
    /// For red, green and blue a table of KF_LINEAR_ENTRIES: the light that a straight sample adds to red,
    /// green and blue; the fourth number is zero.
    const int32_t *_Nonnull tables;
    /// Light that is added, weighted by the pixel's alpha.
    int32_t bias[3];
    /// The veil's light, multiplied by its alpha.
    int32_t veil[3];
    /// The veil's alpha, 0...1, by which the tables and `bias` are diminished already.
    float veil_alpha;
    /// The bytes of the KF_LINEAR_STEPS steps of light, encoded.
    const uint8_t *_Nonnull encoded;
} kf_linear_filter;

/// Filters pixels. `target` may be `source`.
void kf_filter_linear(
    kf_level level, const uint8_t *_Nonnull source, size_t pixels, const kf_linear_filter *_Nonnull filter,
    uint8_t *_Nonnull target);
