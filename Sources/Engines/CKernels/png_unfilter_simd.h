// Included with simd128.h and simd256.h. Pixels of three or four channels; the output has four.

#define ROWS (2 * V_BLOCKS)
// Each row is two pixels behind the one above, whose pixel was computed in the step before last.
#define LAG 2
#if V_BLOCKS == 1
#define v_add8 _mm_add_epi8
#define v_equal16 _mm_cmpeq_epi16
#define v_half16(v) _mm_srli_epi16(v, 1)
#define v_abs16(v) _mm_max_epi16(v, _mm_sub_epi16(_mm_setzero_si128(), v))
#define v_choose(otherwise, then, mask)                                                                      \
    _mm_or_si128(_mm_and_si128(mask, then), _mm_andnot_si128(mask, otherwise))
#define v_set_row(r0, r1, r2, r3) _mm_set_epi16(r1, r1, r1, r1, r0, r0, r0, r0)
#define v_widen4(r0, r1, r2, r3)                                                                             \
    _mm_unpacklo_epi8(                                                                                       \
        _mm_unpacklo_epi32(_mm_cvtsi32_si128((int32_t)(r0)), _mm_cvtsi32_si128((int32_t)(r1))),              \
        _mm_setzero_si128())
#define v_first_block(v) (v)
#define v_second_block(v) (v)
// Moves each row's pixel to the next row; `first` becomes the pixel of the first row.
#define v_rows_down(v, first) _mm_unpacklo_epi64(first, v)
#else
#define v_add8 _mm256_add_epi8
#define v_equal16 _mm256_cmpeq_epi16
#define v_half16(v) _mm256_srli_epi16(v, 1)
#define v_abs16 _mm256_abs_epi16
#define v_choose(otherwise, then, mask) _mm256_blendv_epi8(otherwise, then, mask)
#define v_set_row(r0, r1, r2, r3)                                                                            \
    _mm256_set_epi16(r3, r3, r3, r3, r2, r2, r2, r2, r1, r1, r1, r1, r0, r0, r0, r0)
#define v_widen4(r0, r1, r2, r3)                                                                             \
    _mm256_cvtepu8_epi16(_mm_set_epi32((int32_t)(r3), (int32_t)(r2), (int32_t)(r1), (int32_t)(r0)))
#define v_first_block(v) _mm256_castsi256_si128(v)
#define v_second_block(v) _mm256_extracti128_si256(v, 1)
#define v_rows_down(v, first)                                                                                \
    _mm256_blend_epi32(_mm256_permute4x64_epi64(v, 0x90), _mm256_castsi128_si256(first), 0x03)
#endif

/// The state between steps: 16-bit samples, four per row.
typedef struct {
    /// The row's left pixel, its corner, and the pixels of the step before last and of the last step.
    V left, corner, older, newer;
    /// Masks of the neighbours that each row's filter uses. The others count as zero, which makes Paeth equal
    /// to Sub, Up or None. Average is selected separately.
    V uses_left, uses_up, uses_corner, uses_average;
} KF_NAME(rows);

/// Adds the filters' predictions to the filtered pixels `x`. `above` is the pixel above the first row's
/// pixel.
KF_TARGET
static inline __attribute__((always_inline)) V KF_NAME(step)(KF_NAME(rows) *rows, V x, __m128i above) {
    const V up = v_and(v_rows_down(rows->older, above), rows->uses_up);
    const V corner = v_and(rows->corner, rows->uses_corner), left = rows->left;
    const V across = v_sub16(up, corner), down = v_sub16(left, corner);
    const V to_left = v_and_not(rows->uses_average, v_abs16(across)), to_up = v_abs16(down);
    const V to_corner = v_abs16(v_add16(across, down));
    const V least = v_min16(v_min16(to_left, to_up), to_corner);
    const V average = v_half16(v_add16(left, up));
    V predicted = v_choose(corner, up, v_equal16(least, to_up));
    predicted = v_choose(predicted, v_choose(left, average, rows->uses_average), v_equal16(least, to_left));
    // The high halves are zero, and bytes wrap as the filters require.
    const V made = v_add8(x, predicted);
    rows->left = v_and(made, rows->uses_left);
    rows->corner = up;
    rows->older = rows->newer;
    rows->newer = made;
    return made;
}

static inline __attribute__((always_inline)) uint32_t KF_NAME(load)(const uint8_t *p) {
    uint32_t pixel;
    memcpy(&pixel, p, sizeof pixel);
    return pixel;
}

static inline __attribute__((always_inline)) void KF_NAME(store)(uint8_t *p, uint32_t pixel) {
    memcpy(p, &pixel, sizeof pixel);
}

/// Packs the rows' pixels to four bytes each.
KF_TARGET
static inline __attribute__((always_inline)) void KF_NAME(narrow)(V made, uint32_t *pixels) {
    const V bytes = v_pack16(made, made);
    for (int32_t block = 0; block < V_BLOCKS; block++) {
        const __m128i two = block == 0 ? v_first_block(bytes) : v_second_block(bytes);
        const uint64_t both = (uint64_t)_mm_cvtsi128_si64(two);
        pixels[2 * block] = (uint32_t)both;
        pixels[2 * block + 1] = (uint32_t)(both >> 32);
    }
}

KF_TARGET
static inline __attribute__((always_inline)) void KF_NAME(lock_step_of)(
    const uint8_t *source, size_t source_stride, size_t width, size_t in, const uint8_t *above,
    uint8_t *target, size_t target_stride) {
    const uint32_t opaque = in == 3 ? 0xFF000000 : 0;
    const __m128i zero = _mm_setzero_si128();
    const uint8_t *from[4] = {0};
    uint8_t *to[4] = {0};
    int16_t left[4] = {0}, up[4] = {0}, corner[4] = {0}, average[4] = {0};
    for (size_t row = 0; row < ROWS; row++) {
        const uint8_t filter = source[row * source_stride];
        from[row] = source + row * source_stride + 1;
        to[row] = target + row * target_stride;
        left[row] = filter == KF_PNG_SUB || filter == KF_PNG_AVERAGE || filter == KF_PNG_PAETH ? -1 : 0;
        up[row] = filter == KF_PNG_UP || filter == KF_PNG_AVERAGE || filter == KF_PNG_PAETH ? -1 : 0;
        corner[row] = filter == KF_PNG_PAETH ? -1 : 0;
        average[row] = filter == KF_PNG_AVERAGE ? -1 : 0;
    }
    KF_NAME(rows) rows = {
        .left = v_zero(),
        .corner = v_zero(),
        .older = v_zero(),
        .newer = v_zero(),
        .uses_left = v_set_row(left[0], left[1], left[2], left[3]),
        .uses_up = v_set_row(up[0], up[1], up[2], up[3]),
        .uses_corner = v_set_row(corner[0], corner[1], corner[2], corner[3]),
        .uses_average = v_set_row(average[0], average[1], average[2], average[3]),
    };
    uint32_t pixels[4] = {0};
    const size_t behind = LAG * (ROWS - 1);
    for (size_t step = 0; step < width + behind; step++) {
        // All rows are inside the image.
        for (; step >= behind && step < width; step++) {
            const uint8_t *p0 = from[0] + in * step, *p1 = from[1] + in * (step - LAG);
#if V_BLOCKS == 1
            const V x = v_widen4(KF_NAME(load)(p0), KF_NAME(load)(p1), 0, 0);
#else
            const uint8_t *p2 = from[2] + in * (step - 2 * LAG), *p3 = from[3] + in * (step - 3 * LAG);
            const V x =
                v_widen4(KF_NAME(load)(p0), KF_NAME(load)(p1), KF_NAME(load)(p2), KF_NAME(load)(p3));
#endif
            const __m128i over = _mm_cvtsi32_si128((int32_t)KF_NAME(load)(above + 4 * step));
            KF_NAME(narrow)(KF_NAME(step)(&rows, x, _mm_unpacklo_epi8(over, zero)), pixels);
            for (size_t row = 0; row < ROWS; row++)
                KF_NAME(store)(to[row] + 4 * (step - LAG * row), pixels[row] | opaque);
        }
        if (step == width + behind) break;
        // Before its start a row computes zeros from zeros; results after its end are not used.
        for (size_t row = 0; row < ROWS; row++) {
            const size_t x = step - LAG * row;
            pixels[row] = step >= LAG * row && x < width ? KF_NAME(load)(from[row] + in * x) : 0;
        }
        const uint32_t pixel = step < width ? KF_NAME(load)(above + 4 * step) : 0;
        const V x = v_widen4(pixels[0], pixels[1], pixels[2], pixels[3]);
        const __m128i over = _mm_unpacklo_epi8(_mm_cvtsi32_si128((int32_t)pixel), zero);
        KF_NAME(narrow)(KF_NAME(step)(&rows, x, over), pixels);
        for (size_t row = 0; row < ROWS; row++) {
            const size_t x = step - LAG * row;
            if (step >= LAG * row && x < width) KF_NAME(store)(to[row] + 4 * x, pixels[row] | opaque);
        }
    }
}

/// Unfilters as many rows as a vector holds, with a delay of two pixels from each to the next.
///
/// Paeth has a latency of nine instructions per pixel, which all rows share here. Sub and Average have so
/// little latency that they gain only in rows below one of Paeth.
KF_TARGET
static void KF_NAME(lock_step)(
    const uint8_t *source, size_t source_stride, size_t width, size_t in, const uint8_t *above,
    uint8_t *target, size_t target_stride) {
    if (in == 3)
        KF_NAME(lock_step_of)(source, source_stride, width, 3, above, target, target_stride);
    else
        KF_NAME(lock_step_of)(source, source_stride, width, 4, above, target, target_stride);
}

/// Unfilters a row of None or Up.
KF_TARGET
static void KF_NAME(parallel_row)(
    uint8_t filter, const uint8_t *source, const uint8_t *above, uint8_t *target, size_t width, size_t in) {
    size_t x = 0;
    if (in == 4) {
        if (filter == KF_PNG_NONE) {
            memcpy(target, source, 4 * width);
            return;
        }
        for (; x + V_BYTES / 4 <= width; x += V_BYTES / 4)
            v_store(target + 4 * x, v_add8(v_load(source + 4 * x), v_load(above + 4 * x)));
    }
#if V_BLOCKS == 2
    if (in == 3) {
        const __m128i spread = _mm_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1);
        const __m128i opaque = _mm_set1_epi32((int32_t)0xFF000000), zero = _mm_setzero_si128();
        // Reads sixteen bytes for twelve bytes of four pixels.
        for (; x + 6 <= width; x += 4) {
            const __m128i four = _mm_loadu_si128((const __m128i *)(source + 3 * x));
            const __m128i over =
                filter == KF_PNG_UP ? _mm_loadu_si128((const __m128i *)(above + 4 * x)) : zero;
            const __m128i sum = _mm_add_epi8(_mm_shuffle_epi8(four, spread), over);
            _mm_storeu_si128((__m128i *)(target + 4 * x), _mm_or_si128(sum, opaque));
        }
    }
#endif
    const uint32_t opaque = in == 3 ? 0xFF000000 : 0;
    for (; x < width; x++) {
        const __m128i pixel = _mm_cvtsi32_si128((int32_t)KF_NAME(load)(source + in * x));
        const uint32_t over = filter == KF_PNG_UP ? KF_NAME(load)(above + 4 * x) : 0;
        const __m128i sum = _mm_add_epi8(pixel, _mm_cvtsi32_si128((int32_t)over));
        KF_NAME(store)(target + 4 * x, (uint32_t)_mm_cvtsi128_si32(sum) | opaque);
    }
}

#undef ROWS
#undef LAG
#undef v_add8
#undef v_equal16
#undef v_half16
#undef v_abs16
#undef v_choose
#undef v_set_row
#undef v_widen4
#undef v_first_block
#undef v_second_block
#undef v_rows_down
