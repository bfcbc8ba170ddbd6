// Included with simd128.h and simd256.h.
static KF_TARGET void KF_NAME(widen)(const uint16_t *sums, size_t count, const widening *how, uint16_t *pairs) {
    const __m128i shift = _mm_cvtsi32_si128(how->shift), byte = _mm_cvtsi32_si128(8);
    const V first_round = v_set16((int16_t)how->first_round), second_round = v_set16((int16_t)how->second_round);
    for (size_t i = 0; i < count; i += V_BYTES / 2) {
        const V sum = v_load(sums + i + 1), triple = v_add16(v_add16(sum, sum), sum);
        const V first = v_add16(v_add16(triple, v_load(sums + i)), first_round);
        const V second = v_add16(v_add16(triple, v_load(sums + i + 2)), second_round);
        const V high = v_shift_left16(v_shift_right16(second, shift), byte);
        v_store(pairs + i, v_or(v_shift_right16(first, shift), high));
    }
}
