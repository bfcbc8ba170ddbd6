#include "CJPEG.h"
#include "coefficients.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>

#ifndef JCS_ALPHA_EXTENSIONS
#error "libjpeg-turbo is needed: this libjpeg cannot write RGBA"
#endif

_Static_assert(KF_JPEG_MESSAGE_LENGTH >= JMSG_LENGTH_MAX, "libjpeg's messages must fit");

enum { ROWS_AT_ONCE = 16 };

/// Extends libjpeg's error manager with the state of the handlers.
typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf escape;
    kf_jpeg_status status;
    char *message;
    bool accepts_part;
    /// Whether the input was truncated, and the rows available at that point.
    bool ended;
    uint32_t rows;
} error_manager;

typedef struct {
    struct jpeg_progress_mgr base;
    int scans;
} progress_manager;

static _Noreturn void leave(j_common_ptr info, kf_jpeg_status status) {
    error_manager *manager = (error_manager *)info->err;
    manager->status = status;
    manager->base.format_message(info, manager->message);
    longjmp(manager->escape, 1);
}

static _Noreturn void on_error(j_common_ptr info) {
    switch (info->err->msg_code) {
    case JERR_NO_BACKING_STORE:
        leave(info, KF_JPEG_TOO_MUCH_MEMORY);
    case JERR_OUT_OF_MEMORY:
        leave(info, KF_JPEG_OUT_OF_MEMORY);
    case JERR_SOF_UNSUPPORTED:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_ARITH_NOTIMPL:
    case JERR_NOT_COMPILED:
        leave(info, KF_JPEG_UNSUPPORTED);
    case JERR_INPUT_EMPTY:
    case JERR_INPUT_EOF:
        leave(info, KF_JPEG_TRUNCATED);
    default:
        leave(info, KF_JPEG_CORRUPT);
    }
}

/// Rows of the image scaled by `scale_num`/8 that the first scan has reached, including its current row of
/// blocks. None inside the first row of blocks; all rows in later scans, which only refine.
static uint32_t rows_so_far(j_decompress_ptr info) {
    if (info->input_scan_number > 1) return info->output_height;
    if (info->input_iMCU_row == 0) return 0;
    return (info->input_iMCU_row + 1) * (uint32_t)info->max_v_samp_factor * info->scale_num;
}

/// Warnings have level -1. libjpeg continues after them with invented pixels; only harmless ones are ignored.
static void on_message(j_common_ptr info, int level) {
    error_manager *manager = (error_manager *)info->err;
    if (level >= 0) return;
    // The missing data are zero from here on, and further warnings only say so.
    if (manager->ended) return;
    switch (info->err->msg_code) {
    case JWRN_EXTRANEOUS_DATA:
    case JWRN_ADOBE_XFORM:
    case JWRN_JFIF_MAJOR:
    case JWRN_NOT_SEQUENTIAL:
        info->err->num_warnings++;
        return;
    case JWRN_JPEG_EOF:
        if (!manager->accepts_part || !info->is_decompressor) leave(info, KF_JPEG_TRUNCATED);
        manager->ended = true;
        manager->rows = rows_so_far((j_decompress_ptr)info);
        if (manager->rows == 0) leave(info, KF_JPEG_TRUNCATED);
        return;
    default:
        leave(info, KF_JPEG_CORRUPT);
    }
}

static void print_nothing(j_common_ptr info) { (void)info; }

static struct jpeg_error_mgr *make_errors(error_manager *manager, char *message) {
    struct jpeg_error_mgr *base = jpeg_std_error(&manager->base);
    base->error_exit = on_error;
    base->emit_message = on_message;
    base->output_message = print_nothing;
    manager->status = KF_JPEG_OK;
    manager->message = message;
    manager->accepts_part = manager->ended = false;
    manager->rows = 0;
    message[0] = 0;
    return base;
}

/// Limits the passes of a small malicious file over a big image; libjpeg calls this during decoding.
static void count_scans(j_common_ptr info) {
    if (info->is_decompressor && ((j_decompress_ptr)info)->input_scan_number
            > ((progress_manager *)info->progress)->scans) {
        leave(info, KF_JPEG_TOO_MANY_SCANS);
    }
}

/// Converts CMYK to RGB in place; 255 means no ink. Light passes through the colour ink and black: r = c * k
/// / 255, rounded.
static void mix_inks(uint8_t *row, uint32_t width) {
    for (uint8_t *pixel = row; pixel < row + (size_t)width * 4; pixel += 4) {
        for (int channel = 0; channel < 3; channel++) {
            uint32_t product = (uint32_t)pixel[channel] * pixel[3] + 128;
            pixel[channel] = (uint8_t)((product + (product >> 8)) >> 8);
        }
        pixel[3] = 255;
    }
}

/// Inverts CMYK: Adobe writes 255 for no ink, files without Adobe's marker write 0.
static void turn_inks(uint8_t *row, uint32_t width) {
    for (size_t i = 0; i < (size_t)width * 4; i++) row[i] ^= 255;
}

static void read_inks(j_decompress_ptr info, kf_jpeg_image image) {
    while (info->output_scanline < image.height) {
        uint8_t *row = image.rows + (size_t)info->output_scanline * image.bytes_per_row;
        if (jpeg_read_scanlines(info, &row, 1) != 1) continue;
        if (!info->saw_Adobe_marker) turn_inks(row, image.width);
        if (image.samples == KF_JPEG_RGBA) mix_inks(row, image.width);
    }
}

static void read_rows(j_decompress_ptr info, kf_jpeg_image image) {
    JSAMPROW rows[ROWS_AT_ONCE];
    while (info->output_scanline < image.height) {
        uint32_t first = info->output_scanline, left = image.height - first;
        uint32_t count = left < ROWS_AT_ONCE ? left : ROWS_AT_ONCE;
        uint8_t *start = image.rows + (size_t)first * image.bytes_per_row;
        for (uint32_t i = 0; i < count; i++) rows[i] = start + i * image.bytes_per_row;
        jpeg_read_scanlines(info, rows, count);
    }
}

/// Fills missing rows with black; libjpeg decodes missing coefficients to grey.
static void blacken(kf_jpeg_image image, uint32_t first) {
    for (uint32_t y = first; y < image.height; y++) {
        uint8_t *row = image.rows + (size_t)y * image.bytes_per_row;
        memset(row, 0, (size_t)image.width * (image.samples == KF_JPEG_GRAY ? 1 : 4));
        if (image.samples != KF_JPEG_RGBA) continue;
        for (uint32_t x = 0; x < image.width; x++) row[x * 4 + 3] = 255;
    }
}

kf_jpeg_status kf_jpeg_decode(
    const uint8_t *data, size_t count, int eighths, kf_jpeg_limits limits, kf_jpeg_image image,
    char message[KF_JPEG_MESSAGE_LENGTH]
) {
    error_manager errors;
    progress_manager progress = {.base = {.progress_monitor = count_scans}, .scans = limits.scans};
    coefficient_store coefficients = {0};
    struct jpeg_decompress_struct info;
    info.err = make_errors(&errors, message);
    errors.accepts_part = limits.accepts_part;
    if (setjmp(errors.escape)) {
        jpeg_destroy_decompress(&info);
        kf_free_coefficients(&coefficients);
        return errors.status;
    }
    jpeg_create_decompress(&info);
    info.mem->max_memory_to_use = limits.memory;
    kf_keep_coefficients(&info, &coefficients);
    info.progress = &progress.base;
    jpeg_mem_src(&info, data, count);
    jpeg_read_header(&info, TRUE);

    bool inks = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    if (image.samples == KF_JPEG_GRAY) info.out_color_space = JCS_GRAYSCALE;
    else info.out_color_space = inks || image.samples == KF_JPEG_INKS ? JCS_CMYK : JCS_EXT_RGBA;
    info.scale_num = (unsigned)eighths;
    info.scale_denom = 8;
    // Smoothing from the DC of neighbours makes an eighth worse (42.5 dB instead of 44.1) and doubles the
    // time.
    info.do_block_smoothing = eighths > 1;
    // Checked before jpeg_start_decompress, which allocates according to the stream.
    jpeg_calc_output_dimensions(&info);
    if (info.output_width != image.width || info.output_height != image.height) {
        errors.status = KF_JPEG_SIZE_MISMATCH;
        longjmp(errors.escape, 1);
    }
    jpeg_start_decompress(&info);
    if (info.out_color_space == JCS_CMYK) read_inks(&info, image);
    else read_rows(&info, image);
    if (errors.ended) blacken(image, errors.rows);
    jpeg_finish_decompress(&info);
    jpeg_destroy_decompress(&info);
    kf_free_coefficients(&coefficients);
    return KF_JPEG_OK;
}

/// Encoder state on the heap, so that it is valid after longjmp.
typedef struct {
    struct jpeg_compress_struct info;
    error_manager errors;
    unsigned char *data;
    unsigned long count;
} encoder;

kf_jpeg_status kf_jpeg_encode(
    kf_jpeg_image image, kf_jpeg_settings settings, uint8_t **data, size_t *count,
    char message[KF_JPEG_MESSAGE_LENGTH]
) {
    *data = NULL;
    *count = 0;
    encoder *state = calloc(1, sizeof(encoder));
    if (!state) return KF_JPEG_OUT_OF_MEMORY;
    struct jpeg_compress_struct *info = &state->info;
    info->err = make_errors(&state->errors, message);
    if (setjmp(state->errors.escape)) {
        kf_jpeg_status status = state->errors.status;
        // A destination that has grown reports its buffer only at the end, and has freed ours by then.
        if (state->data && info->dest) info->dest->term_destination(info);
        jpeg_destroy_compress(info);
        free(state->data);
        free(state);
        return status;
    }
    jpeg_create_compress(info);
    jpeg_mem_dest(info, &state->data, &state->count);
    info->image_width = image.width;
    info->image_height = image.height;
    bool gray = image.samples == KF_JPEG_GRAY;
    info->input_components = gray ? 1 : 4;
    info->in_color_space = gray ? JCS_GRAYSCALE : JCS_EXT_RGBX;
    jpeg_set_defaults(info);
    jpeg_set_quality(info, settings.quality, TRUE);
    if (!gray) {
        info->comp_info[0].h_samp_factor = settings.chroma_width;
        info->comp_info[0].v_samp_factor = settings.chroma_height;
    }
    info->optimize_coding = settings.optimizes;
    if (settings.progressive) jpeg_simple_progression(info);
    jpeg_start_compress(info, TRUE);
    while (info->next_scanline < image.height) {
        JSAMPROW row = image.rows + (size_t)info->next_scanline * image.bytes_per_row;
        jpeg_write_scanlines(info, &row, 1);
    }
    jpeg_finish_compress(info);
    jpeg_destroy_compress(info);
    *data = state->data;
    *count = state->count;
    free(state);
    return KF_JPEG_OK;
}

int kf_jpeg_version(void) {
#ifdef LIBJPEG_TURBO_VERSION_NUMBER
    return LIBJPEG_TURBO_VERSION_NUMBER;
#else
    return 0;
#endif
}
