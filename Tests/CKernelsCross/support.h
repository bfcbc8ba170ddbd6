// Noise, and buffers of exact size, for the checks.
#pragma once

#include "CKernelsCross.h"
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 70 };

/// Vigna's xorshift64* ("An experimental exploration of Marsaglia's xorshift generators, scrambled", 2016),
/// with the same seed in each run of a check.
typedef struct {
    uint64_t state;
} noise;

static inline uint32_t next(noise *from) {
    from->state ^= from->state >> 12;
    from->state ^= from->state << 25;
    from->state ^= from->state >> 27;
    return (uint32_t)((from->state * 0x2545F4914F6CDD1Du) >> 32);
}

/// A number from `low` to `high`.
static inline int32_t between(noise *from, int32_t low, int32_t high) {
    return low + (int32_t)(next(from) % (uint32_t)(high - low + 1));
}

/// Noise with many zeros and 255s, to be freed with `free`; Address Sanitizer detects accesses beyond its
/// end.
static inline void *filled(noise *from, size_t count) {
    uint8_t *bytes = malloc(count);
    if (bytes == NULL) abort();
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = next(from);
        bytes[i] = number >> 30 == 0 ? (number >> 29 & 1 ? 255 : 0) : (uint8_t)number;
    }
    return bytes;
}

/// The outputs of two levels, filled with the same noise, so that bytes outside the result must also be
/// equal.
typedef struct {
    uint8_t *plain;
    uint8_t *fast;
    size_t count;
} outputs;

static inline outputs both(noise *from, size_t count) {
    outputs two = {filled(from, count), malloc(count), count};
    if (two.fast == NULL) abort();
    memcpy(two.fast, two.plain, count);
    return two;
}

/// Compares the two and frees them.
static inline long differ(outputs two) {
    const long result = memcmp(two.plain, two.fast, two.count) != 0;
    free(two.plain);
    free(two.fast);
    return result;
}
