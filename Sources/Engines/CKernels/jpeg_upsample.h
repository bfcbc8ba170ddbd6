// libjpeg's upsampling of chroma by a triangle filter: 3/4 of the nearest sample and 1/4 of the next one, in
// each direction. Inlined, because its callers are compiled for two instruction sets.
#pragma once

#include "level.h"

#include <stdbool.h>

/// From a line of sums to twice as many samples. The rounding of the first and the second of a pair differ.
typedef struct {
    int shift;
    int first_round;
    int second_round;
} widening;

static inline void widen_scalar(const uint16_t *sums, size_t count, const widening *how, uint16_t *pairs) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t triple = 3u * sums[i + 1];
        const uint32_t first = (triple + sums[i] + (uint32_t)how->first_round) >> how->shift;
        const uint32_t second = (triple + sums[i + 2] + (uint32_t)how->second_round) >> how->shift;
        pairs[i] = (uint16_t)(first | second << 8);
    }
}

#if KF_SIMD
#include "simd128.h"
#include "jpeg_upsample_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "jpeg_upsample_simd.h"
#include "simd_end.h"
#endif

/// `sums` begins with room for a sum on the left and has as much on the right. Vectors write up to
/// 15 pairs more.
KF_INLINE void widen(kf_level level, uint16_t *sums, size_t count, widening how, uint16_t *pairs) {
    sums[0] = sums[1];
    sums[count + 1] = sums[count];
#if KF_SIMD
    if (level == KF_AVX2) {
        widen_avx2(sums, count, &how, pairs);
        return;
    }
    if (level == KF_SSE2) {
        widen_sse2(sums, count, &how, pairs);
        return;
    }
#else
    (void)level;
#endif
    widen_scalar(sums, count, &how, pairs);
}

/// From half the resolution horizontally.
KF_INLINE void upsample_across(
    kf_level level, const uint8_t *line, size_t count, uint16_t *restrict sums, uint16_t *pairs) {
    for (size_t i = 0; i < count; i++) sums[i + 1] = line[i];
    widen(level, sums, count, (widening){2, 1, 2}, pairs);
}

/// From half the resolution vertically, for the upper or the lower of two lines.
KF_INLINE void upsample_down(
    const uint8_t *near, const uint8_t *far, size_t count, bool is_upper, uint8_t *restrict target) {
    const int round = is_upper ? 1 : 2;
    for (size_t i = 0; i < count; i++) target[i] = (uint8_t)((3 * near[i] + far[i] + round) >> 2);
}

/// From half the resolution in both directions.
KF_INLINE void upsample_both(
    kf_level level, const uint8_t *near, const uint8_t *far, size_t count, uint16_t *restrict sums, uint16_t *pairs) {
    for (size_t i = 0; i < count; i++) sums[i + 1] = (uint16_t)(3 * near[i] + far[i]);
    widen(level, sums, count, (widening){4, 8, 7}, pairs);
}
