#include "checks.h"
#include "jpeg_scan.h"

typedef struct {
    kf_jpeg_scratch scratch;
    kf_jpeg_section section;
} reading_memory;

static reading_memory memory_for(const random_jpeg *jpeg) {
    // Small, so that larger images have several sections.
    const size_t count = jpeg->scan.source_count, least = KF_JPEG_MINIMUM_SECTION, most = 5 * least;
    const size_t capacity = count < least ? least : count < most ? count : most;
    reading_memory memory = {.scratch = {.room = 4 * capacity, .maximum_restarts = jpeg->blocks}};
    for (int i = 0; i < KF_JPEG_STREAMS; i++) {
        memory.scratch.streams[i] = malloc((4 * capacity + KF_JPEG_SLACK) * sizeof(kf_jpeg_block));
        if (memory.scratch.streams[i] == NULL) abort();
    }
    memory.scratch.starts = malloc((jpeg->blocks + 2) * sizeof(uint32_t));
    uint8_t *data = malloc(capacity + KF_JPEG_PADDING);
    kf_jpeg_block *blocks = malloc(jpeg->blocks * sizeof *blocks);
    if (memory.scratch.starts == NULL || data == NULL || blocks == NULL) abort();
    memory.section =
        (kf_jpeg_section){.data = data, .capacity = capacity, .blocks = blocks, .room = jpeg->blocks};
    return memory;
}

static void forget(reading_memory memory) {
    for (int i = 0; i < KF_JPEG_STREAMS; i++) free(memory.scratch.streams[i]);
    free(memory.scratch.starts);
    free(memory.section.data);
    free(memory.section.blocks);
}

/// Whether the section has other DC coefficients than those written from `first` on.
static long differs_in_dc(const random_jpeg *jpeg, const kf_jpeg_section *section, size_t first) {
    if (first + section->count > jpeg->blocks) return 1;
    for (size_t i = 0; i < section->count; i++)
        if ((int32_t)section->blocks[i].value != jpeg->dc[first + i]) return 1;
    return 0;
}

typedef struct {
    reading_memory memory;
    uint8_t *row;
    kf_jpeg_reader reader;
    kf_jpeg_painter painter;
    /// The blocks of the sections that have been read.
    size_t read;
} decoding;

static decoding start(const random_jpeg *jpeg, int32_t eighths) {
    decoding state = {.memory = memory_for(jpeg), .reader = kf_jpeg_start_reading(&jpeg->scan)};
    state.row = malloc(kf_jpeg_row_size(&jpeg->scan, eighths));
    if (state.row == NULL) abort();
    return state;
}

/// Decodes until `end` lines are written. Returns whether the image was refused or has other DC coefficients.
static long decode_up_to(
    uint32_t end, const random_jpeg *jpeg, kf_level level, int32_t streams, int32_t eighths, decoding *state,
    kf_jpeg_output image) {
    kf_jpeg_section *section = &state->memory.section;
    while (state->painter.lines < end) {
        if (state->read
            && kf_jpeg_draw_row(level, &jpeg->scan, section, eighths, &state->painter, state->row, image))
            continue;
        if (!state->reader.blocks) return 1;
        if (!kf_jpeg_read_section(&jpeg->scan, streams, &state->reader, &state->memory.scratch, section))
            return 1;
        if (differs_in_dc(jpeg, section, state->read)) return 1;
        state->read += section->count;
    }
    return 0;
}

/// Ends a decoding. Returns whether it has not read all blocks or not written all lines.
static long finish(const random_jpeg *jpeg, decoding state, kf_jpeg_output image) {
    const long wrong = state.read != jpeg->blocks || state.painter.lines != image.height;
    free(state.row);
    forget(state.memory);
    return wrong;
}

/// Decodes the image. Returns whether it was refused or has other DC coefficients.
static long decode(
    const random_jpeg *jpeg, kf_level level, int32_t streams, int32_t eighths, kf_jpeg_output image) {
    decoding state = start(jpeg, eighths);
    const long wrong = decode_up_to(image.height, jpeg, level, streams, eighths, &state, image);
    return wrong | finish(jpeg, state, image);
}

/// Decodes to no more rows than a window of some lines and a row of MCUs, and compares the lines of each
/// window with those of the whole image. A window begins in the middle of the last one, as those of filters.
static long differs_in_windows(
    const random_jpeg *jpeg, noise *from, kf_level level, int32_t eighths, kf_jpeg_output whole) {
    const uint32_t window = (uint32_t)between(from, 1, 12), step = (window + 1) / 2;
    kf_jpeg_output ring = whole;
    ring.row_count = window + (uint32_t)(jpeg->components[0].vertical * eighths);
    ring.rows = malloc(ring.row_count * ring.bytes_per_row);
    if (ring.rows == NULL) abort();
    decoding state = start(jpeg, eighths);
    long wrong = 0;
    for (uint32_t first = 0; first < whole.height && !wrong; first += step) {
        const uint32_t left = whole.height - first, end = first + (left < window ? left : window);
        wrong = decode_up_to(end, jpeg, level, 4, eighths, &state, ring);
        for (uint32_t line = first; line < end && !wrong; line++) {
            const uint8_t *found = ring.rows + line % ring.row_count * ring.bytes_per_row;
            wrong = memcmp(found, whole.rows + line * whole.bytes_per_row, whole.bytes_per_row) != 0;
        }
    }
    wrong |= finish(jpeg, state, ring);
    free(ring.rows);
    return wrong;
}

/// Compares `level` by four streams, to a whole image and in windows, with the scalar loops by one, and all
/// with the DC coefficients.
static long differs(const random_jpeg *jpeg, noise *from, kf_level level, int32_t eighths) {
    const uint32_t width = (jpeg->width * (uint32_t)eighths + 7) / 8;
    const uint32_t height = (jpeg->height * (uint32_t)eighths + 7) / 8;
    const size_t stride = (size_t)width * (jpeg->scan.count == 1 ? 1 : 4);
    const outputs two = both(from, stride * height);
    const kf_jpeg_output plain = {two.plain, stride, height, width, height};
    const kf_jpeg_output fast = {two.fast, stride, height, width, height};
    long wrong = decode(jpeg, KF_SCALAR, 1, eighths, plain) + decode(jpeg, level, 4, eighths, fast);
    if (!wrong) wrong = differs_in_windows(jpeg, from, level, eighths, plain);
    return wrong + differ(two);
}

static long differs_at_any_scale(
    noise *from, kf_level level, uint32_t width, uint32_t height, int32_t layout, uint32_t restart_interval) {
    // Components, and the sampling factors of luminance.
    static const int32_t layouts[][3] = {{1, 1, 1}, {3, 1, 1}, {3, 2, 1}, {3, 1, 2}, {3, 2, 2}};
    const int32_t *chosen = layouts[layout];
    random_jpeg jpeg;
    make_random_jpeg(&jpeg, from, width, height, chosen[0], chosen[1], chosen[2], restart_interval);
    long wrong = 0;
    for (int32_t eighths = 1; eighths <= 8; eighths *= 2) wrong += differs(&jpeg, from, level, eighths);
    free(jpeg.bytes);
    free(jpeg.dc);
    return wrong;
}

long check_jpeg(kf_level level, long *cases) {
    noise from = {11};
    long wrong = 0;
    for (int32_t layout = 0; layout < 5; layout++) {
        // At full size libjpeg interpolates no chroma of narrower images.
        for (uint32_t width = 8; width <= WIDEST; width += 3, ++*cases) {
            const uint32_t height = (uint32_t)between(&from, 1, 40);
            wrong += differs_at_any_scale(&from, level, width, height, layout, width % 4);
        }
        // Several sections, each long enough for four streams.
        for (uint32_t interval = 0; interval <= 40; interval += 40, ++*cases)
            wrong += differs_at_any_scale(&from, level, 601, 403, layout, interval);
    }
    return wrong;
}
