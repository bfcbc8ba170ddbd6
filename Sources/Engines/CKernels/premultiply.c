#include "level.h"

#if KF_SIMD
#include "simd128.h"
#include "premultiply_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "premultiply_simd.h"
#include "simd_end.h"
#endif

void kf_premultiply_rgba8(kf_level level, const uint8_t *source, size_t pixels, uint8_t *target) {
    size_t done = 0;
#if KF_SIMD
    if (level == KF_AVX2) done = premultiply_avx2(source, pixels, target);
    if (level >= KF_SSE2) done += premultiply_sse2(source + 4 * done, pixels - done, target + 4 * done);
#else
    (void)level;
#endif
    kf_premultiply8(source + 4 * done, pixels - done, 4, target + 4 * done);
}

void kf_premultiply8(const uint8_t *source, size_t pixels, int32_t channels, uint8_t *target) {
    for (size_t i = 0; i < pixels; i++, source += channels, target += channels) {
        const uint8_t alpha = source[channels - 1];
        for (int32_t c = 0; c < channels - 1; c++)
            target[c] = (uint8_t)kf_over255((uint32_t)source[c] * alpha);
        target[channels - 1] = alpha;
    }
}

void kf_premultiply16(const uint16_t *source, size_t pixels, int32_t channels, uint16_t *target) {
    for (size_t i = 0; i < pixels; i++, source += channels, target += channels) {
        const uint16_t alpha = source[channels - 1];
        for (int32_t c = 0; c < channels - 1; c++)
            target[c] = (uint16_t)kf_over65535((uint32_t)source[c] * alpha);
        target[channels - 1] = alpha;
    }
}

/// Nearest of `value * white / alpha`, at most `white`; 0 where alpha is 0.
static inline uint32_t divided(uint32_t value, uint32_t alpha, uint32_t white) {
    if (alpha == 0 || value >= alpha) return alpha == 0 ? 0 : white;
    return (value * white + alpha / 2) / alpha;
}

void kf_unpremultiply8(const uint8_t *source, size_t pixels, int32_t channels, uint8_t *target) {
    for (size_t i = 0; i < pixels; i++, source += channels, target += channels) {
        const uint8_t alpha = source[channels - 1];
        for (int32_t c = 0; c < channels - 1; c++)
            target[c] = alpha == 255 ? source[c] : (uint8_t)divided(source[c], alpha, 255);
        target[channels - 1] = alpha;
    }
}

void kf_unpremultiply16(const uint16_t *source, size_t pixels, int32_t channels, uint16_t *target) {
    for (size_t i = 0; i < pixels; i++, source += channels, target += channels) {
        const uint16_t alpha = source[channels - 1];
        for (int32_t c = 0; c < channels - 1; c++)
            target[c] = alpha == 65535 ? source[c] : (uint16_t)divided(source[c], alpha, 65535);
        target[channels - 1] = alpha;
    }
}

void kf_clamp_to_alpha8(kf_level level, uint8_t *pixels, size_t count, int32_t channels) {
    size_t done = 0;
#if KF_SIMD
    if (channels == 4 && level == KF_AVX2) done = clamp_to_alpha_avx2(pixels, done, count);
    if (channels == 4 && level >= KF_SSE2) done = clamp_to_alpha_sse2(pixels, done, count);
#else
    (void)level;
#endif
    pixels += done * (size_t)channels;
    for (; done < count; done++, pixels += channels)
        for (int32_t c = 0; c < channels - 1; c++)
            if (pixels[c] > pixels[channels - 1]) pixels[c] = pixels[channels - 1];
}

void kf_clamp_to_alpha16(uint16_t *pixels, size_t count, int32_t channels) {
    for (size_t i = 0; i < count; i++, pixels += channels)
        for (int32_t c = 0; c < channels - 1; c++)
            if (pixels[c] > pixels[channels - 1]) pixels[c] = pixels[channels - 1];
}
