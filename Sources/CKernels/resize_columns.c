#include "level.h"

typedef struct {
    const uint8_t *in[4];
    int16_t *out[4];
} four_rows;

/// Missing rows repeat the first: they compute the same result at the same address.
static four_rows rows_from(
    const uint8_t *source, size_t stride, int32_t rows, int16_t *target, size_t target_stride) {
    four_rows all;
    for (int32_t row = 0; row < 4; row++) {
        const size_t number = row < rows ? (size_t)row : 0;
        all.in[row] = source + number * stride;
        all.out[row] = target + number * target_stride;
    }
    return all;
}

#if KF_SIMD
/// Adds four taps of four channels to `sum`.
static inline __m128i four_taps(__m128i sum, const uint8_t *in, const int16_t *weights) {
    const __m128i zero = _mm_setzero_si128();
    const __m128i pixels = _mm_loadu_si128((const __m128i *)in), next = _mm_srli_si128(pixels, 4);
    const __m128i four = _mm_loadl_epi64((const __m128i *)weights);
    const __m128i low = _mm_unpacklo_epi8(_mm_unpacklo_epi8(pixels, next), zero);
    const __m128i high = _mm_unpacklo_epi8(_mm_unpackhi_epi8(pixels, next), zero);
    sum = _mm_add_epi32(sum, _mm_madd_epi16(low, _mm_shuffle_epi32(four, 0x00)));
    return _mm_add_epi32(sum, _mm_madd_epi16(high, _mm_shuffle_epi32(four, 0x55)));
}

#include "simd128.h"
#include "resize_columns_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "resize_columns_simd.h"
#include "simd_end.h"

/// Greyscale: eight taps per step.
static void resize_grey_sse2(
    const uint8_t *source, size_t stride, int32_t rows, const kf_taps *taps, int16_t *target,
    size_t target_stride) {
    const __m128i zero = _mm_setzero_si128(), places = _mm_cvtsi32_si128(taps->shift - KF_RESIZE_FRACTION);
    const __m128i half = _mm_cvtsi32_si128(1 << (taps->shift - KF_RESIZE_FRACTION - 1));
    for (int32_t row = 0; row < rows; row++)
        for (int32_t i = 0; i < taps->count; i++) {
            const uint8_t *in = source + (size_t)row * stride + (size_t)taps->first[i];
            const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
            __m128i sum = half;
            int32_t tap = 0;
            for (; tap + 8 <= taps->stride; tap += 8) {
                const __m128i eight = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(in + tap)), zero);
                const __m128i weight = _mm_loadu_si128((const __m128i *)(weights + tap));
                sum = _mm_add_epi32(sum, _mm_madd_epi16(eight, weight));
            }
            if (tap < taps->stride) {
                int32_t four;
                memcpy(&four, in + tap, sizeof four);
                const __m128i weight = _mm_loadl_epi64((const __m128i *)(weights + tap));
                sum = _mm_add_epi32(
                    sum, _mm_madd_epi16(_mm_unpacklo_epi8(_mm_cvtsi32_si128(four), zero), weight));
            }
            sum = _mm_add_epi32(sum, _mm_srli_si128(sum, 8));
            sum = _mm_sra_epi32(_mm_add_epi32(sum, _mm_srli_si128(sum, 4)), places);
            target[(size_t)row * target_stride + (size_t)i] =
                (int16_t)_mm_cvtsi128_si32(_mm_packs_epi32(sum, sum));
        }
}

/// Grey and alpha, four taps per step.
static void resize_grey_alpha_sse2(
    const uint8_t *source, size_t stride, int32_t rows, const kf_taps *taps, int16_t *target,
    size_t target_stride) {
    const __m128i zero = _mm_setzero_si128(), places = _mm_cvtsi32_si128(taps->shift - KF_RESIZE_FRACTION);
    const int32_t one_half = 1 << (taps->shift - KF_RESIZE_FRACTION - 1);
    for (int32_t row = 0; row < rows; row++)
        for (int32_t i = 0; i < taps->count; i++) {
            const uint8_t *in = source + (size_t)row * stride + 2 * (size_t)taps->first[i];
            const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
            __m128i sum = _mm_set_epi32(0, 0, one_half, one_half);
            for (int32_t tap = 0; tap < taps->stride; tap += 4) {
                __m128i four = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)(in + 2 * tap)), zero);
                four = _mm_shufflehi_epi16(_mm_shufflelo_epi16(four, 0xD8), 0xD8);
                const __m128i weight = _mm_loadl_epi64((const __m128i *)(weights + tap));
                sum = _mm_add_epi32(sum, _mm_madd_epi16(four, _mm_unpacklo_epi32(weight, weight)));
            }
            sum = _mm_sra_epi32(_mm_add_epi32(sum, _mm_srli_si128(sum, 8)), places);
            const int32_t pixel = _mm_cvtsi128_si32(_mm_packs_epi32(sum, sum));
            memcpy(target + (size_t)row * target_stride + 2 * (size_t)i, &pixel, sizeof pixel);
        }
}
#endif

static void resize_columns(
    const uint8_t *source, size_t stride, int32_t rows, int32_t channels, const kf_taps *taps,
    int16_t *target, size_t target_stride) {
    const int32_t shift = taps->shift - KF_RESIZE_FRACTION;
    for (int32_t row = 0; row < rows; row++) {
        int16_t *out = target + (size_t)row * target_stride;
        for (int32_t i = 0; i < taps->count; i++) {
            const uint8_t *in = source + (size_t)row * stride + (size_t)taps->first[i] * (size_t)channels;
            const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
            for (int32_t channel = 0; channel < channels; channel++) {
                int32_t sum = 1 << (shift - 1);
                for (int32_t tap = 0; tap < taps->taps; tap++)
                    sum += in[tap * channels + channel] * weights[tap];
                *out++ = kf_clamp16(sum >> shift);
            }
        }
    }
}

void kf_resize_columns(
    kf_level level, const uint8_t *source, size_t stride, int32_t rows, int32_t channels, const kf_taps *taps,
    int16_t *target, size_t target_stride) {
#if KF_SIMD
    if (level >= KF_SSE2 && channels == 4) {
        const four_rows all = rows_from(source, stride, rows, target, target_stride);
        return level == KF_AVX2 ? resize_columns_avx2(&all, taps) : resize_columns_sse2(&all, taps);
    }
    if (level >= KF_SSE2)
        return (channels == 1 ? resize_grey_sse2 : resize_grey_alpha_sse2)(
            source, stride, rows, taps, target, target_stride);
#endif
    resize_columns(source, stride, rows, channels, taps, target, target_stride);
}
