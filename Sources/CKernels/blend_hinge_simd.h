// Included with simd128.h and simd256.h. Returns how many pixels it made.

/// The four channels of a pixel, or of one in each lane; each pair is a sample and its alpha.
KF_TARGET
static inline V KF_NAME(bent)(V pairs, const V *line, const V *bend, _Bool bends) {
    V sum = v_add32(v_madd16(pairs, line[0]), line[1]);
    if (bends) {
        const V zero = v_zero();
        const V value = v_add32(v_madd16(pairs, bend[0]), bend[1]);
        const V above = v_and(value, v_greater32(value, zero));
        // Negation, in two's complement, where the sign is -1.
        sum = v_add32(sum, v_sub32(v_xor(above, bend[2]), bend[2]));
    }
    return v_shift_right32(sum, _mm_cvtsi32_si128(13));
}

KF_TARGET
static inline size_t KF_NAME(blend_hinge_rows)(
    const uint8_t *source, size_t pixels, const V *line, const V *bend, _Bool bends, uint8_t *target) {
    const V zero = v_zero();
#define ALPHA(v) v_shuffle_high16(v_shuffle_low16(v, 0xFF), 0xFF)
    size_t i = 0;
    for (; i + V_BYTES / 4 <= pixels; i += V_BYTES / 4) {
        const V all = v_load(source + 4 * i);
        V halves[2] = {v_low8(all, zero), v_high8(all, zero)};
        for (int32_t half = 0; half < 2; half++) {
            const V samples = halves[half], alpha = ALPHA(samples);
            const V made = v_pack32(
                KF_NAME(bent)(v_low16(samples, alpha), line, bend, bends),
                KF_NAME(bent)(v_high16(samples, alpha), line, bend, bends));
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
    // Factors of a sample and of its alpha side by side, as pixels have them; the same in each lane.
    int16_t line[16], bend[16];
    int32_t offset[8], hinge_offset[8], sign[8];
    for (int32_t i = 0; i < 8; i++) {
        const int32_t c = i & 3;
        line[2 * i] = blend->slope[c], line[2 * i + 1] = blend->lift[c];
        bend[2 * i] = blend->hinge_slope[c], bend[2 * i + 1] = blend->hinge_lift[c];
        offset[i] = blend->offset[c] + KF_BLEND_ONE / 2;
        hinge_offset[i] = blend->hinge_offset[c];
        sign[i] = blend->hinge_sign[c];
    }
    const V straight[2] = {v_load(line), v_load(offset)};
    const V bent[3] = {v_load(bend), v_load(hinge_offset), v_load(sign)};
    return blend->bends ? KF_NAME(blend_hinge_rows)(source, pixels, straight, bent, 1, target)
                        : KF_NAME(blend_hinge_rows)(source, pixels, straight, bent, 0, target);
}
