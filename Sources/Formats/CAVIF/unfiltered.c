#include "CAVIF.h"

#include <stdlib.h>

KF_DEFINE_LIBRARY(
    kf_dav1d, kf_dav1d_functions, KF_DAV1D_FUNCTIONS,
    "libdav1d.so." KF_LIBRARY_STRING(DAV1D_API_VERSION_MAJOR),
    "libdav1d" KF_LIBRARY_STRING(DAV1D_API_VERSION_MAJOR))

/// The decoder, because decoded images refer to its memory.
typedef struct {
    Dav1dContext *context;
    Dav1dPicture decoded;
} owner;

static void keep(const uint8_t *bytes, void *user) {
    (void)bytes;
    (void)user;
}

static int decode(owner *self, const uint8_t *bytes, size_t count) {
    const kf_dav1d_functions *dav1d = kf_dav1d();
    Dav1dData data = {0};
    int result = dav1d->dav1d_data_wrap(&data, bytes, count, keep, NULL);
    while (result == 0 && !self->decoded.data[0]) {
        const size_t before = data.sz;
        if (before) result = dav1d->dav1d_send_data(self->context, &data);
        if (result && result != DAV1D_ERR(EAGAIN)) break;
        result = dav1d->dav1d_get_picture(self->context, &self->decoded);
        if (result == DAV1D_ERR(EAGAIN) && data.sz < before) result = 0;
    }
    dav1d->dav1d_data_unref(&data);
    return result == 0 && self->decoded.data[0];
}

static void destroy(owner *self) {
    const kf_dav1d_functions *dav1d = kf_dav1d();
    if (self->decoded.data[0]) dav1d->dav1d_picture_unref(&self->decoded);
    if (self->context) dav1d->dav1d_close(&self->context);
    free(self);
}

static avifPixelFormat format_of(enum Dav1dPixelLayout layout) {
    switch (layout) {
    case DAV1D_PIXEL_LAYOUT_I400: return AVIF_PIXEL_FORMAT_YUV400;
    case DAV1D_PIXEL_LAYOUT_I420: return AVIF_PIXEL_FORMAT_YUV420;
    case DAV1D_PIXEL_LAYOUT_I422: return AVIF_PIXEL_FORMAT_YUV422;
    case DAV1D_PIXEL_LAYOUT_I444: return AVIF_PIXEL_FORMAT_YUV444;
    }
    return AVIF_PIXEL_FORMAT_NONE;
}

int kf_av1_decode(const uint8_t *bytes, size_t count, uint32_t pixels, int threads, kf_av1_frame *frame) {
    const kf_dav1d_functions *dav1d = kf_dav1d();
    owner *self = dav1d && bytes ? calloc(1, sizeof(owner)) : NULL;
    if (!self) return 0;
    Dav1dSettings settings;
    dav1d->dav1d_default_settings(&settings);
    settings.n_threads = threads;
    settings.max_frame_delay = 1;
    settings.all_layers = 0;
    settings.frame_size_limit = pixels;
    settings.inloop_filters = DAV1D_INLOOPFILTER_NONE;
    settings.logger.callback = NULL;
    if (dav1d->dav1d_open(&self->context, &settings) || !decode(self, bytes, count)) {
        destroy(self);
        return 0;
    }
    const Dav1dPicture *decoded = &self->decoded;
    *frame = (kf_av1_frame){
        .width = (uint32_t)decoded->p.w,
        .height = (uint32_t)decoded->p.h,
        .depth = (uint32_t)decoded->p.bpc,
        .format = format_of(decoded->p.layout),
        .owner = self,
    };
    for (int plane = 0; plane < (frame->format == AVIF_PIXEL_FORMAT_YUV400 ? 1 : 3); plane++) {
        frame->planes[plane] = decoded->data[plane];
        frame->strides[plane] = (uint32_t)decoded->stride[plane > 0];
    }
    return 1;
}

void kf_av1_release(kf_av1_frame *frame) {
    if (frame->owner) destroy(frame->owner);
    *frame = (kf_av1_frame){0};
}
