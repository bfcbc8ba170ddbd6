// Blend functions of W3C Compositing and Blending Level 1, sections 10.1 and 10.2, over one colour.
//
// Uses vector types of the compiler, because this is only arithmetic. Wider vectors give the same bytes as
// long as products are not fused with sums.
#include "level.h"
#pragma STDC FP_CONTRACT OFF

typedef struct {
    /// Premultiplied, 0...255.
    float bytes[4];
    /// Not premultiplied, 0...1; black where alpha is 0.
    float straight[3];
    /// 0...1.
    float alpha;
} curved_backdrop;

#define ELEMENTS 4
#define NAME(name) name##_4
#define TARGET
#include "blend_curved_vectors.h"

#if KF_SIMD
#define ELEMENTS 8
#define NAME(name) name##_8
#define TARGET KF_AVX2_TARGET
#include "blend_curved_vectors.h"
#endif

void kf_blend_curved(
    kf_level level, kf_curved_mode mode, const uint8_t *source, size_t pixels, const uint8_t *color,
    float opacity, uint8_t *target) {
    curved_backdrop backdrop;
    for (int32_t c = 0; c < 4; c++) backdrop.bytes[c] = color[c];
    for (int32_t c = 0; c < 3; c++) backdrop.straight[c] = color[3] ? (float)color[c] / color[3] : 0;
    backdrop.alpha = color[3] / 255.0f;
#if KF_SIMD
    if (level == KF_AVX2) return rows_8(mode, source, pixels, &backdrop, opacity, target);
#endif
    rows_4(mode, source, pixels, &backdrop, opacity, target);
}
