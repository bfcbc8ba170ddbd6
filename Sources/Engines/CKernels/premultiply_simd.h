// Included with simd128.h and simd256.h. Returns the number of pixels processed.
KF_TARGET
static size_t KF_NAME(premultiply)(const uint8_t *source, size_t pixels, uint8_t *target) {
    const V zero = v_zero(), half = v_set16(128), opaque = v_set64((int64_t)255 << 48);
    const __m128i byte = _mm_cvtsi32_si128(8);
// Alpha in the colour channels, 255 in the alpha channel, so that alpha is unchanged.
#define ALPHA(v) v_or(v_shuffle_high16(v_shuffle_low16(v, 0xFF), 0xFF), opaque)
#define OVER_255(v) v_shift_right16(v_add16(v, v_shift_right16(v, byte)), byte)
    size_t i = 0;
    for (; i + V_BYTES / 4 <= pixels; i += V_BYTES / 4) {
        const V four = v_load(source + 4 * i);
        const V low = v_low8(four, zero), high = v_high8(four, zero);
        const V low_product = v_add16(v_mullo16(low, ALPHA(low)), half);
        const V high_product = v_add16(v_mullo16(high, ALPHA(high)), half);
        v_store(target + 4 * i, v_pack16(OVER_255(low_product), OVER_255(high_product)));
    }
#undef ALPHA
#undef OVER_255
    return i;
}

/// Limits colours to alpha from pixel `i` on. Returns the next pixel; fewer than a vector are left.
KF_TARGET
static size_t KF_NAME(clamp_to_alpha)(uint8_t *pixels, size_t i, size_t count) {
    const __m128i two = _mm_cvtsi32_si128(16), one = _mm_cvtsi32_si128(8), three = _mm_cvtsi32_si128(24);
    for (; i + V_BYTES / 4 <= count; i += V_BYTES / 4) {
        const V four = v_load(pixels + 4 * i), alpha = v_shift_right_zero32(four, three);
        const V twice = v_or(alpha, v_shift_left32(alpha, one));
        v_store(pixels + 4 * i, v_min8(four, v_or(twice, v_shift_left32(twice, two))));
    }
    return i;
}
