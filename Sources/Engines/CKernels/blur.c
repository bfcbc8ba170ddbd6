// Box blur in strips: some rows (or columns) are interleaved, so that one vector holds the same step of each.
// All passes run over the strip while it is in the L1 cache, then it is written back.
//
// Each pass writes the strip some steps before its input, so that all passes share one buffer: two buffers of
// a thousand steps of 32 bytes would not fit in the L1 cache.
#include "level.h"

/// A window of 2 * reach + 1 samples and the division by its size: (sum * scale) >> shift.
typedef struct {
    int32_t reach;
    uint32_t scale;
    int32_t shift;
} window;

typedef void (*box_filter)(const uint8_t *in, uint8_t *out, int32_t count, const window *box);

/// The reciprocal is rounded up, so that a flat image is unchanged. Up to 255 samples it fits in 16 bits at
/// full precision, as the vector kernels require.
static window make_window(int32_t reach) {
    const uint32_t size = 2 * (uint32_t)reach + 1;
    window box = {reach, 0, 32};
    if (reach <= KF_BLUR_REACH_IN_16_BITS) box.shift = 16 + (31 - __builtin_clz(size));
    box.scale = (uint32_t)((((uint64_t)1 << box.shift) + size - 1) / size);
    return box;
}

/// One RGBA sample per step, any window.
static void box_scalar(const uint8_t *in, uint8_t *out, int32_t count, const window *box) {
    const int32_t reach = box->reach, end = count - 1;
    for (int32_t channel = 0; channel < 4; channel++) {
        const uint8_t *step = in + channel;
        uint64_t sum = (uint64_t)reach + (uint64_t)(reach + 1) * step[0];
        const int32_t inside = reach < end ? reach : end;
        for (int32_t i = 1; i <= inside; i++) sum += step[4 * (size_t)i];
        sum += (uint64_t)(reach - inside) * step[4 * (size_t)end];
        for (int32_t i = 0; i < count; i++) {
            out[4 * (size_t)i + (size_t)channel] = (uint8_t)((sum * box->scale) >> box->shift);
            sum += step[4 * (size_t)(i + reach + 1 < end ? i + reach + 1 : end)];
            sum -= step[4 * (size_t)(i - reach > 0 ? i - reach : 0)];
        }
    }
}

#if KF_SIMD
#include "simd128.h"
#include "blur_simd.h"
#include "simd_end.h"
#include "simd256.h"
#include "blur_simd.h"
#include "simd_end.h"

/// Transposes 4 x 4 pixels.
static void transpose4(const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride) {
    const __m128i a = _mm_loadu_si128((const __m128i *)from);
    const __m128i b = _mm_loadu_si128((const __m128i *)(from + from_stride));
    const __m128i c = _mm_loadu_si128((const __m128i *)(from + 2 * from_stride));
    const __m128i d = _mm_loadu_si128((const __m128i *)(from + 3 * from_stride));
    const __m128i ab0 = _mm_unpacklo_epi32(a, b), ab1 = _mm_unpackhi_epi32(a, b);
    const __m128i cd0 = _mm_unpacklo_epi32(c, d), cd1 = _mm_unpackhi_epi32(c, d);
    _mm_storeu_si128((__m128i *)to, _mm_unpacklo_epi64(ab0, cd0));
    _mm_storeu_si128((__m128i *)(to + to_stride), _mm_unpackhi_epi64(ab0, cd0));
    _mm_storeu_si128((__m128i *)(to + 2 * to_stride), _mm_unpacklo_epi64(ab1, cd1));
    _mm_storeu_si128((__m128i *)(to + 3 * to_stride), _mm_unpackhi_epi64(ab1, cd1));
}
#endif

/// Transposes `rows` x `columns` pixels.
static void transpose(
    const uint8_t *from, size_t from_stride, int32_t rows, int32_t columns, uint8_t *to, size_t to_stride) {
    for (int32_t y = 0; y < rows; y += 4)
        for (int32_t x = 0; x < columns; x += 4) {
            const uint8_t *in = from + (size_t)y * from_stride + 4 * (size_t)x;
            uint8_t *out = to + (size_t)x * to_stride + 4 * (size_t)y;
#if KF_SIMD
            if (y + 4 <= rows && x + 4 <= columns) {
                transpose4(in, from_stride, out, to_stride);
                continue;
            }
#endif
            for (int32_t i = 0; i < 4 && y + i < rows; i++)
                for (int32_t j = 0; j < 4 && x + j < columns; j++)
                    memcpy(out + (size_t)j * to_stride + 4 * i, in + (size_t)i * from_stride + 4 * j, 4);
        }
}

/// A constant `bytes` lets the compiler inline the copy.
///
/// Prefetches the data after each step: the next strip of columns starts there, which hardware does not
/// predict.
static inline __attribute__((always_inline)) void copy_steps(
    const uint8_t *from, size_t from_stride, int32_t rows, size_t bytes, uint8_t *to, size_t to_stride) {
    for (int32_t y = 0; y < rows; y++) {
        __builtin_prefetch(from + (size_t)y * from_stride + 64);
        memcpy(to + (size_t)y * to_stride, from + (size_t)y * from_stride, bytes);
    }
}

static void copy(
    const uint8_t *from, size_t from_stride, int32_t rows, size_t bytes, uint8_t *to, size_t to_stride) {
    if (bytes == 32) return copy_steps(from, from_stride, rows, 32, to, to_stride);
    if (bytes == 16) return copy_steps(from, from_stride, rows, 16, to, to_stride);
    if (bytes == 4) return copy_steps(from, from_stride, rows, 4, to, to_stride);
    copy_steps(from, from_stride, rows, bytes, to, to_stride);
}

/// How an image is divided into strips.
typedef struct {
    box_filter filter;
    window box;
    int32_t passes;
    /// Rows or columns in a strip, and the bytes of one step along them.
    int32_t across;
    size_t step;
    /// The distance in bytes from a pass's output to its input.
    size_t back;
} strips;

static strips plan(kf_level level, int32_t reach, int32_t passes, int32_t longest) {
    strips all = {box_scalar, make_window(reach), passes, 1, 4, 0};
#if KF_SIMD
    if (level >= KF_SSE2 && reach <= KF_BLUR_REACH_IN_16_BITS) {
        all.filter = level == KF_AVX2 ? box_avx2 : box_sse2;
        all.across = level == KF_AVX2 ? 8 : 4;
        all.step = 4 * (size_t)all.across;
        all.back = all.step * (size_t)(reach + 1);
    }
#else
    (void)level;
#endif
    // The scalar steps are so small that separate buffers cost less than a wide window.
    if (all.back == 0) all.back = all.step * (size_t)longest;
    return all;
}

/// The start of a strip that leaves room for all passes before it.
static uint8_t *input(const strips *all, uint8_t *scratch) {
    return scratch + all->back * (size_t)all->passes;
}

/// Runs all passes over a strip of `count` steps; returns the result.
static const uint8_t *run(const strips *all, uint8_t *strip, int32_t count) {
    for (int32_t pass = 0; pass < all->passes; pass++, strip -= all->back)
        all->filter(strip, strip - all->back, count, &all->box);
    return strip;
}

void kf_box_blur(
    kf_level level, const uint8_t *source, size_t source_stride, int32_t width, int32_t height, int32_t reach,
    int32_t passes, uint8_t *scratch, uint8_t *target, size_t target_stride) {
    const strips all = plan(level, reach, passes, width > height ? width : height);
    uint8_t *strip = input(&all, scratch);
    for (int32_t y = 0; y < height; y += all.across) {
        const int32_t rows = height - y < all.across ? height - y : all.across;
        transpose(source + (size_t)y * source_stride, source_stride, rows, width, strip, all.step);
        transpose(
            run(&all, strip, width), all.step, width, rows, target + (size_t)y * target_stride,
            target_stride);
    }
    for (int32_t x = 0; x < width; x += all.across) {
        const size_t bytes = 4 * (size_t)(width - x < all.across ? width - x : all.across);
        uint8_t *first = target + 4 * (size_t)x;
        copy(first, target_stride, height, bytes, strip, all.step);
        copy(run(&all, strip, height), all.step, height, bytes, first, target_stride);
    }
}
