// Included with simd128.h and simd256.h: one box pass along `count` steps of V_BYTES independent samples.
//
// Running sums fit 16 bits because the window has at most 255 steps.
KF_TARGET
static void KF_NAME(box)(const uint8_t *in, uint8_t *out, int32_t count, const window *box) {
    const int32_t reach = box->reach, end = count - 1;
    const V zero = v_zero(), scale = v_set16((int16_t)box->scale);
    const __m128i places = _mm_cvtsi32_si128(box->shift - 16);
#define STEP(i) v_load(in + (size_t)(i) * V_BYTES)
    V low = v_set16((int16_t)reach), high = low;
    low = v_add16(low, v_mullo16(v_low8(STEP(0), zero), v_set16((int16_t)(reach + 1))));
    high = v_add16(high, v_mullo16(v_high8(STEP(0), zero), v_set16((int16_t)(reach + 1))));
    for (int32_t i = 1; i <= reach; i++) {
        const V step = STEP(i < end ? i : end);
        low = v_add16(low, v_low8(step, zero));
        high = v_add16(high, v_high8(step, zero));
    }
    for (int32_t i = 0; i < count; i++) {
        const V mean0 = v_shift_right16(v_mulhi16(low, scale), places);
        const V mean1 = v_shift_right16(v_mulhi16(high, scale), places);
        v_store(out + (size_t)i * V_BYTES, v_pack16(mean0, mean1));
        const V entering = STEP(i + reach + 1 < end ? i + reach + 1 : end);
        const V leaving = STEP(i - reach > 0 ? i - reach : 0);
        low = v_add16(low, v_sub16(v_low8(entering, zero), v_low8(leaving, zero)));
        high = v_add16(high, v_sub16(v_high8(entering, zero), v_high8(leaving, zero)));
    }
#undef STEP
}
