// Filtering replaces rows by differences, which deflate compresses better (W3C PNG, section 9).
#include "level.h"
#include "png_paeth.h"

#if KF_SIMD
#include "simd128.h"
#include "png_filter_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "png_filter_simd.h"
#include "simd_end.h"
#endif

static uint8_t predicted(int32_t filter, uint8_t left, uint8_t up, uint8_t corner) {
    switch (filter) {
    case KF_PNG_SUB: return left;
    case KF_PNG_UP: return up;
    case KF_PNG_AVERAGE: return (uint8_t)((left + up) / 2);
    case KF_PNG_PAETH: return paeth(left, up, corner);
    default: return 0;
    }
}

static uint8_t filtered(
    int32_t filter, const uint8_t *row, const uint8_t *above, size_t i, size_t step) {
    return (uint8_t)(row[i] - predicted(filter, (row + i)[-(ptrdiff_t)step], above[i],
                                        (above + i)[-(ptrdiff_t)step]));
}

/// The filter with the smallest sum of absolute values, the heuristic of the specification.
static int32_t chosen(kf_level level, const uint8_t *row, const uint8_t *above, size_t count, size_t step) {
    uint64_t costs[5] = {0};
    size_t done = 0;
#if KF_SIMD
    if (level == KF_AVX2) done = filter_costs_avx2(row, above, count, step, costs);
    if (level >= KF_SSE2) done += filter_costs_sse2(row + done, above + done, count - done, step, costs);
#endif
    for (; done < count; done++)
        for (int32_t filter = KF_PNG_NONE; filter <= KF_PNG_PAETH; filter++) {
            const int8_t byte = (int8_t)filtered(filter, row, above, done, step);
            costs[filter] += (uint64_t)(byte < 0 ? -byte : byte);
        }
    int32_t best = KF_PNG_NONE;
    for (int32_t filter = KF_PNG_SUB; filter <= KF_PNG_PAETH; filter++)
        if (costs[filter] < costs[best]) best = filter;
    return best;
}

void kf_png_filter(
    kf_level level, const uint8_t *row, const uint8_t *above, size_t count, size_t step, uint8_t *target) {
    const int32_t filter = chosen(level, row, above, count, step);
    *target++ = (uint8_t)filter;
    kf_png_filter_piece(level, filter, row, above, count, step, target);
}

void kf_png_filter_piece(
    kf_level level, int32_t filter, const uint8_t *row, const uint8_t *above, size_t count, size_t step,
    uint8_t *target) {
    if (filter == KF_PNG_NONE) {
        memcpy(target, row, count);
        return;
    }
    size_t done = 0;
#if KF_SIMD
    if (level == KF_AVX2) done = filter_row_avx2(filter, row, above, count, step, target);
    if (level >= KF_SSE2)
        done += filter_row_sse2(filter, row + done, above + done, count - done, step, target + done);
#endif
    for (; done < count; done++) target[done] = filtered(filter, row, above, done, step);
}
