public import Foundation
public import KingfisherCodecSupport

/// BMP, in Swift: headers of OS/2 and Windows from BITMAPCOREHEADER to BITMAPV5HEADER.
///
/// Reads 1, 2, 4, 8, 16, 24 and 32 bits a pixel, run lengths of 4 and 8 bits, bit fields with and without
/// alpha, and rows in either order. Pixels are `.rgba8Opaque`, or `.rgba8Straight` if the header has a mask
/// for alpha; without one, the fourth byte of 32 bits is unused. Fields of other widths become 8 bits by
/// rounding to the nearest level. Pixels that run lengths skip have the first colour of the palette.
///
/// Colours of an embedded profile, and of primaries and exponents in a V4 or V5 header, become sRGB.
/// If a smaller image is enough, rows are averaged while they are decoded, and straight alpha becomes
/// premultiplied. JPEG, PNG and Huffman codes within a BMP are `unsupported`. A linked profile is ignored.
public struct BMPCodec: ImageCodec {
    /// Creates the codec for `ImageCodecs.register(.bmp)`.
    public init() {}

    public var format: ImageFormat { .bmp }
    public var fileExtensions: [String] { ["bmp", "dib"] }

    public var version: String { "Kingfisher" }

    public var capabilities: CodecCapabilities {
        [.decodesSmall, .encodesStills, .encodesLossless, .encodesAlpha]
    }

    static let fileHeaderBytes = 14

    public func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let reader = ByteReader(bytes)
        guard reader.has("BM", at: 0) else { return false }
        // Two letters alone may begin a text.
        return reader.uint32(at: Self.fileHeaderBytes, bigEndian: false).map(DIBHeader.isKnown) ?? true
    }

    public func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        let bitmap = try file.reading { reader throws(ImageCodecError) in
            guard reader.count >= 2 else { throw .truncated }
            guard reader.has("BM", at: 0) else { throw .corrupt("no BMP signature") }
            guard let pixels = reader.uint32(at: 10, bigEndian: false) else { throw .truncated }
            return try DIBHeader(reader, at: Self.fileHeaderBytes, pixels: pixels)
        }
        return DIBDecoder(bitmap, in: file)
    }

    /// Encodes 24 bits a pixel, or with alpha 32 bits and a V5 header of sRGB.
    ///
    /// Equal pixels give equal bytes; the options have no effect. 16-bit samples are rounded to 8, greyscale
    /// becomes RGB, and premultiplied alpha becomes straight. Throws `tooLarge` for a file above 4 GiB.
    public func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        try BMPEncoder.encode(pixels)
    }
}
