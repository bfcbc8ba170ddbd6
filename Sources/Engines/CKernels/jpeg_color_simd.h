// Included with simd128.h and simd256.h: converts whole vectors of samples to RGBA, and returns their number.
static KF_TARGET uint32_t KF_NAME(convert_vectors)(
    const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *target, uint32_t width) {
    const V zero = v_zero(), middle = v_set16(128), one = v_set16(1), opaque = v_set8((char)255);
    const __m128i half = _mm_cvtsi32_si128(1), fraction = _mm_cvtsi32_si128(16);
    const V to_red = v_set16(TO_RED), to_blue = v_set16(TO_BLUE), round = v_set32(1 << 15);
    const V to_green = v_set32((int)((uint32_t)(uint16_t)BLUE_TO_GREEN | (uint32_t)RED_TO_GREEN << 16));
#define PART(doubled, factor) v_shift_right_signed16(v_add16(v_mulhi_signed16(doubled, factor), one), half)
#define GREEN(pairs) v_shift_right32(v_add32(v_madd16(pairs, to_green), round), fraction)
    uint32_t x = 0;
    for (; x + V_BYTES <= width; x += V_BYTES) {
        const V bytes[3] = {v_load(luma + x), v_load(blue + x), v_load(red + x)};
        V r[2], g[2], b[2];
        for (int i = 0; i < 2; i++) {
            const V y = i ? v_high8(bytes[0], zero) : v_low8(bytes[0], zero);
            const V cb = v_sub16(i ? v_high8(bytes[1], zero) : v_low8(bytes[1], zero), middle);
            const V cr = v_sub16(i ? v_high8(bytes[2], zero) : v_low8(bytes[2], zero), middle);
            const V cb2 = v_add16(cb, cb), cr2 = v_add16(cr, cr);
            r[i] = v_add16(v_add16(y, cr), PART(cr2, to_red));
            b[i] = v_add16(v_add16(y, cb2), PART(cb2, to_blue));
            g[i] = v_add16(v_sub16(y, cr), v_pack32(GREEN(v_low16(cb, cr)), GREEN(v_high16(cb, cr))));
        }
        const V reds = v_pack16(r[0], r[1]), greens = v_pack16(g[0], g[1]), blues = v_pack16(b[0], b[1]);
        const V rg[2] = {v_low8(reds, greens), v_high8(reds, greens)};
        const V ba[2] = {v_low8(blues, opaque), v_high8(blues, opaque)};
        uint8_t *pixels = target + 4 * (size_t)x;
        for (int i = 0; i < 2; i++, pixels += (3 - V_BLOCKS) * V_BYTES) {
            const V first = v_low16(rg[i], ba[i]), second = v_high16(rg[i], ba[i]);
            v_store(pixels, v_low_blocks(first, second));
            v_store(pixels + V_BLOCKS * V_BYTES, v_high_blocks(first, second));
        }
    }
#undef PART
#undef GREEN
    return x;
}
