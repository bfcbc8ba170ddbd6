// Conversion of pixels to PNG rows. Limited by memory bandwidth, so there is one version.
#include "level.h"

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
/// Packs two pixels at a time in a register. Returns the number of pixels processed.
static size_t drop_alpha(const uint8_t *source, size_t pixels, uint8_t *target) {
    size_t i = 0;
    // Writes eight bytes for six, so the last pixel is left over.
    for (; i + 3 <= pixels; i += 2) {
        uint64_t both;
        memcpy(&both, source + 4 * i, sizeof both);
        both = (both & 0xFFFFFF) | ((both >> 8) & 0xFFFFFF000000);
        memcpy(target + 3 * i, &both, sizeof both);
    }
    return i;
}
#else
static size_t drop_alpha(const uint8_t *source, size_t pixels, uint8_t *target) { return 0; }
#endif

void kf_png_pack8(const uint8_t *source, size_t pixels, int32_t from, int32_t to, uint8_t *target) {
    if (from == to) {
        memcpy(target, source, pixels * (size_t)from);
        return;
    }
    size_t i = from == 4 && to == 3 ? drop_alpha(source, pixels, target) : 0;
    const int32_t colors = to % 2 == 0 ? to - 1 : to;
    source += i * (size_t)from;
    target += i * (size_t)to;
    for (; i < pixels; i++, source += from, target += to) {
        for (int32_t c = 0; c < colors; c++) target[c] = source[c];
        if (colors < to) target[colors] = source[from - 1];
    }
}

static void store_big_endian(uint8_t *target, uint16_t sample) {
    target[0] = (uint8_t)(sample >> 8);
    target[1] = (uint8_t)sample;
}

void kf_png_pack16(const uint16_t *source, size_t pixels, int32_t from, int32_t to, uint8_t *target) {
    if (from == to) {
        for (size_t i = 0; i < pixels * (size_t)from; i++) store_big_endian(target + 2 * i, source[i]);
        return;
    }
    const int32_t colors = to % 2 == 0 ? to - 1 : to;
    for (size_t i = 0; i < pixels; i++, source += from, target += 2 * to) {
        for (int32_t c = 0; c < colors; c++) store_big_endian(target + 2 * c, source[c]);
        if (colors < to) store_big_endian(target + 2 * colors, source[from - 1]);
    }
}
