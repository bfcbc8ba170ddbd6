public import KingfisherCodecSupport

/// Icons and cursors of Windows, in Swift; images that are PNGs by the library's PNG codec.
///
/// A file has several images. The codec decodes the one that fits: the smallest of at least the wanted size,
/// with the shape of the largest; the largest, with the most bits a pixel, if none is large enough or no size
/// is wanted. The header describes the largest image.
///
/// Bitmaps are `.rgba8Straight`, with alpha or the mask. PNGs are what the PNG codec makes of them. A
/// corrupt image is passed over, here and in the header, if another is intact; a file that ends within one is
/// `truncated`. The hotspot of a cursor is not read.
public struct ICOCodec: ImageCodec {
    /// Creates the codec for `ImageCodecs.register(.ico)`.
    public init() {}

    public var format: ImageFormat { .ico }
    public var fileExtensions: [String] { ["ico", "cur"] }
    public var mediaType: String { "image/vnd.microsoft.icon" }
    public var version: String { "Kingfisher" }

    public var capabilities: CodecCapabilities { [.decodesSmall, .decodes16Bits] }

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        ICODirectory.begins(ByteReader(bytes))
    }

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try ICODecoder(file)
    }
}
