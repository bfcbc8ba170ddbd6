#include "jpeg_bits.h"
#include "jpeg_coefficients.h"
#include "jpeg_idct_2x2.h"
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

static size_t rounded_up(size_t count) { return (count + GROUP - 1) / GROUP * GROUP; }

static mcu_row make_row(const kf_jpeg_scan *scan, int32_t eighths) {
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
            .stride = blocks * (size_t)component->vertical};
    }
    return row;
}

/// Lays the memory of the row out, if any is given, and returns its size in bytes.
static size_t lay_out(mcu_row *row, uint8_t *memory) {
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

size_t kf_jpeg_row_size(const kf_jpeg_scan *scan, int32_t eighths) {
    mcu_row row = make_row(scan, eighths);
    return lay_out(&row, NULL);
}

static void fill(const component_row *row, uint8_t value, uint8_t *corner) {
    for (int y = 0; y < row->down; y++) memset(corner + (size_t)y * row->width, value, (size_t)row->across);
}

static bool is_2x2(const component_row *row) { return row->across == 2 && row->down == 2; }

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

/// Reads the AC coefficients of the blocks from one MCU of the row to another. At 1/8 it draws them, too.
KF_INLINE void read_blocks_of(
    kf_level level, int eighths, const component_row *row, const uint8_t *data, uint32_t from, uint32_t to) {
    size_t horizontal = (size_t)row->component->horizontal;
    for (int y = 0; y < row->component->vertical; y++) {
        size_t line = (size_t)y * row->blocks, end = line + to * horizontal;
        for (size_t place = line + from * horizontal; place < end; place += 4) {
            four_blocks blocks = next_four(row, place, end);
            if (eighths > 1) {
                read_four(eighths, row, data, &blocks);
            } else {
                draw_four(level, row, data, &blocks, row->samples + (size_t)(y * 2) * row->width);
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
/// Returns the blocks behind.
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

KF_INLINE void read_row(
    kf_level level, int eighths, const mcu_row *row, const uint8_t *data, uint32_t from, uint32_t to) {
    for (int i = 0; i < row->count; i++) {
        const component_row *component = &row->components[i];
        if (eighths > 1 || is_2x2(component)) read_blocks_of(level, eighths, component, data, from, to);
    }
}

KF_INLINE void draw(
    kf_level level, int eighths, const kf_jpeg_scan *scan, const kf_jpeg_section *section, const mcu_row *row,
    kf_jpeg_painter *painter, kf_jpeg_reduced image) {
    uint32_t from = painter->x;
    for (const kf_jpeg_block *blocks = section->blocks, *end = blocks + section->count; blocks < end;) {
        for (int i = 0; i < row->count; i++) {
            blocks = take_component(eighths, &row->components[i], blocks, painter->x);
        }
        if (++painter->x < scan->columns) continue;
        read_row(level, eighths, row, section->data, from, scan->columns);
        for (int i = 0; i < row->count && eighths > 1; i++) draw_low(&row->components[i]);
        write_lines(row, painter->y++, image);
        painter->x = from = 0;
    }
    read_row(level, eighths, row, section->data, from, painter->x);
}

KF_INLINE void draw_scaled(
    kf_level level, int eighths, const kf_jpeg_scan *scan, const kf_jpeg_section *section, const mcu_row *row,
    kf_jpeg_painter *painter, kf_jpeg_reduced image) {
    switch (eighths) {
    case 1: draw(level, 1, scan, section, row, painter, image); break;
    case 2: draw(level, 2, scan, section, row, painter, image); break;
    default: draw(level, 4, scan, section, row, painter, image);
    }
}

static void draw_plain(
    kf_level level, int eighths, const kf_jpeg_scan *scan, const kf_jpeg_section *section, const mcu_row *row,
    kf_jpeg_painter *painter, kf_jpeg_reduced image) {
    draw_scaled(level, eighths, scan, section, row, painter, image);
}

/// Shifts by a register take one instruction with BMI2, which makes this a quarter faster.
static KF_BMI2_TARGET void draw_bmi2(
    int eighths, const kf_jpeg_scan *scan, const kf_jpeg_section *section, const mcu_row *row,
    kf_jpeg_painter *painter, kf_jpeg_reduced image) {
    draw_scaled(KF_AVX2, eighths, scan, section, row, painter, image);
}

void kf_jpeg_draw_section(
    kf_level level, const kf_jpeg_scan *scan, const kf_jpeg_section *section, int32_t eighths,
    kf_jpeg_painter *painter, uint8_t *memory, kf_jpeg_reduced image) {
    mcu_row row = make_row(scan, eighths);
    size_t size = lay_out(&row, memory);
    if (!painter->x && !painter->y) memset(memory, 0, size);
    if (level == KF_AVX2) {
        draw_bmi2(eighths, scan, section, &row, painter, image);
    } else {
        draw_plain(level, eighths, scan, section, &row, painter, image);
    }
}
