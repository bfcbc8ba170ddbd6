public import Foundation
public import KingfisherCodecSupport

extension JPEGXLCodec {
    /// Encodes with libjxl in sRGB: lossy, or lossless with all samples of transparent pixels.
    ///
    /// Samples keep their 8 or 16 bits, and greyscale stays greyscale. The quality is that of the tool
    /// `cjxl`: 0.9 has no visible loss, 1 is lossy, but nearer. Alpha is straight. Equal pixels and options
    /// give equal bytes. A side above 262,144 pixels is `tooLarge`.
    public func encode(
        _ pixels: PixelBuffer, options: ImageEncodingOptions
    ) throws(ImageCodecError) -> Data {
        // The limit of codestreams of level 5, which all decoders read.
        guard max(pixels.width, pixels.height) <= 1 << 18 else {
            throw .tooLarge(width: pixels.width, height: pixels.height)
        }
        let encoder = try JPEGXLEncoder(effort: effort ?? Self.effort(for: pixels.size))
        var pixels = pixels
        if pixels.format.alpha == .premultiplied {
            pixels = try pixels.converted(
                to: PixelFormat(layout: pixels.format.layout, depth: pixels.format.depth, alpha: .straight))
        }
        try encoder.add(pixels, distance: options.isLossless ? 0 : Self.distance(for: options.quality))
        return try encoder.file()
    }

    private static func effort(for size: PixelSize) -> Int {
        size.area <= 262_144 ? 5 : 3
    }

    /// The distance of Butteraugli for a quality, as `JxlEncoderDistanceFromQuality` of libjxl 0.9 has it; at
    /// least 0.1.
    private static func distance(for quality: Double) -> Float {
        let quality = quality.isNaN ? 100 : min(max(quality, 0), 1) * 100
        if quality >= 30 { return Float(0.1 + (100 - quality) * 0.09) }
        return Float(53.0 / 3_000 * quality * quality - 23.0 / 20 * quality + 25)
    }
}
