import CGtk
import Foundation
import KingfisherImage

@MainActor struct ImageStyle {
    let foreground: GdkRGBA
    let isRightToLeft: Bool

    init(of widget: UnsafeMutablePointer<GtkWidget>) {
        var color = GdkRGBA()
        gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color)
        foreground = color
        isRightToLeft = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL
    }
}

extension DrawableImage {
    /// Appends the image: a template as a mask in the foreground colour, mirrored in right-to-left layout if
    /// the image requires it.
    @MainActor func draw(in frame: CGRect, on snapshot: OpaquePointer, style: ImageStyle) {
        let isTemplate = image.renderingMode == .alwaysTemplate
        let isMirrored = image.flipsForRightToLeftLayoutDirection && style.isRightToLeft
        if isTemplate { snapshot.pushMask(of: style.foreground) }
        if isMirrored {
            gtk_snapshot_save(snapshot)
            snapshot.translate(x: frame.minX + frame.maxX, y: 0)
            gtk_snapshot_scale(snapshot, -1, 1)
        }
        draw(in: frame, on: snapshot)
        if isMirrored { gtk_snapshot_restore(snapshot) }
        if isTemplate { gtk_snapshot_pop(snapshot) }
    }
}

extension OpaquePointer {
    /// Paints everything up to the next pop in `color`, wherever it is opaque.
    @MainActor fileprivate func pushMask(of color: GdkRGBA) {
        // The matrix takes the opacity from the pixels; the offset supplies the colour.
        var matrix = graphene_matrix_t()
        var factors = [Float](repeating: 0, count: 16)
        factors[15] = color.alpha
        graphene_matrix_init_from_float(&matrix, factors)
        var offset = graphene_vec4_t()
        graphene_vec4_init(&offset, color.red, color.green, color.blue, 0)
        gtk_snapshot_push_color_matrix(self, &matrix, &offset)
    }
}
