package import Foundation

/// GIF: frames are unpacked and composed on demand, and written with a palette each.
///
/// A file that ends before its trailer is `truncated` even when whole frames stand before the cut, because a
/// broken-off download must never be taken for the picture.
package struct GIFCodec: AnimationCodec {
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

    package static func source(_ data: Data) throws(ImageCodecError) -> ComposedFrameSource<GIFCompositor> {
        ComposedFrameSource(data, GIFCompositor(try data.reading(GIFIndex.init(scanning:))))
    }
}
