#include "level.h"

#if KF_SIMD
#include "simd128.h"
#include "resize_columns_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "resize_columns_simd.h"
#include "simd_end.h"
#endif

static void resize_columns(
    const int16_t *source, size_t stride, int32_t rows, int32_t channels, const kf_taps *taps,
    uint8_t *target, size_t target_stride) {
    const int32_t shift = taps->shift + KF_RESIZE_FRACTION;
    for (int32_t row = 0; row < rows; row++) {
        uint8_t *out = target + (size_t)row * target_stride;
        for (int32_t i = 0; i < taps->count; i++) {
            const int16_t *in = source + (size_t)row * stride + (size_t)taps->first[i] * (size_t)channels;
            const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
            for (int32_t channel = 0; channel < channels; channel++) {
                int32_t sum = 1 << (shift - 1);
                for (int32_t tap = 0; tap < taps->taps; tap++)
                    sum += in[tap * channels + channel] * weights[tap];
                *out++ = kf_clamp8(sum >> shift);
            }
        }
    }
}

void kf_resize_columns(
    kf_level level, const int16_t *source, size_t stride, int32_t rows, int32_t channels, const kf_taps *taps,
    uint8_t *target, size_t target_stride) {
#if KF_SIMD
    if (channels == 4 && level == KF_AVX2)
        return resize_columns_avx2(source, stride, rows, taps, target, target_stride);
    if (channels == 4 && level == KF_SSE2)
        return resize_columns_sse2(source, stride, rows, taps, target, target_stride);
#endif
    resize_columns(source, stride, rows, channels, taps, target, target_stride);
}
