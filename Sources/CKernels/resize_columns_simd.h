// Included with simd128.h and simd256.h: four channels, a lane for each of V_LANES rows, four taps at a step.
KF_TARGET static void KF_NAME(resize_columns)(
    const uint8_t *source, size_t stride, int32_t rows, const kf_taps *taps, uint8_t *target,
    size_t target_stride) {
    const V zero = v_zero(), half = v_set32(1 << (taps->shift - 1));
    const __m128i places = _mm_cvtsi32_si128(taps->shift);
    for (int32_t i = 0; i < taps->count; i++) {
        const uint8_t *first = source + 4 * (size_t)taps->first[i];
        const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
        for (int32_t row = 0; row < rows; row += V_LANES) {
            // Without a second row the first is made twice, to the same place.
            const int32_t other = row + V_LANES <= rows ? row + V_LANES - 1 : row;
            const uint8_t *upper = first + (size_t)row * stride, *lower = first + (size_t)other * stride;
            V sum = half;
            for (int32_t tap = 0; tap < taps->stride; tap += 4) {
                int32_t pair0, pair1;
                memcpy(&pair0, weights + tap, sizeof pair0);
                memcpy(&pair1, weights + tap + 2, sizeof pair1);
                // Pixels 0 1 2 3 become 0 2 1 3, then 0 and 1 interleaved, 2 and 3 interleaved.
                V pixels = v_shuffle32(v_load_lanes(upper + 4 * tap, lower + 4 * tap), 0xD8);
                pixels = v_low8(pixels, v_shift_lane_right(pixels, 8));
                sum = v_add32(sum, v_madd16(v_low8(pixels, zero), v_set32(pair0)));
                sum = v_add32(sum, v_madd16(v_high8(pixels, zero), v_set32(pair1)));
            }
            sum = v_shift_right32(sum, places);
            sum = v_pack32(sum, sum);
            sum = v_pack16(sum, sum);
            const int32_t a = _mm_cvtsi128_si32(v_lane(sum, 0)), b = _mm_cvtsi128_si32(v_lane(sum, V_LANES - 1));
            memcpy(target + (size_t)row * target_stride + 4 * (size_t)i, &a, sizeof a);
            memcpy(target + (size_t)other * target_stride + 4 * (size_t)i, &b, sizeof b);
        }
    }
}
