#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjpeg behind setjmp. Every call is self-contained: no state of libjpeg outlives it, and no longjmp leaves
// it.

/// The size of the buffer for libjpeg's error message.
enum { KF_JPEG_MESSAGE_LENGTH = 200 };

typedef enum {
    KF_JPEG_OK,
    /// The data end before the end-of-image marker.
    KF_JPEG_TRUNCATED,
    /// An error, or a warning that implies wrong pixels.
    KF_JPEG_CORRUPT,
    /// The stream has another size than the caller's image.
    KF_JPEG_SIZE_MISMATCH,
    /// More scans than the caller allows.
    KF_JPEG_TOO_MANY_SCANS,
    KF_JPEG_UNSUPPORTED,
    /// More memory than the caller allows.
    KF_JPEG_TOO_MUCH_MEMORY,
    /// An allocation failed.
    KF_JPEG_OUT_OF_MEMORY,
} kf_jpeg_status;

/// The bytes of a pixel.
typedef enum {
    KF_JPEG_GRAY,
    /// Red, green, blue, 255.
    KF_JPEG_RGBA,
    /// CMYK, 255 meaning no ink; only for decoding.
    KF_JPEG_INKS,
} kf_jpeg_samples;

typedef struct {
    uint8_t *rows;
    size_t bytes_per_row;
    uint32_t width;
    uint32_t height;
    kf_jpeg_samples samples;
} kf_jpeg_image;

/// Limits for decoding.
typedef struct {
    /// Bytes that libjpeg may allocate.
    long memory;
    /// The maximum number of scans of a progressive file.
    int scans;
    /// Whether a truncated file is decoded as far as possible; one row of blocks is enough. Missing rows are
    /// black; missing parts of a row of blocks are grey.
    bool accepts_part;
} kf_jpeg_limits;

/// Decodes `data` at `eighths`/8 of its size into `image`, whose sides must be the scaled ones, rounded up.
kf_jpeg_status kf_jpeg_decode(
    const uint8_t *data, size_t count, int eighths, kf_jpeg_limits limits, kf_jpeg_image image,
    char message[KF_JPEG_MESSAGE_LENGTH]);

typedef struct {
    /// 1...100.
    int quality;
    /// Pixels per chroma sample, 1 or 2.
    int chroma_width, chroma_height;
    /// Whether Huffman tables are made for the image, in a second pass over its coefficients.
    bool optimizes;
    /// Whether to write several scans; their tables are always made for the image.
    bool progressive;
} kf_jpeg_settings;

/// Encodes `image`. The caller frees `*data`, which is NULL after a failure.
kf_jpeg_status kf_jpeg_encode(
    kf_jpeg_image image, kf_jpeg_settings settings, uint8_t **data, size_t *count,
    char message[KF_JPEG_MESSAGE_LENGTH]);

/// The version of libjpeg-turbo's headers: major times a million, minor times a thousand, patch.
int kf_jpeg_version(void);
