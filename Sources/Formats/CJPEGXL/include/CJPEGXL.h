#pragma once
#if !__has_include(<jxl/decode.h>)
#error "<jxl/decode.h> is missing: run `make setup` (it installs libjxl-dev)"
#endif
#include <jxl/decode.h>
#include <jxl/encode.h>
#include <stdint.h>
#if __has_include(<jxl/version.h>)
#include <jxl/version.h>
#endif
#include "CLibraryLoader.h"

#define KF_JXL_FUNCTIONS(X) \
    X(JxlDecoderVersion) X(JxlDecoderCreate) X(JxlDecoderDestroy) X(JxlDecoderSubscribeEvents) \
    X(JxlDecoderSetKeepOrientation) X(JxlDecoderSetCoalescing) X(JxlDecoderSetUnpremultiplyAlpha) \
    X(JxlDecoderSetInput) X(JxlDecoderReleaseInput) X(JxlDecoderCloseInput) X(JxlDecoderProcessInput) \
    X(JxlDecoderGetBasicInfo) X(JxlDecoderGetExtraChannelInfo) X(JxlDecoderGetFrameHeader) \
    X(JxlDecoderGetColorAsEncodedProfile) X(JxlDecoderGetICCProfileSize) \
    X(JxlDecoderGetColorAsICCProfile) X(JxlDecoderSetPreferredColorProfile) \
    X(JxlDecoderSetImageOutCallback) X(JxlDecoderFlushImage) X(JxlDecoderSkipFrames) \
    X(JxlDecoderSetJPEGBuffer) X(JxlDecoderReleaseJPEGBuffer) X(JxlDecoderSetDecompressBoxes) \
    X(JxlDecoderGetBoxType) X(JxlDecoderSetBoxBuffer) X(JxlDecoderReleaseBoxBuffer) \
    X(JxlColorEncodingSetToSRGB) X(JxlEncoderCreate) X(JxlEncoderDestroy) X(JxlEncoderInitBasicInfo) \
    X(JxlEncoderSetBasicInfo) X(JxlEncoderSetColorEncoding) \
    X(JxlEncoderFrameSettingsCreate) X(JxlEncoderInitFrameHeader) X(JxlEncoderSetFrameHeader) \
    X(JxlEncoderFrameSettingsSetOption) X(JxlEncoderSetFrameDistance) X(JxlEncoderSetFrameLossless) \
    X(JxlEncoderAddImageFrame) X(JxlEncoderAddJPEGFrame) X(JxlEncoderStoreJPEGMetadata) \
    X(JxlEncoderUseContainer) X(JxlEncoderCloseInput) X(JxlEncoderProcessOutput)

KF_LIBRARY_TABLE(kf_jxl, kf_jxl_functions, KF_JXL_FUNCTIONS)

// MARK: Differences of versions

/// The colour space by numbers; 0 if the file has an ICC profile only.
int kf_jxl_encoded_profile(
    const JxlDecoder *_Nonnull decoder, JxlColorProfileTarget target, JxlColorEncoding *_Nonnull encoding);

/// The length of the ICC profile of the pixels; 0 without one.
size_t kf_jxl_icc_size(const JxlDecoder *_Nonnull decoder, JxlColorProfileTarget target);

/// Copies the ICC profile of the pixels; 0 on failure.
int kf_jxl_icc(
    const JxlDecoder *_Nonnull decoder, JxlColorProfileTarget target, uint8_t *_Nonnull bytes, size_t size);

// MARK: Memory

/// Counts what libjxl allocates, for one decoder or encoder on one thread.
typedef struct {
    size_t used;
    size_t limit;
    /// Whether an allocation above the limit was refused.
    int refused;
} kf_jxl_memory;

/// What libjxl takes at most for a frame in VarDCT: bytes a pixel, and bytes for any frame (decision 067).
#if JPEGXL_NUMERIC_VERSION >= JPEGXL_COMPUTE_NUMERIC_VERSION(0, 8, 0)
static const int kf_jxl_pixel_bytes = 16, kf_jxl_frame_bytes = 8 << 20;
#else
static const int kf_jxl_pixel_bytes = 8, kf_jxl_frame_bytes = 1 << 20;
#endif

/// Allocation functions that count; `memory` must outlive them.
JxlMemoryManager kf_jxl_memory_manager(kf_jxl_memory *_Nonnull memory);

// MARK: Pixels

/// Converts RGBA samples, 1 for the maximum, to the `channels` of a `PixelBuffer`: gray, gray and alpha, or
/// RGBA. Values outside of 0...1 are clipped, and NaN is 0.
void kf_jxl_store8(const float *_Nonnull rgba, size_t count, int channels, uint8_t *_Nonnull target);
void kf_jxl_store16(const float *_Nonnull rgba, size_t count, int channels, uint16_t *_Nonnull target);
