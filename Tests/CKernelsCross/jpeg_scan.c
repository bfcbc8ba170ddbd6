#include "jpeg_scan.h"

// One prefix code for DC differences and one for AC symbols: codes of 2 to 16 bits, so that some do not fit
// the decoder's tables. The numbers of codes are those of T.81, tables K.3 and K.5; the order of the AC
// symbols is by size and run.
static const uint8_t dc_counts[16] = {0, 1, 5, 1, 1, 1, 1, 1, 1};
static const uint8_t ac_counts[16] = {0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125};
enum { DC_SYMBOLS = 12, AC_SYMBOLS = 162, END_OF_BLOCK = 0x00, SIXTEEN_ZEROS = 0xF0 };

typedef struct {
    uint8_t values[AC_SYMBOLS];
    uint32_t bits[256];
    int32_t lengths[256];
} code;

/// Consecutive numbers, doubled for each longer length (T.81, C.2).
static void number_codes(code *made, const uint8_t *counts) {
    uint32_t bits = 0;
    int32_t symbol = 0;
    for (int32_t length = 1; length <= 16; length++, bits <<= 1)
        for (int32_t i = 0; i < counts[length - 1]; i++, symbol++) {
            made->bits[made->values[symbol]] = bits++;
            made->lengths[made->values[symbol]] = length;
        }
}

static code dc_code(void) {
    code made;
    for (int32_t size = 0; size < DC_SYMBOLS; size++) made.values[size] = (uint8_t)size;
    number_codes(&made, dc_counts);
    return made;
}

static code ac_code(void) {
    code made;
    int32_t symbol = 0;
    made.values[symbol++] = END_OF_BLOCK;
    for (int32_t size = 1; size <= 10; size++)
        for (int32_t run = 0; run < 16; run++) made.values[symbol++] = (uint8_t)(run << 4 | size);
    made.values[symbol] = SIXTEEN_ZEROS;
    number_codes(&made, ac_counts);
    return made;
}

const kf_jpeg_codes *jpeg_codes(void) {
    // Swift Testing runs checks on several threads.
    static _Thread_local kf_jpeg_codes codes;
    const code dc = dc_code(), ac = ac_code();
    if (!kf_jpeg_make_codes(
            &codes, (kf_jpeg_definition){dc_counts, dc.values}, (kf_jpeg_definition){ac_counts, ac.values}))
        abort();
    return &codes;
}

typedef struct {
    uint8_t *next;
    uint32_t bits;
    int32_t count;
} bit_writer;

static void write_bits(bit_writer *to, uint32_t bits, int32_t count) {
    for (int32_t i = count - 1; i >= 0; i--) {
        to->bits = to->bits << 1 | (bits >> i & 1);
        if (++to->count < 8) continue;
        *to->next++ = (uint8_t)to->bits;
        // A zero after 0xFF distinguishes data from markers.
        if ((uint8_t)to->bits == 0xFF) *to->next++ = 0;
        to->count = 0;
    }
}

static void write_marker(bit_writer *to, uint8_t marker) {
    while (to->count) write_bits(to, 1, 1);
    *to->next++ = 0xFF;
    *to->next++ = marker;
}

/// A symbol with a run of zeros, and the bits of `value`: negative ones minus 1 (T.81, F.1.2).
static void write_value(bit_writer *to, const code *code, int32_t run, int32_t value) {
    int32_t size = 0;
    while (abs(value) >> size) size++;
    const int32_t symbol = run << 4 | size;
    write_bits(to, code->bits[symbol], code->lengths[symbol]);
    write_bits(to, (uint32_t)(value < 0 ? value - 1 : value), size);
}

/// Most blocks have a few small coefficients; some are empty, some full and some have long codes.
static void write_ac(bit_writer *to, noise *from, const code *ac) {
    const int32_t kind = between(from, 0, 9), furthest = kind < 2 ? 0 : kind < 8 ? 20 : 63;
    int32_t index = 1;
    while (index <= furthest) {
        int32_t run = between(from, 0, kind == 9 ? 0 : 20);
        if (index + run > 63) break;
        index += run + 1;
        for (; run > 15; run -= 16) write_bits(to, ac->bits[SIXTEEN_ZEROS], ac->lengths[SIXTEEN_ZEROS]);
        const int32_t largest = between(from, 0, 15) ? 15 : 1000, size = between(from, 1, largest);
        write_value(to, ac, run, next(from) & 1 ? size : -size);
    }
    if (index < 64) write_bits(to, ac->bits[END_OF_BLOCK], ac->lengths[END_OF_BLOCK]);
}

static void write_scan(random_jpeg *jpeg, noise *from) {
    const code dc = dc_code(), ac = ac_code();
    const kf_jpeg_scan *scan = &jpeg->scan;
    bit_writer to = {jpeg->bytes, 0, 0};
    int32_t last[3] = {0};
    size_t block = 0;
    for (uint32_t mcu = 0; mcu < scan->columns * scan->rows; mcu++) {
        if (scan->restart_interval && mcu && mcu % scan->restart_interval == 0) {
            write_marker(&to, (uint8_t)(0xD0 + (mcu / scan->restart_interval - 1) % 8));
            memset(last, 0, sizeof last);
        }
        for (int32_t i = 0; i < scan->count; i++)
            for (int32_t n = 0; n < jpeg->components[i].horizontal * jpeg->components[i].vertical; n++) {
                const int32_t value = between(from, -400, 400);
                write_value(&to, &dc, 0, value - last[i]);
                jpeg->dc[block++] = last[i] = value;
                write_ac(&to, from, &ac);
            }
    }
    write_marker(&to, 0xD9);
    jpeg->scan.source_count = (size_t)(to.next - jpeg->bytes);
}

void make_random_jpeg(
    random_jpeg *jpeg, noise *from, uint32_t width, uint32_t height, int32_t count, int32_t horizontal,
    int32_t vertical, uint32_t restart_interval) {
    // 63 AC coefficients of 26 bits, and the DC coefficient; each byte may be 0xFF.
    enum { BLOCK_BYTES = 2 * 64 * 27 / 8 };
    for (int32_t i = 0; i < count; i++) {
        for (int32_t n = 0; n < 64; n++) jpeg->quantization[i][n] = (uint16_t)between(from, 1, 2 + n / 4);
        jpeg->components[i] = (kf_jpeg_component){
            i == 0 ? horizontal : 1, i == 0 ? vertical : 1, jpeg_codes(), jpeg->quantization[i]};
    }
    const uint32_t across = 8 * (uint32_t)horizontal, down = 8 * (uint32_t)vertical;
    const uint32_t columns = (width + across - 1) / across, rows = (height + down - 1) / down;
    jpeg->blocks = (size_t)columns * rows * (size_t)(horizontal * vertical + count - 1);
    jpeg->width = width;
    jpeg->height = height;
    jpeg->dc = malloc(jpeg->blocks * sizeof *jpeg->dc);
    jpeg->bytes = malloc(jpeg->blocks * (BLOCK_BYTES + 4) + 8);
    if (jpeg->dc == NULL || jpeg->bytes == NULL) abort();
    jpeg->scan = (kf_jpeg_scan){jpeg->components, count, columns, rows, restart_interval, jpeg->bytes, 0};
    write_scan(jpeg, from);
}
