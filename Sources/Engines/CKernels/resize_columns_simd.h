// Included with simd128.h and simd256.h: four channels of four rows, so that weights are loaded once. By
// value, because the compiler must assume that storing bytes changes what pointers refer to.
KF_TARGET
static void KF_NAME(resize_columns)(four_rows rows, kf_taps taps) {
    const int32_t shift = taps.shift + KF_RESIZE_FRACTION;
    // The 16-byte blocks are added at the end, so each starts with its part of the rounding constant.
    const V half = v_set32((1 << (shift - 1)) / V_BLOCKS);
    const __m128i places = _mm_cvtsi32_si128(shift);
    for (int32_t i = 0; i < taps.count; i++) {
        const size_t first = 4 * (size_t)taps.first[i];
        const int16_t *weights = taps.weights + (size_t)i * (size_t)taps.stride;
        const int16_t *in0 = rows.in[0] + first, *in1 = rows.in[1] + first;
        const int16_t *in2 = rows.in[2] + first, *in3 = rows.in[3] + first;
        V sum0 = half, sum1 = half, sum2 = half, sum3 = half;
        for (int32_t tap = 0; tap < taps.stride; tap += 2 * V_BLOCKS) {
            const V weight = v_load_pairs(weights + tap);
            sum0 = v_add32(sum0, v_madd16(weight, v_load(in0 + 4 * tap)));
            sum1 = v_add32(sum1, v_madd16(weight, v_load(in1 + 4 * tap)));
            sum2 = v_add32(sum2, v_madd16(weight, v_load(in2 + 4 * tap)));
            sum3 = v_add32(sum3, v_madd16(weight, v_load(in3 + 4 * tap)));
        }
        const __m128i row0 = _mm_sra_epi32(v_add_blocks(sum0), places);
        const __m128i row1 = _mm_sra_epi32(v_add_blocks(sum1), places);
        const __m128i row2 = _mm_sra_epi32(v_add_blocks(sum2), places);
        const __m128i row3 = _mm_sra_epi32(v_add_blocks(sum3), places);
        const __m128i pixels = _mm_packus_epi16(_mm_packs_epi32(row0, row1), _mm_packs_epi32(row2, row3));
        // From the last row to the first, because missing rows have the address of the first.
        kf_store32(rows.out[3] + 4 * (size_t)i, _mm_srli_si128(pixels, 12));
        kf_store32(rows.out[2] + 4 * (size_t)i, _mm_srli_si128(pixels, 8));
        kf_store32(rows.out[1] + 4 * (size_t)i, _mm_srli_si128(pixels, 4));
        kf_store32(rows.out[0] + 4 * (size_t)i, pixels);
    }
}
