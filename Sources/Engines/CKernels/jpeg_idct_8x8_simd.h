// Included with simd128.h and simd256.h: libjpeg-turbo's 8x8 inverse DCT, of one or two blocks at a time.

/// The sums of the products of pairs of samples with two factors.
#define PRODUCTS(pairs, first, second)                                                                       \
    v_madd16(pairs, v_set32((int)((uint32_t)(uint16_t)(first) | (uint32_t)(second) << 16)))

/// In one dimension: eight samples of each column from eight frequencies, as 32-bit sums of the columns in
/// the low or high half of each block, without their last bits.
KF_TARGET KF_INLINE void KF_NAME(transform_half)(
    V even26, V even0, V even4, V odd17, V odd35, V odd7351, __m128i shift, V round, V output[8]) {
    // Frequencies 2 and 6, then 0 and 4.
    const V low = PRODUCTS(even26, F_0_541, F_0_541 - F_1_847), high = PRODUCTS(even26, F_0_541 + F_0_765, F_0_541);
    const V sum = v_add32(even0, round), difference = v_add32(even4, round);
    const V e0 = v_add32(sum, high), e3 = v_sub32(sum, high);
    const V e1 = v_add32(difference, low), e2 = v_sub32(difference, low);
    // Frequencies 1, 3, 5 and 7, and the sums of 7 and 3 and of 5 and 1.
    const V z3 = PRODUCTS(odd7351, F_1_175 - F_1_961, F_1_175), z4 = PRODUCTS(odd7351, F_1_175, F_1_175 - F_0_390);
    const V o0 = v_add32(PRODUCTS(odd17, -F_0_899, F_0_298 - F_0_899), z3);
    const V o3 = v_add32(PRODUCTS(odd17, F_1_501 - F_0_899, -F_0_899), z4);
    const V o1 = v_add32(PRODUCTS(odd35, -F_2_562, F_2_053 - F_2_562), z4);
    const V o2 = v_add32(PRODUCTS(odd35, F_3_072 - F_2_562, -F_2_562), z3);
    output[0] = v_shift_right32(v_add32(e0, o3), shift), output[7] = v_shift_right32(v_sub32(e0, o3), shift);
    output[1] = v_shift_right32(v_add32(e1, o2), shift), output[6] = v_shift_right32(v_sub32(e1, o2), shift);
    output[2] = v_shift_right32(v_add32(e2, o1), shift), output[5] = v_shift_right32(v_sub32(e2, o1), shift);
    output[3] = v_shift_right32(v_add32(e3, o0), shift), output[4] = v_shift_right32(v_sub32(e3, o0), shift);
}

/// In one dimension: replaces eight frequencies by eight samples, for each column.
KF_TARGET KF_INLINE void KF_NAME(transform_8)(V v[8], int places) {
    const V zero = v_zero(), round = v_set32(1 << (places - 1));
    const __m128i shift = _mm_cvtsi32_si128(places), fraction = _mm_cvtsi32_si128(16 - FRACTION_BITS);
    const V sum = v_add16(v[0], v[4]), difference = v_sub16(v[0], v[4]);
    const V z3 = v_add16(v[7], v[3]), z4 = v_add16(v[5], v[1]);
    V low[8], high[8];
#define HALF(unpack, output)                                                                                 \
    KF_NAME(transform_half)(                                                                                 \
        unpack(v[2], v[6]), v_shift_right32(unpack(zero, sum), fraction),                                    \
        v_shift_right32(unpack(zero, difference), fraction), unpack(v[1], v[7]), unpack(v[3], v[5]),         \
        unpack(z3, z4), shift, round, output)
    HALF(v_low16, low);
    HALF(v_high16, high);
#undef HALF
    for (int i = 0; i < 8; i++) v[i] = v_pack32(low[i], high[i]);
}

/// Transposes 8 x 8 values in each block.
KF_TARGET KF_INLINE void KF_NAME(transpose_8)(V v[8]) {
    V pairs[8], quads[8];
    for (int i = 0; i < 4; i++) {
        pairs[i] = v_low16(v[2 * i], v[2 * i + 1]);
        pairs[4 + i] = v_high16(v[2 * i], v[2 * i + 1]);
    }
    for (int i = 0; i < 4; i++) {
        quads[2 * i] = v_low32(pairs[2 * i], pairs[2 * i + 1]);
        quads[2 * i + 1] = v_high32(pairs[2 * i], pairs[2 * i + 1]);
    }
    for (int i = 0; i < 2; i++) {
        V *target = v + 4 * i, *from = quads + 4 * i;
        target[0] = v_low64(from[0], from[2]), target[1] = v_high64(from[0], from[2]);
        target[2] = v_low64(from[1], from[3]), target[3] = v_high64(from[1], from[3]);
    }
}

/// Packs columns of samples around zero to rows of bytes, two in each block of a vector.
KF_TARGET KF_INLINE void KF_NAME(pack_rows)(const V v[8], V rows[4]) {
    V quads[4];
    for (int i = 0; i < 2; i++) {
        const V even = v_pack_signed16(v[4 * i], v[4 * i + 2]), odd = v_pack_signed16(v[4 * i + 1], v[4 * i + 3]);
        const V first = v_low8(even, odd), second = v_high8(even, odd);
        quads[2 * i] = v_low16(first, second), quads[2 * i + 1] = v_high16(first, second);
    }
    const V middle = v_set8((char)128);
    for (int i = 0; i < 2; i++) {
        rows[2 * i] = v_xor(v_low32(quads[i], quads[2 + i]), middle);
        rows[2 * i + 1] = v_xor(v_high32(quads[i], quads[2 + i]), middle);
    }
}

/// The inverse DCT of two blocks.
static KF_TARGET void KF_NAME(inverse_8x8)(
    const block_pair *pair, const uint16_t *quantization, size_t width, uint8_t *const corners[2]) {
    const __m128i places = _mm_cvtsi32_si128(PASS_BITS);
    for (int block = 0; block < 2; block += V_BLOCKS) {
        const int16_t *values = pair->values + 8 * block;
        V v[8], others = v_zero();
        for (int i = 1; i < 8; i++) {
            const V row = v_load(values + 16 * i);
            others = v_or(others, row);
            v[i] = v_mullo16(row, v_repeat(quantization + 8 * i));
        }
        v[0] = v_mullo16(v_load(values), v_repeat(quantization));
        // libjpeg omits the first pass if only the first row is not zero. The result wraps around then.
        V is_flat = v_equal32(others, v_zero());
        is_flat = v_and(is_flat, v_shuffle32(is_flat, 0x4e));
        is_flat = v_and(is_flat, v_shuffle32(is_flat, 0xb1));
        const V first = v_shift_left16(v[0], places);
        if (v_mask8(is_flat) == V_ALL) {
            for (int i = 0; i < 8; i++) v[i] = first;
        } else {
            v[0] = v_or(v_and(is_flat, v_shift_right_signed16(first, places)), v_and_not(is_flat, v[0]));
            KF_NAME(transform_8)(v, FRACTION_BITS - PASS_BITS);
        }
        KF_NAME(transpose_8)(v);
        KF_NAME(transform_8)(v, FRACTION_BITS + PASS_BITS + 3);
        V rows[4];
        KF_NAME(pack_rows)(v, rows);
        for (int i = 0; i < 4; i++) {
            uint8_t bytes[V_BYTES];
            v_store(bytes, rows[i]);
            for (int own = 0; own < V_BLOCKS; own++) {
                uint8_t *target = corners[block + own] + (size_t)(2 * i) * width;
                memcpy(target, bytes + 16 * own, 8);
                memcpy(target + width, bytes + 16 * own + 8, 8);
            }
        }
    }
}
#undef PRODUCTS
