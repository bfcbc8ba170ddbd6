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
#undef ALPHA
#undef OVER_255
#undef MIXED
