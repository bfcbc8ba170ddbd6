// Included with simd128.h and simd256.h: four channels of four rows, so that weights are loaded once.
KF_TARGET
static void KF_NAME(resize_columns)(const four_rows *rows, const kf_taps *taps) {
    const int32_t shift = taps->shift - KF_RESIZE_FRACTION;
    // The 16-byte blocks are added at the end, so each starts with its part of the rounding constant.
    const V half = v_set32((1 << (shift - 1)) / V_BLOCKS);
    const __m128i places = _mm_cvtsi32_si128(shift);
    for (int32_t i = 0; i < taps->count; i++) {
        const size_t first = 4 * (size_t)taps->first[i];
        const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
        const uint8_t *in0 = rows->in[0] + first, *in1 = rows->in[1] + first;
        const uint8_t *in2 = rows->in[2] + first, *in3 = rows->in[3] + first;
        V sum0 = half, sum1 = half, sum2 = half, sum3 = half;
        int32_t tap = 0;
        for (; tap + 4 * V_BLOCKS <= taps->stride; tap += 4 * V_BLOCKS) {
            const V weight = v_load_quads(weights + tap);
            const V low = v_shuffle32(weight, 0x00), high = v_shuffle32(weight, 0x55);
#define ADD(sum, in)                                                                                         \
    do {                                                                                                     \
        const V pixels = v_load(in + 4 * tap);                                                               \
        const V first_pair = v_madd16(v_pixels_low(pixels), low);                                            \
        sum = v_add32(sum, v_add32(first_pair, v_madd16(v_pixels_high(pixels), high)));                      \
    } while (0)
            ADD(sum0, in0);
            ADD(sum1, in1);
            ADD(sum2, in2);
            ADD(sum3, in3);
#undef ADD
        }
        __m128i row0 = v_add_blocks(sum0), row1 = v_add_blocks(sum1);
        __m128i row2 = v_add_blocks(sum2), row3 = v_add_blocks(sum3);
        if (tap < taps->stride) {
            row0 = four_taps(row0, in0 + 4 * tap, weights + tap);
            row1 = four_taps(row1, in1 + 4 * tap, weights + tap);
            row2 = four_taps(row2, in2 + 4 * tap, weights + tap);
            row3 = four_taps(row3, in3 + 4 * tap, weights + tap);
        }
        const __m128i upper = _mm_packs_epi32(_mm_sra_epi32(row0, places), _mm_sra_epi32(row1, places));
        const __m128i lower = _mm_packs_epi32(_mm_sra_epi32(row2, places), _mm_sra_epi32(row3, places));
        // From the last row to the first, because missing rows have the address of the first.
        _mm_storel_epi64((__m128i *)(rows->out[3] + 4 * (size_t)i), _mm_srli_si128(lower, 8));
        _mm_storel_epi64((__m128i *)(rows->out[2] + 4 * (size_t)i), lower);
        _mm_storel_epi64((__m128i *)(rows->out[1] + 4 * (size_t)i), _mm_srli_si128(upper, 8));
        _mm_storel_epi64((__m128i *)(rows->out[0] + 4 * (size_t)i), upper);
    }
}
