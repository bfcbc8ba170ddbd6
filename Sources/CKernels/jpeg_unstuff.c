#include "jpeg_bits.h"

size_t kf_jpeg_unstuff(
    const uint8_t *source, size_t count, uint8_t *target, size_t *unstuffed, uint32_t *restarts,
    size_t maximum, size_t *found) {
    size_t read = 0, written = 0, intervals = 0;
    while (read < count) {
        const uint8_t *mark = memchr(source + read, 0xff, count - read);
        size_t plain = mark ? (size_t)(mark - source) - read : count - read;
        memcpy(target + written, source + read, plain);
        read += plain, written += plain;
        if (read + 1 >= count) break;
        uint8_t code = source[read + 1];
        if (code == 0) {
            target[written++] = 0xff;
            read += 2;
        } else if (code == 0xff) {
            read += 1;
        } else if (code >= 0xd0 && code <= 0xd7 && code == 0xd0 + (intervals & 7) && intervals < maximum) {
            restarts[intervals++] = (uint32_t)written;
            read += 2;
        } else {
            break;
        }
    }
    memset(target + written, 0, KF_JPEG_PADDING);
    *unstuffed = written;
    *found = intervals;
    return read;
}
