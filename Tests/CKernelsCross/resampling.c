#include "checks.h"
#pragma STDC FP_CONTRACT OFF

/// Weights unlike those of any filter: any sign, steep, with sums that overshoot.
static kf_taps random_taps(noise *from, int32_t inputs, int32_t outputs) {
    const int32_t taps = between(from, 1, inputs < 50 ? inputs : 50);
    const int32_t stride = (taps + 3) & ~3;
    int32_t *first = malloc((size_t)outputs * sizeof *first);
    int16_t *weights = calloc((size_t)(outputs * stride), sizeof *weights);
    if (first == NULL || weights == NULL) abort();
    // Their absolute sum stays below 1.5, the limit of 32-bit sums of 16-bit samples.
    const int32_t heaviest = taps == 1 ? 32767 : 49152 / taps;
    int32_t start = 0;
    for (int32_t i = 0; i < outputs; i++) {
        const int32_t furthest = start + 9 < inputs - taps ? start + 9 : inputs - taps;
        start = between(from, start, furthest) & ~1;
        first[i] = start;
        for (int32_t tap = 0; tap < taps; tap++)
            weights[i * stride + tap] = (int16_t)between(from, -heaviest, heaviest);
    }
    return (kf_taps){first, weights, outputs, taps, stride, between(from, 11, 15)};
}

static void forget(const kf_taps *taps) {
    free((void *)taps->first);
    free((void *)taps->weights);
}

static const int32_t layouts[] = {1, 2, 4};

long check_resize_columns(kf_level level, long *cases) {
    noise from = {1};
    long wrong = 0;
    for (int32_t width = 1; width <= WIDEST; width++)
        for (int32_t layout = 0; layout < 3; layout++)
            for (int32_t rows = 1; rows <= 4; rows++, ++*cases) {
                const int32_t channels = layouts[layout], count = between(&from, 1, WIDEST);
                const kf_taps taps = random_taps(&from, width, count);
                const size_t read = (size_t)((taps.first[count - 1] + taps.stride) * channels);
                const size_t stride = read + (size_t)between(&from, 0, 5);
                int16_t *source = filled(&from, (stride * (size_t)(rows - 1) + read) * sizeof *source);
                const size_t target_stride = (size_t)(count * channels) + (size_t)between(&from, 0, 5);
                const outputs two = both(&from, target_stride * (size_t)rows);
                kf_resize_columns(
                    KF_SCALAR, source, stride, rows, channels, &taps, two.plain, target_stride);
                kf_resize_columns(level, source, stride, rows, channels, &taps, two.fast, target_stride);
                wrong += differ(two);
                free(source);
                forget(&taps);
            }
    return wrong;
}

/// Compares a group of output rows, from rows that end with the last sample.
static long differs_in_rows(
    kf_level level, noise *from, const kf_taps *taps, int32_t row, int32_t outputs_count, int32_t channels,
    size_t samples) {
    uint8_t *rows[128];
    const int32_t count =
        (taps->first[row + outputs_count - 1] - taps->first[row] + taps->taps + 1) & ~1;
    for (int32_t i = 0; i < count; i++) rows[i] = filled(from, samples);
    const kf_row_window window = {(const uint8_t *const *)rows, count, channels, samples};
    int16_t *scratch = filled(from, (size_t)count * KF_RESIZE_BLOCK * sizeof *scratch);
    const size_t room = kf_resize_row_samples(samples), stride = room + (size_t)between(from, 0, 5);
    const outputs two = both(from, (stride * (size_t)(outputs_count - 1) + room) * sizeof(int16_t));
    kf_resize_rows(
        KF_SCALAR, &window, taps, row, outputs_count, scratch, (int16_t *)(void *)two.plain, stride);
    kf_resize_rows(level, &window, taps, row, outputs_count, scratch, (int16_t *)(void *)two.fast, stride);
    for (int32_t i = 0; i < count; i++) free(rows[i]);
    free(scratch);
    return differ(two);
}

long check_resize_rows(kf_level level, long *cases) {
    noise from = {2};
    long wrong = 0;
    for (int32_t width = 1; width <= WIDEST; width++)
        for (int32_t layout = 0; layout < 3; layout++)
            for (int32_t group = 1; group <= KF_RESIZE_GROUP; group++, ++*cases) {
                const kf_taps taps = random_taps(&from, between(&from, 1, 60), group + 2);
                const int32_t channels = layouts[layout];
                wrong += differs_in_rows(
                    level, &from, &taps, between(&from, 0, 2), group, channels, (size_t)(width * channels));
                forget(&taps);
            }
    return wrong;
}

/// Whether premultiplying row by row gives another result than premultiplying all rows first.
static long differs_from_premultiplied(
    uint16_t *source, size_t samples, int32_t width, int32_t channels, int32_t height,
    const kf_float_taps *rows, const kf_float_taps *columns, float *scratch) {
    uint16_t *row = malloc(samples * sizeof *row), before[4], on_the_way[4];
    if (row == NULL) abort();
    const size_t stride = samples * sizeof(uint16_t);
    kf_resize_row16(source, stride, width, channels, rows, 0, columns, row, scratch, on_the_way);
    kf_premultiply16(source, (size_t)(width * height), channels, source);
    kf_resize_row16(source, stride, width, channels, rows, 0, columns, NULL, scratch, before);
    free(row);
    return memcmp(before, on_the_way, (size_t)channels * sizeof *before) != 0;
}

/// Has no levels: expects exactly the sums in the order of the rows, then of the columns, with each product
/// rounded separately, within one of 65,535 of double precision.
long check_resize_row16(kf_level level, long *cases) {
    noise from = {3};
    long wrong = 0;
    (void)level;
    for (int32_t width = 1; width <= WIDEST; width++, ++*cases) {
        const int32_t channels = between(&from, 1, 4), height = between(&from, 1, 20);
        const size_t samples = (size_t)(width * channels);
        uint16_t *source = filled(&from, samples * (size_t)height * sizeof(uint16_t));
        float down[20], across[WIDEST];
        for (int32_t i = 0; i < height; i++) down[i] = (float)between(&from, -300, 1000) / 1000;
        for (int32_t i = 0; i < width; i++) across[i] = (float)between(&from, -300, 1000) / 1000 / (float)width;
        const int32_t start = 0;
        const kf_float_taps rows = {&start, down, 1, height}, columns = {&start, across, 1, width};
        float *scratch = malloc(samples * sizeof *scratch);
        uint16_t target[4];
        if (scratch == NULL) abort();
        kf_resize_row16(
            source, samples * sizeof(uint16_t), width, channels, &rows, 0, &columns, NULL, scratch, target);
        for (int32_t channel = 0; channel < channels; channel++) {
            double sum = 0;
            float exact = 0;
            for (int32_t x = 0; x < width; x++) {
                float column = 0;
                for (int32_t y = 0; y < height; y++) {
                    const uint16_t sample = source[(size_t)y * samples + (size_t)(x * channels + channel)];
                    column += sample * down[y];
                    sum += (double)down[y] * (double)across[x] * sample;
                }
                exact += column * across[x];
            }
            const double nearest = sum < 0 ? 0 : sum > 65535 ? 65535 : sum;
            wrong += target[channel] > nearest + 1 || target[channel] < nearest - 1;
            wrong += target[channel] != (exact <= 0 ? 0 : exact >= 65535 ? 65535 : (uint16_t)(exact + 0.5f));
        }
        if (channels == 2 || channels == 4) wrong += differs_from_premultiplied(
            source, samples, width, channels, height, &rows, &columns, scratch);
        free(scratch);
        free(source);
    }
    return wrong;
}

/// Compares each mean with its definition, over boxes and rows of all sizes.
long check_shrink_row16(kf_level level, long *cases) {
    noise from = {5};
    long wrong = 0;
    (void)level;
    for (int32_t width = 1; width <= WIDEST; width++, ++*cases) {
        const int32_t channels = between(&from, 1, 4), across = between(&from, 1, 255);
        const int32_t height = between(&from, 1, 255);
        const size_t samples = (size_t)(width * channels);
        uint16_t *source = filled(&from, samples * (size_t)height * sizeof(uint16_t));
        uint32_t *scratch = filled(&from, samples * sizeof *scratch);
        uint16_t *target = filled(&from, samples * sizeof *target);
        kf_shrink_row16(
            source, samples * sizeof(uint16_t), width, height, across, channels, scratch, target);
        for (int32_t left = 0; left < width; left += across)
            for (int32_t channel = 0; channel < channels; channel++) {
                const int32_t end = left + across < width ? left + across : width;
                uint64_t sum = 0, area = (uint64_t)(end - left) * (uint64_t)height;
                for (int32_t y = 0; y < height; y++)
                    for (int32_t x = left; x < end; x++)
                        sum += source[(size_t)y * samples + (size_t)(x * channels + channel)];
                wrong += target[left / across * channels + channel] != (sum + area / 2) / area;
            }
        free(target);
        free(scratch);
        free(source);
    }
    return wrong;
}

long check_shrink_row(kf_level level, long *cases) {
    static const int32_t boxes[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 64, 255};
    noise from = {4};
    long wrong = 0;
    for (int32_t width = 1; width <= WIDEST; width++)
        for (int32_t layout = 0; layout < 3; layout++)
            for (int32_t box = 0; box < 11; box++, ++*cases) {
                const int32_t channels = layouts[layout], across = boxes[box];
                const int32_t rows = between(&from, 0, 3) ? between(&from, 1, 20) : between(&from, 21, 255);
                const size_t bytes = (size_t)(width * channels), stride = bytes + (size_t)between(&from, 0, 5);
                uint8_t *source = filled(&from, stride * (size_t)(rows - 1) + bytes);
                uint16_t *scratch = filled(&from, bytes * sizeof(uint16_t));
                const outputs two = both(&from, (size_t)((width + across - 1) / across * channels));
                kf_shrink_row(
                    KF_SCALAR, source, stride, width, rows, across, channels, scratch, two.plain);
                kf_shrink_row(level, source, stride, width, rows, across, channels, scratch, two.fast);
                wrong += differ(two);
                free(scratch);
                free(source);
            }
    return wrong;
}

long check_box_blur(kf_level level, long *cases) {
    static const int32_t reaches[] = {1, 2, 9, 35, 127, 128, 1000};
    noise from = {5};
    long wrong = 0;
    for (int32_t width = 1; width <= WIDEST; width++)
        for (int32_t reach = 0; reach < 7; reach++, ++*cases) {
            const int32_t height = between(&from, 1, WIDEST), passes = between(&from, 1, 3);
            const size_t bytes = 4 * (size_t)width, stride = bytes + (size_t)between(&from, 0, 5);
            const size_t count = stride * (size_t)(height - 1) + bytes;
            const outputs two = both(&from, count);
            const size_t room = kf_blur_scratch((size_t)(width > height ? width : height), (size_t)passes);
            uint8_t *scratch = filled(&from, room);
            // One in place, the other from a copy; the results must be equal.
            uint8_t *copy = malloc(count);
            if (copy == NULL) abort();
            memcpy(copy, two.fast, count);
            kf_box_blur(
                KF_SCALAR, two.plain, stride, width, height, reaches[reach], passes, scratch, two.plain, stride);
            kf_box_blur(
                level, copy, stride, width, height, reaches[reach], passes, scratch, two.fast, stride);
            wrong += differ(two);
            free(copy);
            free(scratch);
        }
    return wrong;
}

long check_sharpen(kf_level level, long *cases) {
    static const uint8_t weights[][7] = {{128, 64, 64}, {1, 254, 1}, {10, 36, 50, 64, 50, 36, 10}};
    static const int32_t taps[] = {3, 3, 7};
    noise from = {6};
    long wrong = 0;
    for (int32_t width = 1; width <= WIDEST; width++)
        for (int32_t kernel = 0; kernel < 3; kernel++, ++*cases) {
            const size_t bytes = 4 * (size_t)width;
            uint8_t *memory[7];
            const uint8_t *rows[7];
            for (int32_t k = 0; k < taps[kernel]; k++) {
                memory[k] = filled(&from, bytes + 1);
                rows[k] = memory[k] + 1;
            }
            const int32_t amount = between(&from, 0, 32767);
            uint16_t *scratch = filled(&from, kf_sharpen_scratch(width, taps[kernel]));
            const outputs two = both(&from, bytes + 2);
            kf_sharpen_row(
                KF_SCALAR, rows, weights[kernel], taps[kernel], width, amount, scratch, two.plain + 1);
            kf_sharpen_row(level, rows, weights[kernel], taps[kernel], width, amount, scratch, two.fast + 1);
            wrong += differ(two);
            free(scratch);
            for (int32_t k = 0; k < taps[kernel]; k++) free(memory[k]);
        }
    return wrong;
}
