// The 2x2 inverse DCT of libjpeg-turbo. Inlined, because its caller is compiled for two instruction sets.
#pragma once

#include "level.h"

// Constants of libjpeg's jpeg_idct_2x2: the sums of cosines for odd coefficients, times 8,192.
enum { FACTOR_1 = 29692, FACTOR_3 = -10426, FACTOR_5 = 6967, FACTOR_7 = -5906 };

/// The second pass: the rows of two samples from the sums of their even and odd columns.
KF_INLINE void write_samples(const int even[2], const int odd[2], uint8_t *top, uint8_t *bottom) {
    uint8_t *rows[2] = {top, bottom};
    for (int i = 0; i < 2; i++) {
        // Wraps around for coefficients beyond the range of 8-bit samples, as vectors do.
        uint32_t middle = ((uint32_t)even[i] << 15) + (1 << 19);
        rows[i][0] = kf_clamp8(((int32_t)(middle + (uint32_t)odd[i]) >> 20) + 128);
        rows[i][1] = kf_clamp8(((int32_t)(middle - (uint32_t)odd[i]) >> 20) + 128);
    }
}

/// libjpeg-turbo's 2x2 inverse DCT with the arithmetic of its vector code: products of 16 bits, odd columns
/// saturated between the passes. Coefficients 2, 4 and 6 of rows and columns have no part in it.
KF_INLINE void inverse_2x2_scalar(const int16_t *block, const uint16_t *quantization, uint8_t *top, uint8_t *bottom) {
    static const int columns[5] = {0, 1, 3, 5, 7}, factors[5] = {0, FACTOR_1, FACTOR_3, FACTOR_5, FACTOR_7};
    int even[2] = {0, 0}, odd[2] = {0, 0};
    for (int i = 0; i < 5; i++) {
        const int16_t *c = block + columns[i];
        const uint16_t *q = quantization + columns[i];
        uint32_t sum = (uint32_t)((int16_t)(c[8] * q[8]) * FACTOR_1) + (uint32_t)((int16_t)(c[24] * q[24]) * FACTOR_3)
            + (uint32_t)((int16_t)(c[40] * q[40]) * FACTOR_5) + (uint32_t)((int16_t)(c[56] * q[56]) * FACTOR_7);
        uint32_t first = (uint32_t)((int16_t)(c[0] * q[0]) * (1 << 15)) + (1 << 12);
        int upper = (int32_t)(first + sum) >> 13, lower = (int32_t)(first - sum) >> 13;
        if (i == 0) {
            even[0] = upper, even[1] = lower;
        } else {
            odd[0] = (int32_t)((uint32_t)odd[0] + (uint32_t)(kf_clamp16(upper) * factors[i]));
            odd[1] = (int32_t)((uint32_t)odd[1] + (uint32_t)(kf_clamp16(lower) * factors[i]));
        }
    }
    write_samples(even, odd, top, bottom);
}

#if KF_SIMD
KF_INLINE __m128i dequantized_row(const int16_t *block, const uint16_t *quantization, int row) {
    return _mm_mullo_epi16(
        _mm_loadu_si128((const __m128i *)(block + 8 * row)),
        _mm_loadu_si128((const __m128i *)(quantization + 8 * row)));
}

KF_INLINE __m128i pair(int first, int second) {
    return _mm_set1_epi32((int)((uint32_t)(uint16_t)first | (uint32_t)second << 16));
}

KF_INLINE void inverse_2x2_sse2(const int16_t *block, const uint16_t *quantization, uint8_t *top, uint8_t *bottom) {
    const __m128i r1 = dequantized_row(block, quantization, 1), r3 = dequantized_row(block, quantization, 3);
    const __m128i r5 = dequantized_row(block, quantization, 5), r7 = dequantized_row(block, quantization, 7);
    const __m128i r0 = dequantized_row(block, quantization, 0), round = _mm_set1_epi32(1 << 12);
    const __m128i f13 = pair(FACTOR_1, FACTOR_3), f57 = pair(FACTOR_5, FACTOR_7);
    const __m128i low = _mm_add_epi32(
        _mm_madd_epi16(_mm_unpacklo_epi16(r1, r3), f13), _mm_madd_epi16(_mm_unpacklo_epi16(r5, r7), f57));
    const __m128i high = _mm_add_epi32(
        _mm_madd_epi16(_mm_unpackhi_epi16(r1, r3), f13), _mm_madd_epi16(_mm_unpackhi_epi16(r5, r7), f57));
    // Row 0 in the upper halves of 32 bits, halved: 2 to the power of 15 times it.
    const __m128i zero = _mm_setzero_si128();
    const __m128i first_low = _mm_add_epi32(_mm_srai_epi32(_mm_unpacklo_epi16(zero, r0), 1), round);
    const __m128i first_high = _mm_add_epi32(_mm_srai_epi32(_mm_unpackhi_epi16(zero, r0), 1), round);
    const __m128i upper_low = _mm_srai_epi32(_mm_add_epi32(first_low, low), 13);
    const __m128i lower_low = _mm_srai_epi32(_mm_sub_epi32(first_low, low), 13);
    const __m128i upper = _mm_packs_epi32(upper_low, _mm_srai_epi32(_mm_add_epi32(first_high, high), 13));
    const __m128i lower = _mm_packs_epi32(lower_low, _mm_srai_epi32(_mm_sub_epi32(first_high, high), 13));
    const __m128i factors = _mm_set_epi16(FACTOR_7, 0, FACTOR_5, 0, FACTOR_3, 0, FACTOR_1, 0);
    const __m128i odd_upper = _mm_madd_epi16(upper, factors), odd_lower = _mm_madd_epi16(lower, factors);
    // The sums of four odd columns, of both rows at a time.
    __m128i sums = _mm_add_epi32(_mm_unpacklo_epi32(odd_upper, odd_lower), _mm_unpackhi_epi32(odd_upper, odd_lower));
    sums = _mm_add_epi32(sums, _mm_srli_si128(sums, 8));
    const int even[2] = {_mm_cvtsi128_si32(upper_low), _mm_cvtsi128_si32(lower_low)};
    const int odd[2] = {_mm_cvtsi128_si32(sums), _mm_cvtsi128_si32(_mm_srli_si128(sums, 4))};
    write_samples(even, odd, top, bottom);
}
#endif

/// `block` and `quantization` are in the order of rows.
KF_INLINE void inverse_2x2(
    kf_level level, const int16_t *block, const uint16_t *quantization, uint8_t *top, uint8_t *bottom) {
#if KF_SIMD
    if (level != KF_SCALAR) {
        inverse_2x2_sse2(block, quantization, top, bottom);
        return;
    }
#else
    (void)level;
#endif
    inverse_2x2_scalar(block, quantization, top, bottom);
}
