import CWebP
public import Foundation
public import KingfisherCodecSupport

/// WebP with libwebp (container and bitstreams: RFC 9649).
///
/// Decodes stills and animations, lossy and lossless, oriented by EXIF, and converts an embedded ICC profile
/// to sRGB. Pixels are those of libwebp: `.rgba8Opaque` or, with alpha, `.rgba8Straight`. A file without its
/// complete RIFF chunk is `truncated`, unless the caller accepts partial images.
public struct WebPCodec: ImageCodec, DeferredColorCodec {
    /// Creates the codec for `ImageCodecs.register(.webP)`.
    public init() {}

    public var format: ImageFormat { .webP }

    public var capabilities: CodecCapabilities {
        [
            .decodesSmall, .decodesAnimations, .encodesStills, .encodesAnimations, .encodesLossy,
            .encodesEffort, .encodesLossless, .encodesAlpha, .readsMetadata, .writesMetadata,
        ]
    }

    public var version: String {
        let number = WebPGetDecoderVersion()
        return "libwebp \(number >> 16).\(number >> 8 & 255).\(number & 255)"
    }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        WebPSignature.begins(bytes)
    }

    public func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        try data.reading(WebPFile.init(scanning:)).header
    }

    public func header(
        of data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> ImageHeader {
        switch acceptsPartialImages ? try part(of: data) : nil {
        case .animation(let file): try header(of: file)
        case .still(let still): still.header
        case nil: try header(of: data)
        }
    }

    public func endsEarly(_ data: Data) -> Bool {
        (try? data.reading { WebPPart.endsEarly($0) }) ?? false
    }

    private func part(of data: Data) throws(ImageCodecError) -> WebPPart? {
        try data.reading { reader throws(ImageCodecError) in try WebPPart(reader) }
    }

    public func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        switch acceptsPartialImages ? try part(of: data) : nil {
        case .animation(let file): try decodeWhole(file, minimumSize)
        case .still(let still): try data.reading(still.decode)
        case nil: try decodeWhole(data, minimumSize)
        }
    }

    private func decodeWhole(
        _ data: Data, _ minimumSize: PixelSize?
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let file = try WebPFile(scanning: reader)
            let colors = file.colors(in: reader)
            guard let first = file.frames.first, first.fills(file.canvas) else {
                let compositor = WebPCompositor(file, colors: colors)
                return try compositor.decoded(compositor.compose(0, of: reader, over: nil))
            }
            let stored = file.orientation.swapsSides ? minimumSize?.swapped : minimumSize
            let size = file.canvas.shrunk(toCover: stored)
            let bitstream = try WebPBitstream(first, of: reader)
            let format: PixelFormat = file.isOpaque ? .rgba8Opaque : .rgba8Straight
            let pixels = try PixelBuffer.decoding(size, format: format) {
                rows, bytesPerRow throws(ImageCodecError) in
                try bitstream.decode(to: size, into: rows, bytesPerRow: bytesPerRow)
            }
            return try DecodedPixels(pixels, colors: colors).upright(from: file.orientation)
        }
    }

    public func frameSource(for data: Data) throws(ImageCodecError) -> (any ImageFrameSource)? {
        guard let source = try Self.source(data) else { return nil }
        try source.checkPixels()
        // The first frame is shown immediately, so its errors belong here; the source caches it.
        _ = try source.composedFrame(at: 0)
        return source
    }

    public func frameSource(
        for data: Data, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> (any ImageFrameSource)? {
        switch acceptsPartialImages ? try part(of: data) : nil {
        case .animation(let file): try frameSource(for: file)
        case .still: nil
        case nil: try frameSource(for: data)
        }
    }

    /// The frames of an animation, even if it has only one; nil for a still.
    static func source(_ data: Data) throws(ImageCodecError) -> ComposedFrameSource<WebPCompositor>? {
        let compositor = try data.reading { reader throws(ImageCodecError) -> WebPCompositor? in
            let file = try WebPFile(scanning: reader)
            return file.isAnimated ? WebPCompositor(file, colors: file.colors(in: reader)) : nil
        }
        return compositor.map { ComposedFrameSource(data, $0) }
    }
}

extension WebPFile {
    func colors(in reader: ByteReader) -> ICCTransform? {
        profile?.reader(in: reader).flatMap { ICCTransform.toSRGB(from: $0) }
    }
}

extension ImageCodec where Self == WebPCodec {
    /// The codec that reads and writes WebP: `ImageCodecs.register(.webP)`.
    public static var webP: WebPCodec { WebPCodec() }
}
