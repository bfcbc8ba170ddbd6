import CGtk
import Dispatch
import Foundation
import KingfisherImage

/// A GdkTexture of an image's pixels, or of a copy that was shrunk.
///
/// It retains the pixels for as long as GTK needs them, which may be longer than this object lives. May be
/// created and released on any thread. Unchecked: a GdkTexture is immutable and counted atomically.
final class Texture: @unchecked Sendable {
    let source: PixelBuffer
    let level: MipLevel
    private let pointer: OpaquePointer

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
        // A texture that was drawn owns renderer resources, which belong to the main thread.
        if Thread.isMainThread {
            g_object_unref(UnsafeMutableRawPointer(pointer))
        } else {
            nonisolated(unsafe) let pointer = pointer
            DispatchQueue.main.async { g_object_unref(UnsafeMutableRawPointer(pointer)) }
        }
    }

    /// Calls `body` with the texture as a GdkPaintable. Do not let the pointer escape: it does not retain
    /// this object.
    func withPaintable<Result>(_ body: (OpaquePointer) -> Result) -> Result {
        withExtendedLifetime(self) { body(pointer) }
    }
}
