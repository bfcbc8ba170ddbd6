// Pixels of four 16-bit samples as vectors of the compiler, which all processors have. Kernels of 16 bits
// compute in floating point and have no levels.
#pragma once

#include "level.h"

typedef uint16_t kf_samples __attribute__((ext_vector_type(4)));
typedef int32_t kf_integers __attribute__((ext_vector_type(4)));
typedef float kf_floats __attribute__((ext_vector_type(4)));
typedef double kf_doubles __attribute__((ext_vector_type(4)));

#define KF_WHITE16 65535

KF_INLINE kf_integers kf_load16(const uint16_t *pixel) {
    kf_samples samples;
    memcpy(&samples, pixel, sizeof samples);
    return __builtin_convertvector(samples, kf_integers);
}

KF_INLINE kf_floats kf_load16f(const uint16_t *pixel) {
    return __builtin_convertvector(kf_load16(pixel), kf_floats);
}

/// Writes the nearest samples, clamped to 0...65,535.
KF_INLINE void kf_store16(kf_floats value, uint16_t *pixel) {
    value = value < 0 ? 0 : value > KF_WHITE16 ? KF_WHITE16 : value;
    const kf_samples samples =
        __builtin_convertvector(__builtin_convertvector(value + 0.5f, kf_integers), kf_samples);
    memcpy(pixel, &samples, sizeof samples);
}

/// Limits colours to alpha, then writes as `kf_store16` does.
KF_INLINE void kf_store_premultiplied16(kf_floats value, uint16_t *pixel) {
    kf_store16(value < value.w ? value : (kf_floats)value.w, pixel);
}
