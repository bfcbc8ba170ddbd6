#include "level.h"

#if KF_SIMD
#include "simd128.h"
#include "sharpen_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "sharpen_simd.h"
#include "simd_end.h"
#endif

size_t kf_sharpen_scratch(int32_t width, int32_t taps) {
    return 2 * 4 * ((size_t)width + (size_t)taps);
}

static void sum_rows(
    kf_level level, const uint8_t *const *rows, const uint8_t *weights, int32_t taps, size_t samples,
    uint16_t *target) {
    size_t done = 0;
#if KF_SIMD
    if (level == KF_AVX2) {
        done = sum_rows_avx2(rows, weights, taps, samples, target);
    } else if (level == KF_SSE2) {
        done = sum_rows_sse2(rows, weights, taps, samples, target);
    }
#endif
    for (size_t i = done; i < samples; i++) {
        uint32_t sum = 0;
        for (int32_t k = 0; k < taps; k++) sum += (uint32_t)rows[k][i] * weights[k];
        target[i] = (uint16_t)sum;
    }
}

/// Repeats the first and the last pixel, so that sums around each pixel exist.
static void extend(uint16_t *line, size_t pixels, size_t reach) {
    uint16_t *start = line + 4 * reach, *end = start + 4 * pixels;
    for (size_t i = 0; i < reach; i++) {
        memcpy(line + 4 * i, start, 4 * sizeof *line);
        memcpy(end + 4 * i, end - 4, 4 * sizeof *line);
    }
}

void kf_sharpen_row(
    kf_level level, const uint8_t *const *rows, const uint8_t *weights, int32_t taps, int32_t width,
    int32_t amount, uint16_t *scratch, uint8_t *target) {
    const size_t reach = (size_t)taps / 2, samples = 4 * (size_t)width;
    const uint8_t *row = rows[reach];
    sum_rows(level, rows, weights, taps, samples, scratch + 4 * reach);
    extend(scratch, (size_t)width, reach);
    size_t done = 0;
#if KF_SIMD
    if (level == KF_AVX2) {
        done = sharpen_avx2(row, scratch, weights, taps, samples, amount, target);
    } else if (level == KF_SSE2) {
        done = sharpen_sse2(row, scratch, weights, taps, samples, amount, target);
    }
#endif
    for (size_t i = done; i < samples; i++) {
        if (i % 4 == 3) {
            target[i] = row[i];
            continue;
        }
        uint32_t blurred = 0;
        for (int32_t k = 0; k < taps; k++)
            blurred += (uint32_t)scratch[i + 4 * (size_t)k] * ((uint32_t)weights[k] << 8) >> 16;
        const int32_t difference = ((int32_t)row[i] << 6) - (int32_t)(blurred >> 2);
        const int32_t twice = 2 * difference * amount >> 16;
        target[i] = kf_clamp8((int32_t)row[i] + ((twice + 1) >> 1));
    }
}
