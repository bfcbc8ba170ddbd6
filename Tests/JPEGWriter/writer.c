#include "JPEGWriter.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf escape;
} error_manager;

static void escape(j_common_ptr info) { longjmp(((error_manager *)info->err)->escape, 1); }

typedef struct {
    struct jpeg_compress_struct info;
    error_manager errors;
    unsigned char *data;
    unsigned long count;
    JSAMPLE *row;
} writer;

/// The next number of a linear congruential generator (Knuth, MMIX), at most `limit`.
static int next(uint64_t *state, uint32_t limit) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (int)((*state >> 33) % (limit + 1));
}

static void configure(struct jpeg_compress_struct *info, const jpeg_writer_options *options) {
    info->image_width = options->width;
    info->image_height = options->height;
    info->input_components = options->components;
    info->in_color_space = options->components == 1 ? JCS_GRAYSCALE : JCS_YCbCr;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, options->quality, FALSE);
    for (int i = 0; i < options->components; i++) {
        info->comp_info[i].h_samp_factor = options->horizontal[i];
        info->comp_info[i].v_samp_factor = options->vertical[i];
    }
    info->restart_interval = options->restart_interval;
    info->optimize_coding = options->has_optimized_tables;
    info->write_JFIF_header = options->has_jfif;
    info->write_Adobe_marker = options->has_adobe;
    if (options->is_progressive) jpeg_simple_progression(info);
}

static void write_rows(writer *writer, const jpeg_writer_options *options) {
    struct jpeg_compress_struct *info = &writer->info;
    uint64_t state = options->seed;
    int value[3] = {128, 128, 128};
    size_t samples = (size_t)options->components * options->width;
    while (info->next_scanline < info->image_height) {
        for (size_t x = 0; x < samples; x++) {
            int *sample = &value[x % (size_t)options->components];
            *sample += next(&state, 2 * options->contrast) - (int)options->contrast;
            if (*sample < 0) *sample = 0;
            if (*sample > 255) *sample = 255;
            writer->row[x] = (JSAMPLE)*sample;
        }
        jpeg_write_scanlines(info, &writer->row, 1);
    }
}

uint8_t *jpeg_writer_write(jpeg_writer_options options, size_t *count) {
    static const JOCTET exif[] = "Exif\0\0MM\0*\0\0\0\b\0\0\0\0\0\0";
    *count = 0;
    // On the heap, so that it is valid after longjmp.
    writer *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    state->row = malloc((size_t)options.components * options.width);
    state->info.err = jpeg_std_error(&state->errors.base);
    state->errors.base.error_exit = escape;
    bool is_written = state->row && !setjmp(state->errors.escape);
    if (is_written) {
        jpeg_create_compress(&state->info);
        jpeg_mem_dest(&state->info, &state->data, &state->count);
        configure(&state->info, &options);
        jpeg_start_compress(&state->info, TRUE);
        if (options.has_exif) jpeg_write_marker(&state->info, JPEG_APP0 + 1, exif, sizeof exif - 1);
        write_rows(state, &options);
        jpeg_finish_compress(&state->info);
    }
    jpeg_destroy_compress(&state->info);
    uint8_t *data = is_written ? state->data : NULL;
    *count = state->count;
    if (!is_written) free(state->data);
    free(state->row);
    free(state);
    return data;
}
