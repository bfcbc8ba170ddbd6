#include "jpeg_bits.h"

// An entry of a skip table says what its symbols do to a stream, as a sum to be added to the state word:
//
//     0...6    bits consumed since the window was loaded
//     7...12   the index of the next coefficient in the block
//     13       the entry does not apply; a carry from bit 12 also says so
//     14       the block ends
//     15...26  the DC difference, signed
//     27...31  the slot: twice the block's number in the MCU, and 1 after its DC coefficient

/// Three lookups must fit the 57 valid bits of a window, and the first may need all 12.
enum { MAXIMUM_BITS = (KF_JPEG_WINDOW_BITS - KF_JPEG_INDEX_BITS) / 2 };

_Bool kf_jpeg_make_code(kf_jpeg_code *table, kf_jpeg_definition definition) {
    memset(table->symbol, 0, sizeof table->symbol);
    int code = 0, index = 0;
    for (int length = 1; length <= 16; length++, code <<= 1) {
        table->offset[length] = index - code;
        for (int i = 0; i < definition.counts[length - 1]; i++, code++, index++) {
            // No code is all ones (T.81, C).
            if (code >= (1 << length) - 1 || index >= 256) return false;
            table->values[index] = definition.values[index];
            if (length > KF_JPEG_INDEX_BITS) continue;
            int shift = KF_JPEG_INDEX_BITS - length;
            for (int low = 0; low < 1 << shift; low++) {
                table->symbol[code << shift | low] = (uint16_t)(length << 8 | definition.values[index]);
            }
        }
        table->last[length] = definition.counts[length - 1] ? code - 1 : -1;
    }
    memset(table->values + index, 0, (size_t)(256 - index));
    return true;
}

/// Adds symbols of the AC code to an entry, while they fit in whole.
static uint32_t add_coefficients(const kf_jpeg_code *ac, uint32_t bits, int used, int advanced, uint32_t entry) {
    bool ends = false;
    while (used < KF_JPEG_INDEX_BITS && !ends) {
        uint16_t symbol = ac->symbol[bits << used & (KF_JPEG_INDEX_SIZE - 1)];
        int length = symbol >> 8, run = symbol >> 4 & 15, size = symbol & 15;
        if (!length || length > KF_JPEG_INDEX_BITS - used || used + length + size > MAXIMUM_BITS) break;
        ends = size == 0 && run != 15;
        if (!ends && advanced + run + 1 > 63) break;
        if (!ends) advanced += run + 1;
        used += length + size;
    }
    if (!used) return KF_JPEG_EXCEPTION;
    uint32_t slots = (uint32_t)ends << KF_JPEG_SLOT_SHIFT;
    return entry + slots + ((uint32_t)used | (uint32_t)advanced << 7 | (ends ? KF_JPEG_END : 0));
}

static uint32_t coefficient_entry(const kf_jpeg_code *ac, uint32_t bits) {
    uint16_t symbol = ac->symbol[bits];
    int length = symbol >> 8, run = symbol >> 4 & 15, size = symbol & 15;
    if (!length || length + size > KF_JPEG_INDEX_BITS) return 0;
    int value = kf_jpeg_extend(bits >> (KF_JPEG_INDEX_BITS - length - size) & ((1u << size) - 1), size);
    bool ends = !size && run != 15;
    return (uint32_t)(length + size) | (uint32_t)(ends ? 65 : run + 1) << 8 | (uint32_t)(uint16_t)value << 16;
}

static uint32_t dc_entry(const kf_jpeg_codes *codes, uint32_t bits) {
    uint16_t symbol = codes->dc.symbol[bits];
    int length = symbol >> 8, size = symbol & 255;
    if (!length || size > KF_JPEG_DIFFERENCE_SIZE || length + size > KF_JPEG_INDEX_BITS) return KF_JPEG_EXCEPTION;
    int low = KF_JPEG_INDEX_BITS - length - size;
    int difference = kf_jpeg_extend(bits >> low & ((1u << size) - 1), size);
    uint32_t entry = 1u << KF_JPEG_SLOT_SHIFT | ((uint32_t)difference & 0xfff) << KF_JPEG_DIFFERENCE_SHIFT;
    return add_coefficients(&codes->ac, bits, length + size, 1, entry);
}

_Bool kf_jpeg_make_codes(kf_jpeg_codes *codes, kf_jpeg_definition dc, kf_jpeg_definition ac) {
    if (!kf_jpeg_make_code(&codes->dc, dc) || !kf_jpeg_make_code(&codes->ac, ac)) return false;
    for (uint32_t bits = 0; bits < KF_JPEG_INDEX_SIZE; bits++) {
        codes->dc.skip[bits] = dc_entry(codes, bits);
        codes->ac.skip[bits] = add_coefficients(&codes->ac, bits, 0, 0, 0);
        codes->coefficient[bits] = coefficient_entry(&codes->ac, bits);
    }
    return true;
}
