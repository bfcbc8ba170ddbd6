// Included with simd128.h and simd256.h: `row` and `above` are readable `step` bytes before their start. The
// loops return the number of bytes processed; fewer than a vector are left.

/// Paeth's predictor: left, up or corner.
///
/// With saturating differences the three distances fit in a byte: |a + b - 2c| is a sum if a and b are on the
/// same side of c, and then it is the largest of the three, saturated or not.
KF_TARGET
static inline V KF_NAME(paeth)(V left, V up, V corner) {
    const V zero = v_zero();
    const V up_over = v_subs8(up, corner), left_over = v_subs8(left, corner);
    const V to_left = v_or(up_over, v_subs8(corner, up));
    const V to_up = v_or(left_over, v_subs8(corner, left));
    const V apart = v_xor(v_equal8(up_over, zero), v_equal8(left_over, zero));
    const V difference = v_or(v_subs8(to_left, to_up), v_subs8(to_up, to_left));
    const V to_corner =
        v_or(v_and(apart, difference), v_and_not(apart, v_adds8(to_left, to_up)));
    const V least = v_min8(to_corner, v_min8(to_left, to_up));
    const V take_left = v_equal8(least, to_left), take_up = v_equal8(least, to_up);
    const V other = v_or(v_and(take_up, up), v_and_not(take_up, corner));
    return v_or(v_and(take_left, left), v_and_not(take_left, other));
}

/// The mean rounded down; the instruction rounds up.
KF_TARGET
static inline V KF_NAME(average)(V left, V up) {
    return v_sub8(v_average8(left, up), v_and(v_xor(left, up), v_set8(1)));
}

KF_TARGET
static size_t KF_NAME(filter_costs)(
    const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint64_t costs[5]) {
    const V zero = v_zero();
    V none = zero, sub = zero, up = zero, average = zero, paeth = zero;
// The absolute value of a byte as a signed number.
#define COST(v) v_sum8(v_min8(v, v_sub8(zero, v)), zero)
    size_t i = 0;
    for (; i + V_BYTES <= count; i += V_BYTES) {
        const V x = v_load(row + i), a = v_load(row + i - step);
        const V b = v_load(above + i), c = v_load(above + i - step);
        none = v_add64(none, COST(x));
        sub = v_add64(sub, COST(v_sub8(x, a)));
        up = v_add64(up, COST(v_sub8(x, b)));
        average = v_add64(average, COST(v_sub8(x, KF_NAME(average)(a, b))));
        paeth = v_add64(paeth, COST(v_sub8(x, KF_NAME(paeth)(a, b, c))));
    }
#undef COST
    const V sums[5] = {none, sub, up, average, paeth};
    for (int32_t filter = 0; filter < 5; filter++) {
        uint64_t elements[V_BYTES / 8];
        v_store(elements, sums[filter]);
        for (size_t element = 0; element < V_BYTES / 8; element++) costs[filter] += elements[element];
    }
    return i;
}

KF_TARGET
static size_t KF_NAME(filter_row)(
    int32_t filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *target) {
    size_t i = 0;
#define EACH(prediction)                                                                                     \
    for (; i + V_BYTES <= count; i += V_BYTES) v_store(target + i, v_sub8(v_load(row + i), prediction))
    switch (filter) {
    case KF_PNG_SUB: EACH(v_load(row + i - step)); break;
    case KF_PNG_UP: EACH(v_load(above + i)); break;
    case KF_PNG_AVERAGE: EACH(KF_NAME(average)(v_load(row + i - step), v_load(above + i))); break;
    case KF_PNG_PAETH:
        EACH(KF_NAME(paeth)(v_load(row + i - step), v_load(above + i), v_load(above + i - step)));
        break;
    }
#undef EACH
    return i;
}
