// Included with simd128.h and simd256.h. Each function returns the number of samples processed; fewer than a
// vector are left.

/// Weighted sums of the samples of `count` rows, as 8.8 fixed-point numbers.
KF_TARGET
static size_t KF_NAME(sum_rows)(
    const uint8_t *const *rows, const uint8_t *weights, int32_t count, size_t samples, uint16_t *target) {
    const V zero = v_zero();
    size_t i = 0;
    for (; i + V_BYTES <= samples; i += V_BYTES) {
        V low = zero, high = zero;
        for (int32_t k = 0; k < count; k++) {
            const V all = v_load(rows[k] + i), weight = v_set16(weights[k]);
            low = v_add16(low, v_mullo16(v_low8(all, zero), weight));
            high = v_add16(high, v_mullo16(v_high8(all, zero), weight));
        }
        v_store(target + i, v_low_blocks(low, high));
        v_store(target + i + V_BYTES / 2, v_high_blocks(low, high));
    }
    return i;
}

/// The change of half a vector of samples: twice their difference to the sums around them, times the amount.
KF_TARGET
static inline V KF_NAME(change)(
    V samples, const uint16_t *sums, const uint8_t *weights, int32_t count, V amount, V colors) {
    V blurred = v_zero();
    for (int32_t k = 0; k < count; k++)
        blurred = v_add16(blurred, v_mulhi16(v_load(sums + 4 * k), v_set16((int16_t)(weights[k] << 8))));
    const __m128i one = _mm_cvtsi32_si128(1), two = _mm_cvtsi32_si128(2), six = _mm_cvtsi32_si128(6);
    const V difference = v_sub16(v_shift_left16(samples, six), v_shift_right16(blurred, two));
    const V twice = v_mulhi_signed16(v_and(v_shift_left16(difference, one), colors), amount);
    return v_shift_right_signed16(v_add16(twice, v_set16(1)), one);
}

KF_TARGET
static size_t KF_NAME(sharpen)(
    const uint8_t *row, const uint16_t *sums, const uint8_t *weights, int32_t count, size_t samples,
    int32_t amount, uint8_t *target) {
    const V zero = v_zero(), factor = v_set16((int16_t)amount), colors = v_set64(0x0000FFFFFFFFFFFF);
    size_t i = 0;
    for (; i + V_BYTES <= samples; i += V_BYTES) {
        const V all = v_load(row + i), first = v_low8(all, zero), second = v_high8(all, zero);
        V low = v_low_blocks(first, second), high = v_high_blocks(first, second);
        low = v_add16(low, KF_NAME(change)(low, sums + i, weights, count, factor, colors));
        high = v_add16(high, KF_NAME(change)(high, sums + i + V_BYTES / 2, weights, count, factor, colors));
        v_store(target + i, v_pack16(v_low_blocks(low, high), v_high_blocks(low, high)));
    }
    return i;
}
