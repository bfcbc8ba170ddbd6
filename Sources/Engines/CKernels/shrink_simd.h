// Included with simd128.h and simd256.h.

/// Adds `rows` rows from byte `x` on. Returns the next byte; fewer than V_BYTES are left.
KF_TARGET
static size_t KF_NAME(add_rows)(
    const uint8_t *source, size_t stride, size_t x, size_t bytes, int32_t rows, uint16_t *sums) {
    const V zero = v_zero();
    for (; x + V_BYTES <= bytes; x += V_BYTES) {
        const uint8_t *in = source + x;
        V low = zero, high = zero;
        for (int32_t row = 0; row < rows; row++, in += stride) {
            const V samples = v_load(in);
            low = v_add16(low, v_low8(samples, zero));
            high = v_add16(high, v_high8(samples, zero));
        }
        v_store(sums + x, v_low_blocks(low, high));
        v_store(sums + x + V_BYTES / 2, v_high_blocks(low, high));
    }
    return x;
}
