// Included with simd128.h and simd256.h. Returns how many samples it made; the rest are fewer than a vector.
KF_TARGET
static size_t KF_NAME(resize_rows)(
    const uint8_t *source, size_t stride, size_t samples, const int16_t *weights, int32_t taps, int32_t shift,
    int16_t *target) {
    const V zero = v_zero(), half = v_set32(1 << (shift - 1));
    const __m128i places = _mm_cvtsi32_si128(shift);
    size_t x = 0;
    for (; x + V_BYTES <= samples; x += V_BYTES) {
        V sum0 = half, sum1 = half, sum2 = half, sum3 = half;
        for (int32_t tap = 0; tap < taps; tap += 2) {
            // Two rows at once, since one instruction multiplies and adds pairs. An odd last row is paired
            // with itself: the weight after the last is zero.
            const uint8_t *upper = source + (size_t)tap * stride + x;
            const uint8_t *lower = tap + 1 < taps ? upper + stride : upper;
            int32_t pair;
            memcpy(&pair, weights + tap, sizeof pair);
            const V weight = v_set32(pair), a = v_load(upper), b = v_load(lower);
            const V low = v_low8(a, b), high = v_high8(a, b);
            sum0 = v_add32(sum0, v_madd16(v_low8(low, zero), weight));
            sum1 = v_add32(sum1, v_madd16(v_high8(low, zero), weight));
            sum2 = v_add32(sum2, v_madd16(v_low8(high, zero), weight));
            sum3 = v_add32(sum3, v_madd16(v_high8(high, zero), weight));
        }
        const V first = v_pack32(v_shift_right32(sum0, places), v_shift_right32(sum1, places));
        const V second = v_pack32(v_shift_right32(sum2, places), v_shift_right32(sum3, places));
        v_store(target + x, v_low_lanes(first, second));
        v_store(target + x + V_BYTES / 2, v_high_lanes(first, second));
    }
    return x;
}
