#include "level.h"

void kf_cover(uint8_t *pixels, const uint8_t *coverage, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < 4; c++)
            pixels[4 * i + c] = (uint8_t)kf_over255((uint32_t)pixels[4 * i + c] * coverage[i]);
}

void kf_underlay(uint8_t *pixels, size_t count, const uint8_t *color) {
    for (size_t i = 0; i < count; i++) {
        const uint32_t rest = 255 - (uint32_t)pixels[4 * i + 3];
        for (size_t c = 0; c < 4; c++)
            pixels[4 * i + c] = kf_clamp8((int32_t)(pixels[4 * i + c] + kf_over255(color[c] * rest)));
    }
}
