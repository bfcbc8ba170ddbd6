#pragma once

#include "support.h"

// resampling.c
long check_resize_columns(kf_level level, long *cases);
long check_resize_rows(kf_level level, long *cases);
long check_resize_row16(kf_level level, long *cases);
long check_shrink_row(kf_level level, long *cases);
long check_shrink_row16(kf_level level, long *cases);
long check_box_blur(kf_level level, long *cases);
long check_sharpen(kf_level level, long *cases);

// samples.c
long check_premultiply(kf_level level, long *cases);
long check_unpremultiply(kf_level level, long *cases);
long check_clamp_to_alpha(kf_level level, long *cases);
long check_layout_and_depth(kf_level level, long *cases);

// compositing.c
long check_cover(kf_level level, long *cases);
long check_blend(kf_level level, long *cases);
long check_linear_filter(kf_level level, long *cases);

// png.c
long check_png_filter(kf_level level, long *cases);
long check_png_pack(kf_level level, long *cases);

// png_unfilter.c
long check_png_unfilter(kf_level level, long *cases);

// jpeg.c
long check_jpeg(kf_level level, long *cases);
