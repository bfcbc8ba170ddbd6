#pragma once

#include <stddef.h>
#include <stdint.h>

/// The longest side of an image of cairo.
enum { KF_SVG_LONGEST_SIDE = 32767 };

typedef enum {
    kf_svg_success,
    kf_svg_missing_library,
    /// The file is malformed, or above a limit of librsvg.
    kf_svg_malformed,
    kf_svg_out_of_memory,
} kf_svg_result;

/// Where an image is rendered.
typedef struct {
    /// `height` rows of premultiplied RGBA, zeroed, `bytes_per_row` bytes apart.
    uint8_t *_Nonnull rows;
    size_t bytes_per_row;
    int width;
    int height;
    /// The size of the document in CSS pixels, which is stretched to the whole image.
    double document_width;
    double document_height;
} kf_svg_target;

/// Renders a file with librsvg, which is loaded at first use. It loads nothing that the file names, except
/// `data:` URLs and fonts of the system. After a failure, `message` has the reason.
kf_svg_result kf_svg_render(
    const uint8_t *_Nonnull file, size_t length, const kf_svg_target *_Nonnull target,
    char *_Nonnull message, size_t message_length);

/// Writes "major.minor.micro" of librsvg; nothing without it.
void kf_svg_version(char *_Nonnull text, size_t length);

/// Calls `body` with `context` for each folder and each font of fontconfig's current configuration, which is
/// loaded at first use. Not at all without librsvg.
void kf_svg_font_paths(
    void (*_Nonnull body)(const char *_Nonnull path, void *_Nullable context), void *_Nullable context);
