// Included with simd128.h and simd256.h: combines one premultiplied colour with RGBA. Each function returns
// the number of pixels processed; fewer than a vector are left.
//
// SUM combines PRODUCT(v) / 255, rounded, with v, both in 16-bit samples; `ink` is the colour, `rest` is 255
// minus its alpha.
#define ALPHA(v) v_shuffle_high16(v_shuffle_low16(v, 0xFF), 0xFF)
#define OVER_255(v) v_shift_right16(v_add16(v, v_shift_right16(v, byte)), byte)
#define MIXED(name)                                                                                          \
    KF_TARGET                                                                                                \
    static size_t KF_NAME(name)(                                                                             \
        const uint8_t *source, size_t pixels, const uint8_t *color, uint8_t *target) {                       \
        const V zero = v_zero(), half = v_set16(128), white = v_set16(255);                                  \
        const V rest = v_set16((int16_t)(255 - color[3]));                                                   \
        const V ink = v_set64(                                                                               \
            (int64_t)((uint64_t)color[0] | (uint64_t)color[1] << 16 | (uint64_t)color[2] << 32 |             \
                      (uint64_t)color[3] << 48));                                                            \
        const __m128i byte = _mm_cvtsi32_si128(8);                                                           \
        (void)white, (void)rest;                                                                             \
        size_t i = 0;                                                                                        \
        for (; i + V_BYTES / 4 <= pixels; i += V_BYTES / 4) {                                                \
            const V all = v_load(source + 4 * i);                                                            \
            const V low = v_low8(all, zero), high = v_high8(all, zero);                                      \
            V low_product = v_add16(PRODUCT(low), half), high_product = v_add16(PRODUCT(high), half);        \
            low_product = OVER_255(low_product), high_product = OVER_255(high_product);                      \
            v_store(target + 4 * i, v_pack16(SUM(low_product, low), SUM(high_product, high)));               \
        }                                                                                                    \
        return i;                                                                                            \
    }

#define PRODUCT(v) v_mullo16(v, rest)
#define SUM(product, v) v_add16(product, ink)
MIXED(over)
#undef PRODUCT
#undef SUM

#define PRODUCT(v) v_mullo16(ink, v_sub16(white, ALPHA(v)))
#define SUM(product, v) v_add16(product, v)
MIXED(under)
#undef PRODUCT
#undef SUM

#define PRODUCT(v) v_add16(v_mullo16(ink, ALPHA(v)), v_mullo16(v, rest))
#define SUM(product, v) (product)
MIXED(atop)
#undef PRODUCT
#undef SUM
#undef MIXED

/// The sums of half a vector in 16-bit samples.
KF_TARGET
static inline V KF_NAME(drawn)(V mark, V below, V opacity) {
    const V half = v_set16(128);
    const __m128i byte = _mm_cvtsi32_si128(8);
    const V scaled = v_add16(v_mullo16(mark, opacity), half), added = OVER_255(scaled);
    const V rest = v_sub16(v_set16(255), ALPHA(added));
    const V weighted = v_add16(v_mullo16(below, rest), half);
    return v_add16(added, OVER_255(weighted));
}

KF_TARGET
static size_t KF_NAME(draw)(const uint8_t *mark, size_t pixels, uint8_t opacity, uint8_t *target) {
    const V zero = v_zero(), strength = v_set16(opacity);
    size_t i = 0;
    for (; i + V_BYTES / 4 <= pixels; i += V_BYTES / 4) {
        const V ink = v_load(mark + 4 * i), all = v_load(target + 4 * i);
        const V low = KF_NAME(drawn)(v_low8(ink, zero), v_low8(all, zero), strength);
        const V high = KF_NAME(drawn)(v_high8(ink, zero), v_high8(all, zero), strength);
        v_store(target + 4 * i, v_pack16(low, high));
    }
    return i;
}
#undef ALPHA
#undef OVER_255
