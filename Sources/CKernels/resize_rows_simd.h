// Included with simd128.h and simd256.h: starts at sample `x`. Returns the next sample; fewer than V_BYTES
// are left.
KF_TARGET
static size_t KF_NAME(resize_rows)(
    const int16_t *const *source, size_t x, size_t samples, const int16_t *weights, int32_t taps,
    int32_t shift, uint8_t *target) {
    const V half = v_set32(1 << (shift - 1));
    const __m128i places = _mm_cvtsi32_si128(shift);
    for (; x + V_BYTES <= samples; x += V_BYTES) {
        V sum0 = half, sum1 = half, sum2 = half, sum3 = half;
        for (int32_t tap = 0; tap < taps; tap += 2) {
            // Two rows at a time, because one instruction multiplies and adds pairs. An odd last row is
            // paired with itself: the weight after the last is zero.
            const int16_t *upper = source[tap] + x, *lower = source[tap + 1 < taps ? tap + 1 : tap] + x;
            int32_t pair;
            memcpy(&pair, weights + tap, sizeof pair);
            const V weight = v_set32(pair);
            const V a = v_load(upper), b = v_load(lower);
            const V c = v_load(upper + V_BYTES / 2), d = v_load(lower + V_BYTES / 2);
            sum0 = v_add32(sum0, v_madd16(v_low16(a, b), weight));
            sum1 = v_add32(sum1, v_madd16(v_high16(a, b), weight));
            sum2 = v_add32(sum2, v_madd16(v_low16(c, d), weight));
            sum3 = v_add32(sum3, v_madd16(v_high16(c, d), weight));
        }
        const V first = v_pack32(v_shift_right32(sum0, places), v_shift_right32(sum1, places));
        const V second = v_pack32(v_shift_right32(sum2, places), v_shift_right32(sum3, places));
        v_store(target + x, v_pack16(v_low_blocks(first, second), v_high_blocks(first, second)));
    }
    return x;
}
