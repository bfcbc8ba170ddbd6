import CGtk
import KingfisherImage

/// The pixel formats that GTK reads directly, and the conversion of others. Figures: decision 019.
enum TextureFormat {
    /// The GDK format for `format`; nil if the pixels must be inspected or converted first.
    static func of(_ format: PixelFormat, for renderer: RendererKind) -> GdkMemoryFormat? {
        guard format.layout == .rgba, format.depth == .eight else { return nil }
        // Opaque pixels are the same in both forms. For a GPU, GTK converts straight alpha at three times the
        // cost; cairo is 25 % faster with straight alpha.
        return switch (format.alpha, renderer) {
        case (.premultiplied, _), (.opaque, .gpu): GDK_MEMORY_R8G8B8A8_PREMULTIPLIED
        case (.opaque, .cairo), (.straight, .cairo): GDK_MEMORY_R8G8B8A8
        case (.straight, .gpu): nil
        }
    }

    /// `pixels` and their GDK format, or a copy with eight bits per channel if GTK cannot read them. Nil if
    /// there is not enough memory.
    static func drawable(
        _ pixels: PixelBuffer, for renderer: RendererKind
    ) -> (pixels: PixelBuffer, format: GdkMemoryFormat)? {
        if let format = of(pixels.format, for: renderer) { return (pixels, format) }
        if pixels.format == .rgba8Straight, pixels.isEntirelyOpaque {
            return of(.rgba8Opaque, for: renderer).map { (pixels, $0) }
        }
        guard let copy = try? pixels.premultiplied() else { return nil }
        return of(copy.format, for: renderer).map { (copy, $0) }
    }
}
