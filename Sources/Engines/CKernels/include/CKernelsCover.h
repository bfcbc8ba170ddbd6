// Antialiased shapes, and colours or an image over, atop or behind an image. Premultiplied RGBA of 8 bits.
#pragma once

#include "CKernels.h"

/// Multiplies each pixel by its coverage of 0...255, in place.
void kf_cover(uint8_t *_Nonnull pixels, const uint8_t *_Nonnull coverage, size_t count);

/// Paints `color` over each pixel, weighted by its coverage of 0...255, in place.
void kf_paint(
    kf_level level, uint8_t *_Nonnull pixels, const uint8_t *_Nonnull coverage, size_t count,
    const uint8_t *_Nonnull color);

/// Puts `color` behind each pixel, in place.
void kf_underlay(
    kf_level level, uint8_t *_Nonnull pixels, size_t count, const uint8_t *_Nonnull color);

/// Paints `color` over each pixel weighted by the pixel's alpha, which is kept. `target` may be `source`.
void kf_overlay(
    kf_level level, const uint8_t *_Nonnull source, size_t count, const uint8_t *_Nonnull color,
    uint8_t *_Nonnull target);

/// Draws `mark`, with all its samples multiplied by `opacity` / 255, over each pixel, in place.
void kf_draw(
    kf_level level, const uint8_t *_Nonnull mark, size_t count, uint8_t opacity, uint8_t *_Nonnull pixels);
