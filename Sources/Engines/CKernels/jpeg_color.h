// Conversion of lines to RGBA, with libjpeg's factors of 16 bits (JFIF 1.02). Inlined, because its callers
// are compiled for two instruction sets.
#pragma once

#include "level.h"

/// Fractions of 1.402, 1.772, -0.71414 and -0.34414 over 65,536. Without the integers, products fit
/// vectors of 16 bits.
enum { TO_RED = 26345, TO_BLUE = -14942, RED_TO_GREEN = 18734, BLUE_TO_GREEN = -22554 };

KF_INLINE uint32_t pixel(int y, int blue, int red) {
    const int red_part = (TO_RED * red + 32768) >> 16, blue_part = (TO_BLUE * blue + 32768) >> 16;
    const int green = (BLUE_TO_GREEN * blue + RED_TO_GREEN * red + 32768) >> 16;
    return kf_clamp8(y + red + red_part) | (uint32_t)kf_clamp8(y - red + green) << 8
        | (uint32_t)kf_clamp8(y + 2 * blue + blue_part) << 16 | 255u << 24;
}

#if KF_SIMD
#include "simd128.h"
#include "jpeg_color_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "jpeg_color_simd.h"
#include "simd_end.h"
#endif

KF_INLINE void convert_line(
    kf_level level, const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint8_t *target,
    uint32_t width) {
    uint32_t x = 0;
#if KF_SIMD
    if (level == KF_AVX2) x = convert_vectors_avx2(luma, blue, red, target, width);
    if (level == KF_SSE2) x = convert_vectors_sse2(luma, blue, red, target, width);
#else
    (void)level;
#endif
    for (; x < width; x++) {
        const uint32_t value = pixel(luma[x], blue[x] - 128, red[x] - 128);
        memcpy(target + 4 * (size_t)x, &value, sizeof value);
    }
}
