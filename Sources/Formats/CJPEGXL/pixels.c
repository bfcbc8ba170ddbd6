#include "CJPEGXL.h"

// Processors with fused operations, such as arm64, would round otherwise.
#pragma STDC FP_CONTRACT OFF

/// `maximum` * `value`, rounded to the nearest and clipped. Comparisons with NaN are false.
static inline float level(float value, float maximum) {
    const float scaled = value * maximum + 0.5f;
    const float positive = scaled > 0 ? scaled : 0;
    return positive < maximum ? positive : maximum;
}

// One loop for each layout, so that the compiler uses vector instructions.
#define KF_STORE(name, type, maximum) \
    void name(const float *rgba, size_t count, int channels, type *target) { \
        if (channels == 4) { \
            for (size_t i = 0; i < 4 * count; i++) target[i] = (type)(int32_t)level(rgba[i], maximum); \
        } else if (channels == 2) { \
            for (size_t i = 0; i < count; i++) { \
                target[2 * i] = (type)(int32_t)level(rgba[4 * i], maximum); \
                target[2 * i + 1] = (type)(int32_t)level(rgba[4 * i + 3], maximum); \
            } \
        } else { \
            for (size_t i = 0; i < count; i++) target[i] = (type)(int32_t)level(rgba[4 * i], maximum); \
        } \
    }

KF_STORE(kf_jxl_store8, uint8_t, 255.0f)
KF_STORE(kf_jxl_store16, uint16_t, 65535.0f)
