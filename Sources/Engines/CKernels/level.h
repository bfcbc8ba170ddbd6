// Selection of instructions at run time, and common arithmetic.
#pragma once

#include "CKernels.h"
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define KF_SIMD 1
#define KF_AVX2_TARGET __attribute__((target("avx2")))
/// For KF_AVX2, which is only used with BMI1 and BMI2 (`kf_supports`).
#define KF_BMI2_TARGET __attribute__((target("avx2,bmi,bmi2")))
#elif __has_include(<simde/x86/avx2.h>)
#define SIMDE_ENABLE_NATIVE_ALIASES
#include <simde/x86/avx2.h>
#define KF_SIMD 1
#define KF_AVX2_TARGET
#define KF_BMI2_TARGET
#else
#define KF_SIMD 0
#define KF_BMI2_TARGET
#endif

#define KF_INLINE static inline __attribute__((always_inline))

static inline uint8_t kf_clamp8(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

static inline int16_t kf_clamp16(int32_t value) {
    return value < INT16_MIN ? INT16_MIN : value > INT16_MAX ? INT16_MAX : (int16_t)value;
}

/// Two 16-bit numbers as one of 32 bits.
static inline int32_t kf_pair_at(const int16_t *numbers) {
    int32_t pair;
    memcpy(&pair, numbers, sizeof pair);
    return pair;
}

/// The nearest integer to value / 255, exact for 0...65,025 (Blinn, "Three wrongs make a right", 1995).
static inline uint32_t kf_over255(uint32_t value) {
    value += 128;
    return (value + (value >> 8)) >> 8;
}

/// The nearest integer to value / 65,535, exact for products of two 16-bit samples.
static inline uint32_t kf_over65535(uint32_t value) {
    const uint64_t rounded = (uint64_t)value + 32768;
    return (uint32_t)((rounded + (rounded >> 16)) >> 16);
}
