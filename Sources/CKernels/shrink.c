#include "level.h"

/// Adds up `rows` rows of bytes. Plain C, compiled once for each level: compilers vectorise it well.
static inline __attribute__((always_inline)) void add_rows(
    const uint8_t *source, size_t stride, size_t bytes, int32_t rows, uint16_t *sums) {
    for (size_t x = 0; x < bytes; x++) sums[x] = source[x];
    for (int32_t row = 1; row < rows; row++) {
        const uint8_t *in = source + (size_t)row * stride;
        for (size_t x = 0; x < bytes; x++) sums[x] = (uint16_t)(sums[x] + in[x]);
    }
}

#if KF_SIMD
KF_AVX2_TARGET
static void add_rows_avx2(const uint8_t *source, size_t stride, size_t bytes, int32_t rows, uint16_t *sums) {
    add_rows(source, stride, bytes, rows, sums);
}

/// Averages whole boxes of four channels; the same integers as the plain loop.
static void average4_sse2(
    const uint16_t *sums, int32_t boxes, int32_t across, uint32_t half, uint32_t reciprocal,
    uint8_t *target) {
    const __m128i zero = _mm_setzero_si128(), upper = _mm_set1_epi64x((int64_t)0xFFFFFFFF00000000);
    const __m128i scale = _mm_set1_epi32((int32_t)reciprocal);
    for (int32_t box = 0; box < boxes; box++) {
        __m128i sum = _mm_set1_epi32((int32_t)half);
        for (int32_t x = 0; x < across; x++, sums += 4)
            sum = _mm_add_epi32(sum, _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)sums), zero));
        const __m128i even = _mm_srli_epi64(_mm_mul_epu32(sum, scale), 32);
        const __m128i odd = _mm_mul_epu32(_mm_srli_epi64(sum, 32), scale);
        __m128i mean = _mm_or_si128(even, _mm_and_si128(odd, upper));
        mean = _mm_packs_epi32(mean, mean);
        const int32_t pixel = _mm_cvtsi128_si32(_mm_packus_epi16(mean, mean));
        memcpy(target + 4 * (size_t)box, &pixel, sizeof pixel);
    }
}
#endif

static void average(
    const uint16_t *sums, int32_t boxes, int32_t across, int32_t channels, uint32_t half, uint64_t reciprocal,
    uint8_t *target) {
    for (int32_t box = 0; box < boxes; box++, sums += (size_t)across * (size_t)channels)
        for (int32_t channel = 0; channel < channels; channel++) {
            uint32_t sum = half;
            for (int32_t x = 0; x < across; x++) sum += sums[x * channels + channel];
            *target++ = (uint8_t)((sum * reciprocal) >> 32);
        }
}

/// 2^32 / area, rounded up so that a flat picture stays as it is.
static uint64_t reciprocal(uint32_t area) { return (((uint64_t)1 << 32) + area - 1) / area; }

void kf_shrink_row(
    kf_level level, const uint8_t *source, size_t stride, int32_t width, int32_t rows, int32_t across,
    int32_t channels, uint16_t *scratch, uint8_t *target) {
    const size_t bytes = (size_t)width * (size_t)channels;
    const int32_t whole = width / across, rest = width % across;
    const uint32_t area = (uint32_t)(rows * across);
#if KF_SIMD
    if (level == KF_AVX2)
        add_rows_avx2(source, stride, bytes, rows, scratch);
    else
#endif
        add_rows(source, stride, bytes, rows, scratch);
#if KF_SIMD
    // The reciprocal of 1, what a last single row leaves, has no room in 32 bits.
    if (channels == 4 && area > 1 && level >= KF_SSE2)
        average4_sse2(scratch, whole, across, area / 2, (uint32_t)reciprocal(area), target);
    else
#endif
        average(scratch, whole, across, channels, area / 2, reciprocal(area), target);
    if (rest == 0) return;
    const size_t done = (size_t)whole * (size_t)channels;
    const uint32_t last = (uint32_t)(rows * rest);
    average(scratch + done * (size_t)across, 1, rest, channels, last / 2, reciprocal(last), target + done);
}
