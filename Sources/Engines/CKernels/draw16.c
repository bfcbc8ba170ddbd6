// The kernels of cover.c and blend_hinge.c for 16 bits.
#include "pixel16.h"
#pragma STDC FP_CONTRACT OFF

static const float unit = 1.0f / KF_WHITE16;

/// Writes `below` times `rest` plus `ink` times `strength`.
KF_INLINE void mix(const uint16_t *below, float rest, kf_floats ink, float strength, uint16_t *target) {
    kf_store_premultiplied16(kf_load16f(below) * rest + ink * strength, target);
}

void kf_cover16(uint16_t *pixels, const uint16_t *coverage, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (coverage[i] < KF_WHITE16) mix(pixels + 4 * i, coverage[i] * unit, 0, 0, pixels + 4 * i);
}

void kf_paint16(uint16_t *pixels, const uint16_t *coverage, size_t count, const uint16_t *color) {
    const kf_floats ink = kf_load16f(color);
    for (size_t i = 0; i < count; i++) {
        if (coverage[i] == 0) continue;
        const float share = coverage[i] * unit;
        mix(pixels + 4 * i, 1 - ink.w * unit * share, ink, share, pixels + 4 * i);
    }
}

void kf_underlay16(uint16_t *pixels, size_t count, const uint16_t *color) {
    const kf_floats ink = kf_load16f(color);
    for (size_t i = 0; i < count; i++)
        mix(pixels + 4 * i, 1, ink, 1 - pixels[4 * i + 3] * unit, pixels + 4 * i);
}

void kf_overlay16(const uint16_t *source, size_t count, const uint16_t *color, uint16_t *target) {
    const kf_floats ink = kf_load16f(color);
    for (size_t i = 0; i < count; i++)
        mix(source + 4 * i, 1 - ink.w * unit, ink, source[4 * i + 3] * unit, target + 4 * i);
}

void kf_draw16(const uint16_t *mark, size_t count, uint16_t opacity, uint16_t *pixels) {
    const float strength = opacity * unit;
    for (size_t i = 0; i < count; i++) {
        const kf_floats ink = kf_load16f(mark + 4 * i);
        mix(pixels + 4 * i, 1 - ink.w * unit * strength, ink, strength, pixels + 4 * i);
    }
}

void kf_blend_hinge16(const uint16_t *source, size_t pixels, const float *factors, uint16_t *target) {
    kf_floats f[7];
    memcpy(f, factors, sizeof f);
    for (size_t i = 0; i < pixels; i++) {
        const kf_floats own = kf_load16f(source + 4 * i);
        const kf_floats hinge = f[3] * own + f[4] * own.w + f[5];
        const kf_floats value = f[0] * own + f[1] * own.w + f[2];
        kf_store_premultiplied16(value + (hinge > 0 ? hinge : 0) * f[6], target + 4 * i);
    }
}
