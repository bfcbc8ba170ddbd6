#include "level.h"
#pragma STDC FP_CONTRACT OFF

_Static_assert(KF_LINEAR_ONE == 4 * (KF_LINEAR_STEPS - 1), "the last step is 1");

/// The byte for a sum of the tables, clamped to 0...1.
static inline uint8_t encoded(const kf_linear_filter *filter, int32_t sum) {
    const int32_t step = sum >> 2;
    return filter->encoded[step < 0 ? 0 : step < KF_LINEAR_STEPS ? step : KF_LINEAR_STEPS - 1];
}

/// The constant part of the sum for an opaque pixel, including the rounding of `encoded`.
static inline int32_t constant(const kf_linear_filter *filter, int32_t channel) {
    return filter->bias[channel] + filter->veil[channel] + 2;
}

typedef float floats __attribute__((ext_vector_type(4)));
typedef int32_t integers __attribute__((ext_vector_type(4)));

/// Interpolated light at a straight sample, which is fractional if alpha is below 255.
static inline floats light(const int32_t *table, float sample) {
    const int32_t entry = (int32_t)sample;
    integers low, high;
    memcpy(&low, table + 4 * entry, sizeof low);
    memcpy(&high, table + 4 * entry + 4, sizeof high);
    const floats from = __builtin_convertvector(low, floats), to = __builtin_convertvector(high, floats);
    return from + (sample - (float)entry) * (to - from);
}

static inline uint32_t translucent(const kf_linear_filter *filter, const uint8_t *source) {
    const float own = source[3] / 255.0f, alpha = own + filter->veil_alpha * (1 - own);
    const float straight = source[3] == 0 ? 0 : 255.0f / source[3];
    floats sum = {filter->bias[0], filter->bias[1], filter->bias[2], 0};
    for (int32_t c = 0; c < 3; c++) {
        const float sample = source[c] * straight;
        sum += light(filter->tables + 4 * KF_LINEAR_ENTRIES * c, sample < 255 ? sample : 255);
    }
    const floats veil = {filter->veil[0], filter->veil[1], filter->veil[2], 0};
    sum = (own * sum + veil) * (alpha > 0 ? 1 / alpha : 0);
    // Sums of the largest factors exceed the range of integers.
    const float highest = 4 * KF_LINEAR_STEPS;
    sum = sum < 0 ? 0 : sum > highest ? highest : sum;
    const integers rounded = __builtin_convertvector(sum + 2.5f, integers);
    uint32_t pixel = (uint32_t)(255 * alpha + 0.5f) << 24;
    for (int32_t j = 0; j < 3; j++)
        pixel |= (uint32_t)(encoded(filter, rounded[j]) * alpha + 0.5f) << 8 * j;
    return pixel;
}

/// Filters the pixels before the next opaque one; returns their number. Used at all levels.
static __attribute__((noinline)) size_t translucent_run(
    const kf_linear_filter *filter, const uint8_t *source, size_t pixels, uint8_t *target) {
    uint32_t seen = 0, made = 0;
    size_t i = 0;
    for (; i < pixels && source[4 * i + 3] != 255; i++) {
        uint32_t pixel;
        memcpy(&pixel, source + 4 * i, sizeof pixel);
        // Most pixels equal the previous one: transparent.
        if (i == 0 || pixel != seen) made = translucent(filter, source + 4 * i);
        seen = pixel;
        memcpy(target + 4 * i, &made, sizeof made);
    }
    return i;
}

#if KF_SIMD
static void rows_sse2(const kf_linear_filter *filter, const uint8_t *source, size_t pixels, uint8_t *target) {
    const __m128i added = _mm_setr_epi32(constant(filter, 0), constant(filter, 1), constant(filter, 2), 0);
    const __m128i zero = _mm_setzero_si128(), highest = _mm_set1_epi16(KF_LINEAR_STEPS - 1);
    const int32_t *red = filter->tables, *green = red + 4 * KF_LINEAR_ENTRIES;
    const int32_t *blue = green + 4 * KF_LINEAR_ENTRIES;
#define ENTRY(table, sample) _mm_loadu_si128((const __m128i *)((table) + 4 * (sample)))
    const uint8_t *end = source + 4 * pixels;
    for (; source < end; source += 4, target += 4) {
        if (source[3] != 255) {
            const size_t done = translucent_run(filter, source, (size_t)(end - source) / 4, target);
            source += 4 * done, target += 4 * done;
            if (source == end) return;
        }
        const __m128i sum = _mm_add_epi32(
            _mm_add_epi32(ENTRY(red, source[0]), ENTRY(green, source[1])),
            _mm_add_epi32(ENTRY(blue, source[2]), added));
        const __m128i steps = _mm_srai_epi32(sum, 2);
        const __m128i limited = _mm_max_epi16(_mm_min_epi16(_mm_packs_epi32(steps, steps), highest), zero);
        target[0] = filter->encoded[_mm_extract_epi16(limited, 0)];
        target[1] = filter->encoded[_mm_extract_epi16(limited, 1)];
        target[2] = filter->encoded[_mm_extract_epi16(limited, 2)];
        target[3] = 255;
    }
#undef ENTRY
}
#endif

static void rows_scalar(
    const kf_linear_filter *filter, const uint8_t *source, size_t pixels, uint8_t *target) {
    const uint8_t *end = source + 4 * pixels;
    for (; source < end; source += 4, target += 4) {
        if (source[3] != 255) {
            const size_t done = translucent_run(filter, source, (size_t)(end - source) / 4, target);
            source += 4 * done, target += 4 * done;
            if (source == end) return;
        }
        const int32_t *red = filter->tables + 4 * source[0];
        const int32_t *green = filter->tables + 4 * (KF_LINEAR_ENTRIES + source[1]);
        const int32_t *blue = filter->tables + 4 * (2 * KF_LINEAR_ENTRIES + source[2]);
        for (int32_t j = 0; j < 3; j++)
            target[j] = encoded(filter, red[j] + green[j] + blue[j] + constant(filter, j));
        target[3] = 255;
    }
}

void kf_filter_linear(
    kf_level level, const uint8_t *source, size_t pixels, const kf_linear_filter *filter, uint8_t *target) {
#if KF_SIMD
    // Wider vectors would wait for the same loads.
    if (level >= KF_SSE2) return rows_sse2(filter, source, pixels, target);
#endif
    rows_scalar(filter, source, pixels, target);
}
