#define _GNU_SOURCE
#include "CRSVG.h"

#include <stdio.h>
#include <string.h>

#include "CLibraryLoader.h"
#include "rsvg.h"

KF_LIBRARY_TABLE(kf_rsvg, kf_rsvg_functions, KF_RSVG_FUNCTIONS)
KF_DEFINE_LIBRARY(kf_rsvg, kf_rsvg_functions, KF_RSVG_FUNCTIONS, "librsvg-2.so.2", "librsvg2-2")

void kf_svg_version(char *text, size_t length) {
    const kf_rsvg_functions *rsvg = kf_rsvg();
    if (!rsvg) return;
    snprintf(
        text, length, "%u.%u.%u", *rsvg->rsvg_major_version, *rsvg->rsvg_minor_version,
        *rsvg->rsvg_micro_version);
}

typedef void (*path_body)(const char *path, void *context);

static void font_folders(const kf_rsvg_functions *rsvg, path_body body, void *context) {
    FcStrList *folders = rsvg->FcConfigGetFontDirs(NULL);
    if (!folders) return;
    const unsigned char *folder;
    while ((folder = rsvg->FcStrListNext(folders))) body((const char *)folder, context);
    rsvg->FcStrListDone(folders);
}

static void font_files(const kf_rsvg_functions *rsvg, int set, path_body body, void *context) {
    const FcFontSet *fonts = rsvg->FcConfigGetFonts(NULL, set);
    for (int i = 0; fonts && i < fonts->nfont; i++) {
        unsigned char *file;
        if (rsvg->FcPatternGetString(fonts->fonts[i], "file", 0, &file) != FcResultMatch) continue;
        body((const char *)file, context);
    }
}

void kf_svg_font_paths(path_body body, void *context) {
    const kf_rsvg_functions *rsvg = kf_rsvg();
    if (!rsvg) return;
    font_folders(rsvg, body, context);
    font_files(rsvg, FcSetSystem, body, context);
    font_files(rsvg, FcSetApplication, body, context);
}

// CSS pixels to the inch.
static const double resolution = 96;

// From cairo's pixels, which are numbers of 32 bits: alpha, red, green, blue.
static void make_rgba(const kf_svg_target *target) {
    for (int y = 0; y < target->height; y++) {
        uint8_t *row = target->rows + (size_t)y * target->bytes_per_row;
        const uint32_t *source = (const uint32_t *)row;
        for (int x = 0; x < target->width; x++) {
            const uint32_t pixel = source[x];
            row[4 * x] = (uint8_t)(pixel >> 16);
            row[4 * x + 1] = (uint8_t)(pixel >> 8);
            row[4 * x + 2] = (uint8_t)pixel;
            row[4 * x + 3] = (uint8_t)(pixel >> 24);
        }
    }
}

static kf_svg_result failure(
    const kf_rsvg_functions *rsvg, GError *error, char *message, size_t message_length) {
    snprintf(message, message_length, "%s", error ? error->message : "no reason");
    if (error) rsvg->g_error_free(error);
    return kf_svg_malformed;
}

static kf_svg_result draw(
    const kf_rsvg_functions *rsvg, RsvgHandle *document, const kf_svg_target *target, char *message,
    size_t message_length) {
    cairo_surface_t *surface = rsvg->cairo_image_surface_create_for_data(
        target->rows, CAIRO_FORMAT_ARGB32, target->width, target->height, (int)target->bytes_per_row);
    cairo_t *context = rsvg->cairo_create(surface);
    kf_svg_result result = kf_svg_out_of_memory;
    if (rsvg->cairo_status(context) == CAIRO_STATUS_SUCCESS) {
        rsvg->cairo_scale(
            context, target->width / target->document_width, target->height / target->document_height);
        const RsvgRectangle viewport = {0, 0, target->document_width, target->document_height};
        GError *error = NULL;
        result = rsvg->rsvg_handle_render_document(document, context, &viewport, &error)
            ? kf_svg_success
            : failure(rsvg, error, message, message_length);
    }
    rsvg->cairo_destroy(context);
    rsvg->cairo_surface_flush(surface);
    rsvg->cairo_surface_destroy(surface);
    if (result == kf_svg_success) make_rgba(target);
    return result;
}

kf_svg_result kf_svg_render(
    const uint8_t *file, size_t length, const kf_svg_target *target, char *message, size_t message_length) {
    const kf_rsvg_functions *rsvg = kf_rsvg();
    if (!rsvg) {
        snprintf(message, message_length, "%s", kf_rsvg_missing());
        return kf_svg_missing_library;
    }
    GError *error = NULL;
    // A document without a base URL cannot name other files.
    RsvgHandle *document = rsvg->rsvg_handle_new_from_data(file, length, &error);
    if (!document) return failure(rsvg, error, message, message_length);
    rsvg->rsvg_handle_set_dpi(document, resolution);
    kf_svg_result result = draw(rsvg, document, target, message, message_length);
    if (result == kf_svg_malformed && strcasestr(message, "freetype")) {
        // After text of an enormous size, cairo 1.16 refuses each other use of the font in this process, and
        // only the message tells. A new map of fonts for this thread has new ones.
        rsvg->pango_cairo_font_map_set_default(NULL);
        memset(target->rows, 0, (size_t)target->height * target->bytes_per_row);
        result = draw(rsvg, document, target, message, message_length);
    }
    rsvg->g_object_unref(document);
    return result;
}
