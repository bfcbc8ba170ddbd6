public import Foundation
public import KingfisherCodecSupport

/// Icons and cursors of Windows, in Swift; images that are PNGs by the library's PNG codec.
///
/// A file has several images. The codec decodes the one that fits: the smallest of at least the wanted size,
/// with the shape of the largest; the largest, with the most bits a pixel, if none is large enough or no size
/// is wanted. The header is that of the largest.
///
/// Bitmaps are `.rgba8Straight`, with alpha or the mask. PNGs are what the PNG codec makes of them. A
/// corrupt image is passed over, here and in the header, if another is intact; a file that ends within one is
/// `truncated`. The hotspot of a cursor is not read.
public struct ICOCodec: ImageCodec, DeferredColorCodec {
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

    public func header(of data: Data) throws(ImageCodecError) -> ImageHeader {
        try data.reading { reader throws(ImageCodecError) in
            let entry = try ICODirectory(reader).entry(covering: nil, in: reader)
            switch entry.content {
            case .bitmap:
                var header = ImageHeader(size: entry.size)
                header.isLossless = true
                header.hasAlpha = true
                return header
            case .png: return try entry.pngHeader(in: reader)
            case .unusable(let error): throw error
            }
        }
    }

    public func decodingMemory(of data: Data, target: PixelSize?) throws(ImageCodecError) -> Int {
        try data.reading { reader throws(ImageCodecError) in
            let entry = try ICODirectory(reader).entry(covering: target, in: reader)
            let bytes = try entry.bytes(of: reader)
            switch entry.content {
            case .bitmap(let header):
                return 2 * DIBImage(header, in: bytes).memory(minimumSize: target?.doubled)
            case .png:
                // The decoder gets a copy of the file.
                return try ICOEntry.png.decodingMemory(of: Data(bytes.bytes), target: target) + bytes.count
            case .unusable(let error): throw error
            }
        }
    }

    public func decodePixels(
        of data: Data, minimumSize: PixelSize?, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let entry = try ICODirectory(reader).entry(covering: minimumSize, in: reader)
            return try Self.decode(entry, in: reader, minimumSize: minimumSize)
        }
    }

    public func decodePixels(
        of data: Data, shrunkTo target: PixelSize, acceptsPartialImages: Bool
    ) throws(ImageCodecError) -> DecodedPixels {
        try data.reading { reader throws(ImageCodecError) in
            let entry = try ICODirectory(reader).entry(covering: target, in: reader)
            return try Self.decode(entry, in: reader, minimumSize: target.doubled).resized(to: target)
        }
    }

    private static func decode(
        _ entry: ICOEntry, in reader: ByteReader, minimumSize: PixelSize?
    ) throws(ImageCodecError) -> DecodedPixels {
        let bytes = try entry.bytes(of: reader)
        switch entry.content {
        case .bitmap(let header): return try IconBitmap(header, in: bytes).decode(minimumSize: minimumSize)
        case .png:
            return DecodedPixels(try ICOEntry.png.decode(Data(bytes.bytes), minimumSize: minimumSize))
        case .unusable(let error): throw error
        }
    }
}
