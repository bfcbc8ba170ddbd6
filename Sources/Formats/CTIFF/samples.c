#include "CTIFF.h"

#include <string.h>

// Processors with fused operations, such as arm64, would round otherwise.
#pragma STDC FP_CONTRACT OFF

/// An IEEE half as a float.
static float half_value(uint16_t half) {
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, mantissa = half & 1023;
    if (exponent == 0) {
        const float value = (float)mantissa / 16777216.0f;  // 2^-24
        return sign ? -value : value;
    }
    const uint32_t bits = sign | (exponent == 31 ? 0x7F800000u : (exponent + 112) << 23) | mantissa << 13;
    float value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/// `value` in 0...1 as 16 bits. Comparisons with NaN are false.
static inline uint32_t level(double value) {
    const double positive = value > 0 ? value : 0;
    return (uint32_t)((positive < 1 ? positive : 1) * 65535.0 + 0.5);
}

/// A sample as 16 bits.
static inline uint32_t sample_at(const kf_tiff_samples *s, size_t index) {
    switch (s->bits) {
    case 8: {
        const uint32_t value = ((const uint8_t *)s->row)[index];
        return (s->kind == kf_tiff_signed ? value ^ 0x80 : value) * 257;
    }
    case 16: {
        const uint16_t value = ((const uint16_t *)s->row)[index];
        if (s->kind == kf_tiff_float) return level(half_value(value));
        return s->kind == kf_tiff_signed ? value ^ 0x8000 : value;
    }
    case 32: {
        if (s->kind == kf_tiff_float) return level(((const float *)s->row)[index]);
        const uint32_t value = ((const uint32_t *)s->row)[index];
        return (s->kind == kf_tiff_signed ? value ^ 0x80000000u : value) >> 16;
    }
    case 64: return level(((const double *)s->row)[index]);
    default: {
        // 1, 2 or 4 bits, the first one most significant.
        const size_t bit = index * (size_t)s->bits;
        const uint32_t byte = ((const uint8_t *)s->row)[bit / 8];
        const uint32_t maximum = (1u << s->bits) - 1;
        return (byte >> (8 - s->bits - (int)(bit % 8)) & maximum) * (65535 / maximum);
    }
    }
}

void kf_tiff_unpack8(const kf_tiff_samples *s, size_t count, uint8_t *target, size_t step) {
    const uint8_t mask = s->inverted ? 255 : 0;
    if (s->bits == 8 && s->kind == kf_tiff_unsigned) {
        const uint8_t *source = (const uint8_t *)s->row + s->first;
        for (size_t i = 0; i < count; i++) target[i * step] = source[i * s->step] ^ mask;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        // 65,535 is 255 * 257.
        target[i * step] = (uint8_t)((sample_at(s, s->first + i * s->step) + 128) / 257) ^ mask;
    }
}

void kf_tiff_unpack16(const kf_tiff_samples *s, size_t count, uint16_t *target, size_t step) {
    const uint16_t mask = s->inverted ? 65535 : 0;
    if (s->bits == 16 && s->kind == kf_tiff_unsigned) {
        const uint16_t *source = (const uint16_t *)s->row + s->first;
        for (size_t i = 0; i < count; i++) target[i * step] = source[i * s->step] ^ mask;
        return;
    }
    for (size_t i = 0; i < count; i++)
        target[i * step] = (uint16_t)sample_at(s, s->first + i * s->step) ^ mask;
}

void kf_tiff_indices(const kf_tiff_samples *s, size_t count, uint8_t *target) {
    const uint8_t *source = s->row;
    const int bits = s->bits;
    for (size_t i = 0; i < count; i++) {
        const size_t bit = (s->first + i * s->step) * (size_t)bits;
        target[i] = (uint8_t)(source[bit / 8] >> (8 - bits - (int)(bit % 8)) & ((1 << bits) - 1));
    }
}

void kf_tiff_mix_inks(uint8_t *pixels, size_t count) {
    for (size_t i = 0; i < 4 * count; i += 4) {
        const uint32_t black = pixels[i + 3];
        for (int c = 0; c < 3; c++) pixels[i + c] = (uint8_t)((pixels[i + c] * black + 127) / 255);
        pixels[i + 3] = 255;
    }
}
