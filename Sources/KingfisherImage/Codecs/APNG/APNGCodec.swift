package import Foundation

/// Animated PNG (PNG, third edition): chunks are read here, libspng decompresses each frame, and frames are
/// composed on demand.
///
/// A still with PNG's signature belongs to `PNGCodec`, even if it declares an animation of one frame. A file
/// without an IEND chunk is `truncated`. Chunks out of order, a wrong number of frames and wrong checksums
/// are `corrupt`; pixel checksums are verified when a frame is decoded. Frames are always RGBA, with 8 bits
/// per sample, or 16 if the file has 16; colours become sRGB, as `PNGColors` says.
package struct APNGCodec: AnimationCodec {
    private static let maximumChunksBeforeACTL = 64

    package init() {}

    package var format: ImageFormat { .APNG }
    package var capabilities: CodecCapabilities {
        [
            .decodesAnimations, .decodes16Bits, .encodesStills, .encodesAnimations, .encodesLossless,
            .encodesAlpha, .encodes16Bits, .readsMetadata, .writesMetadata,
        ]
    }
    package var version: String { PNGCodec().version }

    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.starts(with: PNGCodec.signature) else { return false }
        let reader = ByteReader(bytes)
        var chunks = PNGChunks(reader)
        for _ in 0..<Self.maximumChunksBeforeACTL {
            guard let chunk = try? chunks.next(), chunk.type != .IDAT else { return false }
            if chunk.type == .acTL { return (reader.uint32(at: chunk.data, bigEndian: true) ?? 0) > 1 }
        }
        return false
    }

    package func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        let index = try data.reading(APNGIndex.init(scanning:))
        var header = ImageHeader(size: index.canvas)
        header.orientation = index.orientation
        header.hasAlpha = !index.isOpaque
        header.bitsPerComponent = index.header.bitsPerComponent
        header.isLossless = true
        header.timing = index.timing
        return header
    }

    package func endsEarly(_ data: Data) -> Bool { part(of: data) != nil }

    package func header(
        of data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> ImageHeader {
        switch acceptsPartialImages ? part(of: data) : nil {
        case .animation(let file): try header(of: file)
        case .still(let file): try PNGCodec().header(of: file)
        case nil: try header(of: data)
        }
    }

    package func decode(
        _ data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> PixelBuffer {
        switch acceptsPartialImages ? part(of: data) : nil {
        case .animation(let file): try decode(file, minimumSize: minimumSize)
        case .still(let file):
            try PNGCodec().decode(file, minimumSize: minimumSize, acceptsPartialImages: true)
        case nil: try decode(data, minimumSize: minimumSize)
        }
    }

    package func frameSource(
        for data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> (any ImageFrameSource)? {
        switch acceptsPartialImages ? part(of: data) : nil {
        case .animation(let file): try frameSource(for: file)
        case .still: nil
        case nil: try frameSource(for: data)
        }
    }

    private func part(of data: Data) -> APNGPart? {
        (try? data.reading { APNGPart($0) }) ?? nil
    }

    package static func source(_ data: Data) throws(ImageCodecError) -> ComposedFrameSource<APNGCompositor> {
        let compositor = try data.reading { reader throws(ImageCodecError) in
            let index = try APNGIndex(scanning: reader)
            return APNGCompositor(index, colors: index.header.colors(in: reader, of: index.pixelFormat))
        }
        return ComposedFrameSource(data, compositor)
    }

    package func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        try PNGCodec().encode(pixels, options: options)
    }

    package func encode(
        _ frames: any ImageFrameSource, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data? {
        try encode(frames, options: options) { frames throws(ImageCodecError) in
            try APNGEncoder(frames).encode()
        }
    }
}
