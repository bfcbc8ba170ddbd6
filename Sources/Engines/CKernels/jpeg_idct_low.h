// The inverse DCT of the lowest 2 x 2 or 4 x 4 frequencies of blocks, 16 at a time. Inlined, because its
// caller is compiled for two instruction sets.
//
// N samples from the N lowest frequencies have less aliasing than libjpeg's averages of the block's samples,
// and fewer coefficients must be read (decision 059).
#pragma once

#include "level.h"

enum { GROUP = 16, FREQUENCIES = 4 };

// The cosines of the four lowest frequencies at 4 and 8 places, c(k) / 2 cos((2n + 1) k pi / 2N), times
// 8,192, and of the two lowest at two places.
static const int16_t cosines_2[4][2] = {{2896, 2896}, {2896, -2896}};
static const int16_t cosines_4[4][4] = {
    {2896, 2896, 2896, 2896},
    {3784, 1567, -1567, -3784},
    {2896, -2896, -2896, 2896},
    {1567, -3784, 3784, -1567}};
static const int16_t cosines_8[4][8] = {
    {2896, 2896, 2896, 2896, 2896, 2896, 2896, 2896},
    {4017, 3406, 2276, 799, -799, -2276, -3406, -4017},
    {3784, 1567, -1567, -3784, -3784, -1567, 1567, 3784},
    {3406, -799, -4017, -2276, 2276, 4017, 799, -3406}};

KF_INLINE int cosine(int places, int frequency, int place) {
    if (places == 2) return cosines_2[frequency][place];
    return places == 4 ? cosines_4[frequency][place] : cosines_8[frequency][place];
}

typedef struct {
    int16_t values[GROUP];
} low_vector;

/// In one dimension: the sums of frequencies at each place, without their last `shift` bits.
KF_INLINE void transform(int places, const low_vector input[FREQUENCIES], int shift, low_vector *output) {
    for (int place = 0; place < places / 2; place++) {
        low_vector *first = &output[place], *last = &output[places - 1 - place];
        for (int i = 0; i < GROUP; i++) {
            int32_t even = (1 << (shift - 1)) + cosine(places, 0, place) * input[0].values[i];
            int32_t odd = cosine(places, 1, place) * input[1].values[i];
            if (places > 2) even += cosine(places, 2, place) * input[2].values[i];
            if (places > 2) odd += cosine(places, 3, place) * input[3].values[i];
            first->values[i] = kf_clamp16((even + odd) >> shift);
            last->values[i] = kf_clamp16((even - odd) >> shift);
        }
    }
}

/// Interleaves the samples of 16 blocks in a row.
KF_INLINE void interleave(int across, const low_vector *samples, uint8_t *target) {
    for (int i = 0; i < GROUP; i++) {
        uint64_t line = 0;
        for (int x = 0; x < across; x++) line |= (uint64_t)kf_clamp8(samples[x].values[i] + 128) << (8 * x);
        for (int x = 0; x < across; x++) target[i * across + x] = (uint8_t)(line >> (8 * x));
    }
}

/// `across` times `down` samples (2, 4 or 8) for each of 16 blocks, whose frequencies are `stride` apart, in
/// the order of rows: two or four of four, by the number of samples.
KF_INLINE void inverse_low(
    const int16_t *frequencies, size_t stride, const uint16_t *quantization, int across, int down, uint8_t *target,
    size_t width) {
    int columns = across == 2 ? 2 : FREQUENCIES, rows = down == 2 ? 2 : FREQUENCIES;
    low_vector middle[8][FREQUENCIES];
    for (int x = 0; x < columns; x++) {
        low_vector column[FREQUENCIES], result[8];
        for (int y = 0; y < rows; y++) {
            const int16_t *from = frequencies + (size_t)(y * FREQUENCIES + x) * stride;
            for (int i = 0; i < GROUP; i++) column[y].values[i] = (int16_t)(from[i] * quantization[8 * y + x]);
        }
        transform(down, column, 10, result);
        for (int y = 0; y < down; y++) middle[y][x] = result[y];
    }
    for (int y = 0; y < down; y++) {
        low_vector result[8];
        transform(across, middle[y], 16, result);
        interleave(across, result, target + (size_t)y * width);
    }
}
