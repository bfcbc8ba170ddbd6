// Antialiased shapes, and colours or an image over, atop or behind an image. Premultiplied RGBA of 8 bits,
// and of 16 bits, where coverage and opacity also have 16.
#pragma once

#include "CKernels.h"

/// Multiplies each pixel by its coverage of 0...255, in place.
void kf_cover(uint8_t *_Nonnull pixels, const uint8_t *_Nonnull coverage, size_t count);
void kf_cover16(uint16_t *_Nonnull pixels, const uint16_t *_Nonnull coverage, size_t count);

/// Paints `color` over each pixel, weighted by its coverage of 0...255, in place.
void kf_paint(
    kf_level level, uint8_t *_Nonnull pixels, const uint8_t *_Nonnull coverage, size_t count,
    const uint8_t *_Nonnull color);
void kf_paint16(
    uint16_t *_Nonnull pixels, const uint16_t *_Nonnull coverage, size_t count,
    const uint16_t *_Nonnull color);

/// Puts `color` behind each pixel, in place.
void kf_underlay(
    kf_level level, uint8_t *_Nonnull pixels, size_t count, const uint8_t *_Nonnull color);
void kf_underlay16(uint16_t *_Nonnull pixels, size_t count, const uint16_t *_Nonnull color);

/// Paints `color` over each pixel weighted by the pixel's alpha, which is kept. `target` may be `source`.
void kf_overlay(
    kf_level level, const uint8_t *_Nonnull source, size_t count, const uint8_t *_Nonnull color,
    uint8_t *_Nonnull target);
void kf_overlay16(
    const uint16_t *_Nonnull source, size_t count, const uint16_t *_Nonnull color,
    uint16_t *_Nonnull target);

/// Draws `mark`, with all its samples multiplied by `opacity` / 255, over each pixel, in place.
void kf_draw(
    kf_level level, const uint8_t *_Nonnull mark, size_t count, uint8_t opacity, uint8_t *_Nonnull pixels);
void kf_draw16(
    const uint16_t *_Nonnull mark, size_t count, uint16_t opacity, uint16_t *_Nonnull pixels);
