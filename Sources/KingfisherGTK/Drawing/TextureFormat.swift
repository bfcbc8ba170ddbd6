import CGtk
import KingfisherImage

/// Which pixels GTK takes as they are, and what becomes of the others. Figures: decision 019.
enum TextureFormat {
    /// GTK's name of a format that it reads in place and at its best; nil where pixels have to be looked at
    /// or converted first.
    static func of(_ format: PixelFormat, for renderer: RendererKind) -> GdkMemoryFormat? {
        guard format.layout == .rgba, format.depth == .eight else { return nil }
        // Opaque pixels read the same either way. A GPU takes premultiplied ones as they are and has GTK
        // convert straight ones, at three times the cost; cairo is a quarter quicker with straight ones.
        return switch (format.alpha, renderer) {
        case (.premultiplied, _), (.opaque, .gpu): GDK_MEMORY_R8G8B8A8_PREMULTIPLIED
        case (.opaque, .cairo), (.straight, .cairo): GDK_MEMORY_R8G8B8A8
        case (.straight, .gpu): nil
        }
    }

    /// `pixels` with GTK's name of their format: themselves where that has one, or is found to be opaque, or
    /// a copy in eight bits a channel, which is what screens show. Nil when memory is lacking.
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
