// Reads the AC coefficients of a block. Inlined, because its callers are compiled for two instruction sets.
#pragma once

#include "jpeg_bits.h"

/// Where the AC coefficients of a block go, in the order of the file (T.81, figure 5), and those after its
/// end.
typedef struct {
    /// The last coefficient that is used.
    uint32_t last;
    uint8_t place[64 + 3 * 65];
} coefficient_order;

#define EIGHT(n) n, n, n, n, n, n, n, n
#define SIXTY_FOUR(n) EIGHT(n), EIGHT(n), EIGHT(n), EIGHT(n), EIGHT(n), EIGHT(n), EIGHT(n), EIGHT(n)
#define AFTER_END(n) SIXTY_FOUR(n), SIXTY_FOUR(n), SIXTY_FOUR(n), n, n, n

/// To the order of rows, and to the 65th place after the end.
static const coefficient_order order_8x8 = {
    63, {0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
         41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
         30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63, AFTER_END(64)}};

/// The lowest 2 x 2 or 4 x 4 frequencies to rows of four, and all others to the 17th place.
static const coefficient_order order_2x2 = {
    4, {0, 1, 4, 16, 5, 16, 16, 16, EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16),
        EIGHT(16), AFTER_END(16)}};
static const coefficient_order order_4x4 = {
    24, {0,  1,  4,  8,  5,  2,  3,  6,  9,  12, 16, 13, 10, 7,  16, 16, 16, 11, 14, 16, 16, 16,
         16, 16, 15, 16, 16, 16, 16, 16, 16, 16, EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16), AFTER_END(16)}};

/// The same without the six highest, which make no difference to chroma at a quarter that has half the
/// resolution.
static const coefficient_order order_low_4x4 = {
    9, {0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 16, 16, 16, 16, 16, 16, EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16),
        EIGHT(16), EIGHT(16), AFTER_END(16)}};

typedef struct {
    const uint8_t *data;
    uint64_t position;
    uint64_t window;
    /// The next coefficient, beyond 64 after the end of the block.
    uint32_t index;
} coefficient_reader;

/// The entry for a symbol that is longer than the index of the table.
static __attribute__((noinline)) uint32_t long_entry(const kf_jpeg_code *code, uint64_t window) {
    kf_jpeg_symbol symbol = kf_jpeg_next(code, window);
    int size = symbol.value & 15, run = symbol.value >> 4;
    int value = size ? kf_jpeg_extend((uint32_t)(window << symbol.length >> (64 - size)), size) : 0;
    uint32_t zeros = !size && run != 15 ? 64 : (uint32_t)run;
    return (uint32_t)(symbol.length + size) | zeros << 8 | (uint32_t)(uint16_t)value << 16;
}

/// After the end of the block, the index stays there.
KF_INLINE void next_group(coefficient_reader *reader) {
    reader->window = kf_jpeg_window(reader->data, reader->position);
    if (reader->index > 64) reader->index = 64;
}

/// What to read of blocks: the AC coefficients of `order` that are not zero, each to its place times
/// `stride`.
typedef struct {
    const kf_jpeg_codes *codes;
    const coefficient_order *order;
    size_t stride;
} coefficient_format;

KF_INLINE void start_block(coefficient_reader *reader, const coefficient_format *format) {
    reader->window = kf_jpeg_window(reader->data, reader->position);
    kf_jpeg_symbol dc = kf_jpeg_next(&format->codes->dc, reader->window);
    int used = dc.length + dc.value;
    reader->position += (uint64_t)used;
    reader->window <<= used;
    reader->index = 1;
}

KF_INLINE void read_coefficient(coefficient_reader *reader, const coefficient_format *format, int16_t *values) {
    uint32_t entry = format->codes->coefficient[reader->window >> (64 - KF_JPEG_INDEX_BITS)];
    if (__builtin_expect(!entry, 0)) {
        reader->window = kf_jpeg_window(reader->data, reader->position);
        entry = long_entry(&format->codes->ac, reader->window);
    }
    reader->index += entry >> 8 & 127;
    values[format->order->place[reader->index++] * format->stride] = (int16_t)(entry >> 16);
    reader->window <<= entry & 63;
    reader->position += entry & 63;
}

/// Reads four blocks in turns, because the latency of one hides that of the others. They were decoded before,
/// so that they are valid. Symbols are read in groups, beyond the end of a block, too: that costs less than a
/// branch for each.
KF_INLINE void read_blocks(
    const uint8_t *data, const uint32_t starts[4], const coefficient_format *format, int16_t *const values[4]) {
    coefficient_reader a = {data, starts[0], 0, 0}, b = {data, starts[1], 0, 0};
    coefficient_reader c = {data, starts[2], 0, 0}, d = {data, starts[3], 0, 0};
    start_block(&a, format), start_block(&b, format), start_block(&c, format), start_block(&d, format);
    // A window has 57 bits: a DC coefficient of 27 and two entries of 12, or three entries of which a long
    // one has 31.
    uint32_t last = format->order->last, symbols = 2;
    for (;;) {
        for (uint32_t i = 0; i < symbols; i++) {
            read_coefficient(&a, format, values[0]);
            read_coefficient(&b, format, values[1]);
            read_coefficient(&c, format, values[2]);
            read_coefficient(&d, format, values[3]);
        }
        if ((a.index > last) & (b.index > last) & (c.index > last) & (d.index > last)) return;
        next_group(&a), next_group(&b), next_group(&c), next_group(&d);
        symbols = format->order == &order_2x2 ? 2 : 3;
    }
}
