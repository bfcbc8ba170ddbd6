// libjpeg-turbo's accurate 8x8 inverse DCT. Inlined, because its callers are compiled for two
// instruction sets.
//
// The algorithm is by Loeffler, Ligtenberg and Moschytz (ICASSP 1989), with the products of 16 bits and
// the saturation of libjpeg's vector code, so that out-of-range coefficients also give its samples.
#pragma once

#include "level.h"

/// The bits of fractions in factors, and in the samples between the two passes.
enum { FRACTION_BITS = 13, PASS_BITS = 2 };

/// Factors, times 8,192, named by their value.
enum {
    F_0_298 = 2446, F_0_390 = 3196, F_0_541 = 4433, F_0_765 = 6270, F_0_899 = 7373, F_1_175 = 9633,
    F_1_501 = 12299, F_1_847 = 15137, F_1_961 = 16069, F_2_053 = 16819, F_2_562 = 20995, F_3_072 = 25172,
};

/// The coefficients of two blocks: a row of the first, then one of the second. Those after the end of a block
/// go behind both.
typedef struct {
    int16_t values[2 * 64 + 16];
} block_pair;

static inline int16_t wrapped16(int value) { return (int16_t)(uint16_t)value; }

/// In one dimension, from every `step`th value.
static inline void transform_8_scalar(int16_t *values, int step, int places) {
#define VALUE(i) values[(i) * step]
    const int round = 1 << (places - 1);
    const int sum = wrapped16(VALUE(0) + VALUE(4)) * (1 << FRACTION_BITS) + round;
    const int difference = wrapped16(VALUE(0) - VALUE(4)) * (1 << FRACTION_BITS) + round;
    const int low = VALUE(2) * F_0_541 + VALUE(6) * (F_0_541 - F_1_847);
    const int high = VALUE(2) * (F_0_541 + F_0_765) + VALUE(6) * F_0_541;
    const int even[4] = {sum + high, difference + low, difference - low, sum - high};
    const int a = wrapped16(VALUE(7) + VALUE(3)), b = wrapped16(VALUE(5) + VALUE(1));
    const int z3 = a * (F_1_175 - F_1_961) + b * F_1_175, z4 = a * F_1_175 + b * (F_1_175 - F_0_390);
    const int odd[4] = {
        VALUE(7) * -F_0_899 + VALUE(1) * (F_1_501 - F_0_899) + z4,
        VALUE(5) * -F_2_562 + VALUE(3) * (F_3_072 - F_2_562) + z3,
        VALUE(5) * (F_2_053 - F_2_562) + VALUE(3) * -F_2_562 + z4,
        VALUE(7) * (F_0_298 - F_0_899) + VALUE(1) * -F_0_899 + z3};
    for (int i = 0; i < 4; i++) {
        // Wraps around, as vectors do.
        VALUE(i) = kf_clamp16((int32_t)((uint32_t)even[i] + (uint32_t)odd[i]) >> places);
        VALUE(7 - i) = kf_clamp16((int32_t)((uint32_t)even[i] - (uint32_t)odd[i]) >> places);
    }
#undef VALUE
}

static inline void inverse_8x8_scalar(
    const block_pair *pair, const uint16_t *quantization, size_t width, uint8_t *const corners[2]) {
    for (int block = 0; block < 2; block++) {
        int16_t values[64], others = 0;
        for (int y = 0; y < 8; y++) {
            for (int x = 0; x < 8; x++) {
                const int16_t value = pair->values[16 * y + 8 * block + x];
                values[8 * y + x] = wrapped16(value * quantization[8 * y + x]);
                if (y) others |= value;
            }
        }
        for (int x = 0; x < 8; x++) {
            // libjpeg omits the first pass if only the first row is not zero. The result wraps around then.
            if (!others) values[x] = (int16_t)(wrapped16(values[x] * (1 << PASS_BITS)) >> PASS_BITS);
            transform_8_scalar(values + x, 8, FRACTION_BITS - PASS_BITS);
        }
        for (int y = 0; y < 8; y++) {
            transform_8_scalar(values + 8 * y, 1, FRACTION_BITS + PASS_BITS + 3);
            uint8_t *target = corners[block] + (size_t)y * width;
            for (int x = 0; x < 8; x++) target[x] = kf_clamp8(values[8 * y + x] + 128);
        }
    }
}

#if KF_SIMD
#include "simd128.h"
#include "jpeg_idct_8x8_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "jpeg_idct_8x8_simd.h"
#include "simd_end.h"
#endif

/// Writes the samples of two blocks at two corners, in rows that are `width` bytes apart.
KF_INLINE void inverse_8x8(
    kf_level level, const block_pair *pair, const uint16_t *quantization, size_t width, uint8_t *const corners[2]) {
#if KF_SIMD
    if (level == KF_AVX2) {
        inverse_8x8_avx2(pair, quantization, width, corners);
        return;
    }
    if (level == KF_SSE2) {
        inverse_8x8_sse2(pair, quantization, width, corners);
        return;
    }
#else
    (void)level;
#endif
    inverse_8x8_scalar(pair, quantization, width, corners);
}
