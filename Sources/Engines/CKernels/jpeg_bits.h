#pragma once

#include "level.h"

#include <stdbool.h>

// The bit reader, the fields of a stream's state word (see jpeg_tables.c), and what the parts of the decoder
// share.

enum {
    /// Valid bits of a window: 64 less the 7 that the position may be into a byte.
    KF_JPEG_WINDOW_BITS = 57,
    KF_JPEG_EXCEPTION = 1 << 13,
    KF_JPEG_END = 1 << 14,
    KF_JPEG_DIFFERENCE_SHIFT = 15,
    KF_JPEG_SLOT_SHIFT = 27,
    /// The bits of a DC difference at most, which has a field of 12 bits. 8-bit samples need no more.
    KF_JPEG_DIFFERENCE_SIZE = 11,
};

/// The bits from `position` on, the first one highest. Reads 8 bytes.
static inline uint64_t kf_jpeg_window(const uint8_t *data, uint64_t position) {
    uint64_t bits;
    memcpy(&bits, data + (position >> 3), sizeof bits);
    return __builtin_bswap64(bits) << (position & 7);
}

/// The value of `size` additional bits (ITU-T T.81, F.2.2.1, EXTEND).
static inline int kf_jpeg_extend(uint32_t bits, int size) {
    return size && bits < 1u << (size - 1) ? (int)bits - (1 << size) + 1 : (int)bits;
}

typedef struct {
    int length;
    int value;
} kf_jpeg_symbol;

/// The next symbol, of any length; length 0 if there is no such code.
static inline kf_jpeg_symbol kf_jpeg_next(const kf_jpeg_code *code, uint64_t window) {
    uint16_t symbol = code->symbol[window >> (64 - KF_JPEG_INDEX_BITS)];
    if (symbol) return (kf_jpeg_symbol){symbol >> 8, symbol & 255};
    for (int length = KF_JPEG_INDEX_BITS + 1; length <= 16; length++) {
        int32_t bits = (int32_t)(window >> (64 - length));
        if (bits > code->last[length]) continue;
        return (kf_jpeg_symbol){length, code->values[(bits + code->offset[length]) & 255]};
    }
    return (kf_jpeg_symbol){0, 0};
}

static inline int kf_jpeg_difference(kf_jpeg_block block) {
    return (int32_t)(block.value << 5) >> (5 + KF_JPEG_DIFFERENCE_SHIFT);
}

static inline uint32_t kf_jpeg_end(kf_jpeg_block block) { return block.position + (block.value & 127); }

/// The codes and components of the blocks in an MCU, in their order.
typedef struct {
    /// At least 3.
    int blocks;
    /// Whether the blocks are alike, as in greyscale, where each is an MCU.
    bool is_uniform;
    const kf_jpeg_codes *codes[KF_JPEG_MCU_BLOCKS];
    uint8_t components[KF_JPEG_MCU_BLOCKS];
} kf_jpeg_mcu;

static inline kf_jpeg_mcu kf_jpeg_make_mcu(const kf_jpeg_scan *scan) {
    kf_jpeg_mcu mcu = {.is_uniform = scan->count == 1};
    for (int i = 0; i < scan->count; i++) {
        const kf_jpeg_component *component = &scan->components[i];
        // Four MCUs of greyscale count as one.
        int blocks = scan->count == 1 ? 4 : component->horizontal * component->vertical;
        for (int j = 0; j < blocks && mcu.blocks < KF_JPEG_MCU_BLOCKS; j++) {
            mcu.components[mcu.blocks] = (uint8_t)i;
            mcu.codes[mcu.blocks++] = component->codes;
        }
    }
    return mcu;
}

/// Consecutive blocks of a scan.
typedef struct {
    const kf_jpeg_block *blocks;
    size_t count;
    /// Where the first block begins, in bits.
    uint32_t start;
} kf_jpeg_part;

/// The blocks of a range, each part found by another stream. None if the data are not certainly valid.
typedef struct {
    int count;
    kf_jpeg_part parts[KF_JPEG_STREAMS];
} kf_jpeg_parts;

/// Decodes a range. If `is_whole`, its blocks must end with it; otherwise there must be more of them, and the
/// decoder stops after an MCU near the end.
kf_jpeg_parts kf_jpeg_decode_range(
    const kf_jpeg_mcu *mcu, const kf_jpeg_section *section, const kf_jpeg_scratch *scratch, kf_jpeg_range range,
    bool is_whole, int streams);

/// The intervals between restarts that end in a section, or other ranges.
typedef struct {
    /// Null for intervals that follow each other.
    const kf_jpeg_range *ranges;
    /// Where each begins, and where the last one ends.
    const uint32_t *starts;
    size_t count;
    /// Blocks of the first, of each other but the last, and of all.
    size_t first;
    size_t each;
    size_t total;
} kf_jpeg_intervals;

static inline kf_jpeg_range kf_jpeg_interval(const kf_jpeg_intervals *all, size_t index) {
    if (all->ranges) return all->ranges[index];
    size_t before = index ? all->first + (index - 1) * all->each : 0, left = all->total - before;
    size_t most = index ? all->each : all->first;
    return (kf_jpeg_range){all->starts[index], all->starts[index + 1], left < most ? left : most};
}

/// Decodes intervals, each of which must end with its blocks, to the blocks of the section.
bool kf_jpeg_decode_intervals(
    const kf_jpeg_mcu *mcu, const kf_jpeg_section *section, const kf_jpeg_scratch *scratch,
    const kf_jpeg_intervals *intervals, int streams);
