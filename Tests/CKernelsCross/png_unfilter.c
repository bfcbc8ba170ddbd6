#include "checks.h"

long check_png_unfilter(kf_level level, long *cases) {
    noise from = {41};
    long wrong = 0;
    for (int32_t width = 1; width <= WIDEST; width++)
        for (int32_t channels = 1; channels <= 4; channels++, ++*cases) {
            const int32_t rows = between(&from, 1, 11), made = channels == 3 ? 4 : channels;
            const size_t bytes = (size_t)(width * channels), out = (size_t)(width * made);
            const size_t stride = 1 + bytes + (size_t)between(&from, 0, 3);
            const size_t target_stride = out + (size_t)between(&from, 0, 5);
            uint8_t *source = filled(&from, stride * (size_t)(rows - 1) + 1 + bytes + 3);
            uint8_t *above = filled(&from, out);
            // After a row of Paeth, all filters use the kernel for several rows.
            for (int32_t row = 0; row < rows; row++)
                source[(size_t)row * stride] =
                    row % 4 == 0 && width % 2 == 0 ? KF_PNG_PAETH : (uint8_t)between(&from, 0, 4);
            const outputs two = both(&from, target_stride * (size_t)(rows - 1) + out);
            kf_png_unfilter(
                KF_SCALAR, source, stride, rows, width, channels, above, two.plain, target_stride);
            kf_png_unfilter(level, source, stride, rows, width, channels, above, two.fast, target_stride);
            wrong += differ(two);
            free(source);
            free(above);
        }
    return wrong;
}
