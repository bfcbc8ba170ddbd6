// Blend functions of W3C Compositing and Blending Level 1, sections 10.1 and 10.2, over one colour.
//
// Uses vector types of the compiler, because this is only arithmetic. Wider vectors give the same bytes as
// long as products are not fused with sums.
#include "level.h"
#pragma STDC FP_CONTRACT OFF

typedef struct {
    /// Premultiplied, 0 to white.
    float samples[4];
    /// Not premultiplied, 0...1; black where alpha is 0.
    float straight[3];
    /// 0...1.
    float alpha;
} curved_backdrop;

#define BITS 8
#define PIXEL uint32_t
#define ELEMENTS 4
#define NAME(name) name##_4
#define TARGET
#include "blend_curved_vectors.h"

#if KF_SIMD
#define BITS 8
#define PIXEL uint32_t
#define ELEMENTS 8
#define NAME(name) name##_8
#define TARGET KF_AVX2_TARGET
#include "blend_curved_vectors.h"
#endif

#define BITS 16
#define PIXEL uint64_t
#define ELEMENTS 4
#define NAME(name) name##_16_bits
#define TARGET
#include "blend_curved_vectors.h"

static curved_backdrop make_backdrop(const uint16_t color[4], float white) {
    curved_backdrop backdrop;
    for (int32_t c = 0; c < 4; c++) backdrop.samples[c] = color[c];
    for (int32_t c = 0; c < 3; c++) backdrop.straight[c] = color[3] ? (float)color[c] / color[3] : 0;
    backdrop.alpha = color[3] / white;
    return backdrop;
}

void kf_blend_curved(
    kf_level level, kf_curved_mode mode, const uint8_t *source, size_t pixels, const uint8_t *color,
    float opacity, uint8_t *target) {
    const uint16_t samples[4] = {color[0], color[1], color[2], color[3]};
    const curved_backdrop backdrop = make_backdrop(samples, 255);
#if KF_SIMD
    if (level == KF_AVX2) return rows_8(mode, source, pixels, &backdrop, opacity, target);
#endif
    rows_4(mode, source, pixels, &backdrop, opacity, target);
}

void kf_blend_curved16(
    kf_curved_mode mode, const uint16_t *source, size_t pixels, const uint16_t *color, float opacity,
    uint16_t *target) {
    const curved_backdrop backdrop = make_backdrop(color, 65535);
    rows_16_bits(mode, source, pixels, &backdrop, opacity, target);
}
