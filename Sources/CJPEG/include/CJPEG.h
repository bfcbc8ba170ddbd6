#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// libjpeg behind setjmp. Every call is complete in itself: nothing of libjpeg outlives it, and no longjmp
// leaves it.

/// Room for libjpeg's word for what went wrong.
enum { KF_JPEG_MESSAGE_LENGTH = 200 };

typedef enum {
    KF_JPEG_OK,
    /// The bytes end before the end-of-image marker.
    KF_JPEG_TRUNCATED,
    /// An error, or a warning that means wrong pixels.
    KF_JPEG_CORRUPT,
    /// The stream does not have the size that the caller made room for.
    KF_JPEG_SIZE_MISMATCH,
    /// More scans than the caller allows.
    KF_JPEG_TOO_MANY_SCANS,
    KF_JPEG_UNSUPPORTED,
    /// More memory than the caller allows.
    KF_JPEG_TOO_MUCH_MEMORY,
    /// The system has none.
    KF_JPEG_OUT_OF_MEMORY,
} kf_jpeg_status;

/// What the bytes of a pixel are.
typedef enum {
    KF_JPEG_GRAY,
    /// Red, green, blue, opaque.
    KF_JPEG_RGBA,
    /// Four inks, 255 meaning none of it; not for writing.
    KF_JPEG_INKS,
} kf_jpeg_samples;

/// An image in memory.
typedef struct {
    uint8_t *rows;
    size_t bytes_per_row;
    uint32_t width;
    uint32_t height;
    kf_jpeg_samples samples;
} kf_jpeg_image;

/// What a decoder may use.
typedef struct {
    /// Bytes that libjpeg may allocate.
    long memory;
    /// Scans of a progressive file.
    int scans;
    /// Whether a file that ends early is read as far as it goes: one row of blocks is enough. The rows behind
    /// are black; a row of blocks of which a part arrived ends in grey.
    bool accepts_part;
} kf_jpeg_limits;

/// Decodes `data` at `eighths`/8 of its size into `image`, whose sides must be the scaled ones, rounded up.
kf_jpeg_status kf_jpeg_decode(
    const uint8_t *data, size_t count, int eighths, kf_jpeg_limits limits, kf_jpeg_image image,
    char message[KF_JPEG_MESSAGE_LENGTH]);

/// Encodes `image`; `quality` is 1...100. The caller frees `*data`, which is NULL after a failure.
kf_jpeg_status kf_jpeg_encode(
    kf_jpeg_image image, int quality, bool subsampled, uint8_t **data, size_t *count,
    char message[KF_JPEG_MESSAGE_LENGTH]);

/// The version of libjpeg-turbo's headers: major times a million, minor times a thousand, patch.
int kf_jpeg_version(void);
