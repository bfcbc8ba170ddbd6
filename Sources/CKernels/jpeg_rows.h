// A row of MCUs: its memory, its samples, and their conversion to pixels. Inlined, because its callers are
// compiled for two instruction sets.
#pragma once

#include "jpeg_bits.h"
#include "jpeg_idct_low.h"

/// The average of a block: libjpeg's 1x1 inverse DCT, whose table of limits repeats every 1,024 values.
static inline uint8_t average(int dc, int quantization) {
    int value = (dc * quantization + 4) >> 3;
    return kf_clamp8(((value + 512) & 1023) - 512 + 128);
}

/// How the blocks of a component cover a row of MCUs, at the size of the output.
typedef struct {
    const kf_jpeg_component *component;
    /// Samples of the output for one block: 1, 2, 4 or 8.
    int across;
    int down;
    /// The samples of all MCUs in the row.
    uint8_t *samples;
    size_t width;
    /// The lowest frequencies of all blocks in the row, and one place for all others. Each has `stride`
    /// values, in rows of `blocks`.
    int16_t *frequencies;
    size_t blocks;
    size_t stride;
    /// The blocks of a row that the image has, without the room for vectors.
    size_t used;
    /// Where the blocks begin, in bits.
    uint32_t *starts;
} component_row;

typedef struct {
    component_row components[3];
    int count;
    /// Samples of the output for one MCU.
    int horizontal;
    int vertical;
    /// Samples in a row, with room for those that are written in vectors.
    size_t width;
} mcu_row;

enum { PLACES = FREQUENCIES * FREQUENCIES + 1 };

static inline size_t rounded_up(size_t count) { return (count + GROUP - 1) / GROUP * GROUP; }

static inline mcu_row make_row(const kf_jpeg_scan *scan, int32_t eighths) {
    mcu_row row = {.count = scan->count, .horizontal = eighths, .vertical = eighths};
    for (int i = 0; i < scan->count; i++) {
        const kf_jpeg_component *component = &scan->components[i];
        if (component->horizontal == 2) row.horizontal = 2 * eighths;
        if (component->vertical == 2) row.vertical = 2 * eighths;
    }
    row.width = rounded_up(scan->columns) * (size_t)row.horizontal;
    for (int i = 0; i < scan->count; i++) {
        const kf_jpeg_component *component = &scan->components[i];
        size_t blocks = rounded_up(scan->columns) * (size_t)component->horizontal;
        row.components[i] = (component_row){
            .component = component, .across = row.horizontal / component->horizontal,
            .down = row.vertical / component->vertical, .width = row.width, .blocks = blocks,
            .stride = blocks * (size_t)component->vertical,
            .used = (size_t)scan->columns * (size_t)component->horizontal};
    }
    return row;
}

/// Lays the memory of the row out, if any is given, and returns its size in bytes.
static inline size_t lay_out(mcu_row *row, uint8_t *memory) {
    size_t size = 0;
    for (int i = 0; i < row->count; i++) {
        component_row *component = &row->components[i];
        if (memory) component->frequencies = (int16_t *)(void *)(memory + size);
        size += PLACES * component->stride * sizeof(int16_t);
    }
    for (int i = 0; i < row->count; i++) {
        if (memory) row->components[i].starts = (uint32_t *)(void *)(memory + size);
        size += row->components[i].stride * sizeof(uint32_t);
    }
    for (int i = 0; i < row->count; i++) {
        if (memory) row->components[i].samples = memory + size;
        size += (size_t)row->vertical * row->width;
    }
    return size;
}

static inline void fill(const component_row *row, uint8_t value, uint8_t *corner) {
    for (int y = 0; y < row->down; y++) memset(corner + (size_t)y * row->width, value, (size_t)row->across);
}

static inline bool is_2x2(const component_row *row) { return row->across == 2 && row->down == 2; }

/// Converts with libjpeg's constants of 16 bits (JFIF 1.02).
KF_INLINE uint32_t rgba(int y, int cb, int cr) {
    uint32_t red = kf_clamp8(y + ((91881 * cr + 32768) >> 16));
    uint32_t green = kf_clamp8(y + ((-22554 * cb - 46802 * cr + 32768) >> 16));
    uint32_t blue = kf_clamp8(y + ((116130 * cb + 32768) >> 16));
    return red | green << 8 | blue << 16 | 255u << 24;
}

KF_INLINE void write_line(const mcu_row *row, size_t line, uint8_t *target, uint32_t width) {
    const uint8_t *luma = row->components[0].samples + line * row->width;
    if (row->count == 1) {
        memcpy(target, luma, width);
        return;
    }
    const uint8_t *blue = row->components[1].samples + line * row->width;
    const uint8_t *red = row->components[2].samples + line * row->width;
    for (uint32_t x = 0; x < width; x += GROUP) {
        uint32_t pixels[GROUP];
        for (int i = 0; i < GROUP; i++) pixels[i] = rgba(luma[x + i], blue[x + i] - 128, red[x + i] - 128);
        if (width - x >= GROUP) {
            memcpy(target + 4 * x, pixels, sizeof pixels);
        } else {
            memcpy(target + 4 * x, pixels, 4 * (width - x));
        }
    }
}

KF_INLINE void write_lines(const mcu_row *row, uint32_t y, kf_jpeg_reduced image) {
    for (int line = 0; line < row->vertical; line++) {
        uint32_t target = y * (uint32_t)row->vertical + (uint32_t)line;
        if (target >= image.height) return;
        write_line(row, (size_t)line, image.rows + target * image.bytes_per_row, image.width);
    }
}

