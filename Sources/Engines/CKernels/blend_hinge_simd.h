// Included with simd128.h and simd256.h. Returns the number of pixels processed.

/// Evaluates the hinge function for the four channels of one pixel (SSE2) or two (AVX2); each pair is a
/// sample and its alpha.
KF_TARGET
static inline V KF_NAME(hinge_sum)(V pairs, const V *line, const V *hinge, _Bool has_hinge) {
    V sum = v_add32(v_madd16(pairs, line[0]), line[1]);
    if (has_hinge) {
        const V zero = v_zero();
        const V value = v_add32(v_madd16(pairs, hinge[0]), hinge[1]);
        const V above = v_and(value, v_greater32(value, zero));
        // Negation in two's complement, where the sign is -1.
        sum = v_add32(sum, v_sub32(v_xor(above, hinge[2]), hinge[2]));
    }
    return v_shift_right32(sum, _mm_cvtsi32_si128(13));
}

KF_TARGET
static inline size_t KF_NAME(blend_hinge_rows)(
    const uint8_t *source, size_t pixels, const V *line, const V *hinge, _Bool has_hinge, uint8_t *target) {
    const V zero = v_zero();
#define ALPHA(v) v_shuffle_high16(v_shuffle_low16(v, 0xFF), 0xFF)
    size_t i = 0;
    for (; i + V_BYTES / 4 <= pixels; i += V_BYTES / 4) {
        const V all = v_load(source + 4 * i);
        V halves[2] = {v_low8(all, zero), v_high8(all, zero)};
        for (int32_t half = 0; half < 2; half++) {
            const V samples = halves[half], alpha = ALPHA(samples);
            const V made = v_pack32(
                KF_NAME(hinge_sum)(v_low16(samples, alpha), line, hinge, has_hinge),
                KF_NAME(hinge_sum)(v_high16(samples, alpha), line, hinge, has_hinge));
            halves[half] = v_min16(made, ALPHA(made));
        }
        v_store(target + 4 * i, v_pack16(halves[0], halves[1]));
    }
#undef ALPHA
    return i;
}

KF_TARGET
static size_t KF_NAME(blend_hinge)(
    const uint8_t *source, size_t pixels, const kf_hinge_blend *blend, uint8_t *target) {
    _Static_assert(KF_BLEND_ONE == 1 << 13, "the shift");
    // Interleaved factors of a sample and of its alpha, as in the pixel vectors; repeated for each 16-byte
    // block.
    int16_t line[16], hinge[16];
    int32_t offset[8], hinge_offset[8], sign[8];
    for (int32_t i = 0; i < 8; i++) {
        const int32_t c = i & 3;
        line[2 * i] = blend->slope[c], line[2 * i + 1] = blend->lift[c];
        hinge[2 * i] = blend->hinge_slope[c], hinge[2 * i + 1] = blend->hinge_lift[c];
        offset[i] = blend->offset[c] + KF_BLEND_ONE / 2;
        hinge_offset[i] = blend->hinge_offset[c];
        sign[i] = blend->hinge_sign[c];
    }
    const V linear_vectors[2] = {v_load(line), v_load(offset)};
    const V hinge_vectors[3] = {v_load(hinge), v_load(hinge_offset), v_load(sign)};
    if (!blend->has_hinge)
        return KF_NAME(blend_hinge_rows)(source, pixels, linear_vectors, hinge_vectors, 0, target);
    return KF_NAME(blend_hinge_rows)(source, pixels, linear_vectors, hinge_vectors, 1, target);
}
