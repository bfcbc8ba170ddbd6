#include "level.h"

/// The mean of a box: (sum + half) * scale >> shift.
///
/// The reciprocal is rounded up, so that a flat image is unchanged. If the sums of a box fit in 16 bits, the
/// reciprocal also has 16 bits; the error of the mean is then below 1/128.
typedef struct {
    uint32_t area;
    uint32_t half;
    uint64_t scale;
    int32_t shift;
} division;

static const uint32_t largest_in_16_bits = 256;

static division dividing_by(uint32_t area) {
    division by = {area, area / 2, 0, 32};
    if (area > 1 && area <= largest_in_16_bits) by.shift = 16 + (31 - __builtin_clz(area - 1));
    by.scale = (((uint64_t)1 << by.shift) + area - 1) / area;
    return by;
}

/// Averages whole boxes of one channel whose sums fit in 16 bits, so that products fit in 32. The compiler
/// makes vector code of it where `across` is a constant.
KF_INLINE void average_boxes(
    const uint16_t *restrict sums, int32_t boxes, int32_t across, const division *by,
    uint8_t *restrict target) {
    const uint32_t half = by->half, scale = (uint32_t)by->scale;
    const int32_t shift = by->shift;
    for (int32_t box = 0; box < boxes; box++) {
        uint32_t sum = half;
        for (int32_t x = 0; x < across; x++) sum += sums[(size_t)box * (size_t)across + (size_t)x];
        target[box] = (uint8_t)(sum * scale >> shift);
    }
}

/// The same with the usual boxes of a plane's thumbnail unrolled.
KF_INLINE void average_plane(
    const uint16_t *sums, int32_t boxes, int32_t across, const division *by, uint8_t *target) {
    switch (across) {
    case 2: return average_boxes(sums, boxes, 2, by, target);
    case 3: return average_boxes(sums, boxes, 3, by, target);
    case 4: return average_boxes(sums, boxes, 4, by, target);
    case 5: return average_boxes(sums, boxes, 5, by, target);
    case 6: return average_boxes(sums, boxes, 6, by, target);
    default: return average_boxes(sums, boxes, across, by, target);
    }
}

#if KF_SIMD
/// A second time for processors with AVX2.
KF_AVX2_TARGET
static void average_plane_avx2(
    const uint16_t *sums, int32_t boxes, int32_t across, const division *by, uint8_t *target) {
    average_plane(sums, boxes, across, by, target);
}

#include "simd128.h"
#include "shrink_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "shrink_simd.h"
#include "simd_end.h"

/// Sums of two boxes of four channels, which fit in 16 bits.
static inline __attribute__((always_inline)) __m128i two_boxes(const uint16_t *sums, int32_t across, __m128i sum) {
    const uint16_t *other = sums + 4 * (size_t)across;
    for (int32_t x = 0; x < across; x++) {
        const __m128i a = _mm_loadl_epi64((const __m128i *)(sums + 4 * (size_t)x));
        const __m128i b = _mm_loadl_epi64((const __m128i *)(other + 4 * (size_t)x));
        sum = _mm_add_epi16(sum, _mm_unpacklo_epi64(a, b));
    }
    return sum;
}

static inline __attribute__((always_inline)) int32_t average_small(
    const uint16_t *sums, int32_t boxes, int32_t across, const division *by, uint8_t *target) {
    const __m128i half = _mm_set1_epi16((int16_t)by->half), scale = _mm_set1_epi16((int16_t)by->scale);
    const __m128i places = _mm_cvtsi32_si128(by->shift - 16);
    const size_t two = 8 * (size_t)across;
    int32_t box = 0;
    for (; box + 4 <= boxes; box += 4, sums += 2 * two) {
        const __m128i a = _mm_mulhi_epu16(two_boxes(sums, across, half), scale);
        const __m128i b = _mm_mulhi_epu16(two_boxes(sums + two, across, half), scale);
        _mm_storeu_si128(
            (__m128i *)(target + 4 * (size_t)box),
            _mm_packus_epi16(_mm_srl_epi16(a, places), _mm_srl_epi16(b, places)));
    }
    return box;
}

/// Averages whole boxes of four channels whose sums fit in 16 bits. Returns their number; fewer than four are
/// left.
///
/// The usual small boxes are unrolled.
static int32_t average_small_sse2(
    const uint16_t *sums, int32_t boxes, int32_t across, const division *by, uint8_t *target) {
    switch (across) {
    case 2: return average_small(sums, boxes, 2, by, target);
    case 3: return average_small(sums, boxes, 3, by, target);
    case 4: return average_small(sums, boxes, 4, by, target);
    default: return average_small(sums, boxes, across, by, target);
    }
}

/// The same for all larger boxes.
static int32_t average_large_sse2(
    const uint16_t *sums, int32_t boxes, int32_t across, const division *by, uint8_t *target) {
    const __m128i zero = _mm_setzero_si128(), upper = _mm_set1_epi64x((int64_t)0xFFFFFFFF00000000);
    const __m128i scale = _mm_set1_epi32((int32_t)by->scale);
    for (int32_t box = 0; box < boxes; box++) {
        __m128i sum = _mm_set1_epi32((int32_t)by->half);
        for (int32_t x = 0; x < across; x++, sums += 4)
            sum = _mm_add_epi32(sum, _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)sums), zero));
        const __m128i even = _mm_srli_epi64(_mm_mul_epu32(sum, scale), 32);
        const __m128i odd = _mm_mul_epu32(_mm_srli_epi64(sum, 32), scale);
        __m128i mean = _mm_or_si128(even, _mm_and_si128(odd, upper));
        mean = _mm_packs_epi32(mean, mean);
        const int32_t pixel = _mm_cvtsi128_si32(_mm_packus_epi16(mean, mean));
        memcpy(target + 4 * (size_t)box, &pixel, sizeof pixel);
    }
    return boxes;
}
#endif

/// Adds up `rows` rows of bytes.
static void add_rows(
    kf_level level, const uint8_t *source, size_t stride, size_t bytes, int32_t rows, uint16_t *sums) {
    size_t x = 0;
#if KF_SIMD
    if (level == KF_AVX2) x = add_rows_avx2(source, stride, x, bytes, rows, sums);
    if (level >= KF_SSE2) x = add_rows_sse2(source, stride, x, bytes, rows, sums);
#endif
    for (; x < bytes; x++) {
        uint32_t sum = 0;
        for (int32_t row = 0; row < rows; row++) sum += source[(size_t)row * stride + x];
        sums[x] = (uint16_t)sum;
    }
}

static void average(
    const uint16_t *sums, int32_t boxes, int32_t across, int32_t channels, const division *by,
    uint8_t *target) {
    for (int32_t box = 0; box < boxes; box++, sums += (size_t)across * (size_t)channels)
        for (int32_t channel = 0; channel < channels; channel++) {
            uint32_t sum = by->half;
            for (int32_t x = 0; x < across; x++) sum += sums[x * channels + channel];
            *target++ = (uint8_t)((sum * by->scale) >> by->shift);
        }
}

void kf_shrink_row(
    kf_level level, const uint8_t *source, size_t stride, int32_t width, int32_t rows, int32_t across,
    int32_t channels, uint16_t *scratch, uint8_t *target) {
    add_rows(level, source, stride, (size_t)width * (size_t)channels, rows, scratch);
    const int32_t whole = width / across, rest = width % across;
    const division by = dividing_by((uint32_t)(rows * across));
    int32_t done = 0;
#if KF_SIMD
    // The reciprocal of an area of 1, which a single last row can have, does not fit in a vector element.
    if (level >= KF_SSE2 && channels == 4 && by.area > 1)
        done = (by.area <= largest_in_16_bits ? average_small_sse2 : average_large_sse2)(
            scratch, whole, across, &by, target);
#endif
    if (channels == 1 && by.area > 1 && by.area <= largest_in_16_bits) {
#if KF_SIMD
        (level == KF_AVX2 ? average_plane_avx2 : average_plane)(scratch, whole, across, &by, target);
#else
        average_plane(scratch, whole, across, &by, target);
#endif
        done = whole;
    }
    const size_t samples = (size_t)done * (size_t)channels;
    average(scratch + samples * (size_t)across, whole - done, across, channels, &by, target + samples);
    if (rest == 0) return;
    const division last = dividing_by((uint32_t)(rows * rest));
    const size_t end = (size_t)whole * (size_t)channels;
    average(scratch + end * (size_t)across, 1, rest, channels, &last, target + end);
}

void kf_shrink_row16(
    const uint16_t *source, size_t stride, int32_t width, int32_t rows, int32_t across, int32_t channels,
    uint32_t *scratch, uint16_t *target) {
    const size_t samples = (size_t)width * (size_t)channels;
    memset(scratch, 0, samples * sizeof *scratch);
    for (int32_t row = 0; row < rows; row++) {
        const size_t offset = (size_t)row * stride;
        const uint16_t *in = (const uint16_t *)(const void *)((const uint8_t *)source + offset);
        for (size_t x = 0; x < samples; x++) scratch[x] += in[x];
    }
    for (int32_t left = width; left > 0; left -= across) {
        const int32_t columns = left < across ? left : across;
        const uint64_t area = (uint64_t)columns * (uint64_t)rows;
        for (int32_t channel = 0; channel < channels; channel++) {
            uint64_t sum = area / 2;
            for (int32_t x = 0; x < columns; x++) sum += scratch[x * channels + channel];
            *target++ = (uint16_t)(sum / area);
        }
        scratch += (size_t)columns * (size_t)channels;
    }
}
