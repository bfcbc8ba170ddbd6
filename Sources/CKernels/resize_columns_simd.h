// Included with simd128.h and simd256.h: four channels, a lane for each of V_LANES rows, two taps at a step.
KF_TARGET
static void KF_NAME(resize_columns)(
    const int16_t *source, size_t stride, int32_t rows, const kf_taps *taps, uint8_t *target,
    size_t target_stride) {
    const int32_t shift = taps->shift + KF_RESIZE_FRACTION;
    const V half = v_set32(1 << (shift - 1));
    const __m128i places = _mm_cvtsi32_si128(shift);
    for (int32_t i = 0; i < taps->count; i++) {
        const int16_t *first = source + 4 * (size_t)taps->first[i];
        const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
        for (int32_t row = 0; row < rows; row += V_LANES) {
            // Without a second row the first is made twice, to the same place.
            const int32_t other = row + V_LANES <= rows ? row + V_LANES - 1 : row;
            const int16_t *upper = first + (size_t)row * stride, *lower = first + (size_t)other * stride;
            V sum = half;
            for (int32_t tap = 0; tap < taps->stride; tap += 2) {
                int32_t pair;
                memcpy(&pair, weights + tap, sizeof pair);
                // Channels of one pixel after another become channel by channel: one instruction multiplies
                // and adds pairs.
                const V pixels = v_load_lanes(upper + 4 * tap, lower + 4 * tap);
                const V pairs = v_low16(pixels, v_shift_lane_right(pixels, 8));
                sum = v_add32(sum, v_madd16(pairs, v_set32(pair)));
            }
            sum = v_shift_right32(sum, places);
            sum = v_pack32(sum, sum);
            sum = v_pack16(sum, sum);
            const int32_t a = _mm_cvtsi128_si32(v_lane(sum, 0)),
                          b = _mm_cvtsi128_si32(v_lane(sum, V_LANES - 1));
            memcpy(target + (size_t)row * target_stride + 4 * (size_t)i, &a, sizeof a);
            memcpy(target + (size_t)other * target_stride + 4 * (size_t)i, &b, sizeof b);
        }
    }
}
