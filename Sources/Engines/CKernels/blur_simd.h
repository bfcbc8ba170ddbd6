// Included with simd128.h and simd256.h: one box pass along `count` steps of V_BYTES independent samples.
//
// Running sums fit in 16 bits because the window has at most 255 steps. `out` is more than `reach` steps
// before `in`, so no step is overwritten before it is read.
KF_TARGET
static void KF_NAME(box)(const uint8_t *in, uint8_t *out, int32_t count, const window *box) {
    const ptrdiff_t reach = box->reach, end = count - 1;
    const V zero = v_zero(), scale = v_set16((int16_t)box->scale);
    const __m128i places = _mm_cvtsi32_si128(box->shift - 16);
#define STEP(i) v_load(in + (i) * V_BYTES)
    const V before = STEP(0), after = STEP(end);
    V low = v_set16((int16_t)reach), high = low;
    low = v_add16(low, v_mullo16(v_low8(before, zero), v_set16((int16_t)(reach + 1))));
    high = v_add16(high, v_mullo16(v_high8(before, zero), v_set16((int16_t)(reach + 1))));
    for (ptrdiff_t i = 1; i <= reach; i++) {
        const V step = i < end ? STEP(i) : after;
        low = v_add16(low, v_low8(step, zero));
        high = v_add16(high, v_high8(step, zero));
    }
#define WRITE(i, entering, leaving)                                                                          \
    do {                                                                                                     \
        const V mean0 = v_shift_right16(v_mulhi16(low, scale), places);                                      \
        const V mean1 = v_shift_right16(v_mulhi16(high, scale), places);                                     \
        const V comes = entering, goes = leaving;                                                            \
        v_store(out + (i) * V_BYTES, v_pack16(mean0, mean1));                                        \
        low = v_add16(low, v_difference8(v_low8(comes, goes)));                                              \
        high = v_add16(high, v_difference8(v_high8(comes, goes)));                                           \
    } while (0)
    const ptrdiff_t left = reach <= end ? reach : end + 1, right = end - reach - 1;
    ptrdiff_t i = 0;
    for (; i < left; i++) WRITE(i, i + reach + 1 < end ? STEP(i + reach + 1) : after, before);
    for (; i <= right; i++) WRITE(i, STEP(i + reach + 1), STEP(i - reach));
    for (; i <= end; i++) WRITE(i, after, STEP(i - reach));
#undef WRITE
#undef STEP
}
