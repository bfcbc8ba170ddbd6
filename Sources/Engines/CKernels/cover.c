#include "level.h"

#if KF_SIMD
#include "simd128.h"
#include "cover_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "cover_simd.h"
#include "simd_end.h"
#endif

/// The length of the run of `value` at the start of `bytes`, which start with `value`.
static size_t run_length(const uint8_t *bytes, size_t count, uint8_t value) {
    uint64_t eight = 0x0101010101010101u * value, next;
    size_t i = 1;
    for (; i + 8 <= count; i += 8) {
        memcpy(&next, bytes + i, 8);
        if (next != eight) break;
    }
    while (i < count && bytes[i] == value) i++;
    return i;
}

void kf_cover(uint8_t *pixels, const uint8_t *coverage, size_t count) {
    for (size_t i = 0; i < count;) {
        const uint8_t share = coverage[i];
        if (share == 0 || share == 255) {
            const size_t run = run_length(coverage + i, count - i, share);
            if (share == 0) memset(pixels + 4 * i, 0, 4 * run);
            i += run;
            continue;
        }
        for (size_t c = 0; c < 4; c++)
            pixels[4 * i + c] = (uint8_t)kf_over255((uint32_t)pixels[4 * i + c] * share);
        i++;
    }
}

static void over(kf_level level, uint8_t *pixels, size_t count, const uint8_t *color) {
    size_t done = 0;
#if KF_SIMD
    if (level == KF_AVX2) done = over_avx2(pixels, count, color, pixels);
    if (level >= KF_SSE2) done += over_sse2(pixels + 4 * done, count - done, color, pixels + 4 * done);
#endif
    for (size_t i = 4 * done; i < 4 * count; i++)
        pixels[i] = (uint8_t)(color[i % 4] + kf_over255(pixels[i] * (255u - color[3])));
}

void kf_paint(
    kf_level level, uint8_t *pixels, const uint8_t *coverage, size_t count, const uint8_t *color) {
    for (size_t i = 0; i < count;) {
        const uint32_t share = coverage[i];
        if (share == 0 || share == 255) {
            const size_t run = run_length(coverage + i, count - i, (uint8_t)share);
            if (share == 255) over(level, pixels + 4 * i, run, color);
            i += run;
            continue;
        }
        // One rounding for both products: the colour times coverage, and the pixel times the remainder.
        const uint32_t rest = 65025 - color[3] * share;
        for (size_t c = 0; c < 4; c++)
            pixels[4 * i + c] = (uint8_t)((color[c] * share * 255 + pixels[4 * i + c] * rest + 32512) / 65025);
        i++;
    }
}

void kf_underlay(kf_level level, uint8_t *pixels, size_t count, const uint8_t *color) {
    size_t done = 0;
#if KF_SIMD
    if (level == KF_AVX2) done = under_avx2(pixels, count, color, pixels);
    if (level >= KF_SSE2) done += under_sse2(pixels + 4 * done, count - done, color, pixels + 4 * done);
#endif
    for (size_t i = done; i < count; i++) {
        const uint32_t rest = 255 - (uint32_t)pixels[4 * i + 3];
        for (size_t c = 0; c < 4; c++)
            pixels[4 * i + c] = kf_clamp8((int32_t)(pixels[4 * i + c] + kf_over255(color[c] * rest)));
    }
}

void kf_overlay(
    kf_level level, const uint8_t *source, size_t count, const uint8_t *color, uint8_t *target) {
    size_t done = 0;
#if KF_SIMD
    if (level == KF_AVX2) done = atop_avx2(source, count, color, target);
    if (level >= KF_SSE2) done += atop_sse2(source + 4 * done, count - done, color, target + 4 * done);
#endif
    for (size_t i = done; i < count; i++) {
        const uint32_t alpha = source[4 * i + 3], rest = 255 - (uint32_t)color[3];
        for (size_t c = 0; c < 4; c++)
            target[4 * i + c] = (uint8_t)kf_over255(color[c] * alpha + source[4 * i + c] * rest);
    }
}

void kf_draw(kf_level level, const uint8_t *mark, size_t count, uint8_t opacity, uint8_t *pixels) {
    size_t done = 0;
#if KF_SIMD
    if (level == KF_AVX2) done = draw_avx2(mark, count, opacity, pixels);
    if (level >= KF_SSE2) done += draw_sse2(mark + 4 * done, count - done, opacity, pixels + 4 * done);
#endif
    for (size_t i = done; i < count; i++) {
        const uint32_t rest = 255 - kf_over255((uint32_t)mark[4 * i + 3] * opacity);
        for (size_t c = 0; c < 4; c++) {
            const uint32_t added = kf_over255((uint32_t)mark[4 * i + c] * opacity);
            pixels[4 * i + c] = kf_clamp8((int32_t)(added + kf_over255(pixels[4 * i + c] * rest)));
        }
    }
}
