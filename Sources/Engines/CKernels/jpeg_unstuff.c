#include "jpeg_bits.h"

kf_jpeg_unstuffed kf_jpeg_unstuff(
    const uint8_t *source, size_t count, uint8_t *target, size_t capacity, uint32_t number, uint32_t *offsets,
    size_t maximum) {
    kf_jpeg_unstuffed result = {0};
    bool is_filled = false;
    while (result.read < count && result.written < capacity) {
        const uint8_t *from = source + result.read;
        size_t left = count - result.read, room = capacity - result.written, most = left < room ? left : room;
        const uint8_t *mark = memchr(from, 0xff, most);
        size_t plain = mark ? (size_t)(mark - from) : most;
        memcpy(target + result.written, from, plain);
        result.read += plain, result.written += plain;
        if (!mark) continue;
        uint8_t code = plain + 1 < left ? mark[1] : 0xd9;
        // Any number of 0xFF may precede a marker. Before a stuffed byte they are not valid; libjpeg-turbo
        // mixes coefficients of two attempts to decode the block then, so the file is left to it.
        if (code == 0 && !is_filled) {
            target[result.written++] = 0xff;
            result.read += 2;
        } else if (code == 0xff) {
            result.read += 1;
        } else if (code == 0xd0 + ((number + result.restarts) & 7)) {
            if (result.restarts == maximum) return result;
            offsets[result.restarts++] = (uint32_t)result.written;
            result.read += 2;
        } else {
            result.is_end = true;
            return result;
        }
        is_filled = code == 0xff;
    }
    result.is_end = result.read == count;
    return result;
}
