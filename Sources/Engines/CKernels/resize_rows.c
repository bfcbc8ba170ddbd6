#include "level.h"

enum { KF_CACHE_LINE = 64 };

#if KF_SIMD
#include "simd128.h"
#include "resize_rows_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "resize_rows_simd.h"
#include "simd_end.h"
#endif

static void resize_rows(
    const kf_row_window *window, const kf_taps *taps, int32_t row, int32_t outputs, int16_t *target,
    size_t target_stride) {
    const int32_t shift = taps->shift - KF_RESIZE_FRACTION;
    const size_t channels = (size_t)window->channels;
    for (int32_t i = row; i < row + outputs; i++, target += target_stride) {
        const uint8_t *const *rows = window->rows + (taps->first[i] - taps->first[row]);
        const int16_t *weights = taps->weights + (size_t)i * (size_t)taps->stride;
        memset(target, 0, kf_resize_row_samples(window->samples) * sizeof *target);
        for (size_t x = 0; x < window->samples; x++) {
            const size_t pixel = x / channels;
            int32_t sum = 1 << (shift - 1);
            for (int32_t tap = 0; tap < taps->taps; tap++) sum += rows[tap][x] * weights[tap];
            target[(pixel & ~(size_t)1) * channels + 2 * (x % channels) + (pixel & 1)] =
                kf_clamp16(sum >> shift);
        }
    }
}

void kf_resize_rows(
    kf_level level, const kf_row_window *window, const kf_taps *taps, int32_t row, int32_t outputs,
    int16_t *scratch, int16_t *target, size_t target_stride) {
#if KF_SIMD
    if (level >= KF_SSE2)
        return (level == KF_AVX2 ? resize_rows_avx2 : resize_rows_sse2)(
            window, taps, row, outputs, scratch, target, target_stride);
#endif
    resize_rows(window, taps, row, outputs, target, target_stride);
}
