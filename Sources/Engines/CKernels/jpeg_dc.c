#include "jpeg_rows.h"

// The DC coefficients of a progressive file (ITU-T T.81, G.1.2.1 and G.1.2.2). An image at an eighth needs no
// others: without AC coefficients libjpeg also gives all samples of a block the same value.

typedef struct {
    /// The next bit.
    uint64_t position;
    /// The last DC coefficients.
    int32_t dc[3];
} dc_reader;

/// Reads a block. False if it is not certainly valid.
KF_INLINE bool read_block(
    const kf_jpeg_dc_scan *scan, const kf_jpeg_code *code, dc_reader *reader, int32_t *dc, int16_t *value) {
    uint64_t window = kf_jpeg_window(scan->data, reader->position);
    if (!code) {
        *value = (int16_t)(*value | (int16_t)(window >> 63 << scan->shift));
        reader->position++;
        return true;
    }
    kf_jpeg_symbol symbol = kf_jpeg_next(code, window);
    if (!symbol.length || symbol.value > KF_JPEG_DIFFERENCE_SIZE) return false;
    uint32_t bits = symbol.value ? (uint32_t)(window << symbol.length >> (64 - symbol.value)) : 0;
    *dc += kf_jpeg_extend(bits, symbol.value);
    int64_t shifted = (int64_t)*dc * (1 << scan->shift);
    if (shifted != (int16_t)shifted) return false;
    *value = (int16_t)shifted;
    reader->position += (uint64_t)(symbol.length + symbol.value);
    return true;
}

KF_INLINE bool read_mcu(const kf_jpeg_dc_scan *scan, uint32_t x, uint32_t y, dc_reader *reader) {
    for (int i = 0; i < scan->count; i++) {
        const kf_jpeg_dc_component *component = &scan->components[i];
        for (int line = 0; line < component->vertical; line++) {
            size_t row = (size_t)y * (size_t)component->vertical + (size_t)line;
            int16_t *values = component->values + row * component->stride + (size_t)x * (size_t)component->horizontal;
            for (int column = 0; column < component->horizontal; column++) {
                if (!read_block(scan, component->code, reader, &reader->dc[i], &values[column])) return false;
            }
        }
    }
    // An MCU is smaller than the padding.
    return reader->position <= (uint64_t)scan->length * 8;
}

/// Whether only the bits that fill a byte are left.
static bool ends_at(uint64_t position, size_t byte) {
    uint64_t end = (uint64_t)byte * 8;
    return position <= end && end - position < 8;
}

_Bool kf_jpeg_read_dc(const kf_jpeg_dc_scan *scan) {
    dc_reader reader = {0};
    uint32_t until_restart = scan->restart_interval;
    size_t restarts = 0;
    for (uint32_t y = 0; y < scan->rows; y++) {
        for (uint32_t x = 0; x < scan->columns; x++) {
            if (scan->restart_interval && !until_restart--) {
                if (restarts == scan->restart_count) return false;
                if (!ends_at(reader.position, scan->restarts[restarts])) return false;
                reader = (dc_reader){.position = (uint64_t)scan->restarts[restarts++] * 8};
                until_restart = scan->restart_interval - 1;
            }
            if (!read_mcu(scan, x, y, &reader)) return false;
        }
    }
    return restarts == scan->restart_count && ends_at(reader.position, scan->length);
}

/// The same by libjpeg-turbo's 2x2 inverse DCT, whose products have 16 bits.
static uint8_t average_2x2(int dc, int quantization) {
    uint32_t value = ((uint32_t)(int16_t)(dc * quantization) << 17) + (1 << 19);
    return kf_clamp8(((int32_t)value >> 20) + 128);
}

static void fill_row(const component_row *row, const int16_t *values) {
    int quantization = row->component->quantization[0];
    for (int line = 0; line < row->component->vertical; line++, values += row->used) {
        uint8_t *samples = row->samples + (size_t)(line * row->down) * row->width;
        for (size_t x = 0; x < row->used; x++) {
            uint8_t value = is_2x2(row) ? average_2x2(values[x], quantization) : average(values[x], quantization);
            fill(row, value, samples + x * (size_t)row->across);
        }
    }
}

void kf_jpeg_draw_dc(
    kf_level level, const kf_jpeg_scan *scan, const int16_t *const planes[3], uint8_t *memory,
    kf_jpeg_output image) {
    mcu_row row = make_row(scan, 1);
    lay_out(&row, memory);
    for (uint32_t y = 0; y < scan->rows; y++) {
        for (int i = 0; i < row.count; i++) {
            const component_row *component = &row.components[i];
            size_t line = (size_t)y * (size_t)component->component->vertical;
            fill_row(component, planes[i] + line * component->used);
        }
        write_lines(level, &row, y, image);
    }
}
