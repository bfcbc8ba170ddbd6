#pragma once

#include <stddef.h>
#include <stdint.h>

// The functions of librsvg 2.46 and later, cairo, Pango, GObject and fontconfig that are used, declared as in
// their documentation, so that building needs no headers of them. Their interfaces have been stable since
// then.

typedef struct {
    uint32_t domain;
    int code;
    char *message;
} GError;

typedef struct {
    double x, y, width, height;
} RsvgRectangle;

typedef struct _RsvgHandle RsvgHandle;
typedef struct _cairo_surface cairo_surface_t;
typedef struct _cairo cairo_t;

enum { CAIRO_FORMAT_ARGB32 = 0, CAIRO_STATUS_SUCCESS = 0 };

extern const unsigned rsvg_major_version, rsvg_minor_version, rsvg_micro_version;
RsvgHandle *rsvg_handle_new_from_data(const uint8_t *bytes, unsigned long length, GError **error);
void rsvg_handle_set_dpi(RsvgHandle *document, double resolution);
int rsvg_handle_render_document(
    RsvgHandle *document, cairo_t *context, const RsvgRectangle *viewport, GError **error);
void g_object_unref(void *object);
void g_error_free(GError *error);
cairo_surface_t *cairo_image_surface_create_for_data(
    unsigned char *rows, int format, int width, int height, int bytes_per_row);
void cairo_surface_flush(cairo_surface_t *surface);
void cairo_surface_destroy(cairo_surface_t *surface);
cairo_t *cairo_create(cairo_surface_t *surface);
void cairo_scale(cairo_t *context, double x, double y);
int cairo_status(cairo_t *context);
void cairo_destroy(cairo_t *context);
void pango_cairo_font_map_set_default(void *map);
typedef struct _FcConfig FcConfig;
typedef struct _FcStrList FcStrList;
typedef struct _FcPattern FcPattern;
typedef struct {
    int nfont, sfont;
    FcPattern **fonts;
} FcFontSet;
enum { FcResultMatch = 0, FcSetSystem = 0, FcSetApplication = 1 };
FcFontSet *FcConfigGetFonts(FcConfig *config, int set);
int FcPatternGetString(const FcPattern *pattern, const char *name, int index, unsigned char **value);
FcStrList *FcConfigGetFontDirs(FcConfig *config);
unsigned char *FcStrListNext(FcStrList *list);
void FcStrListDone(FcStrList *list);

// Functions of other libraries are found in the libraries that librsvg loads.
#define KF_RSVG_FUNCTIONS(X) \
    X(rsvg_major_version) X(rsvg_minor_version) X(rsvg_micro_version) \
    X(rsvg_handle_new_from_data) X(rsvg_handle_set_dpi) X(rsvg_handle_render_document) \
    X(g_object_unref) X(g_error_free) \
    X(cairo_image_surface_create_for_data) X(cairo_surface_flush) X(cairo_surface_destroy) \
    X(cairo_create) X(cairo_scale) X(cairo_status) X(cairo_destroy) X(pango_cairo_font_map_set_default) \
    X(FcConfigGetFonts) X(FcPatternGetString) X(FcConfigGetFontDirs) X(FcStrListNext) X(FcStrListDone)
