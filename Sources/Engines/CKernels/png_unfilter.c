#include "level.h"
#include "png_paeth.h"

#if KF_SIMD
#include "simd128.h"
#include "png_unfilter_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "png_unfilter_simd.h"
#include "simd_end.h"
#endif

/// Unfilters one row, `in` channels becoming `out`. Scalar C, specialized for each combination.
static inline __attribute__((always_inline)) void unfilter_row(
    uint8_t filter, const uint8_t *source, const uint8_t *above, uint8_t *target, size_t width, size_t in,
    size_t out) {
    if (filter == KF_PNG_NONE && in == out) {
        memcpy(target, source, width * in);
        return;
    }
    if (filter == KF_PNG_UP && in == out) {
        for (size_t i = 0; i < width * in; i++) target[i] = (uint8_t)(source[i] + above[i]);
        return;
    }
    uint8_t left[4] = {0}, corner[4] = {0};
    for (size_t x = 0; x < width; x++, source += in, above += out, target += out) {
        for (size_t c = 0; c < in; c++) {
            uint8_t predicted = 0;
            switch (filter) {
            case KF_PNG_SUB: predicted = left[c]; break;
            case KF_PNG_UP: predicted = above[c]; break;
            case KF_PNG_AVERAGE: predicted = (uint8_t)((left[c] + above[c]) / 2); break;
            case KF_PNG_PAETH: predicted = paeth(left[c], above[c], corner[c]); break;
            }
            corner[c] = above[c];
            left[c] = (uint8_t)(source[c] + predicted);
            target[c] = left[c];
        }
        if (in != out) target[in] = 255;
    }
}

#define ROW(in, out)                                                                                         \
    switch (filter) {                                                                                        \
    case KF_PNG_SUB: unfilter_row(KF_PNG_SUB, source, above, target, width, in, out); break;                 \
    case KF_PNG_UP: unfilter_row(KF_PNG_UP, source, above, target, width, in, out); break;                   \
    case KF_PNG_AVERAGE: unfilter_row(KF_PNG_AVERAGE, source, above, target, width, in, out); break;         \
    case KF_PNG_PAETH: unfilter_row(KF_PNG_PAETH, source, above, target, width, in, out); break;             \
    default: unfilter_row(KF_PNG_NONE, source, above, target, width, in, out);                               \
    }

static void unfilter_any(
    uint8_t filter, const uint8_t *source, const uint8_t *above, uint8_t *target, size_t width,
    int32_t channels) {
    switch (channels) {
    case 1: ROW(1, 1); break;
    case 2: ROW(2, 2); break;
    case 3: ROW(3, 4); break;
    default: ROW(4, 4);
    }
}

void kf_png_unfilter(
    kf_level level, const uint8_t *source, size_t source_stride, int32_t rows, int32_t width,
    int32_t channels, const uint8_t *above, uint8_t *target, size_t target_stride) {
    int32_t done;
    for (int32_t row = 0; row < rows; row += done) {
        done = 1;
        const uint8_t filter = *source;
#if KF_SIMD
        if (channels >= 3 && level >= KF_SSE2) {
            const size_t in = (size_t)channels;
            if (filter == KF_PNG_NONE || filter == KF_PNG_UP) {
                if (level == KF_AVX2)
                    parallel_row_avx2(filter, source + 1, above, target, (size_t)width, in);
                else
                    parallel_row_sse2(filter, source + 1, above, target, (size_t)width, in);
            } else if (filter == KF_PNG_PAETH && level == KF_AVX2 && rows - row >= 4) {
                lock_step_avx2(source, source_stride, (size_t)width, in, above, target, target_stride);
                done = 4;
            } else if (filter == KF_PNG_PAETH && rows - row >= 2) {
                lock_step_sse2(source, source_stride, (size_t)width, in, above, target, target_stride);
                done = 2;
            } else
                unfilter_any(filter, source + 1, above, target, (size_t)width, channels);
        } else
#endif
            unfilter_any(filter, source + 1, above, target, (size_t)width, channels);
        source += (size_t)done * source_stride;
        target += (size_t)done * target_stride;
        above = target - target_stride;
    }
}

void kf_png_look_up(const uint8_t *source, size_t count, const uint8_t *colors, uint8_t *target) {
    for (size_t i = 0; i < count; i++) memcpy(target + 4 * i, colors + 4 * (size_t)source[i], 4);
}
