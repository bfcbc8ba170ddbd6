#include "checks.h"

/// A new kernel needs a line here and a function declared by its file.
static const kf_check checks[] = {
    {"resize_columns", check_resize_columns},
    {"resize_rows", check_resize_rows},
    {"resize_row16", check_resize_row16},
    {"shrink_row", check_shrink_row},
    {"shrink_row16", check_shrink_row16},
    {"box_blur", check_box_blur},
    {"sharpen", check_sharpen},
    {"premultiply", check_premultiply},
    {"unpremultiply", check_unpremultiply},
    {"clamp_to_alpha", check_clamp_to_alpha},
    {"layout and depth", check_layout_and_depth},
    {"cover", check_cover},
    {"blend", check_blend},
    {"filter_linear", check_linear_filter},
    {"png_filter", check_png_filter},
    {"png_pack", check_png_pack},
    {"png_unfilter", check_png_unfilter},
    {"jpeg", check_jpeg},
};

int kf_check_count(void) { return (int)(sizeof checks / sizeof *checks); }

const kf_check *kf_check_at(int index) { return &checks[index]; }
