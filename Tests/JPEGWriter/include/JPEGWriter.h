// Writes JPEG files of every kind that libjpeg can write, for tests.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t width;
    uint32_t height;
    /// 1 for greyscale, 3 for YCbCr, and their sampling factors.
    int32_t components;
    int32_t horizontal[3];
    int32_t vertical[3];
    /// 1 to 100; tables of low qualities have factors of 16 bits.
    int32_t quality;
    /// The MCUs between restarts; 0 for none.
    uint32_t restart_interval;
    bool has_optimized_tables;
    bool is_progressive;
    bool has_jfif;
    bool has_adobe;
    bool has_exif;
    /// The pixels: 0 for a flat image, more for larger steps from pixel to pixel.
    uint32_t contrast;
    uint64_t seed;
} jpeg_writer_options;

/// Returns the file, which the caller frees; NULL if libjpeg refuses the options.
uint8_t *_Nullable jpeg_writer_write(jpeg_writer_options options, size_t *_Nonnull count);
