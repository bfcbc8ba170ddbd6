// Entropy-coded data of random JPEG images (ITU-T T.81), written without the decoder's code.
#pragma once

#include "support.h"

/// The blocks of an MCU are those of component 0, then 1, then 2.
typedef struct {
    kf_jpeg_component components[3];
    uint16_t quantization[3][64];
    kf_jpeg_scan scan;
    uint32_t width;
    uint32_t height;
    /// The entropy-coded data and an end marker, to be freed.
    uint8_t *bytes;
    /// The DC coefficients, in the order of blocks, to be freed.
    int32_t *dc;
    size_t blocks;
} random_jpeg;

/// The codes of all components.
const kf_jpeg_codes *jpeg_codes(void);

/// An image of 1 or 3 components; luminance has the sampling factors.
void make_random_jpeg(
    random_jpeg *jpeg, noise *from, uint32_t width, uint32_t height, int32_t count, int32_t horizontal,
    int32_t vertical, uint32_t restart_interval);
