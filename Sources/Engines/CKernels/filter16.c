// The kernels of blur.c, sharpen.c and linear_filter.c for 16 bits.
#include "pixel16.h"
#pragma STDC FP_CONTRACT OFF

// MARK: Blur

/// Columns that are blurred at a time: half a cache line.
#define ACROSS 4

/// One box filter along `count` steps of `across` pixels. Sums are exact.
static void box16(const uint16_t *in, uint16_t *out, ptrdiff_t count, ptrdiff_t across, ptrdiff_t reach) {
    const double share = 1 / (2 * (double)reach + 1);
    const ptrdiff_t end = count - 1, inside = reach < end ? reach : end;
    for (ptrdiff_t column = 0; column < across; column++) {
#define STEP(i) kf_load16(in + 4 * ((i) * across + column))
#define EXACT(v) __builtin_convertvector(v, kf_doubles)
        kf_doubles sum = EXACT(STEP(0)) * (double)(reach + 1) + EXACT(STEP(end)) * (double)(reach - inside);
        for (ptrdiff_t i = 1; i <= inside; i++) sum += EXACT(STEP(i));
        for (ptrdiff_t i = 0; i < count; i++) {
            kf_store16(__builtin_convertvector(sum * share, kf_floats), out + 4 * (i * across + column));
            const ptrdiff_t entering = i + reach + 1, leaving = i - reach;
            sum += EXACT(STEP(entering < end ? entering : end) - STEP(leaving > 0 ? leaving : 0));
        }
#undef EXACT
#undef STEP
    }
}

static uint16_t *row(const void *rows, size_t stride, ptrdiff_t y) {
    return (uint16_t *)(void *)((uint8_t *)(uintptr_t)rows + (size_t)y * stride);
}

void kf_box_blur16(
    const uint16_t *source, size_t source_stride, int32_t width, int32_t height, int32_t reach,
    int32_t passes, uint16_t *scratch, uint16_t *target, size_t target_stride) {
    const size_t longest = (size_t)(width > height ? width : height);
    uint16_t *buffers[2] = {scratch, scratch + 4 * ACROSS * longest};
    for (ptrdiff_t y = 0; y < height; y++) {
        const uint16_t *in = row(source, source_stride, y);
        for (int32_t pass = 1; pass <= passes; pass++, in = buffers[pass & 1]) {
            uint16_t *out = pass == passes ? row(target, target_stride, y) : buffers[(pass + 1) & 1];
            box16(in, out, width, 1, reach);
        }
    }
    for (ptrdiff_t x = 0; x < width; x += ACROSS) {
        const ptrdiff_t across = width - x < ACROSS ? width - x : ACROSS;
        const size_t samples = 4 * (size_t)across;
        for (ptrdiff_t y = 0; y < height; y++)
            memcpy(buffers[0] + samples * (size_t)y, row(target, target_stride, y) + 4 * x, 2 * samples);
        for (int32_t pass = 0; pass < passes; pass++)
            box16(buffers[pass & 1], buffers[(pass + 1) & 1], height, across, reach);
        for (ptrdiff_t y = 0; y < height; y++)
            memcpy(
                row(target, target_stride, y) + 4 * x, buffers[passes & 1] + samples * (size_t)y, 2 * samples);
    }
}

// MARK: Sharpening

void kf_sharpen_row16(
    const uint16_t *const *rows, const uint8_t *weights, int32_t taps, int32_t width, int32_t amount,
    float *scratch, uint16_t *target) {
    const size_t reach = (size_t)taps / 2, pixels = (size_t)width;
    kf_floats *line = (kf_floats *)(void *)scratch;
    for (size_t x = 0; x < pixels; x++) {
        // Exact: weights add up to 256.
        kf_floats sum = 0;
        for (int32_t k = 0; k < taps; k++) sum += kf_load16f(rows[k] + 4 * x) * (float)weights[k];
        line[reach + x] = sum;
    }
    for (size_t i = 0; i < reach; i++)
        line[i] = line[reach], line[reach + pixels + i] = line[reach + pixels - 1];
    for (size_t x = 0; x < pixels; x++) {
        const kf_floats own = kf_load16f(rows[reach] + 4 * x);
        kf_floats blurred = 0;
        for (int32_t k = 0; k < taps; k++) blurred += line[x + (size_t)k] * (float)weights[k];
        kf_floats change = (own - blurred / 65536) * ((float)amount / 1024);
        change.w = 0;
        kf_store_premultiplied16(own + change, target + 4 * x);
    }
}

// MARK: Filters in linear light

/// The number at `place` of a table that has one entry more.
KF_INLINE double between(const double *table, double place) {
    const int32_t entry = (int32_t)place;
    return table[entry] + (place - entry) * (table[entry + 1] - table[entry]);
}

void kf_filter_linear16(
    const uint16_t *source, size_t pixels, const double *light, const double *encoded,
    const double *factors, uint16_t *target) {
    kf_doubles f[5];
    memcpy(f, factors, sizeof f);
    const kf_doubles veil = f[4];
    for (; pixels > 0; pixels--, source += 4, target += 4) {
        const double own = source[3] / (double)KF_WHITE16, alpha = own + veil.w * (1 - own);
        const double scale = source[3] ? (KF_LINEAR_ENTRIES16 - 2.0) / source[3] : 0;
        kf_doubles sum = f[3];
        for (int32_t c = 0; c < 3; c++) {
            const uint16_t sample = source[c] < source[3] ? source[c] : source[3];
            sum += f[c] * between(light, sample * scale);
        }
        sum = (own * sum + veil) * (alpha > 0 ? 1 / alpha : 0);
        sum = sum < 0 ? 0 : sum > 1 ? 1 : sum;
        sum *= KF_LINEAR_STEPS - 1;
        const kf_floats made = {
            (float)between(encoded, sum.x), (float)between(encoded, sum.y), (float)between(encoded, sum.z),
            KF_WHITE16};
        kf_store16(made * (float)alpha, target);
    }
}
