#pragma once
#if !__has_include(<avif/avif.h>)
#error "<avif/avif.h> is missing: run `make setup` (it installs libavif-dev)"
#endif
#if !__has_include(<dav1d/dav1d.h>)
#error "<dav1d/dav1d.h> is missing: run `make setup` (it installs libdav1d-dev)"
#endif
#include <avif/avif.h>
#include <dav1d/dav1d.h>
#include "CLibraryLoader.h"

#define KF_AVIF_FUNCTIONS(X) \
    X(avifVersion) X(avifResultToString) X(avifDecoderCreate) X(avifDecoderDestroy) \
    X(avifDecoderSetIO) X(avifDecoderSetIOMemory) X(avifDecoderParse) X(avifDecoderNextImage) \
    X(avifDecoderNthImage) X(avifDecoderNthImageTiming) X(avifImageCreate) X(avifImageDestroy) \
    X(avifImageAllocatePlanes) X(avifRGBImageSetDefaults) X(avifImageRGBToYUV) X(avifImageYUVToRGB) \
    X(avifEncoderCreate) X(avifEncoderDestroy) X(avifEncoderSetCodecSpecificOption) \
    X(avifEncoderAddImage) X(avifEncoderFinish) X(avifRWDataFree)

KF_LIBRARY_TABLE(kf_avif, kf_avif_functions, KF_AVIF_FUNCTIONS)

#define KF_DAV1D_FUNCTIONS(X) \
    X(dav1d_default_settings) X(dav1d_open) X(dav1d_close) X(dav1d_data_wrap) X(dav1d_data_unref) \
    X(dav1d_send_data) X(dav1d_get_picture) X(dav1d_picture_unref)

/// dav1d, which libavif decodes with where it has it, so that it is in memory already.
KF_LIBRARY_TABLE(kf_dav1d, kf_dav1d_functions, KF_DAV1D_FUNCTIONS)

/// A frame that is not filtered, in the memory of dav1d until it is released.
typedef struct {
    uint8_t *_Nullable planes[3];
    uint32_t strides[3];
    uint32_t width, height, depth;
    avifPixelFormat format;
    void *_Nullable owner;
} kf_av1_frame;

/// Decodes the first frame of an AV1 bitstream without the filters that follow prediction and residual (AV1
/// specification, 7.14 to 7.17): against block edges, CDEF and restoration.
///
/// Refuses a frame above `pixels`. With one thread, none is started. Returns 0 if there is no frame, or no
/// dav1d.
int kf_av1_decode(
    const uint8_t *_Nullable bytes, size_t count, uint32_t pixels, int threads,
    kf_av1_frame *_Nonnull frame);
void kf_av1_release(kf_av1_frame *_Nonnull frame);

// libavif 1.0 renamed the field and kept its meaning: 0 exchanges top and bottom, 1 left and right.
static inline int kf_avif_mirror_axis(const avifImage *_Nonnull image) {
#if AVIF_VERSION >= 1000000
    return image->imir.axis;
#else
    return image->imir.mode;
#endif
}

// Sets an option of the codec; returns 0 without memory for it, which libavif reports since 1.0.
static inline int kf_avif_set_option(
    avifEncoder *_Nonnull encoder, const char *_Nonnull key, const char *_Nonnull value) {
#if AVIF_VERSION >= 1000000
    return kf_avif()->avifEncoderSetCodecSpecificOption(encoder, key, value) == AVIF_RESULT_OK;
#else
    kf_avif()->avifEncoderSetCodecSpecificOption(encoder, key, value);
    return 1;
#endif
}

// Sets how often an animation plays, 0 for ever; returns 0 if this version cannot write that.
static inline int kf_avif_set_plays(avifEncoder *_Nonnull encoder, int plays) {
#if AVIF_VERSION >= 1000000
    encoder->repetitionCount = plays == 0 ? AVIF_REPETITION_COUNT_INFINITE : plays - 1;
    return 1;
#else
    (void)encoder;
    return plays == 0;
#endif
}
