#include "CHEIF.h"

// Processors with fused operations, such as arm64, would round otherwise.
#pragma STDC FP_CONTRACT OFF

// ITU-T H.273: Y' = KR R' + (1 - KR - KB) G' + KB B', Cb = (B' - Y') / (2 - 2 KB),
// Cr = (R' - Y') / (2 - 2 KR).
// In the narrow range, luma is 16...235 and chroma 16...240 at 8 bits.

typedef struct {
    float luma_offset, luma, chroma_offset, red_cr, green_cb, green_cr, blue_cb, maximum;
} scales;

static scales scales_of(const kf_heif_matrix *matrix, float maximum) {
    const float unit = (float)(1 << (matrix->depth - 8));
    const float top = (float)((1 << matrix->depth) - 1);
    const float luma = matrix->full_range ? top : 219 * unit, chroma = matrix->full_range ? top : 224 * unit;
    const float green = 1 - matrix->red - matrix->blue;
    const float to_cr = 2 - 2 * matrix->red, to_cb = 2 - 2 * matrix->blue;
    return (scales){
        .luma_offset = matrix->full_range ? 0 : 16 * unit,
        .luma = maximum / luma,
        .chroma_offset = 128 * unit,
        .red_cr = maximum * to_cr / chroma,
        .green_cb = -maximum * to_cb * matrix->blue / green / chroma,
        .green_cr = -maximum * to_cr * matrix->red / green / chroma,
        .blue_cb = maximum * to_cb / chroma,
        .maximum = maximum,
    };
}

static inline float clipped(float value, float maximum) {
    const float positive = value > 0 ? value : 0;
    return (positive < maximum ? positive : maximum) + 0.5f;
}

#define KF_CONVERT(name, type, top) \
    void name( \
        const kf_heif_matrix *matrix, const type *y, const type *u, const type *v, size_t count, \
        type *rgba) { \
        const scales s = scales_of(matrix, top); \
        for (size_t i = 0; i < count; i++) { \
            const float luma = ((float)y[i] - s.luma_offset) * s.luma; \
            const float cb = u ? (float)u[i] - s.chroma_offset : 0; \
            const float cr = v ? (float)v[i] - s.chroma_offset : 0; \
            rgba[4 * i] = (type)clipped(luma + s.red_cr * cr, s.maximum); \
            rgba[4 * i + 1] = (type)clipped(luma + s.green_cb * cb + s.green_cr * cr, s.maximum); \
            rgba[4 * i + 2] = (type)clipped(luma + s.blue_cb * cb, s.maximum); \
            rgba[4 * i + 3] = (type)top; \
        } \
    }

KF_CONVERT(kf_heif_rgba8, uint8_t, 255.0f)
KF_CONVERT(kf_heif_rgba16, uint16_t, 65535.0f)

void kf_heif_extend(uint16_t *samples, size_t count, int depth) {
    const uint32_t maximum = (1u << depth) - 1;
    for (size_t i = 0; i < count; i++) {
        const uint32_t sample = samples[i] < maximum ? samples[i] : maximum;
        samples[i] = (uint16_t)((sample * 65535u + maximum / 2) / maximum);
    }
}
