#include "level.h"

typedef struct {
    const int16_t *in[4];
    uint8_t *out[4];
} four_rows;

/// Missing rows repeat the first: they compute the same result at the same address.
static four_rows rows_from(
    const int16_t *source, size_t stride, int32_t rows, uint8_t *target, size_t target_stride) {
    four_rows all;
    for (int32_t row = 0; row < 4; row++) {
        const size_t number = row < rows ? (size_t)row : 0;
        all.in[row] = source + number * stride;
        all.out[row] = target + number * target_stride;
    }
    return all;
}

#if KF_SIMD
static inline void kf_store32(uint8_t *target, __m128i v) {
    const int32_t number = _mm_cvtsi128_si32(v);
    memcpy(target, &number, sizeof number);
}

#include "simd128.h"
#include "resize_columns_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "resize_columns_simd.h"
#include "simd_end.h"

/// Greyscale: eight taps per step.
static void resize_grey_sse2(
    const int16_t *source, size_t stride, int32_t rows, const kf_taps *taps, uint8_t *target,
    size_t target_stride) {
    const int32_t shift = taps->shift + KF_RESIZE_FRACTION;
    const __m128i half = _mm_cvtsi32_si128(1 << (shift - 1)), places = _mm_cvtsi32_si128(shift);
    for (int32_t row = 0; row < rows; row++)
        for (int32_t i = 0; i < taps->count; i++) {
            const int16_t *in = source + (size_t)row * stride + (size_t)taps->first[i];
            const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
            __m128i sum = half;
            int32_t tap = 0;
            for (; tap + 8 <= taps->stride; tap += 8) {
                const __m128i eight = _mm_loadu_si128((const __m128i *)(in + tap));
                const __m128i weight = _mm_loadu_si128((const __m128i *)(weights + tap));
                sum = _mm_add_epi32(sum, _mm_madd_epi16(eight, weight));
            }
            if (tap < taps->stride) {
                const __m128i four = _mm_loadl_epi64((const __m128i *)(in + tap));
                const __m128i weight = _mm_loadl_epi64((const __m128i *)(weights + tap));
                sum = _mm_add_epi32(sum, _mm_madd_epi16(four, weight));
            }
            sum = _mm_add_epi32(sum, _mm_srli_si128(sum, 8));
            sum = _mm_sra_epi32(_mm_add_epi32(sum, _mm_srli_si128(sum, 4)), places);
            target[(size_t)row * target_stride + (size_t)i] = kf_clamp8(_mm_cvtsi128_si32(sum));
        }
}

/// Grey and alpha, four taps per step.
static void resize_grey_alpha_sse2(
    const int16_t *source, size_t stride, int32_t rows, const kf_taps *taps, uint8_t *target,
    size_t target_stride) {
    const int32_t shift = taps->shift + KF_RESIZE_FRACTION, one_half = 1 << (shift - 1);
    const __m128i places = _mm_cvtsi32_si128(shift);
    for (int32_t row = 0; row < rows; row++)
        for (int32_t i = 0; i < taps->count; i++) {
            const int16_t *in = source + (size_t)row * stride + 2 * (size_t)taps->first[i];
            const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
            __m128i sum = _mm_set_epi32(0, 0, one_half, one_half);
            for (int32_t tap = 0; tap < taps->stride; tap += 4) {
                const __m128i four = _mm_loadu_si128((const __m128i *)(in + 2 * tap));
                const __m128i weight = _mm_loadl_epi64((const __m128i *)(weights + tap));
                sum = _mm_add_epi32(sum, _mm_madd_epi16(four, _mm_unpacklo_epi32(weight, weight)));
            }
            sum = _mm_sra_epi32(_mm_add_epi32(sum, _mm_srli_si128(sum, 8)), places);
            sum = _mm_packs_epi32(sum, sum);
            const uint16_t pixel = (uint16_t)_mm_cvtsi128_si32(_mm_packus_epi16(sum, sum));
            memcpy(target + (size_t)row * target_stride + 2 * (size_t)i, &pixel, sizeof pixel);
        }
}
#endif

static void resize_columns(
    const int16_t *source, size_t stride, int32_t rows, int32_t channels, const kf_taps *taps,
    uint8_t *target, size_t target_stride) {
    const int32_t shift = taps->shift + KF_RESIZE_FRACTION;
    for (int32_t row = 0; row < rows; row++) {
        uint8_t *out = target + (size_t)row * target_stride;
        for (int32_t i = 0; i < taps->count; i++) {
            const int16_t *in = source + (size_t)row * stride + (size_t)taps->first[i] * (size_t)channels;
            const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
            for (int32_t channel = 0; channel < channels; channel++) {
                const int16_t *samples = in + 2 * channel;
                int32_t sum = 1 << (shift - 1);
                for (int32_t tap = 0; tap < taps->taps; tap++)
                    sum += samples[(tap & ~1) * channels + (tap & 1)] * weights[tap];
                *out++ = kf_clamp8(sum >> shift);
            }
        }
    }
}

void kf_resize_columns(
    kf_level level, const int16_t *source, size_t stride, int32_t rows, int32_t channels, const kf_taps *taps,
    uint8_t *target, size_t target_stride) {
#if KF_SIMD
    if (level >= KF_SSE2 && channels == 4) {
        const four_rows all = rows_from(source, stride, rows, target, target_stride);
        return level == KF_AVX2 ? resize_columns_avx2(all, *taps) : resize_columns_sse2(all, *taps);
    }
    if (level >= KF_SSE2)
        return (channels == 1 ? resize_grey_sse2 : resize_grey_alpha_sse2)(
            source, stride, rows, taps, target, target_stride);
#endif
    resize_columns(source, stride, rows, channels, taps, target, target_stride);
}
