#include "checks.h"

/// The nearest integer to `value` * `by` / `through`.
static uint32_t scaled(uint32_t value, uint32_t by, uint32_t through) {
    return (uint32_t)((2 * (uint64_t)value * by + through) / (2 * (uint64_t)through));
}

long check_premultiply(kf_level level, long *cases) {
    noise from = {11};
    long wrong = 0;
    for (int32_t width = 1; width <= WIDEST; width++, ++*cases) {
        const size_t count = (size_t)width;
        uint8_t *source = filled(&from, 8 * count + 1);
        const uint16_t *wide = (const uint16_t *)(const void *)source;
        // Both rows start at odd addresses.
        const outputs two = both(&from, 4 * count + 1);
        kf_premultiply8(source + 1, count, 4, two.plain + 1);
        kf_premultiply_rgba8(level, source + 1, count, two.fast + 1);
        uint16_t target[4 * WIDEST];
        kf_premultiply16(wide, count, 4, target);
        for (size_t i = 0; i < count; i++) {
            const uint8_t *pixel = source + 1 + 4 * i, *made = two.plain + 1 + 4 * i;
            const uint16_t *pixel16 = wide + 4 * i, *made16 = target + 4 * i;
            for (size_t c = 0; c < 3; c++) {
                wrong += made[c] != scaled(pixel[c], pixel[3], 255);
                wrong += made16[c] != scaled(pixel16[c], pixel16[3], 65535);
            }
            wrong += made[3] != pixel[3] || made16[3] != pixel16[3];
        }
        wrong += differ(two);
        free(source);
    }
    return wrong;
}

long check_unpremultiply(kf_level level, long *cases) {
    noise from = {12};
    long wrong = 0;
    (void)level;
    for (int32_t width = 1; width <= WIDEST; width++)
        for (int32_t channels = 2; channels <= 4; channels += 2, ++*cases) {
            const size_t count = (size_t)width, step = (size_t)channels, last = step - 1;
            uint16_t *wide = filled(&from, 8 * count);
            uint8_t *source = filled(&from, 4 * count), target[4 * WIDEST];
            uint16_t target16[4 * WIDEST];
            kf_unpremultiply8(source, count, channels, target);
            kf_unpremultiply16(wide, count, channels, target16);
            for (size_t i = 0; i < count * step; i++) {
                const size_t own = i / step * step + last;
                const uint32_t alpha = source[own], alpha16 = wide[own];
                const uint32_t color = source[i] < alpha ? source[i] : alpha;
                const uint32_t color16 = wide[i] < alpha16 ? wide[i] : alpha16;
                if (i == own)
                    wrong += target[i] != alpha || target16[i] != alpha16;
                else {
                    // Opaque pixels are unchanged; colours above their alpha become white.
                    wrong += target[i] != (alpha == 0 ? 0 : alpha == 255 ? source[i] : scaled(color, 255, alpha));
                    wrong += target16[i] != (alpha16 == 0        ? 0
                                             : alpha16 == 65535 ? wide[i]
                                                                : scaled(color16, 65535, alpha16));
                }
            }
            free(source);
            free(wide);
        }
    return wrong;
}

long check_clamp_to_alpha(kf_level level, long *cases) {
    noise from = {13};
    long wrong = 0;
    for (int32_t width = 1; width <= WIDEST; width++)
        for (int32_t channels = 2; channels <= 4; channels += 2, ++*cases) {
            const size_t count = (size_t)width, samples = count * (size_t)channels;
            const outputs two = both(&from, samples + 2);
            kf_clamp_to_alpha8(KF_SCALAR, two.plain + 1, count, channels);
            kf_clamp_to_alpha8(level, two.fast + 1, count, channels);
            uint16_t *wide = filled(&from, 2 * samples);
            kf_clamp_to_alpha16(wide, count, channels);
            for (size_t i = 0; i < samples; i++) {
                const size_t alpha = i / (size_t)channels * (size_t)channels + (size_t)channels - 1;
                wrong += two.plain[1 + i] > two.plain[1 + alpha] || wide[i] > wide[alpha];
            }
            wrong += differ(two);
            free(wide);
        }
    return wrong;
}

/// Have no levels: compares them with their definitions.
long check_layout_and_depth(kf_level level, long *cases) {
    noise from = {14};
    long wrong = 0;
    (void)level;
    for (int32_t width = 1; width <= WIDEST; width++, ++*cases) {
        const size_t count = (size_t)width;
        uint16_t *wide = filled(&from, 4 * count), widened[WIDEST];
        uint8_t *narrow = filled(&from, 2 * count), narrowed[WIDEST], spread[4 * WIDEST];
        kf_narrow(wide, count, narrowed);
        kf_widen(narrow, count, widened);
        for (size_t i = 0; i < count; i++)
            wrong += narrowed[i] != scaled(wide[i], 255, 65535) || widened[i] != scaled(narrow[i], 65535, 255);
        for (int32_t channels = 1; channels <= 2; channels++) {
            uint16_t spread16[4 * WIDEST];
            kf_expand8(narrow, count, channels, 4, spread);
            kf_expand16(wide, count, channels, 4, spread16);
            for (size_t i = 0; i < 4 * count; i++) {
                const size_t pixel = i / 4 * (size_t)channels, which = i % 4 == 3 ? 1 : 0;
                const uint32_t white = which == 1 && channels == 1;
                wrong += spread[i] != (white ? 255 : narrow[pixel + which]);
                wrong += spread16[i] != (white ? 65535 : wide[pixel + which]);
            }
        }
        free(narrow);
        free(wide);
    }
    return wrong;
}
