// Layout and depth conversions. Scalar loops: they are limited by memory bandwidth.
#include "level.h"

#define EXPAND(name, sample, white)                                                                          \
    void name(const sample *source, size_t pixels, int32_t from, int32_t to, sample *target) {               \
        for (size_t i = 0; i < pixels; i++, source += from, target += to) {                                  \
            for (int32_t c = 0; c < to - 1; c++) target[c] = source[0];                                      \
            target[to - 1] = from == 2 ? source[1] : (white);                                                \
        }                                                                                                    \
    }

EXPAND(kf_expand8, uint8_t, 255)
EXPAND(kf_expand16, uint16_t, 65535)

void kf_narrow(const uint16_t *source, size_t samples, uint8_t *target) {
    // Exact rounding of v * 255 / 65,535 for every v.
    for (size_t i = 0; i < samples; i++) target[i] = (uint8_t)(((uint32_t)source[i] * 255 + 32895) >> 16);
}

void kf_widen(const uint8_t *source, size_t samples, uint16_t *target) {
    for (size_t i = 0; i < samples; i++) target[i] = (uint16_t)(source[i] * 257);
}
