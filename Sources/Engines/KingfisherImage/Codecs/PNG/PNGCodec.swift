import CSPNG
package import Foundation

/// PNG: every colour type and depth, Adam7, tRNS, oriented by its metadata. Files with 8-bit samples and
/// without interlacing use `PNGFastPath`, the others libspng.
///
/// RGB and palettes become 8-bit RGBA, opaque or with straight alpha. Greyscale stays greyscale, with 1, 2
/// and 4 bits expanded to 8; 16 bits stay 16, in native byte order. A wrong checksum is `corrupt`, a file
/// without an IEND chunk is `truncated`.
///
/// If a smaller image is enough, non-interlaced rows are averaged while they are decoded, and straight alpha
/// becomes premultiplied. Colours become sRGB, as `PNGColors` says.
package struct PNGCodec: ImageCodec {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    package init() {}

    package var format: ImageFormat { .PNG }
    package var keepsFileBytes: Bool { false }
    package var capabilities: CodecCapabilities {
        [
            .decodesSmall, .decodes16Bits, .encodesStills, .encodesLossless, .encodesAlpha, .encodes16Bits,
            .encodesPalette, .readsMetadata, .writesMetadata,
        ]
    }
    package var version: String { "libspng \(String(cString: spng_version_string()))" }

    package func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        bytes.starts(with: Self.signature)
    }

    package func open(_ file: EncodedFile) throws(ImageCodecError) -> any ImageDecoder {
        try PNGDecoder(file)
    }

    package func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        guard options.maximumColors != nil else { return try PNGEncoder.encode(pixels) }
        return try PNGPaletteEncoder.encode(pixels, colors: options.paletteColors)
    }
}
