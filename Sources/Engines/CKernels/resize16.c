// Products must not be fused with sums, so that all processors give the same result.
#include "level.h"
#pragma STDC FP_CONTRACT OFF

static uint16_t rounded(float value) {
    return value <= 0 ? 0 : value >= 65535 ? 65535 : (uint16_t)(value + 0.5f);
}

void kf_resize_row16(
    const uint16_t *source, size_t stride, int32_t width, int32_t channels, const kf_float_taps *rows,
    int32_t row, const kf_float_taps *columns, uint16_t *premultiplied, float *scratch, uint16_t *target) {
    const size_t samples = (size_t)width * (size_t)channels;
    const float *weights = rows->weights + (size_t)row * (size_t)rows->taps;
    memset(scratch, 0, samples * sizeof *scratch);
    for (int32_t tap = 0; tap < rows->taps; tap++) {
        const size_t offset = (size_t)(rows->first[row] + tap) * stride;
        const uint16_t *in = (const uint16_t *)(const void *)((const uint8_t *)source + offset);
        if (premultiplied) {
            kf_premultiply16(in, (size_t)width, channels, premultiplied);
            in = premultiplied;
        }
        for (size_t x = 0; x < samples; x++) scratch[x] += in[x] * weights[tap];
    }
    for (int32_t i = 0; i < columns->count; i++) {
        const float *in = scratch + (size_t)columns->first[i] * (size_t)channels;
        weights = columns->weights + (size_t)i * (size_t)columns->taps;
        for (int32_t channel = 0; channel < channels; channel++) {
            float sum = 0;
            for (int32_t tap = 0; tap < columns->taps; tap++)
                sum += in[tap * channels + channel] * weights[tap];
            *target++ = rounded(sum);
        }
    }
}
