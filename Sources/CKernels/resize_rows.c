#include "level.h"

#if KF_SIMD
#include "simd128.h"
#include "resize_rows_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "resize_rows_simd.h"
#include "simd_end.h"
#endif

void kf_resize_rows(
    kf_level level, const int16_t *const *source, size_t samples, const kf_taps *taps, int32_t row,
    uint8_t *target) {
    const int16_t *weights = taps->weights + (size_t)row * (size_t)taps->stride;
    const int32_t shift = taps->shift + KF_RESIZE_FRACTION;
    size_t x = 0;
#if KF_SIMD
    if (level == KF_AVX2) x = resize_rows_avx2(source, x, samples, weights, taps->taps, shift, target);
    if (level >= KF_SSE2) x = resize_rows_sse2(source, x, samples, weights, taps->taps, shift, target);
#endif
    for (; x < samples; x++) {
        int32_t sum = 1 << (shift - 1);
        for (int32_t tap = 0; tap < taps->taps; tap++) sum += source[tap][x] * weights[tap];
        target[x] = kf_clamp8(sum >> shift);
    }
}
