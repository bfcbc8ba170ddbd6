#include "checks.h"

/// A row of premultiplied pixels, at an odd address.
typedef struct {
    uint8_t *memory;
    const uint8_t *pixels;
    size_t count;
} row;

static row random_row(noise *from, int32_t width) {
    row made = {filled(from, 4 * (size_t)width + 1), NULL, (size_t)width};
    for (size_t i = 1; i < 4 * made.count; i += 4)
        for (size_t c = 0; c < 3; c++)
            if (made.memory[i + c] > made.memory[i + 3]) made.memory[i + c] = made.memory[i + 3];
    made.pixels = made.memory + 1;
    return made;
}

/// Evaluates `loop` with KF_SCALAR and with `level`, and compares the results.
#define COMPARE(loop)                                                                                        \
    do {                                                                                                     \
        const outputs two = both(&from, 4 * in.count + 2);                                                   \
        uint8_t *out = two.plain + 1;                                                                        \
        kf_level at = KF_SCALAR;                                                                             \
        memcpy(out, in.pixels, 4 * in.count);                                                                \
        loop;                                                                                                \
        out = two.fast + 1;                                                                                  \
        at = level;                                                                                          \
        memcpy(out, in.pixels, 4 * in.count);                                                                \
        loop;                                                                                                \
        wrong += differ(two);                                                                                \
        ++*cases;                                                                                            \
    } while (0)

long check_cover(kf_level level, long *cases) {
    noise from = {21};
    long wrong = 0;
    for (int32_t width = 1; width <= WIDEST; width++) {
        const row in = random_row(&from, width), color = random_row(&from, 1);
        uint8_t *coverage = filled(&from, in.count);
        // Runs of full and of no coverage, which have a separate path.
        for (size_t i = 0; i < in.count; i++)
            if (i % 48 < 40) coverage[i] = i % 48 < 32 ? 255 : 0;
        COMPARE(kf_paint(at, out, coverage, in.count, color.pixels));
        COMPARE(kf_underlay(at, out, in.count, color.pixels));
        COMPARE(kf_overlay(at, in.pixels, in.count, color.pixels, out));
        COMPARE(kf_draw(at, in.pixels, in.count, color.pixels[0], out));
        free(coverage);
        free(color.memory);
        free(in.memory);
    }
    return wrong;
}

long check_blend(kf_level level, long *cases) {
    noise from = {22};
    long wrong = 0;
    for (int32_t width = 1; width <= WIDEST; width++) {
        const row in = random_row(&from, width), color = random_row(&from, 1);
        for (int32_t has_hinge = 0; has_hinge < 2; has_hinge++) {
            kf_hinge_blend blend = {.has_hinge = has_hinge != 0};
            for (int32_t c = 0; c < 4; c++) {
                blend.slope[c] = (int16_t)next(&from), blend.lift[c] = (int16_t)next(&from);
                blend.hinge_slope[c] = (int16_t)next(&from), blend.hinge_lift[c] = (int16_t)next(&from);
                blend.offset[c] = between(&from, -4000000, 4000000);
                blend.hinge_offset[c] = between(&from, -4000000, 4000000);
                blend.hinge_sign[c] = between(&from, -1, 0);
            }
            COMPARE(kf_blend_hinge(at, in.pixels, in.count, &blend, out));
        }
        for (int32_t mode = KF_COLOR_DODGE; mode <= KF_LUMINOSITY; mode++) {
            const float opacity = (float)between(&from, 0, 1000) / 1000;
            COMPARE(
                kf_blend_curved(at, (kf_curved_mode)mode, in.pixels, in.count, color.pixels, opacity, out));
        }
        free(color.memory);
        free(in.memory);
    }
    return wrong;
}

long check_linear_filter(kf_level level, long *cases) {
    noise from = {23};
    long wrong = 0;
    const size_t entries = 3 * 4 * KF_LINEAR_ENTRIES;
    int32_t *tables = calloc(entries, sizeof *tables);
    uint8_t *encoded = filled(&from, KF_LINEAR_STEPS);
    if (tables == NULL) abort();
    for (int32_t width = 1; width <= WIDEST; width++) {
        const row in = random_row(&from, width);
        for (size_t i = 0; i < entries; i++)
            tables[i] = i % 4 == 3 ? 0 : between(&from, -2 * KF_LINEAR_ONE, 2 * KF_LINEAR_ONE);
        kf_linear_filter filter = {.tables = tables, .encoded = encoded};
        for (int32_t c = 0; c < 3; c++) {
            filter.bias[c] = between(&from, -KF_LINEAR_ONE, KF_LINEAR_ONE);
            filter.veil[c] = between(&from, -KF_LINEAR_ONE, KF_LINEAR_ONE);
        }
        filter.veil_alpha = (float)between(&from, 0, 1000) / 1000;
        COMPARE(kf_filter_linear(at, in.pixels, in.count, &filter, out));
        free(in.memory);
    }
    free(encoded);
    free(tables);
    return wrong;
}
