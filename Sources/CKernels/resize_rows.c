#include "level.h"

#if KF_SIMD
#include "simd128.h"
#include "resize_rows_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "resize_rows_simd.h"
#include "simd_end.h"
#endif

static int16_t clamp16(int32_t value) {
    return value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : (int16_t)value;
}

void kf_resize_rows(
    kf_level level, const uint8_t *source, size_t stride, size_t samples, const kf_taps *taps, int32_t row,
    int16_t *target) {
    const uint8_t *first = source + (size_t)taps->first[row] * stride;
    const int16_t *weights = taps->weights + (size_t)row * (size_t)taps->stride;
    const int32_t shift = taps->shift - KF_RESIZE_FRACTION;
    size_t x = 0;
#if KF_SIMD
    if (level == KF_AVX2) x = resize_rows_avx2(first, stride, samples, weights, taps->taps, shift, target);
    if (level >= KF_SSE2)
        x += resize_rows_sse2(first + x, stride, samples - x, weights, taps->taps, shift, target + x);
#endif
    for (; x < samples; x++) {
        int32_t sum = 1 << (shift - 1);
        for (int32_t tap = 0; tap < taps->taps; tap++) sum += first[(size_t)tap * stride + x] * weights[tap];
        target[x] = clamp16(sum >> shift);
    }
}
