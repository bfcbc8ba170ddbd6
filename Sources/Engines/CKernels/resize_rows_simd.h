// Included with simd128.h and simd256.h.

/// Expands a block of each pair of rows to 16 bits, with the sample of the upper row before the sample of the
/// lower one, because one instruction multiplies and adds pairs. Bytes after the end of a row become 0.
KF_TARGET
static void KF_NAME(expand_pairs)(const kf_row_window *window, size_t x, int16_t *pairs) {
    const size_t left = window->samples - x;
    uint8_t last[2][KF_RESIZE_BLOCK];
    if (left < KF_RESIZE_BLOCK) memset(last, 0, sizeof last);
    for (int32_t row = 0; row < window->count; row += 2) {
        const uint8_t *upper = window->rows[row] + x, *lower = window->rows[row + 1] + x;
        if (left < KF_RESIZE_BLOCK) {
            upper = memcpy(last[0], upper, left);
            lower = memcpy(last[1], lower, left);
        } else
            for (size_t line = KF_RESIZE_BLOCK; line < 2 * KF_RESIZE_BLOCK; line += KF_CACHE_LINE) {
                // Processors recognize too few of the many rows by themselves.
                __builtin_prefetch(upper + line);
                __builtin_prefetch(lower + line);
            }
        for (size_t i = 0; i < KF_RESIZE_BLOCK; i += V_BYTES, pairs += 2 * V_BYTES) {
            const V a = v_load(upper + i), b = v_load(lower + i);
            const V low = v_low8(a, b), high = v_high8(a, b);
            v_store(pairs, v_low8(low, v_zero()));
            v_store(pairs + V_BYTES / 2, v_high8(low, v_zero()));
            v_store(pairs + V_BYTES, v_low8(high, v_zero()));
            v_store(pairs + 3 * V_BYTES / 2, v_high8(high, v_zero()));
        }
    }
}

/// Stores whole pixels with the samples of two neighbours as pairs.
KF_TARGET
static inline void KF_NAME(store_paired)(int16_t *target, V pixels, int32_t channels) {
    if (channels == 4) pixels = v_low16(pixels, v_shuffle32(pixels, 0xEE));
    if (channels == 2) pixels = v_shuffle_high16(v_shuffle_low16(pixels, 0xD8), 0xD8);
    v_store(target, pixels);
}

/// Computes a block of an output row from the pairs.
KF_TARGET
static inline void KF_NAME(sum_pairs)(
    const int16_t *pairs, const int16_t *weights, int32_t taps, int32_t shift, int32_t channels,
    int16_t *target) {
    const V half = v_set32(1 << (shift - 1));
    const __m128i places = _mm_cvtsi32_si128(shift);
    for (size_t x = 0; x < KF_RESIZE_BLOCK; x += 2 * V_BYTES) {
        const int16_t *in = pairs + 2 * x;
        V sums[] = {half, half, half, half, half, half, half, half};
        for (int32_t tap = 0; tap < taps; tap += 2, in += 2 * KF_RESIZE_BLOCK) {
            const V weight = v_set32(kf_pair_at(weights + tap));
            for (int i = 0; i < 8; i++)
                sums[i] = v_add32(sums[i], v_madd16(weight, v_load(in + i * V_BYTES / 2)));
        }
        for (int i = 0; i < 8; i++) sums[i] = v_shift_right32(sums[i], places);
        for (int i = 0; i < 8; i += 4, target += V_BYTES) {
            const V first = v_pack32(sums[i], sums[i + 1]), second = v_pack32(sums[i + 2], sums[i + 3]);
            KF_NAME(store_paired)(target, v_low_blocks(first, second), channels);
            KF_NAME(store_paired)(target + V_BYTES / 2, v_high_blocks(first, second), channels);
        }
    }
}

KF_TARGET
static void KF_NAME(resize_rows)(
    const kf_row_window *window, const kf_taps *taps, int32_t row, int32_t outputs, int16_t *scratch,
    int16_t *target, size_t target_stride) {
    const int32_t shift = taps->shift - KF_RESIZE_FRACTION;
    for (size_t x = 0; x < window->samples; x += KF_RESIZE_BLOCK) {
        KF_NAME(expand_pairs)(window, x, scratch);
        for (int32_t i = 0; i < outputs; i++) {
            const size_t skipped = (size_t)(taps->first[row + i] - taps->first[row]);
            KF_NAME(sum_pairs)(
                scratch + skipped * KF_RESIZE_BLOCK, taps->weights + (size_t)(row + i) * (size_t)taps->stride,
                taps->taps, shift, window->channels, target + (size_t)i * target_stride + x);
        }
    }
}
