#include "checks.h"

/// Noise, gradients and copies of the row above, so that each filter is chosen at least once.
static void draw(noise *from, int32_t kind, uint8_t *row, const uint8_t *above, size_t count, size_t step) {
    for (size_t i = 0; i < count; i++) {
        const uint8_t small = (uint8_t)between(from, 0, 2);
        switch (kind) {
        case 0: row[i] = small; break;
        case 1: row[i] = (uint8_t)(i / step * 5 + small); break;
        case 2: row[i] = (uint8_t)(above[i] + small); break;
        case 3: row[i] = (uint8_t)(above[i] / 2 + (row[i] & 127)); break;
        // Left plus up minus corner; the bytes before the row are zero.
        case 4: row[i] = (uint8_t)((row + i)[-(ptrdiff_t)step] + above[i] - (above + i)[-(ptrdiff_t)step]); break;
        default: break;
        }
    }
}

long check_png_filter(kf_level level, long *cases) {
    static const size_t steps[] = {1, 2, 3, 4, 6, 8};
    noise from = {35};
    long wrong = 0, filters[5] = {0};
    for (size_t width = 1; width <= WIDEST; width++)
        for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
            for (int32_t kind = 0; kind < 6; kind++, ++*cases) {
                const size_t step = steps[s], count = width * step;
                uint8_t *row = filled(&from, step + count), *above = filled(&from, step + count);
                memset(row, 0, step);
                memset(above, 0, step);
                draw(&from, kind, row + step, above + step, count, step);
                const outputs two = both(&from, count + 1);
                kf_png_filter(KF_SCALAR, row + step, above + step, count, step, two.plain);
                kf_png_filter(level, row + step, above + step, count, step, two.fast);
                if (two.plain[0] < 5) filters[two.plain[0]]++;
                wrong += differ(two);
                free(row);
                free(above);
            }
    for (int32_t filter = 0; filter < 5; filter++) wrong += filters[filter] == 0;
    return wrong;
}

/// Compares every sample with its source.
long check_png_pack(kf_level level, long *cases) {
    noise from = {36};
    long wrong = 0;
    (void)level;
    for (size_t width = 1; width <= WIDEST; width++)
        for (size_t channels = 1; channels <= 4; channels++)
            for (size_t to = 1; to <= channels; to++) {
                // An even number of channels includes alpha, which needs a source with alpha.
                if (channels == 3 || (to % 2 == 0 && channels % 2 == 1)) continue;
                const size_t count = width * to;
                uint8_t *source = filled(&from, width * channels);
                uint16_t *wide = filled(&from, 2 * width * channels);
                uint8_t *packed = filled(&from, count), *big = filled(&from, 2 * count);
                kf_png_pack8(source, width, (int32_t)channels, (int32_t)to, packed);
                kf_png_pack16(wide, width, (int32_t)channels, (int32_t)to, big);
                for (size_t i = 0; i < count; i++) {
                    const size_t channel = i % to, isAlpha = to % 2 == 0 && channel == to - 1;
                    const size_t place = i / to * channels + (isAlpha ? channels - 1 : channel);
                    wrong += packed[i] != source[place];
                    wrong += big[2 * i] != wide[place] >> 8 || big[2 * i + 1] != (wide[place] & 255);
                }
                ++*cases;
                free(source);
                free(wide);
                free(packed);
                free(big);
            }
    return wrong;
}
