#include "level.h"

// Only Clang has it.
#ifndef __has_feature
#define __has_feature(name) 0
#endif

_Bool kf_is_optimized(void) {
#if defined(__OPTIMIZE__)
    return 1;
#else
    return 0;
#endif
}

_Bool kf_is_sanitized(void) {
#if __has_feature(address_sanitizer)
    return 1;
#else
    return 0;
#endif
}

_Bool kf_supports(kf_level level) {
#if defined(__x86_64__)
    return level != KF_AVX2
        || (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")
            && __builtin_cpu_supports("bmi2"));
#else
    return KF_SIMD || level == KF_SCALAR;
#endif
}
