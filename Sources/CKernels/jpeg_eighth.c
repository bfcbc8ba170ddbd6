#include "jpeg_bits.h"
#include "jpeg_idct.h"

static const uint8_t natural_order[64 + 16] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13,
    6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31,
    39, 46, 53, 60, 61, 54, 47, 55, 62, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63};

static kf_jpeg_mcu make_mcu(const kf_jpeg_scan *scan) {
    kf_jpeg_mcu mcu = {.is_uniform = scan->count == 1};
    for (int i = 0; i < scan->count; i++) {
        const kf_jpeg_component *component = &scan->components[i];
        // Four MCUs of greyscale count as one.
        int blocks = scan->count == 1 ? 4 : component->horizontal * component->vertical;
        for (int j = 0; j < blocks && mcu.blocks < KF_JPEG_MCU_BLOCKS; j++) {
            mcu.codes[mcu.blocks++] = component->codes;
        }
    }
    return mcu;
}

/// The average of a block: libjpeg's 1x1 inverse DCT, whose table of limits repeats every 1,024 values.
static inline uint8_t average(int dc, int quantization) {
    int value = (dc * quantization + 4) >> 3;
    return kf_clamp8(((value + 512) & 1023) - 512 + 128);
}

/// The AC coefficients of a block that begins at `position`, in the order of rows. False if it has none.
/// The block was decoded before, so that it is valid.
KF_INLINE bool read_coefficients(
    const uint8_t *data, uint64_t position, const kf_jpeg_codes *codes, int16_t *block) {
    uint64_t window = kf_jpeg_window(data, position);
    kf_jpeg_symbol dc = kf_jpeg_next(&codes->dc, window);
    int used = dc.length + dc.value, index = 1;
    do {
        // The longest code and its coefficient have 31 bits.
        if (used > KF_JPEG_WINDOW_BITS - 31) {
            position += (uint64_t)used, used = 0;
            window = kf_jpeg_window(data, position);
        }
        uint64_t bits = window << used;
        uint32_t entry = codes->ac.value[bits >> (64 - KF_JPEG_INDEX_BITS)];
        if (entry) {
            index += entry >> 8 & 15;
            block[natural_order[index++]] = (int16_t)(entry >> 16);
            used += entry & 31;
            continue;
        }
        kf_jpeg_symbol symbol = kf_jpeg_next(&codes->ac, bits);
        int run = symbol.value >> 4, size = symbol.value & 15;
        if (!size && run != 15) return index > 1;
        index += run;
        if (size) {
            uint32_t low = (uint32_t)(bits << symbol.length >> (64 - size));
            block[natural_order[index]] = (int16_t)kf_jpeg_extend(low, size);
        }
        used += symbol.length + size;
        index++;
    } while (index < 64);
    return true;
}

/// How the blocks of a component cover a row of MCUs, at the size of the output.
typedef struct {
    const kf_jpeg_component *component;
    /// Samples of the output for one block.
    int across;
    int down;
    /// The samples of all MCUs in the row.
    uint8_t *plane;
    int dc;
} component_row;

typedef struct {
    component_row components[3];
    int count;
    /// Samples of the output for one MCU.
    int horizontal;
    int vertical;
    size_t width;
} mcu_row;

static mcu_row make_row(const kf_jpeg_scan *scan, uint8_t *scratch) {
    mcu_row row = {.count = scan->count, .horizontal = 1, .vertical = 1};
    for (int i = 0; i < scan->count; i++) {
        const kf_jpeg_component *component = &scan->components[i];
        if (component->horizontal > row.horizontal) row.horizontal = component->horizontal;
        if (component->vertical > row.vertical) row.vertical = component->vertical;
    }
    row.width = (size_t)scan->columns * (size_t)row.horizontal;
    for (int i = 0; i < scan->count; i++) {
        const kf_jpeg_component *component = &scan->components[i];
        row.components[i] = (component_row){
            component, row.horizontal / component->horizontal, row.vertical / component->vertical,
            scratch + 2 * (size_t)i * row.width, 0};
    }
    return row;
}

/// Writes the four samples of a block that covers two in both directions.
KF_INLINE void draw_2x2(
    kf_level level, const component_row *row, const uint8_t *data, uint32_t start, uint8_t *top, uint8_t *bottom) {
    const uint16_t *quantization = row->component->quantization;
    int16_t block[64] = {0};
    if (!read_coefficients(data, start, row->component->codes, block)) {
        int value = (int16_t)(row->dc * quantization[0]);
        top[0] = top[1] = bottom[0] = bottom[1] = kf_clamp8(((value + 4) >> 3) + 128);
        return;
    }
    block[0] = (int16_t)row->dc;
    inverse_2x2(level, block, quantization, top, bottom);
}

static void draw_average(const component_row *row, size_t width, uint8_t *sample) {
    uint8_t value = average(row->dc, row->component->quantization[0]);
    for (int y = 0; y < row->down; y++) {
        for (int x = 0; x < row->across; x++) sample[(size_t)y * width + (size_t)x] = value;
    }
}

/// Reads blocks in their order.
typedef struct {
    const kf_jpeg_part *part;
    size_t index;
    /// Where the next block begins, in bits.
    uint32_t start;
} block_reader;

static inline kf_jpeg_block next_block(block_reader *reader) {
    if (__builtin_expect(reader->index == reader->part->count, 0)) {
        reader->part++;
        reader->index = 0;
        reader->start = reader->part->start;
    }
    return reader->part->blocks[reader->index++];
}

/// Draws the blocks of one component in an MCU. False if a DC coefficient is out of range.
KF_INLINE bool draw_component(
    kf_level level, component_row *row, const uint8_t *data, block_reader *reader, size_t width, uint8_t *corner) {
    for (int y = 0; y < row->component->vertical; y++) {
        uint8_t *sample = corner + (size_t)(y * row->down) * width;
        for (int x = 0; x < row->component->horizontal; x++, sample += row->across) {
            kf_jpeg_block block = next_block(reader);
            row->dc += kf_jpeg_difference(block);
            if (row->dc != (int16_t)row->dc) return false;
            if (row->across == 2 && row->down == 2) {
                draw_2x2(level, row, data, reader->start, sample, sample + width);
            } else {
                draw_average(row, width, sample);
            }
            reader->start = kf_jpeg_end(block);
        }
    }
    return true;
}

/// Converts with libjpeg's constants of 16 bits (JFIF 1.02).
static void write_line(const mcu_row *row, size_t line, uint8_t *target, uint32_t width) {
    const uint8_t *luma = row->components[0].plane + line * row->width;
    if (row->count == 1) {
        memcpy(target, luma, width);
        return;
    }
    const uint8_t *blue = row->components[1].plane + line * row->width;
    const uint8_t *red = row->components[2].plane + line * row->width;
    for (uint32_t x = 0; x < width; x++) {
        int y = luma[x], cb = blue[x] - 128, cr = red[x] - 128;
        target[4 * x] = kf_clamp8(y + ((91881 * cr + 32768) >> 16));
        target[4 * x + 1] = kf_clamp8(y + ((-22554 * cb - 46802 * cr + 32768) >> 16));
        target[4 * x + 2] = kf_clamp8(y + ((116130 * cb + 32768) >> 16));
        target[4 * x + 3] = 255;
    }
}

KF_INLINE bool draw(
    kf_level level, const kf_jpeg_scan *scan, const kf_jpeg_part *parts, uint8_t *scratch, kf_jpeg_eighth image) {
    mcu_row row = make_row(scan, scratch);
    block_reader reader = {parts, 0, parts->start};
    const uint32_t *restart = scan->restarts;
    uint32_t until_restart = scan->restart_interval;
    for (uint32_t y = 0; y < scan->rows; y++) {
        for (uint32_t x = 0; x < scan->columns; x++) {
            if (scan->restart_interval && !until_restart--) {
                until_restart = scan->restart_interval - 1;
                for (int i = 0; i < row.count; i++) row.components[i].dc = 0;
                reader.start = *restart++ * 8;
            }
            for (int i = 0; i < row.count; i++) {
                component_row *component = &row.components[i];
                uint8_t *corner = component->plane + (size_t)x * (size_t)row.horizontal;
                if (!draw_component(level, component, scan->data, &reader, row.width, corner)) return false;
            }
        }
        for (int line = 0; line < row.vertical; line++) {
            uint32_t target = y * (uint32_t)row.vertical + (uint32_t)line;
            if (target >= image.height) break;
            write_line(&row, (size_t)line, image.rows + target * image.bytes_per_row, image.width);
        }
    }
    return true;
}

static bool draw_plain(
    kf_level level, const kf_jpeg_scan *scan, const kf_jpeg_part *parts, uint8_t *scratch, kf_jpeg_eighth image) {
    return draw(level, scan, parts, scratch, image);
}

/// Shifts by a register take one instruction with BMI2, which makes this a quarter faster.
static KF_BMI2_TARGET bool draw_bmi2(
    const kf_jpeg_scan *scan, const kf_jpeg_part *parts, uint8_t *scratch, kf_jpeg_eighth image) {
    return draw(KF_AVX2, scan, parts, scratch, image);
}

_Bool kf_jpeg_decode_eighth(
    kf_level level, const kf_jpeg_scan *scan, int32_t streams, kf_jpeg_scratch scratch, kf_jpeg_eighth image) {
    kf_jpeg_mcu mcu = make_mcu(scan);
    kf_jpeg_part parts[KF_JPEG_STREAMS];
    size_t blocks = mcu.is_uniform ? 1 : (size_t)mcu.blocks, count = (size_t)scan->columns * scan->rows * blocks;
    if (scan->restart_interval) {
        size_t interval = scan->restart_interval * blocks;
        if (!kf_jpeg_decode_intervals(&mcu, scan, count, interval, streams, &scratch)) return false;
        parts[0] = (kf_jpeg_part){scratch.blocks, count, 0};
    } else if (!kf_jpeg_decode_blocks(&mcu, scan, count, streams, &scratch, parts)) {
        return false;
    }
    if (level == KF_AVX2) return draw_bmi2(scan, parts, scratch.row, image);
    return draw_plain(level, scan, parts, scratch.row, image);
}
