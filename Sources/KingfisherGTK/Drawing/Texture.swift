import CGtk
import Dispatch
import Foundation
import KingfisherImage

/// An image on GTK's side: a GdkTexture that reads the pixels where they are, or those of a copy that was
/// shrunk.
///
/// This one keeps its pixels alive as long as GTK needs them, which may be longer than this object lives. May
/// be made and let go on any thread.
final class Texture: @unchecked Sendable {
    // Unchecked: a GdkTexture is immutable and counted atomically.
    /// The image that this shows; also what the cache knows the texture by.
    let source: PixelBuffer
    /// How far the image was shrunk for it.
    let level: MipLevel
    private let pointer: OpaquePointer

    /// Shrinks the pixels to `level`, looks at them and converts them where they need it; nil when memory for
    /// that is lacking.
    init?(_ source: PixelBuffer, level: MipLevel, for renderer: RendererKind) {
        guard let (pixels, format) = TextureFormat.drawable(level.copy(of: source), for: renderer) else {
            return nil
        }
        let bytes = g_bytes_new_with_free_func(
            pixels.unsafeBase, gsize(pixels.byteCount),
            { Unmanaged<PixelBuffer>.fromOpaque($0!).release() },
            Unmanaged.passRetained(pixels).toOpaque())
        self.source = source
        self.level = level
        pointer = gdk_memory_texture_new(
            Int32(pixels.width), Int32(pixels.height), format, bytes, gsize(pixels.bytesPerRow))
        g_bytes_unref(bytes)
    }

    deinit {
        // A texture that was drawn has something of the renderer's to give back, which is the main thread's.
        if Thread.isMainThread {
            g_object_unref(UnsafeMutableRawPointer(pointer))
        } else {
            nonisolated(unsafe) let pointer = pointer
            DispatchQueue.main.async { g_object_unref(UnsafeMutableRawPointer(pointer)) }
        }
    }

    /// Lends the texture as a GdkPaintable. Never let the pointer out: Swift may free this object as soon as
    /// its last use is over, which a pointer is not.
    func withPaintable<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        withExtendedLifetime(self) { body(pointer) }
    }
}
