// A row of MCUs: its memory, its samples, and their conversion to pixels. Inlined, because its callers are
// compiled for two instruction sets.
#pragma once

#include "jpeg_bits.h"
#include "jpeg_color.h"
#include "jpeg_idct_low.h"
#include "jpeg_upsample.h"

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
    /// The lowest frequencies of all blocks in the row, and one place for all others; at full size DC
    /// coefficients only. Each has `stride` values, in rows of `blocks`.
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
    /// At full size chroma keeps its resolution until a line is written. The last line of samples of the row
    /// before is also kept if the next line needs it.
    bool is_full;
    size_t history;
    uint16_t *sums;
    uint16_t *chroma[2];
} mcu_row;

enum { PLACES = FREQUENCIES * FREQUENCIES + 1 };

static inline size_t rounded_up(size_t count) { return (count + GROUP - 1) / GROUP * GROUP; }

static inline mcu_row make_row(const kf_jpeg_scan *scan, int32_t eighths) {
    mcu_row row = {
        .count = scan->count, .horizontal = eighths, .vertical = eighths, .is_full = eighths == 8};
    for (int i = 0; i < scan->count; i++) {
        const kf_jpeg_component *component = &scan->components[i];
        if (component->horizontal == 2) row.horizontal = 2 * eighths;
        if (component->vertical == 2) row.vertical = 2 * eighths;
    }
    row.width = rounded_up(scan->columns) * (size_t)row.horizontal;
    for (int i = 0; i < scan->count; i++) {
        const kf_jpeg_component *component = &scan->components[i];
        size_t blocks = rounded_up(scan->columns) * (size_t)component->horizontal;
        int across = row.is_full ? 8 : row.horizontal / component->horizontal;
        int down = row.is_full ? 8 : row.vertical / component->vertical;
        row.components[i] = (component_row){
            .component = component, .across = across, .down = down, .width = blocks * (size_t)across,
            .blocks = blocks, .stride = blocks * (size_t)component->vertical,
            .used = (size_t)scan->columns * (size_t)component->horizontal};
        if (down * component->vertical < row.vertical) row.history = 1;
    }
    return row;
}

static inline size_t places(const mcu_row *row) { return row->is_full ? 1 : PLACES; }

/// Lays the memory of the row out, if any is given, and returns its size in bytes.
static inline size_t lay_out(mcu_row *row, uint8_t *memory) {
    size_t size = 0;
    for (int i = 0; i < row->count; i++) {
        component_row *component = &row->components[i];
        if (memory) component->frequencies = (int16_t *)(void *)(memory + size);
        size += places(row) * component->stride * sizeof(int16_t);
    }
    for (int i = 0; i < row->count; i++) {
        if (memory) row->components[i].starts = (uint32_t *)(void *)(memory + size);
        size += row->components[i].stride * sizeof(uint32_t);
    }
    for (int i = 0; i < row->count; i++) {
        component_row *component = &row->components[i];
        if (memory) component->samples = memory + size + row->history * component->width;
        size += (row->history + (size_t)(component->down * component->component->vertical)) * component->width;
    }
    if (!row->is_full) return size;
    if (memory) row->sums = (uint16_t *)(void *)(memory + size);
    size += row->width * sizeof(uint16_t);
    for (int i = 0; i < 2; i++, size += row->width) {
        if (memory) row->chroma[i] = (uint16_t *)(void *)(memory + size);
    }
    return size;
}

static inline void fill(const component_row *row, uint8_t value, uint8_t *corner) {
    for (int y = 0; y < row->down; y++) memset(corner + (size_t)y * row->width, value, (size_t)row->across);
}

static inline bool is_2x2(const component_row *row) { return row->across == 2 && row->down == 2; }

/// The lines of a row of MCUs that the image has.
typedef struct {
    uint32_t first;
    uint32_t count;
} image_lines;

/// One line of a chroma component, at the resolution of luminance. `line` counts from the row of MCUs, whose
/// lines are `shown`.
KF_INLINE const uint8_t *chroma_line(
    kf_level level, const mcu_row *row, int index, ptrdiff_t line, image_lines shown, uint32_t width) {
    const component_row *component = &row->components[index];
    // For each sample of chroma, the columns and lines of luminance: 1 or 2.
    const int columns = row->horizontal / (component->across * component->component->horizontal);
    const int lines = row->vertical / (component->down * component->component->vertical);
    const uint8_t *near = component->samples + (line >> (lines - 1)) * (ptrdiff_t)component->width;
    if (columns == 1 && lines == 1) return near;
    const size_t count = (width + (uint32_t)columns - 1) / (uint32_t)columns;
    uint16_t *target = row->chroma[index - 1];
    if (lines == 1) {
        upsample_across(level, near, count, row->sums, target);
        return (const uint8_t *)target;
    }
    // Beyond the first and the last line of the image these are repeated.
    const bool is_upper = !(line & 1);
    const bool is_edge = is_upper ? !line && !shown.first : line + 1 >= (ptrdiff_t)shown.count;
    const uint8_t *far = is_edge ? near : is_upper ? near - component->width : near + component->width;
    if (columns == 1) {
        upsample_down(near, far, count, is_upper, (uint8_t *)target);
    } else {
        upsample_both(level, near, far, count, row->sums, target);
    }
    return (const uint8_t *)target;
}

KF_INLINE void write_line(
    kf_level level, const mcu_row *row, ptrdiff_t line, image_lines shown, kf_jpeg_output image) {
    const uint32_t place = (uint32_t)((ptrdiff_t)shown.first + line) % image.row_count;
    uint8_t *target = image.rows + place * image.bytes_per_row;
    const uint8_t *luma = row->components[0].samples + line * (ptrdiff_t)row->width;
    if (row->count == 1) {
        memcpy(target, luma, image.width);
        return;
    }
    const uint8_t *blue = chroma_line(level, row, 1, line, shown, image.width);
    const uint8_t *red = chroma_line(level, row, 2, line, shown, image.width);
    convert_line(level, luma, blue, red, target, image.width);
}

/// Writes the lines that are complete: with a history, the last one is left to the next row. Returns the
/// lines of the image that are written now.
KF_INLINE uint32_t write_lines(kf_level level, const mcu_row *row, uint32_t y, kf_jpeg_output image) {
    const uint32_t vertical = (uint32_t)row->vertical, first = y * vertical, left = image.height - first;
    const image_lines shown = {first, left < vertical ? left : vertical};
    const ptrdiff_t history = (ptrdiff_t)row->history;
    const ptrdiff_t end = (ptrdiff_t)shown.count - (left > vertical ? history : 0);
    for (ptrdiff_t line = y ? -history : 0; line < end; line++) write_line(level, row, line, shown, image);
    for (int i = 0; i < row->count && history; i++) {
        const component_row *component = &row->components[i];
        const size_t lines = (size_t)(component->down * component->component->vertical);
        uint8_t *samples = component->samples;
        memcpy(samples - component->width, samples + (lines - 1) * component->width, component->width);
    }
    return first + (uint32_t)end;
}
