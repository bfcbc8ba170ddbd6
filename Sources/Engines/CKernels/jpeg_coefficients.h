// Reads the AC coefficients of blocks of 8 x 8 pixels. Inlined, because its callers are compiled for two
// instruction sets.
//
// In the file, a block is a sequence of symbols of variable length (Huffman codes, T.81 F.2.2). Each says
// how many zeros come before the next coefficient and how many bits it has, and these bits follow; one symbol
// ends the block. They are read by three rules:
//
// 1. One look-up for a symbol and its coefficient. The next 12 bits of the file select an entry of a table
//    with the number of bits, the number of places to advance, and the coefficient. Only symbols that have
//    more bits with their coefficient need `long_entry`. The end of the block advances by 65, beyond all
//    its places.
// 2. No branch for a place. A `coefficient_order` has the place in memory for each number of a
//    coefficient. Unused frequencies of a reduced size, and what is read after the end of a block, go to a
//    place that nothing reads.
// 3. Four blocks in turns. The position of a symbol is known when the one before is read, so a single
//    block waits for each look-up. Where blocks start is known from reading their lengths
//    (jpeg_sections.c).
#pragma once

#include "jpeg_bits.h"

/// Where the coefficients of a block go, by the one that follows in the order of the file (T.81, figure 5),
/// and those after its end.
typedef struct {
    /// The last coefficient that is used.
    uint32_t last;
    uint8_t place[1 + 64 + 3 * 65];
} coefficient_order;

#define EIGHT(n) n, n, n, n, n, n, n, n
#define SIXTY_FOUR(n) EIGHT(n), EIGHT(n), EIGHT(n), EIGHT(n), EIGHT(n), EIGHT(n), EIGHT(n), EIGHT(n)
#define AFTER_END(n) SIXTY_FOUR(n), SIXTY_FOUR(n), SIXTY_FOUR(n), n, n, n

/// To the order of rows, and to the 65th place after the end.
static const coefficient_order order_8x8 = {
    63, {64, 0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
         41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
         30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63, AFTER_END(64)}};

/// To rows of two blocks, and to the first place after both.
static const coefficient_order order_8x8_pairs = {
    63, {128, 0,  1,  16, 32, 17, 2,  3,  18,  33,  48, 64, 49, 34,  19,  4,   5,  20, 35,  50,  65,  80, 96,
         81, 66, 51, 36, 21, 6,  7,  22,  37,  52, 67, 82, 97,  112, 113, 98, 83, 68,  53,  38,  23, 39,
         54, 69, 84, 99, 114, 115, 100, 85, 70, 55, 71, 86, 101, 116, 117, 102, 87, 103, 118, 119,
         AFTER_END(128)}};

/// The lowest 2 x 2 or 4 x 4 frequencies to rows of four, and all others to the 17th place.
static const coefficient_order order_2x2 = {
    4, {16, 0, 1, 4, 16, 5, 16, 16, 16, EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16),
        EIGHT(16), AFTER_END(16)}};
static const coefficient_order order_4x4 = {
    24, {16, 0,  1,  4,  8,  5,  2,  3,  6,  9,  12, 16, 13, 10, 7,  16, 16, 16, 11, 14, 16, 16, 16,
         16, 16, 15, 16, 16, 16, 16, 16, 16, 16, EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16), AFTER_END(16)}};

/// The same without the six highest, which make no difference to chroma at a quarter that has half the
/// resolution.
static const coefficient_order order_low_4x4 = {
    9, {16, 0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 16, 16, 16, 16, 16, 16, EIGHT(16), EIGHT(16), EIGHT(16), EIGHT(16),
        EIGHT(16), EIGHT(16), AFTER_END(16)}};

typedef struct {
    const uint8_t *data;
    uint64_t position;
    uint64_t window;
    /// The bits that were read since the window was loaded, and from bit 8 on the next coefficient, beyond
    /// 64 after the end of the block.
    uint32_t word;
} coefficient_reader;

/// The entry for a symbol that is longer than the index of the table.
static __attribute__((noinline)) uint32_t long_entry(const kf_jpeg_code *code, uint64_t window) {
    kf_jpeg_symbol symbol = kf_jpeg_next(code, window);
    int size = symbol.value & 15, run = symbol.value >> 4;
    int value = size ? kf_jpeg_extend((uint32_t)(window << symbol.length >> (64 - size)), size) : 0;
    uint32_t advance = !size && run != 15 ? 65 : (uint32_t)run + 1;
    return (uint32_t)(symbol.length + size) | advance << 8 | (uint32_t)(uint16_t)value << 16;
}

/// Loads the next window. After the end of the block, the index stays there.
KF_INLINE void next_group(coefficient_reader *reader) {
    reader->position += reader->word & 255;
    reader->window = kf_jpeg_window(reader->data, reader->position);
    reader->word &= ~255u;
    if (reader->word > 64 << 8) reader->word = 64 << 8;
}

/// What to read of blocks: the AC coefficients of `order` that are not zero, each to its place times
/// `stride`.
typedef struct {
    const kf_jpeg_codes *codes;
    const coefficient_order *order;
    size_t stride;
} coefficient_format;

KF_INLINE coefficient_reader start_block(const uint8_t *data, uint32_t start, const coefficient_format *format) {
    uint64_t window = kf_jpeg_window(data, start);
    kf_jpeg_symbol dc = kf_jpeg_next(&format->codes->dc, window);
    uint32_t used = (uint32_t)(dc.length + dc.value);
    return (coefficient_reader){data, start, window << used, used | 1 << 8};
}

KF_INLINE void read_coefficient(coefficient_reader *reader, const coefficient_format *format, int16_t *values) {
    uint32_t entry = format->codes->coefficient[reader->window >> (64 - KF_JPEG_INDEX_BITS)];
    if (__builtin_expect(!entry, 0)) {
        reader->window = kf_jpeg_window(reader->data, reader->position + (reader->word & 255));
        entry = long_entry(&format->codes->ac, reader->window);
    }
    reader->word += entry & 0xffff;
    values[format->order->place[reader->word >> 8] * format->stride] = (int16_t)(entry >> 16);
    reader->window <<= entry & 63;
    // Otherwise the compiler delays the shifts of all readers and keeps the old windows in memory: a third
    // more instructions.
    __asm__("" : "+r"(reader->window), "+r"(reader->word));
}

/// Reads four blocks in turns, because the latency of one block hides the latency of the others. They were
/// decoded before, so that they are valid. Symbols are read in groups, also beyond the end of a block: that
/// costs less than a branch for each.
KF_INLINE void read_blocks(
    const uint8_t *data, const uint32_t starts[4], const coefficient_format *format, int16_t *const values[4]) {
    coefficient_reader a = start_block(data, starts[0], format), b = start_block(data, starts[1], format);
    coefficient_reader c = start_block(data, starts[2], format), d = start_block(data, starts[3], format);
    // A window has 57 bits: a DC coefficient of 27 and two entries of 12, or three entries of which a long
    // one has 31.
    uint32_t least = format->order->last << 8 | 255, symbols = 2;
    for (;;) {
        for (uint32_t i = 0; i < symbols; i++) {
            read_coefficient(&a, format, values[0]);
            read_coefficient(&b, format, values[1]);
            read_coefficient(&c, format, values[2]);
            read_coefficient(&d, format, values[3]);
        }
        if ((a.word > least) & (b.word > least) & (c.word > least) & (d.word > least)) return;
        next_group(&a), next_group(&b), next_group(&c), next_group(&d);
        symbols = format->order == &order_2x2 ? 2 : 3;
    }
}
