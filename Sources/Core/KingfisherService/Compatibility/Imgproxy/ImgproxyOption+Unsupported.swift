extension ImgproxyOption {
    private static let pro = "it is a part of imgproxy Pro"
    private static let limit = "limits are settings of the service"

    /// Options without an equivalent.
    static let unsupported =
        [
            unsupported("min-width", "min_width", "mw", reason: "a size has no minimum"),
            unsupported("min-height", "min_height", "mh", reason: "a size has no minimum"),
            unsupported(
                "extend_aspect_ratio", "extend_ar", "exar", reason: "a canvas has a size in pixels"),
            unsupported("skip_processing", "skp", reason: "every image is decoded and encoded"),
            unsupported("raw", reason: "every image is decoded and encoded"),
            unsupported("max_src_resolution", "msr", reason: limit),
            unsupported("max_src_file_size", "msfs", reason: limit),
            unsupported("max_animation_frames", "maf", reason: limit),
            unsupported("max_animation_frame_resolution", "mafr", reason: limit),
            unsupported("max_result_dimension", "mrd", reason: limit),
        ] + proNames.map { ImgproxyOption($0, .unsupported(pro)) }

    private static let proNames = [
        ["resizing_algorithm", "ra"], ["objects_position", "obj_pos", "op"],
        ["crop_aspect_ratio", "crop_ar", "car"], ["background_alpha", "bga"], ["monochrome", "mc"],
        ["duotone", "dt"], ["colorize", "col"], ["gradient", "gr"], ["unsharp_masking", "ush"],
        ["blur_areas", "ba"], ["blur_detections", "bd"], ["draw_detections", "dd"],
        ["watermark_url", "wmu"], ["watermark_text", "wmt"], ["watermark_size", "wms"],
        ["watermark_rotate", "wm_rot", "wmr"], ["watermark_shadow", "wmsh"], ["style", "st"], ["dpi"],
        ["color_profile", "cp", "icc"], ["autoquality", "aq"], ["jpeg_options", "jpgo"],
        ["png_options", "pngo"], ["webp_options", "webpo"], ["avif_options", "avifo"],
        ["jxl_options", "jxlo"], ["page", "pg"], ["pages", "pgs"], ["video_thumbnail_second", "vts"],
        ["video_thumbnail_keyframes", "vtk"], ["video_thumbnail_tile", "vtt"],
        ["video_thumbnail_animation", "vta"], ["fallback_image_url", "fiu"], ["hashsum", "hs"],
    ]
}
