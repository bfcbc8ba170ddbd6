package import Foundation

/// GIF: frames are unpacked and composed on demand, and written with a palette each.
///
/// A file that ends before its trailer is `truncated` even when whole frames stand before the cut, because a
/// broken-off download must never be taken for the picture.
package struct GIFCodec: ImageCodec {
    package init() {}

    package var format: ImageFormat { .GIF }

    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: [0x47, 0x49, 0x46])
    }

    package func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        let index = try data.reading(GIFIndex.init(scanning:))
        var header = ImageHeader(size: index.canvas)
        header.hasAlpha = !index.isOpaque
        header.isLossless = true
        header.timing = index.timing
        return header
    }

    package func decode(_ data: Data, minimumSize: PixelSize?) throws(ImageCodecError) -> PixelBuffer {
        try Self.source(data).composedFrame(at: 0)
    }

    package func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? {
        let source = try Self.source(data)
        // The first frame is shown at once, so its errors belong here; the source keeps it.
        _ = try source.composedFrame(at: 0)
        return source
    }

    /// Reads the file's structure; throws when it is broken or above the limits.
    package static func source(_ data: Data) throws(ImageCodecError) -> ComposedFrameSource<GIFCompositor> {
        ComposedFrameSource(data, GIFCompositor(try data.reading(GIFIndex.init(scanning:))))
    }
}
