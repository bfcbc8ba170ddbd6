import KingfisherService

/// Names of options that a label may have: those that imgproxy, thumbor and imagor document.
enum CompatibleOptionName {
    /// The option that `error` says is not supported, or `other` if its name is not known. Nil for other
    /// errors.
    static func refused(by error: ServiceError) -> String? {
        guard error.status == 400, error.message.contains(" is not supported: ") else { return nil }
        let name = String(error.message.prefix { $0 != " " && $0 != ":" })
        return known.contains(name) ? name : "other"
    }

    static let known = Set((imgproxy + " " + thumbor).split(separator: " ").map { String($0) })

    private static let imgproxy = """
        adjust a auto_rotate ar autoquality aq avif_options avifo background bg background_alpha bga blur \
        bl blur_areas ba blur_detections bd brightness br cachebuster cb color_profile cp icc colorize col \
        contrast co crop c crop_aspect_ratio crop_ar car ct disable_animation da dpi dpr draw_detections \
        dd duotone dt enc enforce_thumbnail eth enlarge el expires exp extend ex extend_aspect_ratio \
        extend_ar exar fallback_image_url fiu filename fn flip fl format f ext format_quality fq gradient \
        gr gravity g hashsum hs height h info jpeg_options jpgo jxl_options jxlo keep_copyright kcr \
        max_animation_frames maf max_animation_frame_resolution mafr max_bytes mb max_result_dimension mrd \
        max_src_file_size msfs max_src_resolution msr min-height min_height mh min-width min_width mw \
        monochrome mc objects_position obj_pos op padding pd page pg pages pgs pixelate pix png_options \
        pngo preset pr preserve_hdr ph quality q raw resize rs resizing_algorithm ra resizing_type rt \
        return_attachment att rotate rot saturation sa sharpen sh size s skip_processing skp \
        strip_color_profile scp strip_metadata sm style st trim t unsharp_masking ush \
        video_thumbnail_animation vta video_thumbnail_keyframes vtk video_thumbnail_second vts \
        video_thumbnail_tile vtt watermark wm watermark_rotate wm_rot wmr watermark_shadow wmsh \
        watermark_size wms watermark_text wmt watermark_url wmu webp_options webpo width w zoom z
        """

    private static let thumbor = """
        adaptive-fit-in adaptive-full-fit-in attachment auto_orient autojpg b64 background_color blur \
        brightness contrast convolution cover crop debug distributed_collage equalize expire extract_focal \
        fill fit-in focal format frame full-fit-in gifv grayscale hue jpeg label max_age max_bytes \
        max_frames meta no_upscale noise orientation orig padding page preview proportion quality raw \
        red_eye rgb rotate round_corner saturation sharpen smart stretch strip_exif strip_icc \
        strip_metadata structure_similarity thumbnail trim upscale watermark
        """
}
