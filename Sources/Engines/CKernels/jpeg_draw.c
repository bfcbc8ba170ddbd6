#include "jpeg_bits.h"
#include "jpeg_coefficients.h"
#include "jpeg_idct_2x2.h"
#include "jpeg_idct_8x8.h"
#include "jpeg_idct_low.h"
#include "jpeg_rows.h"

size_t kf_jpeg_row_size(const kf_jpeg_scan *scan, int32_t eighths) {
    mcu_row row = make_row(scan, eighths);
    return lay_out(&row, NULL);
}

/// Four blocks of a row, the last one repeated if there are fewer.
typedef struct {
    size_t places[4];
    uint32_t starts[4];
} four_blocks;

static inline four_blocks next_four(const component_row *row, size_t place, size_t end) {
    four_blocks blocks;
    for (size_t i = 0; i < 4; i++) {
        blocks.places[i] = place + i < end ? place + i : end - 1;
        blocks.starts[i] = row->starts[blocks.places[i]];
    }
    return blocks;
}

/// Draws four blocks at 1/8 that cover two samples in both directions, as libjpeg does.
KF_INLINE void draw_four(
    kf_level level, const component_row *row, const uint8_t *data, const four_blocks *blocks, uint8_t *samples) {
    const kf_jpeg_component *component = row->component;
    int16_t coefficients[4][64 + 1] = {0};
    int16_t *const values[4] = {coefficients[0], coefficients[1], coefficients[2], coefficients[3]};
    coefficient_format format = {component->codes, &order_8x8, 1};
    read_blocks(data, blocks->starts, &format, values);
    for (int i = 0; i < 4; i++) {
        uint8_t *corner = samples + 2 * (blocks->places[i] % row->blocks);
        values[i][0] = row->frequencies[blocks->places[i]];
        inverse_2x2(level, values[i], component->quantization, corner, corner + row->width);
    }
}

/// Draws four blocks at full size.
KF_INLINE void draw_four_full(
    kf_level level, const component_row *row, const uint8_t *data, const four_blocks *blocks, uint8_t *samples) {
    block_pair pairs[2] = {0};
    int16_t *const values[4] = {pairs[0].values, pairs[0].values + 8, pairs[1].values, pairs[1].values + 8};
    coefficient_format format = {row->component->codes, &order_8x8_pairs, 1};
    read_blocks(data, blocks->starts, &format, values);
    uint8_t *corners[4];
    for (int i = 0; i < 4; i++) {
        values[i][0] = row->frequencies[blocks->places[i]];
        corners[i] = samples + 8 * (blocks->places[i] % row->blocks);
    }
    inverse_8x8(level, &pairs[0], row->component->quantization, row->width, corners);
    inverse_8x8(level, &pairs[1], row->component->quantization, row->width, corners + 2);
}

/// Reads the lowest frequencies of four blocks.
KF_INLINE void read_four(
    int eighths, const component_row *row, const uint8_t *data, const four_blocks *blocks) {
    int16_t *values[4];
    for (int i = 0; i < 4; i++) values[i] = row->frequencies + blocks->places[i];
    const kf_jpeg_codes *codes = row->component->codes;
    if (is_2x2(row)) {
        read_blocks(data, blocks->starts, &(coefficient_format){codes, &order_2x2, row->stride}, values);
    } else if (eighths == 2) {
        read_blocks(data, blocks->starts, &(coefficient_format){codes, &order_low_4x4, row->stride}, values);
    } else {
        read_blocks(data, blocks->starts, &(coefficient_format){codes, &order_4x4, row->stride}, values);
    }
}

/// Reads the AC coefficients of the blocks from one MCU of the row to another. At 1/8 it also draws them.
KF_INLINE void read_blocks_of(
    kf_level level, int eighths, const component_row *row, const uint8_t *data, uint32_t from, uint32_t to) {
    size_t horizontal = (size_t)row->component->horizontal;
    for (int y = 0; y < row->component->vertical; y++) {
        size_t line = (size_t)y * row->blocks, end = line + to * horizontal;
        uint8_t *samples = row->samples + (size_t)(y * row->down) * row->width;
        for (size_t place = line + from * horizontal; place < end; place += 4) {
            four_blocks blocks = next_four(row, place, end);
            if (eighths == 8) {
                draw_four_full(level, row, data, &blocks, samples);
            } else if (eighths > 1) {
                read_four(eighths, row, data, &blocks);
            } else {
                draw_four(level, row, data, &blocks, samples);
            }
        }
    }
}

KF_INLINE void draw_low_blocks(const component_row *row, int across, int down) {
    for (int y = 0; y < row->component->vertical; y++) {
        const int16_t *frequencies = row->frequencies + (size_t)y * row->blocks;
        uint8_t *samples = row->samples + (size_t)(y * down) * row->width;
        for (size_t x = 0; x < row->blocks; x += GROUP) {
            inverse_low(
                frequencies + x, row->stride, row->component->quantization, across, down,
                samples + x * (size_t)across, row->width);
        }
    }
}

/// Draws the blocks whose frequencies have been read.
KF_INLINE void draw_low(const component_row *row) {
    switch (row->across * 16 + row->down) {
    case 0x22: draw_low_blocks(row, 2, 2); break;
    case 0x24: draw_low_blocks(row, 2, 4); break;
    case 0x42: draw_low_blocks(row, 4, 2); break;
    case 0x44: draw_low_blocks(row, 4, 4); break;
    case 0x48: draw_low_blocks(row, 4, 8); break;
    case 0x84: draw_low_blocks(row, 8, 4); break;
    default: draw_low_blocks(row, 8, 8); break;
    }
    memset(row->frequencies, 0, (PLACES - 1) * row->stride * sizeof(int16_t));
}

/// Takes the blocks of one component in an MCU. At 1/8 it draws those for which nothing else is needed.
/// Returns the first block after them.
KF_INLINE const kf_jpeg_block *take_component(
    int eighths, const component_row *row, const kf_jpeg_block *blocks, uint32_t mcu) {
    int horizontal = row->component->horizontal;
    for (int y = 0; y < row->component->vertical; y++) {
        size_t place = (size_t)mcu * (size_t)horizontal;
        for (int x = 0; x < horizontal; x++, place++, blocks++) {
            int32_t dc = (int32_t)blocks->value;
            if (eighths > 1 || is_2x2(row)) {
                size_t line = (size_t)y * row->blocks;
                row->starts[line + place] = blocks->position;
                row->frequencies[line + place] = (int16_t)dc;
            } else {
                uint8_t *line = row->samples + (size_t)(y * row->down) * row->width;
                fill(row, average(dc, row->component->quantization[0]), line + place * (size_t)row->across);
            }
        }
    }
    return blocks;
}

KF_INLINE void read_row(
    kf_level level, int eighths, const mcu_row *row, const uint8_t *data, uint32_t from, uint32_t to) {
    for (int i = 0; i < row->count; i++) {
        const component_row *component = &row->components[i];
        if (eighths > 1 || is_2x2(component)) read_blocks_of(level, eighths, component, data, from, to);
    }
}

KF_INLINE bool draw(
    kf_level level, int eighths, const kf_jpeg_scan *scan, const kf_jpeg_section *section, const mcu_row *row,
    kf_jpeg_painter *painter, kf_jpeg_output image) {
    const uint32_t from = painter->x;
    const kf_jpeg_block *blocks = section->blocks + painter->block, *end = section->blocks + section->count;
    for (; blocks < end && painter->x < scan->columns; painter->x++) {
        for (int i = 0; i < row->count; i++) {
            blocks = take_component(eighths, &row->components[i], blocks, painter->x);
        }
    }
    read_row(level, eighths, row, section->data, from, painter->x);
    const bool is_complete = painter->x == scan->columns;
    painter->block = is_complete ? (size_t)(blocks - section->blocks) : 0;
    if (!is_complete) return false;
    for (int i = 0; i < row->count && (eighths == 2 || eighths == 4); i++) draw_low(&row->components[i]);
    painter->lines = write_lines(level, row, painter->y++, image);
    painter->x = 0;
    return true;
}

KF_INLINE bool draw_scaled(
    kf_level level, int eighths, const kf_jpeg_scan *scan, const kf_jpeg_section *section, const mcu_row *row,
    kf_jpeg_painter *painter, kf_jpeg_output image) {
    switch (eighths) {
    case 1: return draw(level, 1, scan, section, row, painter, image);
    case 2: return draw(level, 2, scan, section, row, painter, image);
    case 4: return draw(level, 4, scan, section, row, painter, image);
    default: return draw(level, 8, scan, section, row, painter, image);
    }
}

static bool draw_plain(
    kf_level level, int eighths, const kf_jpeg_scan *scan, const kf_jpeg_section *section, const mcu_row *row,
    kf_jpeg_painter *painter, kf_jpeg_output image) {
    return draw_scaled(level, eighths, scan, section, row, painter, image);
}

/// Shifts by a register take one instruction with BMI2, which makes this a quarter faster.
static KF_BMI2_TARGET bool draw_bmi2(
    int eighths, const kf_jpeg_scan *scan, const kf_jpeg_section *section, const mcu_row *row,
    kf_jpeg_painter *painter, kf_jpeg_output image) {
    return draw_scaled(KF_AVX2, eighths, scan, section, row, painter, image);
}

_Bool kf_jpeg_draw_row(
    kf_level level, const kf_jpeg_scan *scan, const kf_jpeg_section *section, int32_t eighths,
    kf_jpeg_painter *painter, uint8_t *memory, kf_jpeg_output image) {
    mcu_row row = make_row(scan, eighths);
    size_t size = lay_out(&row, memory);
    if (!painter->x && !painter->y) memset(memory, 0, size);
    return level == KF_AVX2 ? draw_bmi2(eighths, scan, section, &row, painter, image)
                            : draw_plain(level, eighths, scan, section, &row, painter, image);
}
