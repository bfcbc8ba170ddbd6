#pragma once
#if !__has_include(<avif/avif.h>)
#error "<avif/avif.h> is missing: run `make setup` (it installs libavif-dev)"
#endif
#include <avif/avif.h>
#include "CLibraryLoader.h"

#define KF_AVIF_FUNCTIONS(X) \
    X(avifVersion) X(avifResultToString) X(avifDecoderCreate) X(avifDecoderDestroy) \
    X(avifDecoderSetIO) X(avifDecoderSetIOMemory) X(avifDecoderParse) X(avifDecoderNextImage) \
    X(avifDecoderNthImage) X(avifDecoderNthImageTiming) X(avifImageCreate) X(avifImageDestroy) \
    X(avifImageAllocatePlanes) X(avifRGBImageSetDefaults) X(avifImageRGBToYUV) X(avifImageYUVToRGB) \
    X(avifEncoderCreate) X(avifEncoderDestroy) X(avifEncoderSetCodecSpecificOption) \
    X(avifEncoderAddImage) X(avifEncoderFinish) X(avifRWDataFree)

KF_LIBRARY_TABLE(kf_avif, kf_avif_functions, KF_AVIF_FUNCTIONS)

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
