import CGtk
import Foundation
import KingfisherImage

/// What a widget lends to the images it shows.
@MainActor struct ImageStyle {
    /// Paints templates, as it paints text and symbolic icons.
    let foreground: GdkRGBA
    /// Whether the widget reads from right to left.
    let isRightToLeft: Bool

    init(of widget: UnsafeMutablePointer<GtkWidget>) {
        var color = GdkRGBA()
        gtk_style_context_get_color(gtk_widget_get_style_context(widget), &color)
        foreground = color
        isRightToLeft = gtk_widget_get_direction(widget) == GTK_TEXT_DIR_RTL
    }
}

extension DrawableImage {
    /// Appends the image as its traits ask for: as a mask of the foreground colour if it is a template,
    /// mirrored where text runs from right to left.
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

/// A GtkSnapshot.
extension OpaquePointer {
    /// Paints what follows, up to the next pop, in `color` wherever it is opaque.
    @MainActor fileprivate func pushMask(of color: GdkRGBA) {
        // Takes the opacity from the pixels, scaled, and the colour from the constant part.
        var matrix = graphene_matrix_t()
        var factors = [Float](repeating: 0, count: 16)
        factors[15] = color.alpha
        graphene_matrix_init_from_float(&matrix, factors)
        var offset = graphene_vec4_t()
        graphene_vec4_init(&offset, color.red, color.green, color.blue, 0)
        gtk_snapshot_push_color_matrix(self, &matrix, &offset)
    }
}
