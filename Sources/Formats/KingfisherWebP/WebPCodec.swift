import CWebP
public import KingfisherCodecSupport

/// WebP with libwebp (container and bitstreams: RFC 9649).
///
/// Decodes stills and animations, lossy and lossless, oriented by EXIF, and converts an embedded ICC profile
/// to sRGB. Pixels are as libwebp delivers them: `.rgba8Opaque` or, with alpha, `.rgba8Straight`. A file
/// without its complete RIFF chunk is `truncated`, unless the caller accepts partial images.
public struct WebPCodec: ImageCodec {
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

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        if file.acceptsPartialImages, let part = try WebPPart.open(file) { return part }
        return try WebPDecoder(file)
    }
}

extension ImageCodec where Self == WebPCodec {
    /// The codec that reads and writes WebP: `ImageCodecs.register(.webP)`.
    public static var webP: WebPCodec { WebPCodec() }
}
