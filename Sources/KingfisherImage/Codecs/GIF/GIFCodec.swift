package import Foundation

/// GIF: frames are decompressed and composed on demand, and encoded with one palette each.
///
/// A file without its trailer is `truncated` even if it has complete frames, unless the caller accepts
/// partial images: an interrupted download must not count as the image.
package struct GIFCodec: AnimationCodec {
    package init() {}

    package var format: ImageFormat { .GIF }
    package var capabilities: CodecCapabilities {
        [
            .decodesAnimations, .encodesAnimations, .encodesAlpha, .encodesPalette, .readsMetadata,
            .writesMetadata,
        ]
    }
    package var version: String { "Kingfisher" }

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

    package func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        do throws(ImageCodecError) {
            return try header(of: data).decodingMemory
        } catch .truncated {
            // The memory of an animation, without decoding the available part.
            return try data.reading { reader throws(ImageCodecError) in
                guard let size = GIFPart.screen(of: reader) else { throw .truncated }
                var header = ImageHeader(size: size)
                try ImageLimits.check(header.size)
                header.timing = AnimationTiming(durations: [0, 0])
                return header.decodingMemory
            }
        }
    }

    package func endsEarly(_ data: Data) -> Bool {
        do throws(ImageCodecError) {
            _ = try data.reading(GIFIndex.init(scanning:))
            return false
        } catch {
            return error == .truncated
        }
    }

    package func header(
        of data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> ImageHeader {
        try header(of: acceptsPartialImages ? completed(data) : data)
    }

    package func decode(
        _ data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> PixelBuffer {
        try decode(acceptsPartialImages ? completed(data) : data, minimumSize: minimumSize)
    }

    package func frameSource(
        for data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> (any ImageFrameSource)? {
        try frameSource(for: acceptsPartialImages ? completed(data) : data)
    }

    private func completed(_ data: Data) -> Data {
        (try? data.reading { GIFPart.file($0) }) ?? data
    }

    package static func source(_ data: Data) throws(ImageCodecError) -> ComposedFrameSource<GIFCompositor> {
        ComposedFrameSource(data, GIFCompositor(try data.reading(GIFIndex.init(scanning:))))
    }
}
