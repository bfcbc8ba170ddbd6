import CGtk
import KingfisherImage

/// A picture on GTK's side: a GdkTexture that reads the pixels where they are.
///
/// Textures are immutable and counted atomically; this one keeps its pixels alive as long as GTK needs them,
/// which may be longer than this object lives.
final class Texture {
    /// The picture that this shows; also what the cache knows the texture by.
    let source: PixelBuffer
    private let pointer: OpaquePointer

    /// Nil when the pixels have to be converted first and memory for that is lacking.
    init?(_ source: PixelBuffer) {
        guard let pixels = TextureFormat.drawable(source), let format = TextureFormat.of(pixels.format) else {
            return nil
        }
        let bytes = g_bytes_new_with_free_func(
            pixels.unsafeBase, gsize(pixels.byteCount),
            { Unmanaged<PixelBuffer>.fromOpaque($0!).release() },
            Unmanaged.passRetained(pixels).toOpaque())
        self.source = source
        pointer = gdk_memory_texture_new(
            Int32(pixels.width), Int32(pixels.height), format, bytes, gsize(pixels.bytesPerRow))
        g_bytes_unref(bytes)
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(pointer))
    }

    /// Lends the texture as a GdkPaintable. Never let the pointer out: Swift may free this object as soon as
    /// its last use is over, which a pointer is not.
    func withPaintable<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        withExtendedLifetime(self) { body(pointer) }
    }
}
